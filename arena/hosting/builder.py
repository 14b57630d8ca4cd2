"""Makes a playable version out of an upload: `python -m arena.hosting.builder FOLDER ID [LIMITS [REASON]]`.

The builder is a process of its own, which the host process starts. It unpacks the upload, builds the bot in
the sandbox, with the registries of the languages as its only network, and checks it in the sandbox as `arena
check-bot` does. It writes only the version's folder and its author's cache of downloads.

The host process gives the builder limits of time and memory, because all that it reads is an author's. A
builder that met one of them is not tried again: another one, with a reason, removes what the first left, and
refuses the version with this reason.

A builder can be killed at any moment: the supervisors then end what it started, and the next builder of the
version begins anew. A version with a result is left as it is, unless the result is `trouble`.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import trio

from arena.checkup.bot_time import BotTime
from arena.checkup.checklist import check_bot
from arena.checkup.values import FAILED, NOTED, PASSED, SKIPPED, Check, Conditions
from arena.games import GAMES
from arena.hosting.database import Database
from arena.hosting.place import Place, open_folders, remove
from arena.hosting.report import Line, Report, Result, Step, read_result, write_result
from arena.hosting.unpacking import BadUpload, unpack
from arena.league.entrants import Entrant
from arena.link.local.bot_manifest import BotManifest, BotManifestError, read_bot_manifest
from arena.link.local.build import finish
from arena.link.local.packing import content_hash
from arena.link.local.sandbox import Level, Sandbox, SandboxMissing, Trust
from arena.link.local.submitted import problem_in
from arena.report.checkup_text import check_text, checkup_text
from arena.table.clock import TimeControl
from arena.temporary import NoFolder, short_place
from arena.text import size_text
from arena.tournament.plan import DEFAULT_CLOCK

BUSY = 3
"""The exit code of a builder whose version has another builder."""

READING = 300.0
"""The seconds that a builder may take to unpack a bot, and again to look at it after its build or checkup."""

MEMORY = 1 << 30
"""The most bytes of memory that a builder may take, without what it starts."""

_SPARE = 64 << 20  # with less space than this, what fails may fail for want of space
_WHILE_BUILT = 3  # times as much as a bot may take, it and the downloads take while it is built
_WATCH, _IDLE = 1.0, 20.0  # seconds between two looks at that, and at least so many times what a look takes
_NETWORK = re.compile(
    r"dial tcp|resolve host|name resolution|timed? ?out|connection|network|proxy|tls handshake|EAI_AGAIN",
    re.I,
)
_REGISTRIES = (
    *("https://proxy.golang.org", "https://index.crates.io/config.json", "https://pypi.org/simple/pip/"),
    *("https://registry.npmjs.org/left-pad", "https://repo.maven.apache.org/maven2/"),
)
_FIRST_HEARD, _MOST_HEARD, _HEAR_EVERY = 20, 500, 2.0  # lines of a build in its report; and seconds
_PATIENCE = 10.0  # seconds until a registry counts as out of reach


class Limits(NamedTuple):
    """What the host allows, and how its league plays.

    Attributes:
        build_time: the most seconds of a build, of the bot's time (see `BotTime`).
        check_time: the most seconds of a checkup, in the same way.
        disk: the most bytes of an unpacked and built version.
        level: the level at which bots are contained.
        memory, threads, network: the most that a bot may ask for.
        clock: the clock's bank, increment and limit of a move, in nanoseconds.
        games: the ids of the league's games; empty for all.
        reach: the hosts that builds reach; see `Sandbox`.
        thorough: whether all options of the games are tried.
    """

    build_time: float = 900.0
    check_time: float = 3600.0
    disk: int = 1 << 30
    level: str = Level.STRICT
    memory: int = 2 << 30
    threads: int = 4
    network: bool = False
    clock: tuple[int, int, int] = DEFAULT_CLOCK[:3]
    games: tuple[str, ...] = ()
    reach: tuple[str, ...] = ()
    thorough: bool = True


def limit_met(error: BaseException) -> str | None:
    """Why the version is refused if an error, of a task perhaps, says that this process met a limit."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(limit_met, error.exceptions)), None)
    if isinstance(error, MemoryError):
        return (
            f"the host's program may take {size_text(MEMORY)} of memory for a version, and this one needs "
            "more: submit fewer or smaller files"
        )
    if isinstance(error, RecursionError):
        return "its files or folders are nested too deeply to be read: nest them less"
    return None


class _Refused(Exception):
    """The version is refused; the text is one sentence with the remedy."""


class _Trouble(Exception):
    """The host has trouble of its own; the text is one sentence."""


class _Version(NamedTuple):
    """What the database says about a version: its bot's name, its account, and its bot's other versions."""

    name: str
    account: int
    others: dict[str, int]  # the numbers of the accepted ones, by their content


def _look_up(place: Place, id: int) -> _Version:
    with Database(place.database) as database:
        version = database.version(id)
        bot = database.bot(version.bot) if version else None
        if version is None or bot is None:
            raise _Trouble(f"the database has no version with the id {id}")
        others = {
            other.content: other.number
            for other in database.versions(bot.id)
            if other.content and other.state == "accepted" and other.id != id
        }
        return _Version(bot.name, bot.account, others)


class Heard:
    """Passes on the first lines that a build prints, and then one now and then: a report stays short."""

    def __init__(self, tell: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._tell, self._now = tell, now
        self._told, self._due = 0, 0.0

    def hear(self, line: str) -> None:
        """Takes a line of the build's output."""
        if self._told < _FIRST_HEARD or (self._told < _MOST_HEARD and self._now() >= self._due):
            self._told, self._due = self._told + 1, self._now() + _HEAR_EVERY
            self._tell(line)


class _Builder:
    """Makes one version."""

    def __init__(self, place: Place, id: int, limits: Limits) -> None:
        self._place, self._id, self._limits = place, id, limits
        self._folder = place.submission(id)
        self._report = Report(self._folder)
        self._scratch = self._folder / "scratch"  # names the folder for this builder's temporary files
        self._checks: list[Check] = []
        self._so_far = Result("trouble")

    def run(self) -> Result:
        """Makes the version, and writes its result."""
        step: Step = "end"
        try:
            result = self._made()
        except (_Refused, BadUpload, BotManifestError) as problem:
            result = self._so_far._replace(state="refused", reason=str(problem))
        except (_Trouble, SandboxMissing, NoFolder) as problem:
            result = self._so_far._replace(state="trouble", reason=str(problem))
        except Exception as error:  # noqa: BLE001 - whatever it is
            reason = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
            if shutil.disk_usage(self._folder).free < _SPARE:
                reason = "the disk is full"
            else:
                traceback.print_exc()
            result = self._so_far._replace(state="trouble", reason=f"the host has trouble: {reason}")
            if met := limit_met(error):
                result = result._replace(state="refused", reason=met)
        finally:
            self._clean()
        return self._ended(result, step)

    def refuse(self, reason: str) -> Result:
        """Refuses the version, and removes what a builder that was killed has left of it."""
        self._clean()
        if (bot := self._place.bot(self._id)).exists():
            remove(bot)
        return self._ended(Result("refused", reason), "end")

    def _ended(self, result: Result, step: Step) -> Result:
        """Writes a result, with the size of what there is of the version."""
        result = result._replace(disk=_size(self._folder))
        if result.state == "accepted":
            self._report.add(step, "accepted", "passed")
        elif result.state == "refused":
            self._report.add(step, f"refused: {result.reason}", "failed")
        else:
            self._report.add(step, "the host has trouble of its own, and tries again later", "noted")
        write_result(self._folder, result)
        return result

    def _made(self) -> Result:
        self._clean()
        version = _look_up(self._place, self._id)
        bot = self._place.bot(self._id)
        if bot.exists():
            remove(bot)
        self._report.add("unpack", "unpacking")
        unpack(self._folder / "upload.zip", bot, self._limits.disk)
        content = content_hash(bot)
        self._so_far = self._so_far._replace(content=content)
        self._report.add("unpack", f"unpacked: content {content[:12]}", "passed")
        manifest = self._manifest(bot, version)
        self._so_far = self._so_far._replace(name=manifest.name, language=manifest.language)
        if content in version.others:
            raise _Refused(
                f"this is the same as version {version.others[content]}: activate that one instead"
            )
        self._make_scratch()
        cache = self._cache(version.account)
        try:
            trio.run(self._check, manifest, cache)
        finally:
            open_folders(cache)
            open_folders(bot)
            if _size(cache) > self._limits.disk:
                remove(cache)  # the next build downloads again
        self._judge()
        if problem := built_problem(bot, manifest, trusted=self._limits.level == Level.NONE):
            raise _Refused(problem)
        if manifest.build:
            finish(bot)
        _protect(bot, manifest.needs.writable)
        return self._so_far._replace(state="accepted")

    def _manifest(self, bot: Path, version: _Version) -> BotManifest:
        try:
            manifest = read_bot_manifest(bot)
        except BotManifestError as problem:
            raise _Refused(str(problem).replace(f"{bot}{os.sep}", "")) from None
        if manifest.name != version.name:
            raise _Refused(
                f"bot.toml names the bot {manifest.name}, but it was submitted as {version.name}: "
                "make these names the same"
            )
        limits = self._limits
        trust = Trust(Level(limits.level), limits.network, limits.memory, limits.threads)
        if refusal := trust.refusal(manifest.needs):
            raise _Refused(f"{manifest.name} {refusal.what}: ask for less in [needs]")
        if limits.games and not set(limits.games) & set(manifest.games):
            raise _Refused(f"{manifest.name} plays none of this league's games: {', '.join(limits.games)}")
        trust.sandbox(manifest.needs).require()
        return manifest

    def _cache(self, account: int) -> Path:
        """The home of an author's builds, which keeps the downloads of the toolchains."""
        cache = self._place.folder / "caches" / str(account)
        cache.mkdir(parents=True, exist_ok=True)
        return cache

    async def _check(self, manifest: BotManifest, cache: Path) -> None:
        limits = self._limits
        sandbox = Sandbox(Level(limits.level), manifest.needs, cache, tuple(limits.reach))
        conditions = Conditions(
            tuple(game for game in GAMES if game in manifest.games and game in (limits.games or GAMES)),
            DEFAULT_CLOCK._replace(**dict(zip(TimeControl._fields, limits.clock, strict=False))),
            thorough=limits.thorough,
            joins=False,
        )
        self._report.add("build", "building" if manifest.build else "there is nothing to build")
        too_large = too_long = False
        bot_time = BotTime()
        end = limits.build_time

        async def limit(scope: trio.CancelScope) -> None:
            nonlocal too_long
            while (left := end - bot_time.look()) > 0:
                await bot_time.passes(min(left, _WATCH))
            too_long = True
            scope.cancel()

        async def watch(scope: trio.CancelScope) -> None:
            nonlocal too_large
            began = trio.current_time()
            while not await trio.to_thread.run_sync(self._is_too_large, cache):
                await trio.sleep(max(_WATCH, _IDLE * (trio.current_time() - began)))
                began = trio.current_time()
            too_large = True
            scope.cancel()

        def tell(check: Check) -> None:
            nonlocal end
            self._tell(check)
            if len(self._checks) == 1:
                end = bot_time.look() + limits.check_time

        problem: Exception | None = None
        async with trio.open_nursery() as nursery:
            with trio.CancelScope() as scope:
                nursery.start_soon(watch, scope)
                nursery.start_soon(limit, scope)
                try:
                    await check_bot(
                        Entrant(manifest.name, bot=manifest, sandbox=sandbox), conditions, tell,
                        lambda text: self._report.add("check" if self._checks else "build", text),
                        hear=Heard(lambda line: self._report.add("build", f"| {self._shown(line)}")).hear,
                    )  # fmt: skip
                except Exception as error:  # noqa: BLE001 - raised below, outside the nursery, which would wrap it
                    problem = error
            nursery.cancel_scope.cancel()
        if problem is not None:
            raise problem
        if too_large:
            raise _Refused(
                f"its files and its downloads took more than {size_text(_WHILE_BUILT * limits.disk)} "
                "while it was made: let it write less"
            )
        if too_long:
            what, most = ("check", limits.check_time) if self._checks else ("build", limits.build_time)
            raise _Refused(f"its {what} took more than {most:g} s: make it shorter")

    def _is_too_large(self, cache: Path) -> bool:
        """Whether the bot's folder and its author's downloads take more than is allowed for the moment."""
        sizes = map(_size, (self._place.bot(self._id), cache))
        return sum(sizes) > _WHILE_BUILT * self._limits.disk

    def _tell(self, check: Check) -> None:
        """Reports a check; the first of them is the build."""
        step: Step = "check" if self._checks else "build"
        self._checks.append(check)
        levels: dict[str, Line] = {PASSED: "passed", FAILED: "failed", NOTED: "noted"}
        if self._checks[0].status == FAILED and check.status == SKIPPED:
            return  # nothing of a bot that is not built can be checked
        text = self._shown(check_text(check, sign=False))
        self._report.add(step, text, levels.get(check.status, "info"))

    def _shown(self, text: str) -> str:
        """A text for the bot's author, which does not say where the host keeps the bot."""
        return text.replace(str(self._place.bot(self._id)), "the bot's folder")

    def _judge(self) -> None:
        """Raises _Refused or _Trouble if the bot is not fit."""
        failed = [check for check in self._checks if check.status == FAILED]
        if failed and shutil.disk_usage(self._folder).free < _SPARE:
            raise _Trouble("the host's disk is full")
        self._report.add("check", checkup_text(self._checks), "failed" if failed else "passed")
        if failed:
            first = failed[0]
            if first is self._checks[0] and _NETWORK.search(first.output) and not _reaches_registries():
                raise _Trouble("the host reaches no registry")
            raise _Refused(f'it fails check {first.number}, "{first.name}": the report says how to mend it')
        if (size := _size(self._place.bot(self._id))) > self._limits.disk:
            raise _Refused(
                f"it has {size_text(size)} when it is built, and {size_text(self._limits.disk)} are "
                "allowed: let the build remove what the bot does not need"
            )

    def _make_scratch(self) -> None:
        # First its name is noted: it is found again by the next builder if this one is killed.
        name = f"arena-build-{secrets.token_hex(4)}"
        path = Path(short_place(name), name)
        self._scratch.write_text(str(path), "utf-8")
        path.mkdir(mode=0o700)
        path.chmod(
            0o711
        )  # a bot runs as another user, if the arena is root's, and finds its own folder in it
        tempfile.tempdir = str(path)

    def _clean(self) -> None:
        """Removes the temporary files of this builder, or of one that was killed."""
        tempfile.tempdir = None
        with contextlib.suppress(FileNotFoundError):
            path = Path(self._scratch.read_text("utf-8"))
            if path.name.startswith("arena-build-"):
                shutil.rmtree(path, ignore_errors=True)
            self._scratch.unlink()


def built_problem(bot: Path, manifest: BotManifest, trusted: bool) -> str | None:
    """Why a bot may not play with what its build left in its folder, with the remedy; None if it may.

    Args:
        bot: its folder, built.
        manifest: its manifest as it was submitted.
        trusted: whether the bot may do all that its user may.
    """
    if problem := problem_in(bot, (*manifest.command, *manifest.build), trusted):
        return f"its build leaves a folder that cannot be used: {problem}"
    try:
        changed = read_bot_manifest(bot) != manifest
    except BotManifestError:
        changed = True
    if changed:
        return "its build changes bot.toml: let the build leave that file as it was submitted"
    for name in manifest.needs.writable:
        path = bot / name
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            return f"{name} is no folder when it is built, but [needs] names it as one: make it one"
    return None


def _reaches_registries() -> bool:
    """Whether any registry answers, whatever it answers."""
    for url in _REGISTRIES:
        try:
            urllib.request.urlopen(url, timeout=_PATIENCE).close()
        except urllib.error.HTTPError:
            return True
        except OSError:
            continue
        return True
    return False


def _size(folder: Path) -> int:
    """The bytes that the files in a folder take; links are not followed."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # a build removes files too
                size += os.lstat(os.path.join(place, name)).st_blocks * 512
    return size


def _protect(bot: Path, writable: tuple[str, ...]) -> None:
    """Makes a bot's folder read-only, but for the folders in which it asks to write."""
    for name in writable:
        (bot / name).mkdir(exist_ok=True)
    for place, _folders, names in os.walk(bot, topdown=False):
        parts = Path(place).relative_to(bot).parts
        if parts and parts[0] in writable:
            continue
        for name in names:
            path = os.path.join(place, name)
            if stat.S_ISREG(mode := os.lstat(path).st_mode):
                os.chmod(path, mode & 0o555)
        os.chmod(place, os.lstat(place).st_mode & 0o555)


def main(arguments: list[str]) -> int:
    """Makes a version; returns the exit code, 0 if there is a result."""
    place, id = Place(Path(arguments[0]).resolve()), int(arguments[1])
    try:
        return _made(place, id, arguments)
    except OSError as error:  # not even the report can be written
        sys.stderr.write(f"version {id} has no result: {error}\n")
        return 1


def _made(place: Place, id: int, arguments: list[str]) -> int:
    limits = Limits(**json.loads(arguments[2])) if len(arguments) > 2 else Limits()
    folder = place.submission(id)
    with (folder / "builder.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return BUSY
        done = read_result(folder)
        if done is None or done.state == "trouble":
            builder = _Builder(place, id, limits)
            if len(arguments) > 3:
                builder.refuse(arguments[3])
            else:
                builder.run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
