"""The podium says what decided the night: scores, or the final."""

from __future__ import annotations

import re

import pytest

from arena.view.league.reader import LeagueReader
from arena.view.views.tournament import podium_values
from tests.view.served import NAMES, played

ROUND_ROBIN = 'name = "x"\ngames = ["nyuri"]\nboards = 2\n[[stage]]\nformat = "round-robin"\n'
KNOCKOUT = 'name = "x"\ngames = ["{}"]\nboards = 1\n[[stage]]\nformat = "knockout"\n'


def podium(tmp_path, text):
    reader = LeagueReader(played(tmp_path / "night.league", text))
    snapshot = reader.snapshot(1)
    reader.close()
    return podium_values(snapshot, snapshot.summary), snapshot.summary


def test_after_a_round_robin_it_has_scores_and_who_comes_next(tmp_path):
    values, summary = podium(tmp_path, ROUND_ROBIN)
    assert len(values["podium"]) + len(values["behind"]) == len(NAMES)
    for line in values["podium"]:
        (row,) = [row for row in summary.rows if row.entrant == line.entrant]
        assert values["scores_of"][line.entrant] == f"{float(row.score) * 100:.1f}"
    assert values["decided_by"] == ""


@pytest.mark.parametrize("game", ["nyuri", "hyrule"])
def test_after_a_knockout_it_says_how_the_final_was_won(tmp_path, game):
    values, summary = podium(tmp_path, KNOCKOUT.format(game))
    first, second = (slot.entrant for slot in summary.stages[-1].bracket.rounds[-1].matches[-1].slots)
    winner = values["podium"][0].entrant
    loser = second if winner == first else first
    said = re.sub(r"[\u2066-\u2069]", "", values["decided_by"])
    assert values["scores_of"] == {}
    assert NAMES[loser] in said
    ahead = re.fullmatch(r".*?, (\d+\.\d) to (\d+\.\d)", said.partition(NAMES[loser])[2])
    if ahead:
        assert said.startswith("won the final against ")
        assert float(ahead[1]) > float(ahead[2])
    else:
        assert "extra board" in said or said.endswith("the better seed wins")
