"""A bot that is as good as gone is withdrawn: told at once, the same after a kill, and verified."""

from __future__ import annotations

import subprocess

import pytest

from arena.store import League
from arena.tournament.rulings import Withdraw, read_ruling
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import Hurried, faulty_bot
from tests.patience import PATIENCE
from tests.runner.hosting import standings
from tests.runner.night_here import WAYS, Night
from tests.runner.nights import games_in, wait_for, write_tournament

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


def withdrawals(store: League) -> list[Withdraw]:
    rulings = [read_ruling(each.decision) for each in store.decisions(1)]
    return [ruling for ruling in rulings if isinstance(ruling, Withdraw)]


def test_a_withdrawal_outlives_the_referee(tmp_path):
    bots = [Hurried(faulty_bot(tmp_path, "hangs")), *(f"bot {number}" for number in range(3))]
    path = write_tournament(tmp_path, bots, HEAD.replace("boards = 2", "boards = 15"))
    league = tmp_path / "tournament.league"
    command = [*ARENA, "run", str(path), "--concurrency", "2"]
    with (tmp_path / "errors").open("wb") as errors:
        referee = subprocess.Popen(command, cwd=tmp_path, stderr=errors)

    def is_withdrawn() -> bool:
        if games_in(league) == 0:
            return False
        with League.read(league) as store:
            return bool(withdrawals(store))

    wait_for(is_withdrawn)
    referee.kill()
    referee.wait(PATIENCE)
    done = arena("resume", league, cwd=tmp_path)
    assert "is withdrawn" not in done.stderr
    assert done.stdout.count("hangs was withdrawn") == 1
    with League.read(league) as store:
        assert len(withdrawals(store)) == 1
    assert "all is well" in arena("verify", league, cwd=tmp_path).stdout
