"""Helpers for tests of whole tournaments: files, the command, waiting for what it writes."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import apsw

from arena.league.store import League, StoreError
from tests.arena_command import ARENA as ARENA
from tests.arena_command import arena as arena
from tests.bots_for_tests import FIRST as FIRST
from tests.bots_for_tests import entrant
from tests.bots_for_tests import good_bot as good_bot
from tests.patience import PATIENCE as PATIENCE


def write_tournament(folder: Path, bots: Sequence[object], head: str = "", stages: str = "") -> Path:
    entrants = "".join(map(entrant, bots))
    path = folder / "tournament.toml"
    path.write_text(f'name = "test"\n{head}\n{stages}\n{entrants}')
    return path


def processes_in(folder: Path) -> list[str]:
    """The command lines of all processes that mention a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if str(folder) in line:
                found.append(line)
    return found


def wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.05)


def games_in(league: Path) -> int:
    """How many games a league file holds, 0 also before it is one."""
    if not league.exists():
        return 0
    try:
        return counted(league)  # asked again and again, and `League` looks at much more
    except apsw.Error:
        pass
    try:
        with League.read(league) as store:
            return len(list(store.games(1))) if store.tournaments() else 0
    except StoreError:
        return 0


def counted(league: Path) -> int:
    db = apsw.Connection(str(league), flags=apsw.SQLITE_OPEN_READWRITE)  # who only reads leaves files behind
    try:
        db.set_busy_timeout(5000)
        db.pragma("query_only", True)
        return int(db.execute("SELECT count(*) FROM game WHERE tournament = 1").get)
    finally:
        db.close()
