"""What the page keeps in memory: nothing that strangers ask for stays for ever."""

from __future__ import annotations

import gc

import pytest
import trio

from arena.league.store import UnknownTournament
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Followed
from arena.view.newest import Newest
from arena.view.serving.cache import Fresh
from tests.view.served import played


def test_the_oldest_is_dropped():
    kept: Newest[str, int] = Newest(2)
    kept["a"], kept["b"] = 1, 2
    kept["a"] = 3
    assert kept == {"b": 2, "a": 3}
    kept["c"] = 4
    assert kept == {"a": 3, "c": 4}


def followed() -> int:
    """How many tournaments this process follows."""
    return sum(isinstance(each, Followed) for each in gc.get_objects())


def test_tournaments_that_do_not_exist_leave_nothing(tmp_path):
    reader = LeagueReader(
        played(tmp_path / "night.league", 'name = "x"\n[[stage]]\nformat = "round-robin"\n')
    )
    first = reader.snapshot(1)
    before = followed()
    for number in range(2, 50):
        with pytest.raises(UnknownTournament):
            reader.snapshot(number)
    assert followed() <= before
    assert reader.snapshot(1) is first
    reader.close()


def test_what_nobody_waits_for_is_dropped():
    class Found:
        """What is found."""

    async def ask() -> None:
        fresh: Fresh[int, Found] = Fresh(2)
        for number in range(20):
            await fresh.ask(number, Found)
        assert sum(isinstance(each, Found) for each in gc.get_objects()) <= 2

    trio.run(ask)
