"""Checkpoints: the file alone is never far behind, and complete at each end; a locked file is waited for."""

from __future__ import annotations

import subprocess
import sys
from itertools import count
from pathlib import Path

import apsw
import pytest

from arena.league.store import League, LeagueBusy
from tests.league.store.samples import TOURNAMENT, finished_game, keys_of

ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "night.league"


def games_of_the_file_alone(path: Path) -> int:
    """How many games a copy of the file without its log holds."""
    copy = path.with_name("copy.league")
    # By another process: closing a handle of the file here would drop the locks of this one.
    subprocess.run(["cp", path, copy], check=True)
    with League.read(copy) as league:
        return len(keys_of(league, 1))


def lock(path: Path) -> apsw.Connection:
    """Another connection that holds the file locked, as a program that writes it would."""
    db = apsw.Connection(str(path))
    db.execute("BEGIN IMMEDIATE")
    return db


def test_the_file_is_settled_every_second_while_it_is_written(path):
    now = 100.0
    with League.create_or_open(path, lambda: now) as league:
        tournament = league.start_tournament(TOURNAMENT)
        for board in range(5):
            now += 1
            league.record_game(tournament, finished_game(board=board))
            assert games_of_the_file_alone(path) == board + 1
        league.record_game(tournament, finished_game(board=5))
        assert games_of_the_file_alone(path) == 5


def test_settling_that_takes_long_is_done_for_a_20th_of_the_time(path):
    looks = count()
    alone = []
    with League.create_or_open(path, lambda: next(looks) / 2) as league:  # each look takes half a second
        tournament = league.start_tournament(TOURNAMENT)
        for board in range(15):
            league.record_game(tournament, finished_game(board=board))
            alone.append(games_of_the_file_alone(path))
    assert alone == [0] * 9 + [10] * 6


def test_a_closed_league_is_whole_though_another_process_reads_it(path):
    with League.create_or_open(path) as league:
        tournament = league.start_tournament(TOURNAMENT)
        program = (
            "import sys, pathlib; from arena.league.store import League\n"
            "with League.read(pathlib.Path(sys.argv[1])) as league:\n"
            "    print(len(league.tournaments()), flush=True); sys.stdin.read()\n"
        )
        reader = subprocess.Popen(
            [sys.executable, "-c", program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        with reader:
            assert reader.stdout
            assert reader.stdin
            assert reader.stdout.readline() == "1\n"
            league.record_games(tournament, [finished_game(board=board) for board in range(100)])
            league.close()
            assert games_of_the_file_alone(path) == 100
            reader.stdin.close()
    assert sorted(file.name for file in path.parent.iterdir()) == ["copy.league", "night.league"]


def test_the_file_can_be_settled_while_another_thread_records_and_the_process_then_ends(path):
    """As at a second Ctrl-C: what was acknowledged before is in the file alone."""
    program = """
import os, sys, threading
from pathlib import Path
from arena.league.store import League
from tests.league.store.samples import TOURNAMENT, finished_game

league = League.create_or_open(Path(sys.argv[1]))
tournament = league.start_tournament(TOURNAMENT)
done = 0
enough = threading.Event()

def record():
    global done
    while True:
        league.record_game(tournament, finished_game(board=done))
        done += 1
        if done == 50:
            enough.set()

threading.Thread(target=record, daemon=True).start()
enough.wait()
acknowledged = done
league.checkpoint(30)
print(acknowledged, flush=True)
os._exit(130)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, path], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    assert ended.returncode == 130
    assert games_of_the_file_alone(path) >= int(ended.stdout) >= 50


def test_a_lock_of_another_process_is_waited_for(path):
    with League.create_or_open(path) as league:
        tournament = league.start_tournament(TOURNAMENT)
        other = lock(path)
        waits: list[float] = []

        def on_wait(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 3:
                other.execute("COMMIT")

        league.on_wait = on_wait
        league.record_game(tournament, finished_game())
        assert len(waits) == 3
        assert waits == sorted(waits)
        assert len(keys_of(league, tournament)) == 1
        other.close()


def test_a_wait_can_be_ended_and_stores_nothing(path):
    with League.create_or_open(path) as league:
        tournament = league.start_tournament(TOURNAMENT)
        other = lock(path)

        def on_wait(_: float) -> None:
            raise InterruptedError

        league.on_wait = on_wait
        with pytest.raises(InterruptedError):
            league.record_game(tournament, finished_game())
        other.execute("COMMIT")
        other.close()
        assert keys_of(league, tournament) == set()
        league.record_game(tournament, finished_game())


def test_a_lock_that_nobody_can_tell_of_is_not_waited_for_long(path):
    with League.create_or_open(path, count().__next__) as league:  # each look at the clock takes a second
        tournament = league.start_tournament(TOURNAMENT)
        other = lock(path)
        with pytest.raises(LeagueBusy, match="locked by another process; end it, or wait, and try again"):
            league.record_game(tournament, finished_game())
        other.close()
