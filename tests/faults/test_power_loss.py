"""A power loss at any moment: whatever was not synced is lost or torn, but no acknowledged game is missing.

ARENA_CRASHES is how many moments are tried for each way of writing.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.league.store import League, StoreError
from tests.faults.durable_writer import begin, games
from tests.league.store.samples import keys_of, problems_of

CRASHES = int(os.environ.get("ARENA_CRASHES", "25"))
ROOT = Path(__file__).parents[2]
SECTOR = 512
WRITER = (sys.executable, "-m", "tests.faults.durable_writer")


class Operation(NamedTuple):
    """What was done: `write`, `truncate` (to `offset`), `sync` or `unlink` of a file, or a `line` printed."""

    what: str
    path: str
    offset: int
    data: bytes


@pytest.fixture(scope="module")
def tracer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that logs what a process writes."""
    if sys.platform != "linux" or shutil.which("cc") is None:
        assert "CI" not in os.environ, "a C compiler and Linux are needed"
        pytest.skip("no C compiler, or not Linux: power losses are not tried")
    library = tmp_path_factory.mktemp("tracer") / "trace_writes.so"
    source = Path(__file__).with_name("trace_writes.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-ldl"], check=True)
    return library


def traced(tracer: Path, folder: Path, synchronous: str, checkpoint: int) -> list[Operation]:
    """All that the writer does in `folder` and says, in its order."""
    log = folder.with_suffix(".trace")
    folder.mkdir()
    subprocess.run(
        [*WRITER, folder / "a.league", synchronous, str(checkpoint)],
        cwd=ROOT,
        env={**os.environ, "LD_PRELOAD": str(tracer), "TRACE_FOLDER": str(folder), "TRACE_LOG": str(log)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    operations = []
    with log.open("rb") as lines:
        for line in lines:
            what, rest = line.decode().split(" ", 1)
            path, offset, length = rest.rsplit(" ", 2)
            operations.append(Operation(what, path, int(offset), lines.read(int(length))))
    return [item for item in operations if not item.path.endswith("-shm")]  # which is memory, not a file


def crash(operations: list[Operation], rng: random.Random) -> dict[str, bytes]:
    """The files after a crash behind these operations: each file's unsynced ones are kept at random."""
    synced: dict[str, int] = {}
    for number, item in enumerate(operations):
        if item.what == "sync":
            synced[item.path] = number
    kept_share = rng.choice((0.0, 0.2, 0.5, 0.8, 1.0))
    files: dict[str, bytearray] = {}
    for number, item in enumerate(operations):
        if item.what in ("sync", "line"):
            continue
        # What a file holds is synced with the file, whether it is there with its folder.
        durable = number < synced.get(str(Path(item.path).parent) if item.what == "unlink" else item.path, -1)
        if item.what == "write":
            sectors = torn(item, rng, 1.0 if durable else kept_share)
            for offset, data in sectors:
                content = files.setdefault(item.path, bytearray())
                content.extend(bytes(max(0, offset - len(content))))
                content[offset : offset + len(data)] = data
        elif durable or rng.random() < kept_share:
            if item.what == "unlink":
                files.pop(item.path, None)
            elif item.path in files:
                del files[item.path][item.offset :]
                files[item.path].extend(bytes(item.offset - len(files[item.path])))
    return {path: bytes(content) for path, content in files.items()}


def torn(item: Operation, rng: random.Random, share: float) -> list[tuple[int, bytes]]:
    """The pieces of a write that reach the disk: all, none, or some of its sectors."""
    if share == 1.0:
        return [(item.offset, item.data)]
    if rng.random() < 0.5:
        return [(item.offset, item.data)] if rng.random() < share else []
    pieces = []
    at = 0
    while at < len(item.data):
        size = SECTOR - (item.offset + at) % SECTOR
        if rng.random() < share:
            pieces.append((item.offset + at, item.data[at : at + size]))
        at += size
    return pieces


def wrong_after(operations: list[Operation], folder: Path, league: str, rng: random.Random) -> list[str]:
    """What is wrong with the league after a crash behind these operations; nothing, one hopes."""
    said = b"".join(item.data for item in operations if item.what == "line").decode().splitlines()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path, content in crash(operations, rng).items():
        (folder / Path(path).name).write_bytes(content)
    try:
        with League.create_or_open(folder / league) as store:
            problems = problems_of(store)
            if problems:
                return problems
            begun = bool(store.tournaments())
            there = {str(key) for key in keys_of(store, 1)} if begun else set()
            finished = begun and store.tournament(1).finished is not None
            known = {*there, "begun" if begun else "", "finished" if finished else ""}
            missing = [line for line in said if line not in known]
            if not finished:
                tournament = 1 if begun else begin(store)
                store.record_games(tournament, games(len(there)))
                store.finish_tournament(tournament)
                problems = problems_of(store)
    except StoreError as error:
        return [str(error)]
    return [*(f"{line} is lost" for line in missing), *problems]


def crashes(operations: list[Operation], folder: Path, seed: str) -> list[tuple[int, list[str]]]:
    """What is wrong after each of many random crashes, by the number of operations before it."""
    rng = random.Random(seed)
    wrong = []
    for _ in range(CRASHES):
        moment = rng.randrange(len(operations) + 1)
        found = wrong_after(operations[:moment], folder, "a.league", rng)
        if found:
            wrong.append((moment, found))
    return wrong


@pytest.mark.parametrize("checkpoint", [1000, 10])
def test_a_power_loss_loses_no_acknowledged_game(tracer, tmp_path, checkpoint):
    operations = traced(tracer, tmp_path / "written", "full", checkpoint)
    said = [item for item in operations if item.what == "line"]
    assert len(said) == 42
    assert sum(item.what == "sync" for item in operations) >= 42
    assert crashes(operations, tmp_path / "image", f"{checkpoint}") == []


def test_a_league_that_did_not_sync_would_be_caught(tracer, tmp_path):
    operations = traced(tracer, tmp_path / "written", "off", 10)
    assert crashes(operations, tmp_path / "image", "off") != []
