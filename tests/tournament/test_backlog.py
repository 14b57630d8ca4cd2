"""The backlog gives out the first item whose players are free."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.backlog import Backlog
from tests.examples import examples

PLAYERS = st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True)
BUSY = st.frozensets(st.integers(0, 4))


@examples(200)
@given(st.lists(PLAYERS, max_size=12), st.lists(PLAYERS, max_size=12), st.lists(BUSY, max_size=30), st.data())
def test_the_first_item_whose_players_are_free_is_taken(here, further, looks, data):
    backlog = Backlog[int]()
    players = dict(enumerate(here + further))
    for number, who in enumerate(here):
        backlog.add(number, who)
    waiting, coming = list(range(len(here))), list(range(len(here), len(players)))
    for busy in looks:
        free = [number for number in waiting + coming if busy.isdisjoint(players[number])]
        entry = backlog.take(busy, lambda: [(number := coming.pop(0), players[number])] if coming else [])
        assert (entry.item if entry else None) == (free[0] if free else None)
        waiting = [number for number in players if number not in coming and number in (*waiting, *backlog)]
        if entry is not None:
            waiting = [number for number in waiting if number != entry.item]
            if data.draw(st.booleans()):
                backlog.put_back(entry)
                waiting = sorted([*waiting, entry.item])
            else:
                del players[entry.item]
        assert (len(backlog), list(backlog)) == (len(waiting), waiting)


def test_items_of_one_group_take_turns():
    backlog = Backlog[str]()
    groups = [[("first", (0, 1)), ("second", (0, 2)), ("third", (0, 3))], [("later", (0, 4))]]

    def take(*busy: int) -> str:
        entry = backlog.take(busy, lambda: groups.pop(0) if groups else [])
        assert entry is not None
        backlog.put_back(entry)
        return entry.item

    assert [take() for _ in range(4)] == ["first", "second", "third", "first"]
    assert [take(2), take(2), take(2)] == ["third", "first", "third"]
    assert take() == "second"
    assert take(1, 2, 3) == "later"
