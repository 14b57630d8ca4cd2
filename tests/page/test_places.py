"""Places that askers share: all are used, and who has few keeps them."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from functools import partial

import pytest

from arena.page.serving.places import Full, Places


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
