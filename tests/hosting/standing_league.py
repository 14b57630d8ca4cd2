"""A standing league for tests: a folder whose host process is started, killed and ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from arena.hosting.database import Database, Version
from arena.hosting.place import Place
from arena.hosting.requests import NoHostProcess, request
from arena.kits import find_kit, write_bot
from arena.league.store import EntrantInfo, League, StoreError, TournamentInfo
from arena.league.tournament_file import read_tournament
from arena.link.local.packing import pack
from arena.table.deal import commitment
from arena.tournament.rulings import effects_of, read_ruling
from tests.patience import PATIENCE

T = TypeVar("T")

SETTINGS = """
name = "Club"
listen = "127.0.0.1:0"
games = ["hyrule"]
house = ["greedy-python", "random-python"]
sandbox = "basic"
concurrency = 2
[clock]
bank = "5m"
move = "1m"
[limits]
bots = 20
builds = 100
reserve = "1MiB"
"""


def until(found: Callable[[], T | None]) -> T:
    """What a function returns as soon as that is true."""
    deadline = time.monotonic() + PATIENCE
    while not (result := found()):
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)
    return result


class Club:
    """A standing league in a folder, whose host process is started and ended."""

    def __init__(self, folder: Path, settings: str = SETTINGS) -> None:
        self.place = Place(folder)
        self.host: subprocess.Popen[str] | None = None
        folder.mkdir(exist_ok=True)
        if not self.place.settings.exists():
            self.place.settings.write_text(settings, "utf-8")

    def up(self) -> str:
        """Starts the host process; returns the address of the page."""
        command = [sys.executable, "-m", "arena.cli", "club", "up", str(self.place.folder)]
        with (self.place.folder / "up.log").open("a") as errors:
            self.host = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert self.host.stdout is not None
        return self.host.stdout.readline().split()[-1]

    def down(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.host is not None:
            self.host.send_signal(how)
            self.host.wait(PATIENCE)
            assert self.host.stdout is not None
            self.host.stdout.close()
            self.host = None

    def ask(self, kind: str, account: int | None = None, **values: str | int) -> dict[str, object]:
        def answered() -> dict[str, object] | None:
            with suppress(NoHostProcess):
                return {"answer": request(self.place, kind, account, **values)}
            return None

        found = until(answered)
        assert found is not None
        answer = found["answer"]
        assert isinstance(answer, dict)
        return answer

    def author(self, name: str) -> int:
        account = self.ask("join", invitation=str(self.ask("invite", name=name)["invitation"]))["account"]
        assert isinstance(account, int)
        return account

    def submit(self, account: int, folder: Path, bot: str) -> int:
        """Submits a bot; returns the id of the version."""
        self.place.incoming.mkdir(exist_ok=True)
        half = self.place.incoming / f"{account}.part"
        packed = pack(folder, half)
        half.rename(self.place.incoming / f"{account}-{packed.digest}.zip")
        done = self.ask("submit", account, bot=bot, upload=packed.digest, size=packed.size, note="")
        assert isinstance(done["id"], int)
        return done["id"]

    def version(self, id: int) -> Version:
        with Database(self.place.database) as database:
            version = database.version(id)
        assert version is not None
        return version

    def decided(self, id: int) -> Version:
        until(lambda: self.version(id).state in ("accepted", "refused"))
        return self.version(id)

    def playing(self) -> set[str]:
        """The names of the ladder's entrants that are not withdrawn."""
        try:
            with League.read(self.place.league) as league:
                stored, *_ = league.tournaments()  # the ladder, and nights
                rulings = [read_ruling(each.ruling) for each in league.rulings(stored.id)]
        except (StoreError, ValueError):  # not begun yet
            return set()
        gone = effects_of(len(stored.first_entrants), rulings).withdrawn
        return {entrant.name for number, entrant in enumerate(stored.entrants) if number not in gone}

    def games(self) -> int:
        with League.read(self.place.league) as league:
            return sum(1 for _ in league.games(1))

    def children(self) -> list[int]:
        """The processes that have the folder of the league in their command."""
        found = []
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if (
                    entry.name.isdecimal()
                    and os.fsencode(self.place.folder) in (entry / "cmdline").read_bytes()
                ):
                    found.append(int(entry.name))
        return [pid for pid in found if self.host is None or pid != self.host.pid]

    def verify(self) -> None:
        command = [sys.executable, "-m", "arena.cli", "verify", str(self.place.league)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def begin(league: Path, file: Path) -> None:
    """Begins the tournament of a file in a league, as `arena run` does; nothing is played."""
    read, key = read_tournament(file), bytes(32)
    entrants = tuple(EntrantInfo(each.name, str(each.bot.folder)) for each in read.entrants if each.bot)
    info = TournamentInfo(
        read.plan.name, read.path, read.text, key, commitment(key), entrants, read.plan.to_json()
    )
    with League.create_or_open(league) as opened:
        opened.start_tournament(info)


def bot(folder: Path, name: str) -> Path:
    write_bot(find_kit("python"), folder, name, "")
    return folder


def changed(folder: Path) -> Path:
    """The folder of a bot after a change of its source."""
    with (folder / "first_bot.py").open("a") as source:
        source.write("# another version\n")
    return folder
