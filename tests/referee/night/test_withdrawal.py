"""A bot that forfeits game after game is withdrawn: reported at once, the same after a kill, verified."""

from __future__ import annotations

import pytest

from tests.arena_command import arena
from tests.referee.hosting import standings
from tests.referee.night_here import WAYS, Night

HEAD = """
games = ["hyrule", "forty-one"]
boards = 2
max_faults = 2
withdraw_after = 3
"""


@pytest.mark.parametrize(
    "stages",
    [
        '[[stage]]\nformat = "round-robin"\n',
        '[[stage]]\nformat = "knockout"\n',
        '[[stage]]\nformat = "swiss"\nrounds = 3\n',
    ],
)
def test_a_bot_that_hangs_is_withdrawn_and_the_night_goes_on(tmp_path, stages):
    names = ["hangs", *(f"bot {number}" for number in range(4))]
    with Night(tmp_path, names, HEAD + stages, ways={"hangs": WAYS["silent"]}) as night:
        night.play()
        night.end()
    assert "hangs is withdrawn (3 games forfeited in a row): " in night.told
    assert "faults of hangs: " in night.told
    assert "walkover" in night.told
    assert night.told.count("stage 1: ") == 1
    shown = arena("standings", night.league, cwd=tmp_path).stdout
    assert "hangs was withdrawn (3 games forfeited in a row): " in shown
    summary = standings(night.league)
    (gone,) = summary["withdrawn"]
    assert (gone["name"], gone["stage"]) == ("hangs", 1)
    rows = {row["name"]: row for row in summary["standings"]}
    assert 3 <= rows["hangs"]["forfeits"] <= 3 + 2 * 2, "what ran when it was withdrawn may end so too"
    order = [line["name"] for line in summary["final"]]
    assert order[0] != "hangs"
    if "robin" in stages:
        assert order[-1] == "hangs"
        assert gone["left_out_of_its_scores"]
        assert {row["matches"] for row in rows.values()} == {0, 3}
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout
