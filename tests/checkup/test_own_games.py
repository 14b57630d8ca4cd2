"""What an author is told of a game: the time of each decision that the league counts, and of no other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.checkup.own_games import decision_times
from arena.league.store import League

GOLDEN = Path(__file__).parents[1] / "golden" / "leagues"


@pytest.fixture
def league(tmp_path):
    with League.read(Path(shutil.copy(GOLDEN / "schema-2.league", tmp_path))) as store:
        yield store


def test_the_times_are_those_of_the_decisions_that_were_asked(league):
    checked = forfeits = 0
    for tournament in league.tournaments():
        for number, result in league.games(tournament.id):
            for seat, each in enumerate(result.seats):
                stored = league.game(number)
                assert result.seat_of(each.entrant) == seat
                times = list(decision_times(stored, seat))
                assert len(times) == each.decisions
                assert sum(times) // 1000 <= each.time + each.decisions
                checked, forfeits = checked + 1, forfeits + each.forfeit
            with pytest.raises(ValueError, match="not in list"):
                result.seat_of(99)
    assert checked > 100
    assert forfeits > 0
