"""Places that askers share: all are used, and who has few keeps them."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from functools import partial

import pytest
import trio
import trio.testing

from arena.view.serving.places import Full, Places, Turns


def test_one_asker_may_have_all_until_another_asks():
    lost: list[int] = []
    places = Places(3)
    with contextlib.ExitStack() as ends:
        for number in range(3):
            ends.enter_context(places.taken("one", partial(lost.append, number)))
        ends.enter_context(places.taken("two", lambda: lost.append(-1)))
        assert lost == [0]
        ends.enter_context(places.taken("two", lambda: lost.append(-2)))
        assert lost == [0, -1], "two and one have as much as they can have without the other having less"
        ends.enter_context(places.taken("three", lambda: lost.append(-3)))
        assert lost == [0, -1, 1]
        with pytest.raises(Full):
            ends.enter_context(places.taken("four", lambda: None))
        assert places.count == 3
    assert places.count == 0


def test_a_place_that_is_used_again_is_the_newest():
    lost: list[str] = []
    places = Places(2)
    with (
        places.taken("one", lambda: lost.append("a")) as first,
        places.taken("one", lambda: lost.append("b")),
    ):
        places.renew(first, "one")
        with places.taken("two", lambda: None):
            assert lost == ["b"]
            places.renew(first, "three")
            assert places.of("three") == 1
            assert places.of("one") == 0


def test_at_random_nobody_with_fewer_loses_a_place_to_one_with_more():
    """The sum never exceeds the number of places, and each loss makes the counts more equal."""
    chance = random.Random(1)
    for _ in range(20):
        places, had = Places(7), Counter[str]()
        ends = {name: contextlib.ExitStack() for name in "abcde"}

        def lose(who, had=had):
            assert had[who] == max(had.values())
            had[who] -= 1

        for _ in range(200):
            who = chance.choice([*ends])
            if chance.random() < 0.1:
                ends[who].close()
                had[who] = 0
                continue
            had[who] += 1
            try:
                ends[who].enter_context(places.taken(who, partial(lose, who)))
            except Full:
                had[who] -= 1
                assert max(had.values()) <= 1
            assert sum(had.values()) == places.count <= 7
            assert all(places.of(each) == had[each] for each in ends)
        for each in ends.values():
            each.close()
        assert places.count == 0


def test_who_asks_for_many_turns_makes_nobody_else_wait():
    took: dict[str, list[float]] = {"one": [], "two": []}

    async def work(turns: Turns, asker: str) -> None:
        begun = trio.current_time()
        async with turns.turn(asker):
            await trio.sleep(1)
        took[asker].append(trio.current_time() - begun)

    async def all_work() -> None:
        turns = Turns(2)
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(work, turns, "one")
            await trio.sleep(0.5)
            nursery.start_soon(work, turns, "two")

    trio.run(all_work, clock=trio.testing.MockClock(autojump_threshold=0))
    assert took["two"] == [1]
    assert took["one"] == [*range(1, 21)]


def test_turns_of_many_leave_nothing():
    async def ask() -> None:
        turns = Turns(2)
        for number in range(50):
            with trio.move_on_after(0 if number % 2 else 1):
                async with turns.turn(f"asker {number}"):
                    pass
        assert turns.known == 0

    trio.run(ask)
