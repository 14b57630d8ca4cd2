"""Standings name the edition of the rules by which equal scores are ranked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.league.store import League
from arena.league.summary import summarize
from arena.report.standings_data import summary_json
from arena.report.standings_text import summary_text
from tests.report.leagues import random_summary
from tests.view.served import served

EARLIER = Path(__file__).parents[1] / "golden" / "leagues" / "schema-2.league"
SWISS = 'name = "night"\ngames = ["hyrule"]\nboards = 1\n[[stage]]\nformat = "swiss"\nrounds = 4\n'


@pytest.mark.parametrize("edition", [2024, 2026])
def test_standings_name_the_edition_of_their_tie_breaks(tmp_path, edition):
    path = tmp_path / "night.league"
    if edition == 2024:
        shutil.copy(EARLIER, path)
    else:
        random_summary(path, SWISS, [*"abcdefg"], ties=0.4)
    with League.read(path) as league:
        summary = summarize(league, league.tournaments()[-1].id)
    assert any(row.tie_breaks for row in summary.stages[0].rows)
    words = f"FIDE's C.07, edition of {edition}"
    assert f"Equal scores, ranked by tie-breaks in this order ({words})" in summary_text(summary)
    assert summary_json(summary)["tie_break_edition"] == edition
    with served(path) as page:
        assert words in page.get("/standings").replace("&#39;", "'")
