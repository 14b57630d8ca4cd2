"""A stopped tournament goes on exactly where it was, however it was stopped."""

from __future__ import annotations

import json
import random
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from arena.league.store import EntrantInfo, League, TournamentInfo
from arena.league.tournament_file import made, read_tournament
from arena.results import GameKey
from arena.table.deal import commitment
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import good_bot
from tests.patience import PATIENCE
from tests.referee.night_here import Night
from tests.referee.nights import games_in, processes_in, write_tournament
from tests.referee.simulation import KEY, simulate

STAGES = {
    "two seats": '[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "knockout"\nextra_boards = 2\n',
    "three seats": 'seats = 3\n[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "knockout"\n',
}


def results(league: Path) -> tuple[dict[str, Any], dict[GameKey, bytes]]:
    """The standings without times, and the record of every game."""
    summary = json.loads(arena("standings", league, "--json", cwd=league.parent).stdout)
    for rows in (summary["standings"], *(stage["standings"] for stage in summary["stages"])):
        for row in rows:
            row["time_us"] = 0
    for decision in summary["altered"]:
        decision["at"] = ""
    with League.read(league) as store:
        records = {result.key: store.game(number).record for number, result in store.games(1)}
    return summary, records


HEAD = 'games = ["hyrule", "kleftis"]\nboards = 1\n'


@pytest.mark.parametrize("stages", STAGES)
def test_an_interrupted_tournament_ends_like_an_uninterrupted_one(tmp_path, stages):
    names, text = [f"bot {number}" for number in range(4)], HEAD + STAGES[stages]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    with Night(whole, names, text) as night:
        night.play()
        night.end()
    expected = results(night.league)
    rng = random.Random(stages)
    with Night(broken, names, text, concurrency=3) as night:
        night.play(rng.randint(1, len(expected[1]) // 4))
    for _ in range(2):
        with Night(broken, None, concurrency=3) as night:
            night.play(rng.randint(1, len(expected[1]) // 4))
    with Night(broken, None) as night:
        night.play()
        night.end()
    assert results(night.league) == expected


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("stages", "number"), [("two seats", signal.SIGKILL), ("three seats", signal.SIGINT)]
)
def test_a_killed_referee_and_its_bots_go_on_like_uninterrupted_ones(tmp_path, stages, number):
    bots = [good_bot(tmp_path, "bot 0"), *(f"bot {name}" for name in range(1, 4))]
    path = write_tournament(tmp_path, bots, HEAD, STAGES[stages])
    whole, broken = tmp_path / "whole.league", tmp_path / "broken.league"
    arena("run", path, "--seed", "s", "--league", whole, cwd=tmp_path)
    expected = results(whole)
    rng = random.Random(f"{stages} {number}")
    command = ["run", path, "--seed", "s", "--league", broken]
    for _ in range(3):
        goal = games_in(broken) + rng.randint(1, len(expected[1]) // 4)
        referee = subprocess.Popen(
            [*ARENA, *map(str, command), "--concurrency", "3"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        while games_in(broken) < goal and referee.poll() is None:
            time.sleep(0.02)
        referee.send_signal(number)
        _, errors = referee.communicate(timeout=PATIENCE)
        assert "Traceback" not in errors
        command = ["resume", broken]
    with League.read(broken) as store:
        is_over = store.tournament(1).finished
    arena("resume", broken, cwd=tmp_path, code=2 if is_over else 0)
    assert results(broken) == expected
    assert processes_in(tmp_path) == []


def begun(folder: Path, finish: bool) -> Path:
    """A tournament file whose league holds a tournament."""
    path = write_tournament(folder, ["one", "two"], 'games = ["hyrule"]')
    with League.create_or_open(path.with_suffix(".league")) as league:
        text = 'name = "test"\ngames = ["hyrule"]\n'
        simulate(league, text, 2, finish=finish, at_most=None if finish else 1)
    return path


def test_a_new_tournament_does_not_begin_before_the_old_one_is_over(tmp_path):
    path = begun(tmp_path, finish=False)
    assert "arena resume tournament.league" in arena("run", path, cwd=tmp_path, code=2).stderr


def test_a_comparison_was_read_from_no_file_that_could_be_edited(tmp_path):
    file = read_tournament(write_tournament(tmp_path, ["one", "two"], 'games = ["hyrule"]\nboards = 1'))
    one = made(tmp_path / "comparison.json", file.plan, file.bots)
    infos = tuple(EntrantInfo(name, "") for name in ("one", "two"))
    with League.create_or_open(tmp_path / "x.league") as league:
        info = TournamentInfo(
            one.plan.name, one.path, one.text, KEY, commitment(KEY), infos, one.plan.to_json()
        )
        league.start_tournament(info)
    one.path.write_text("what arena compare --json printed")
    assert "edited" not in arena("resume", "x.league", cwd=tmp_path).stderr
    assert games_in(tmp_path / "x.league") == 2


def test_there_must_be_something_to_resume(tmp_path):
    assert "nowhere.league" in arena("resume", "nowhere.league", cwd=tmp_path, code=2).stderr
    begun(tmp_path, finish=True)
    assert "no unfinished" in arena("resume", "tournament.league", cwd=tmp_path, code=2).stderr


@pytest.mark.parametrize("edited", [True, False])
def test_a_file_that_was_edited_meanwhile_is_named_with_what_to_do(tmp_path, edited):
    path = write_tournament(tmp_path, ["one", "two"], 'games = ["hyrule"]\nboards = 1')
    plan = read_tournament(path).plan
    infos = tuple(EntrantInfo(name, "") for name in ("one", "two"))
    with League.create_or_open(tmp_path / "tournament.league") as league:
        league.start_tournament(
            TournamentInfo(plan.name, path, path.read_text(), KEY, commitment(KEY), infos, plan.to_json())
        )
    path.write_text(path.read_text().replace("boards = 1", "boards = 2" if edited else "boards = 1"))
    done = arena("resume", "tournament.league", cwd=tmp_path)
    assert games_in(tmp_path / "tournament.league") == 2  # as it began
    note = f"{path} was edited after this tournament began"
    assert (note in done.stderr) == edited
    if edited:
        command = shlex.split(done.stderr.partition("begin a tournament: arena ")[2].splitlines()[0])
        arena(*command, cwd=tmp_path)
        assert games_in(tmp_path / "FILE.league") == 4
