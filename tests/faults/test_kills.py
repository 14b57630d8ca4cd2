"""The referee is killed at random moments, again and again, and every tournament ends as if it had not been.

Every other tournament that is killed is played by the native engine, and the one that is not by the rules in
Python.

ARENA_KILLS is how many kills there are in all, ARENA_KILLS_SEED which.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from arena.engine import SWITCH
from arena.league.store import League
from arena.league.summary import summarize
from arena.report.standings_data import summary_json
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import good_bot
from tests.docs import ROOT
from tests.league.store.samples import problems
from tests.native import native_folder as native_folder
from tests.patience import PATIENCE
from tests.referee.nights import games_in, processes_in, wait_for, write_tournament

KILLS = int(os.environ.get("ARENA_KILLS", "10"))
SEED = os.environ.get("ARENA_KILLS_SEED", "kills")
_ROBIN = '[[stage]]\nformat = "round-robin"\n'
_KNOCKOUT = '[[stage]]\nformat = "knockout"\nextra_boards = 2\n'


class Night(NamedTuple):
    """A kind of tournament: how many bots, and what its file says before them."""

    bots: int
    games: str
    stages: str


NIGHTS = [  # the first ones are small, for the few kills that there are usually
    Night(3, "boards = 2", _ROBIN + _KNOCKOUT),
    Night(4, "boards = 8", f"seats = 4\n{_ROBIN}"),
    Night(5, "", _KNOCKOUT),
    Night(4, "boards = 2", _ROBIN + _KNOCKOUT),
    Night(5, "", _ROBIN),
    Night(7, "", _KNOCKOUT),
    Night(8, "", f"seats = 4\n{_ROBIN}"),
    Night(6, "", f"seats = 3\n{_ROBIN}{_KNOCKOUT}"),
    Night(8, "", _KNOCKOUT),
    Night(8, "", _ROBIN),
    Night(7, "", f"seats = 4\n{_ROBIN}{_KNOCKOUT}"),
    Night(6, "", _ROBIN),
    Night(5, "boards = 2", _KNOCKOUT),
    Night(3, "", _ROBIN),
]
KILLS_PER_NIGHT = 5
COUNT = -(-KILLS // KILLS_PER_NIGHT)


def rows(league: Path) -> dict[str, set[tuple[Any, ...]]]:
    """Every row of every table that only grows, as it is stored."""
    if not league.exists():
        return {}
    db = apsw.Connection(str(league))  # which also rolls back what a killed writer had begun
    db.set_busy_timeout(5000)
    tables = ("entrant", "game", "seat", "chain") if db.execute("SELECT 1 FROM sqlite_schema").get else ()
    with db:
        found = {table: set(db.execute(f"SELECT * FROM {table}")) for table in tables}
    db.close()
    return found


def standings(league: Path) -> Any:
    """The standings as JSON has them, without what depends on the clock."""
    with League.read(league) as store:
        summary = summary_json(summarize(store, 1))
    for table in (summary["standings"], *(stage["standings"] for stage in summary["stages"])):
        for row in table:
            row["time_us"] = 0
    for decision in summary["altered"]:
        decision["at"] = ""
    return summary


def play_until_killed(
    folder: Path, league: Path, command: list[Any], games: int, rng: random.Random, told: dict[str, str]
) -> bool:
    """Runs the command, with more in its environment, and kills it at a random moment.

    That is `games` games later at most.

    False where it had ended before.
    """
    referee = subprocess.Popen(
        [*ARENA, *map(str, command), "--concurrency", str(rng.choice((1, 3, 16)))],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | told,
    )
    # Either so many games later, and up to a few commits more, or early on while the bots come in.
    goal = games_in(league) + rng.randint(1, games) if rng.random() < 0.8 else 0
    while goal and games_in(league) < goal and referee.poll() is None:
        time.sleep(0.005)
    time.sleep(rng.random() * (0.02 if goal else 0.8))
    killed = referee.poll() is None
    referee.kill()
    _, errors = referee.communicate(timeout=PATIENCE)
    assert "Traceback" not in errors
    return killed


@pytest.mark.parametrize("number", range(COUNT))
def test_a_killed_tournament_ends_like_one_that_was_not(tmp_path, request, number):
    night = NIGHTS[number % len(NIGHTS)]
    told = {}
    if number % 2:
        told = {
            SWITCH: "",
            "PYTHONPATH": os.pathsep.join([str(request.getfixturevalue("native_folder")), str(ROOT)]),
        }
    rng = random.Random(f"{SEED} {number}")
    bots = [good_bot(tmp_path, "bot 0"), *(f"bot {name}" for name in range(1, night.bots))]
    games = rng.choice(('"hyrule"', '"forty-one", "hyrule"', '"hyrule", "kleftis"'))
    if "seats" in night.stages:
        games = rng.choice(('"nur-mut"', '"hyrule"'))
    path = write_tournament(tmp_path, bots, f"games = [{games}]\n{night.games}", night.stages)
    whole, broken = tmp_path / "whole.league", tmp_path / "broken.league"
    arena("run", path, "--seed", number, "--league", whole, cwd=tmp_path)

    run = ["run", path, "--seed", number, "--league", broken]
    seen: dict[str, set[tuple[Any, ...]]] = {}
    kills = 0
    wanted = min(KILLS_PER_NIGHT, KILLS - number * KILLS_PER_NIGHT)
    for _ in range(wanted):
        command = ["resume", broken] if seen.get("entrant") else run
        kills += play_until_killed(tmp_path, broken, command, games_in(whole) // 5 + 1, rng, told)
        now = rows(broken)
        for table, before in seen.items():
            assert before <= now[table]
        seen = now
        if now:
            assert problems(broken) == []
        wait_for(lambda: processes_in(tmp_path) == [])
    if not seen.get("entrant"):
        arena(*run, cwd=tmp_path)
    else:
        with League.read(broken) as store:
            is_over = store.tournament(1).finished
        arena("resume", broken, cwd=tmp_path, code=2 if is_over else 0)
    last = rows(broken)
    for table, before in seen.items():
        assert before <= last[table]
    arena("verify", broken, cwd=tmp_path)
    assert games_in(broken) == games_in(whole)
    assert standings(broken) == standings(whole)
    assert records(broken) == records(whole)
    assert processes_in(tmp_path) == []
    print(f"night {number}: {kills} of {wanted} kills in mid-run, {games_in(broken)} games")  # noqa: T201 - figures for a person, with pytest -s


def records(league: Path) -> list[tuple[Any, ...]]:
    """The record of every game by its key, doubled ones too."""
    db = apsw.Connection(str(league))  # which also rolls back what a killed writer had begun
    try:
        key = "stage, round, match, game, board, rotation"
        return db.execute(f"SELECT {key}, record FROM game ORDER BY {key}").fetchall()
    finally:
        db.close()
