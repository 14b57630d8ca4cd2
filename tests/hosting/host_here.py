"""A host process in the test's own process, in simulated time, with children that run nothing."""

from __future__ import annotations

import contextlib
import shutil
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

import trio
import trio.testing

from arena.checkup.bot_time import Used
from arena.hosting.children import Child
from arena.hosting.database import Database, Night, Version
from arena.hosting.host_process import HostProcess
from arena.hosting.place import Place
from arena.hosting.report import Result, write_result
from arena.hosting.settings import parse_settings
from tests.arena_command import deadline
from tests.hosting.standing_league import begin

SETTINGS = """
name = "Club"
games = ["hyrule"]
sandbox = "none"
house = ["greedy-python", "random-python"]
[limits]
reserve = "1MiB"
[[night]]
name = "Friday"
file = "friday.toml"
date = 2025-12-05T18:00:00Z
house = true
"""
_GLANCE = 0.002  # seconds after which it is looked whether a thread still works
FRIDAY = Night("Friday", "2025-12-05T18:00:00+00:00", "awaited", None, "")


class FakeChild(Child):
    """A child that runs nothing, until the test or the host process ends it."""

    def __init__(self, words: Sequence[str], at: float) -> None:
        self.words, self.at, self.lines = words, at, [""]
        self.told: list[str] = []  # lines for the host that it has not heard yet
        self.is_ended = False  # by the host process
        self._code: int | None = None
        self._over = trio.Event()

    def exit(self, code: int) -> None:
        """Ends by itself."""
        self._code = code
        self._over.set()

    @property
    def runs(self) -> bool:
        return self._code is None

    def used(self) -> Mapping[str, Used]:
        return {}

    def send(self, line: str) -> None:
        self.lines.append(line)

    def heard(self) -> list[str]:
        told, self.told = self.told, []
        return told

    async def wait(self) -> int:
        await self._over.wait()
        assert self._code is not None
        return self._code

    async def end(self) -> None:
        if self._code is None:
            self.is_ended = True
            self.exit(-signal.SIGTERM)


class Host:
    """A host process whose children are fakes."""

    def __init__(self, folder: Path, database: Database, text: str = SETTINGS) -> None:
        self.place, self.database = Place(folder), database
        (folder / "friday.toml").write_text('games = ["hyrule"]\n')
        (folder / "logs").mkdir()
        self.place.tournaments.mkdir()
        self.place.incoming.mkdir()
        self.said: list[str] = []
        self.children: list[FakeChild] = []
        self.build: Callable[[FakeChild, Path], None] = lambda child, folder: None  # goes on
        settings = parse_settings(text, self.place.settings)
        self.process = HostProcess(self.place, settings, database, self._say, self._start)
        self._changed = trio.Event()

    def _say(self, line: str) -> None:
        self.said.append(line)
        self._changed.set()

    def _start(self, words: Sequence[str], *_: Any, **__: Any) -> Child:
        child = FakeChild(words, trio.current_time())
        if words[:2] == ("arena.cli", "run"):
            begin(Path(words[words.index("--league") + 1]), Path(words[2]))
        if words[0] == "arena.hosting.builder":
            self.build(child, self.place.submission(int(words[2])))
        self.children.append(child)
        self._changed.set()
        return child

    async def until(self, found: Callable[[], bool]) -> None:
        """Waits until children or lines are there."""
        while not found():
            self._changed = trio.Event()
            await self._changed.wait()

    async def decided(self, id: int) -> Version:
        """A version as soon as it is decided."""
        while (version := self.database.version(id)) is not None:
            if version.state in ("accepted", "refused"):
                return version
            await trio.sleep(1)
        raise AssertionError(f"there is no version {id}")

    def submit(self, bot: str = "heron") -> int:
        account = self.database.account_called("Ada")
        by = account.id if account else self.database.add_account("Ada", "author")
        known = self.database.bot_called(bot)
        number = known.id if known else self.database.add_bot(by, bot)
        version = self.database.add_version(number, "00", 1, "")
        self.place.submission(version).mkdir(parents=True)
        return version

    @property
    def games(self) -> list[FakeChild]:
        """The commands that play, in order."""
        return [child for child in self.children if child.words[1] in ("run", "resume")]


def in_simulated_time(test: Callable[[], Any]) -> None:
    """Runs a test whose time leaps whenever nothing is to be done; it stands still while threads work."""
    clock = trio.testing.MockClock()

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_leap, clock)
            await test()
            nursery.cancel_scope.cancel()

    with deadline():
        trio.run(run, clock=clock)


async def _leap(clock: trio.testing.MockClock) -> None:
    """Leaps to the next deadline, again and again. Trio's own leaps do not wait for threads."""
    threads = trio.to_thread.current_default_thread_limiter()
    while True:
        await trio.testing.wait_all_tasks_blocked()
        left = trio.lowlevel.current_statistics().seconds_to_next_deadline
        if threads.borrowed_tokens or left == inf:
            await trio.testing.wait_all_tasks_blocked(_GLANCE)
        else:
            clock.jump(max(0.0, left))


def ends_with(result: Result) -> Callable[[FakeChild, Path], None]:
    """A builder that has this result at once."""

    def build(child: FakeChild, folder: Path) -> None:
        write_result(folder, result)
        child.exit(0)

    return build


@contextlib.asynccontextmanager
async def going_on(*loops: Callable[[], Any]) -> AsyncIterator[None]:
    """Runs loops of the host process beside the test."""
    async with trio.open_nursery() as nursery:
        for loop in loops:
            nursery.start_soon(loop)
        yield
        nursery.cancel_scope.cancel()


def install(packages: Path, version: str) -> None:
    """Says that a version of the arena is installed in a folder, as an installer does: RECORD last."""
    for old in packages.glob("bot_arena-*.dist-info"):
        shutil.rmtree(old)
    about = packages / f"bot_arena-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: bot-arena\nVersion: {version}\n")
    (about / "RECORD").write_text(f"{about.name}/METADATA,,\n{about.name}/RECORD,,\n")
