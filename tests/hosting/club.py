"""A club at a standing league, with kills: `python -m tests.hosting.club --minutes N --kills K --seed S`.

Twelve authors join by invitation and type the arena's own commands: eight with bots in six languages, and
four hostile ones (`tests.hosting.club_authors`). Bots are built and checked at the level `strict`. A night
begins in the middle. At random moments the host process or one that it started is killed; a killed host
process is started again. At the end the authors stop, and everything is compared: the database, the folders,
the terminals, the league file, the logs, and the processes.

It needs Linux with bubblewrap and the toolchains of the languages, and reaches the registries of packages. It
prints what it found wrong, and exits with 1 if that is anything. Then the folder stays, to read the logs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.request import urlopen

from arena.hosting.database import UNDER_WAY, Database, Version
from arena.hosting.report import read_result
from arena.hosting.requests import Refused
from arena.hosting.unpacking import unpack
from arena.league.store import League
from arena.link.local.packing import content_hash
from arena.link.local.supervisor import descendants
from tests.hosting.club_authors import HOSTILE, Author, Honest, Mallory, Misbehaving, Spy
from tests.hosting.standing_league import Club, until

LANGUAGES = ("python", "go", "rust", "typescript", "java", "cpp", "python", "python")
NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana")
REST = 40.0  # seconds that an author waits between two commands, on average
HOSTS = 0.4  # the share of kills that meet the host process
CHILDREN = 0.7  # the share of all others that meet a process that it started itself
PAGES = ("", "api/bots", "api/environment", "nights-to-come", "bots", "submissions", "join")

SETTINGS = """
name = "Club"
listen = "127.0.0.1:{port}"
games = ["hyrule"]
boards = 1
house = ["greedy-python", "random-python"]
sandbox = "strict"
concurrency = 2
builders = 2
[limits]
bots = 10
builds = 1000
reserve = "100MiB"
[[night]]
name = "Friday"
file = "friday.toml"
freeze = "10s"
top = 5
date = {night:%Y-%m-%dT%H:%M:%SZ}
"""


class Process(NamedTuple):
    """A process: its id, and when it began, since ids are used again."""

    pid: int
    began: str


class Run:
    """A club while it goes on.

    Args:
        folder: a new folder for all of it.
        minutes: how long the authors work.
        kills: how many kills there are, on average evenly spread.
        seed: of all that is random.
        languages: those of the honest authors, at most eight.
    """

    def __init__(
        self, folder: Path, minutes: float, kills: int, seed: int, languages: Sequence[str] = LANGUAGES
    ) -> None:
        self.folder, self.random = folder, Random(seed)
        self.minutes, self.kills, self.languages = minutes, kills, languages
        self.temporary = folder / "t"  # short, because the path of a socket must be short
        self.temporary.mkdir(mode=0o755)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        night = datetime.now(UTC) + timedelta(minutes=minutes * 0.6)
        self.club = Club(folder / "club", SETTINGS.format(port=self.port, night=night))
        (self.club.place.folder / "friday.toml").write_text('games = ["hyrule"]\n', "utf-8")
        self.authors: list[Author] = []
        self.seen: dict[Process, str] = {}
        self.wrong: list[str] = []
        self.counted: Counter[str] = Counter()
        self._over = threading.Event()

    def go(self) -> list[str]:
        """Runs the club; returns what is wrong."""
        os.environ["TMPDIR"] = str(self.temporary)
        self.club.up()
        people: list[Callable[[], None]] = [self._watch, self._visit]
        threads = [threading.Thread(target=each, daemon=True) for each in people]
        self.authors = list(self._people())
        for thread in (*threads, *self.authors):
            thread.start()
        self._kill_now_and_then()
        self.say("the authors stop")
        for author in self.authors:
            author.stopping.set()
        for author in self.authors:
            author.join()
        self._settle()
        self._over.set()
        for thread in threads:
            thread.join()
        self.club.down()
        self._look()
        return self.wrong

    def say(self, text: str) -> None:
        """Prints a line with the time."""
        _print(f"{datetime.now():%H:%M:%S} {text}")

    def _people(self) -> Iterator[Author]:
        seed, folder = str(self.random.random()), self.folder

        def invite(name: str) -> str:
            while True:
                with suppress(Refused):  # the host process was killed while it answered
                    return str(self.club.ask("invite", name=name)["url"])

        for name, language in zip(NAMES, self.languages, strict=False):
            yield Honest(name, folder / name, invite, seed + name, language, REST)
        yield Mallory("Mallory", folder / "Mallory", invite, seed)
        yield Spy("Trudy", folder / "Trudy", invite, seed, self.club.place.folder, self.port)
        yield Misbehaving("Oscar", folder / "Oscar", invite, seed, ("hangs", "crashes"))
        kinds = ("fills the disk", "prints", "forks")
        yield Misbehaving("Sybil", folder / "Sybil", invite, seed, kinds)

    # --- While it goes on ---

    def _watch(self) -> None:
        """Notes all processes that the host process started, for the end."""
        while not self._over.wait(0.3):
            host = self.club.host
            for pid in descendants(host.pid) if host else ():
                with suppress(OSError):
                    process = _process(pid)
                    if process not in self.seen:
                        self.seen[process] = _command(pid)

    def _visit(self) -> None:
        """Looks at the public pages; an error of the page itself is wrong."""
        while not self._over.wait(2):
            page = self.random.choice(PAGES)
            try:
                with urlopen(f"http://127.0.0.1:{self.port}/{page}", timeout=60) as answer:
                    answer.read()
                self.counted["pages read"] += 1
            except HTTPError as error:
                if error.code == 500:
                    self.wrong.append(f"the page /{page} answered 500")
                self.counted[f"pages answered {error.code}"] += 1
            except OSError:
                self.counted["pages without an answer"] += 1

    def _kill_now_and_then(self) -> None:
        """Kills until the time is over; the last fifth of it has no kills."""
        began, length = time.monotonic(), self.minutes * 60
        moments = sorted(self.random.uniform(0.02, 0.8) * length for _ in range(self.kills))
        for moment in (*moments, length):
            while (left := began + moment - time.monotonic()) > 0:
                time.sleep(min(left, 0.2))
                host = self.club.host
                if host is not None and host.poll() is not None:
                    self.wrong.append(f"the host process ended by itself: {host.returncode}")
                    self.club.host = None
                    self.club.up()
            if moment < length:
                self._kill()

    def _kill(self) -> None:
        host = self.club.host
        assert host is not None
        if self.random.random() < HOSTS:
            self.counted["kills of the host process"] += 1
            self.say("kills the host process")
            self.club.down(signal.SIGKILL)
            if self.random.random() < 0.5:  # the next one may find children that still end
                until(lambda: not self.club.children())
            self.club.up()
            return
        own = self.random.random() < CHILDREN
        found = descendants(host.pid)
        victims = [pid for pid in found if not own or _parent(pid) == host.pid]
        if victims:
            victim = self.random.choice(sorted(victims))
            self.counted["kills of a child" if own else "kills of a process further down"] += 1
            self.say(f"kills {_command(victim)}")
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)

    def _settle(self) -> None:
        """Waits until every version is decided, the night is over, and every active version has played."""
        place = self.club.place

        def decided() -> bool:
            with Database(place.database) as database:
                return not database.under_way()

        def night_over() -> bool:
            with Database(place.database) as database:
                return all(night.state not in ("frozen", "playing") for night in database.nights())

        for what, found in (
            ("a version is not decided", decided),
            ("the night does not end", night_over),
            ("not every active version has played", lambda: not self._idle()),
        ):
            self.say(f"waits: {what}")
            try:
                until(found)
            except AssertionError:
                self.wrong.append(f"{what}: {self._idle()}")

    def _idle(self) -> set[str]:
        """The active versions that are no entrants of the ladder, or have no game."""
        with Database(self.club.place.database) as database:
            active = {f"{bot.name} v{version.number}" for bot, version, _ in database.active()}
        with League.read(self.club.place.league) as league:
            ladder = league.tournaments()[0]
            played = {
                ladder.entrants[number].name
                for _, game in league.games(ladder.id)
                for number in (seat.entrant for seat in game.seats)
            }
        there = {name.partition(" (")[0] for name in self.club.playing() & played}
        return active - there

    # --- At the end ---

    def _look(self) -> None:
        """Compares all that is left."""
        place = self.club.place
        with Database(place.database) as database:
            self._compare_database(database)
            nights = database.nights()
        if [night.state for night in nights] != ["played"]:
            self.wrong.append(f"the night was not played: {nights}")
        try:
            self.club.verify()
        except AssertionError as error:
            self.wrong.append(f"arena verify: {error}")
        with League.read(place.league) as league:
            for stored in league.tournaments():
                keys = Counter(str(game.key) for _, game in league.games(stored.id))
                self.counted[f"games of {stored.name}"] = len(keys)
                self.wrong += [f"{stored.name} has {key} {n} times" for key, n in keys.items() if n > 1]
        logs = [*(place.folder / "logs").iterdir(), place.folder / "up.log"]
        logs += [author.folder / "terminal.log" for author in self.authors]
        for log in logs:
            text = log.read_text("utf-8", "replace") if log.is_file() else ""
            for word in ("Traceback", "RefereeBug", "referee bug"):
                if word in text:
                    self.wrong.append(f"{log} has {word} {text.count(word)} times")
        self._look_for_processes()
        for top, folders, files in os.walk(self.folder):
            if HOSTILE in " ".join((*folders, *files)):
                self.wrong.append(f"a hostile file is in {top}")
        for path in (self.folder.parent, Path("/"), Path("/tmp"), Path("/etc"), Path.home()):
            self.wrong += [f"a hostile file is {each}" for each in path.glob(f"*{HOSTILE}*")]
        self.wrong += [f"{each} is left over" for each in self.temporary.iterdir()]
        for author in self.authors:
            self.wrong += author.wrong
            self.counted["commands"] += len(author.typed)
            self.counted["invitations used up without an answer"] += author.lost

    def _compare_database(self, database: Database) -> None:
        place, known = self.club.place, {}
        excluded = [json.loads(about) for _, _, what, about in database.audit(1 << 30) if what == "excluded"]
        out = {str(each["entrant"]).partition(" v")[0] for each in excluded}
        self.counted["bots withdrawn by the rules"] = len(out)
        for bot in database.bots():
            for version in database.versions(bot.id):
                known[bot.name, version.number] = version
                self.counted[f"versions {version.state}"] += 1
                if version.state in UNDER_WAY:
                    self.wrong.append(f"{bot.name} {version.number} is {version.state} at the end")
                self._compare_folder(f"{bot.name} {version.number}", version)
        folders = {each.name for each in (place.folder / "submissions").iterdir()}
        ids = {str(version.id) for version in known.values()}
        if ids - folders or any(int(name) <= max(map(int, ids)) for name in folders - ids):
            self.wrong.append(f"versions and folders differ: {sorted(ids ^ folders)}")
        for author in self.authors:
            for claim in author.claims:
                stored = known.get((claim.bot, claim.version))
                if stored is None or stored.state != claim.state:
                    self.wrong.append(f"a terminal said {claim}, and the database says {stored}")
            for name, number in author.active.items():
                found = database.bot_called(name)
                active = None if found is None else found.active
                said = known[name, number].id if number is not None else None
                if active != said and not (active is None and name in out):
                    self.wrong.append(f"{name}: a terminal said that {number} plays; the database: {active}")

    def _compare_folder(self, name: str, version: Version) -> None:
        place = self.club.place
        folder, bot = place.submission(version.id), place.bot(version.id)
        result = read_result(folder)
        gave_up = version.reason.startswith("trouble of the host") or (result and result.state == "trouble")
        if not gave_up and (result is None or result.state != version.state):
            self.wrong.append(f"{name} is {version.state}, and its result is {result}")
        if (folder / "scratch").exists() or list(folder.glob("*.part")):
            self.wrong.append(f"{name} has something half: {os.listdir(folder)}")
        upload = folder / "upload.zip"
        if sha256(upload.read_bytes()).hexdigest() != version.upload:
            self.wrong.append(f"the upload of {name} is not what was sent")
        if loot := bot / "loot.json":
            with suppress(FileNotFoundError):
                if reached := json.loads(loot.read_text("utf-8")):
                    self.wrong.append(f"the build of {name} reached {reached}")
        if version.state != "accepted":
            return
        with tempfile.TemporaryDirectory() as temporary:
            sent = Path(temporary, "sent")
            unpack(upload, sent, 1 << 30)
            if content_hash(sent) != version.content:
                self.wrong.append(f"the content of {name} is not what the database says")
            for path in sent.rglob("*"):
                there = bot / path.relative_to(sent)
                if path.is_file() and not (there.is_file() and there.read_bytes() == path.read_bytes()):
                    self.wrong.append(f"{there} is not what was sent")

    def _look_for_processes(self) -> None:
        def left() -> list[str]:
            found = []
            for process, command in self.seen.items():
                with suppress(OSError):
                    if _process(process.pid) == process:
                        found.append(f"{process.pid} {command}")
            return found

        self.counted["processes seen"] = len(self.seen)
        deadline = time.monotonic() + 30
        while left() and time.monotonic() < deadline:
            time.sleep(0.2)
        self.wrong += [f"the process {each} is left over" for each in left()]


def _print(text: str) -> None:
    print(text, flush=True)  # noqa: T201


def _process(pid: int) -> Process:
    """A process by its id. Raises OSError if it is gone, or has ended."""
    fields = Path(f"/proc/{pid}/stat").read_text("latin-1").rpartition(")")[2].split()
    if fields[0] in "ZX":
        raise ProcessLookupError
    return Process(pid, fields[19])


def _parent(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text("latin-1").rpartition(")")[2].split()[1])
    return 0


def _command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:150]
    return ""


def main(arguments: list[str]) -> int:
    """Runs a club; returns 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--languages", nargs="+", default=LANGUAGES, help="of the honest authors")
    given = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="club-"))
    folder.chmod(0o755)
    run = Run(folder, given.minutes, given.kills, given.seed, given.languages)
    run.say(f"the club is in {folder}")
    wrong = run.go()
    for what, number in sorted(run.counted.items()):
        _print(f"{number:8,} {what}")
    for each in wrong:
        _print(f"WRONG: {each}")
    if not wrong:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
