"""The referee in trouble of its own: a bug in any of its threads and processes, a machine that stands still.

No bot is charged for either, everything that was over is stored, and the tournament goes on afterwards.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.engine import SWITCH
from arena.league.store import League
from arena.link.wire.messages import decode_record
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import UNHURRIED, Unhurried, faulty_bot, good_bot
from tests.native import MODULE
from tests.native import native_folder as native_folder
from tests.patience import PATIENCE
from tests.referee.nights import games_in, processes_in, wait_for, write_tournament

STANDSTILL = 25.0  # seconds
CLOCK = '[clock]\nbank = "20s"\nincrement = "0s"\nmove = "20s"\n'
"""Less than a standstill, and more than a bot waits for a processor on a busy machine."""

PYTHONPATH = [path for path in [os.environ.get("PYTHONPATH")] if path]

# What each place of the referee is made to do after so many calls of it, in whichever process it runs.
BUG = """
import importlib, os
module, name, calls = {place!r}, {name!r}, {calls}
holder = importlib.import_module(module)
*path, last = name.split(".")
for each in path:
    holder = getattr(holder, each)
right = getattr(holder, last)

def wrong(*arguments, **named):
    global calls
    calls -= 1
    if calls < 0:
        raise LookupError("a slip of the referee")
    return right(*arguments, **named)

setattr(holder, last, wrong)
"""


def faults_in(league: Path) -> list[tuple[int, str]]:
    """The entrant and the reason of every fault in a league."""
    found = []
    with League.read(league) as store:
        for number, result in store.games(1):
            record = decode_record(store.game(number).record)
            found += [(result.seats[seat].entrant, fault.reason) for seat, _, fault in record.faults]
    return found


@pytest.mark.parametrize("workers", [0, 2])
def test_wrong_tables_while_a_turn_waits_hurt_only_the_bot_that_answers_them(tmp_path, workers):
    bots = [faulty_bot(tmp_path, "wrong-tables"), "one", "two"]
    path = write_tournament(tmp_path, bots)
    arena("run", path, "--workers", workers, cwd=tmp_path)
    faults = faults_in(tmp_path / "tournament.league")
    assert set(faults) == {(0, "unknown_turn")}
    assert len(faults) >= 3  # at the first of its tables, as often as that is a new one


# The place of each slip, after how many calls it comes, and the workers: in a thread that reads, in the one
# that opens tables and tells the time, in one that writes, in a worker, and where games come to be stored.
SLIPS = [
    ("arena.table.table", "Table.answer", 240, 0),
    ("arena.table.table", "Table.answer", 120, 2),
    ("arena.table.table", "Table.__init__", 8, 0),
    ("arena.table.table", "Table.__init__", 8, 1),
    ("arena.referee.rooms.room", "Room.expire", 5, 0),
    ("arena.referee.rooms.room", "Room.expire", 5, 1),
    ("arena.referee.rooms.room", "encode_turn", 240, 0),
    ("arena.referee.rooms.room", "encode_end", 8, 2),
    ("arena.link.streams.stream", "decode_decisions", 40, 0),
    ("arena.link.streams.stream", "PlayStream._requests", 1, 2),
    ("arena.tournament.course", "Course.add", 8, 1),
    (MODULE, "Position.play", 240, 0),
    (MODULE, "Position.view", 120, 2),
]


@pytest.mark.parametrize("slip", SLIPS, ids=[f"{name}-{workers}" for _, name, _, workers in SLIPS])
def test_a_bug_of_the_referee_stops_the_run_and_is_charged_to_nobody(tmp_path, monkeypatch, request, slip):
    place, name, calls, workers = slip
    engine = [str(request.getfixturevalue("native_folder"))] if place == MODULE else []
    boards = 60 if name == "Course.add" else 12  # while the referee counts, the worker plays on
    path = write_tournament(tmp_path, ["one", "two"], f'games = ["kleftis"]\nboards = {boards}')
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(BUG.format(place=place, name=name, calls=calls))
    with monkeypatch.context() as patch:
        # workers come by it as the referee does
        patch.setenv("PYTHONPATH", os.pathsep.join([str(site), *engine, *PYTHONPATH]))
        if engine:
            patch.delenv(SWITCH)
        options = ("--seed", "s", "--workers", workers)
        done = arena("run", path, *options, cwd=tmp_path, code=2, own_process=True)
    league = tmp_path / "tournament.league"
    (report,) = tmp_path.glob("tournament.crash-*.txt")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("arena: the referee itself went wrong (LookupError: ")
    assert report.name in last
    assert last.endswith(f"go on with: arena resume {league}")
    assert "a slip of the referee" in report.read_text()
    assert "sitecustomize.py" in report.read_text()
    assert processes_in(tmp_path) == []
    assert games_in(league) < 2 * boards
    if name == "Course.add":
        assert games_in(league) > 8  # what was over when the first could not be counted is stored
    arena("resume", "tournament.league", "--workers", 0, cwd=tmp_path)
    assert games_in(league) == 2 * boards
    assert faults_in(league) == []


def tree_of(process: int) -> list[int]:
    """A process and all that it started, and what these did."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found = [process]
    for each in found:
        found += parents.get(each, [])
    return found


def test_a_standstill_is_charged_to_nobody(tmp_path):
    """All ways at once, as it takes long: the referee alone stands still or all, with a worker or without."""
    with ExitStack() as ends:
        nights = []
        for whole in (False, True):
            for workers in (0, 1):
                folder = tmp_path / f"{'all' if whole else 'referee'} {workers}"
                folder.mkdir()
                names = [f"bot {number}" for number in range(3)]
                bots = [good_bot(folder, name, UNHURRIED) if whole else Unhurried(name) for name in names]
                head = f'games = ["hyrule"]\nboards = 1000\nconcurrency = 3\n{CLOCK}'
                path = write_tournament(folder, bots, head)
                referee = subprocess.Popen(
                    [*ARENA, "run", path, "--workers", str(workers)],
                    cwd=folder,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                ends.callback(referee.kill)
                nights.append((whole, referee, folder / "tournament.league"))
        for _, _, league in nights:
            wait_for(lambda league=league: games_in(league) > 10)
        stopped = [
            process
            for whole, referee, _ in nights
            for process in (tree_of(referee.pid) if whole else [referee.pid])
        ]
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
        time.sleep(STANDSTILL)  # this is what happens, nothing is waited for
        before = [games_in(league) for _, _, league in nights]
        for process in stopped:
            os.kill(process, signal.SIGCONT)
        for (_, _, league), games in zip(nights, before, strict=True):
            wait_for(lambda league=league, games=games: games_in(league) > games + 15)
        for _, referee, _ in nights:
            referee.send_signal(signal.SIGINT)
        for _, referee, league in nights:
            _, errors = referee.communicate(timeout=PATIENCE)
            assert "Traceback" not in errors
            assert faults_in(league) == []


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ("-v 350000", "lets the arena have 341.8 MiB of address space, and these bots take"),
        ("-n 24", "lets the arena open 24 files at once, and these bots take 64: allow more by ulimit -n 64"),
    ],
)
def test_too_little_memory_or_too_few_files_is_one_sentence_before_anything_begins(tmp_path, limit, sentence):
    path = write_tournament(tmp_path, [good_bot(tmp_path, "one"), good_bot(tmp_path, "two")])
    done = subprocess.run(
        ["sh", "-c", f'ulimit {limit} && exec "$@"', "sh", *ARENA, "run", str(path)],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 2


def test_what_the_system_allows_is_made_use_of(tmp_path):
    path = write_tournament(
        tmp_path, [good_bot(tmp_path, "one"), good_bot(tmp_path, "two")], 'games = ["hyrule"]'
    )
    done = subprocess.run(
        ["sh", "-c", 'ulimit -S -n 48 && exec "$@"', "sh", *ARENA, "run", str(path)],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
