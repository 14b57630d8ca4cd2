"""Builds a bot: runs its `[build]` command when its sources have changed.

A file in the bot's folder, the stamp, has the fingerprint of the last build's sources. It also serves as a
lock: two processes that build the same bot wait for each other (on POSIX systems; on others they
do not wait).

A bot's sources are the files that the `sources` of its bot.toml match, with patterns like those of
Python's glob. Linked folders are searched too, but each only once for a pattern. No more than `MOST_NAMES`
names and `MOST_BYTES` are read, because a link may lead to its own folder, and a file may be of any size.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import trio

from arena.link.local.bot_manifest import BotManifest
from arena.link.local.containment.starting import CANNOT_START, EXIT_CODE, NOT_ON_PATH, why_not
from arena.link.local.ignored import STAMP
from arena.link.local.process import GUARDED, end_unsupervised, environment, found, stop, supervised
from arena.link.local.sandbox import TRUSTED, Level, Sandbox
from arena.link.local.submitted import problem_in
from arena.temporary import cache_folder
from arena.text import one_line, size_text

try:
    import fcntl
except ImportError:
    _CAN_LOCK = False
else:
    _CAN_LOCK = True

FIRST_LINES, LAST_LINES = 20, 40
"""How many of a failed build's lines are shown: a compiler's first errors explain the others."""

MOST_NAMES = 100_000
"""How many names are read in all, to find a bot's sources."""

MOST_BYTES = 1 << 30
"""How many bytes of sources are read in all."""

_FINISHED = "finished\n"
_LONGEST_STAMP = 4 << 20  # characters
_CHUNK = 1 << 18
_MAGIC = "*?["
_TELL_EVERY = 10.0  # seconds between two lines about a build
_QUOTED = 100  # characters of a build's words in such a line
_POLL = 0.05  # seconds between checks whether another process has finished building
_LONGEST_LINE = 10_000  # bytes
_LAST_WORDS = 0.2  # seconds to read on after a build's end: a daemon that it left may hold its output open


class _Toolchain(NamedTuple):
    """The toolchain that a program needs, and the page that says how to install it."""

    name: str
    page: str


_GO = _Toolchain("Go", "https://go.dev/doc/install")
_RUST = _Toolchain("Rust", "https://rustup.rs")
_JAVA = _Toolchain("a Java development kit", "https://adoptium.net")
_MAVEN = _Toolchain("Maven", "https://maven.apache.org/install.html")
_NODE = _Toolchain("Node.js", "https://nodejs.org/en/download")
_CMAKE = _Toolchain("CMake", "https://cmake.org/download")
_CXX = _Toolchain("a C++ compiler", "https://gcc.gnu.org/install")
_PROTOC = _Toolchain("the protobuf compiler", "https://protobuf.dev/installation")
_TOOLCHAINS = {
    "go": _GO, "cargo": _RUST, "rustc": _RUST, "java": _JAVA, "javac": _JAVA, "mvn": _MAVEN,
    "node": _NODE, "npm": _NODE, "npx": _NODE, "cmake": _CMAKE, "g++": _CXX, "c++": _CXX, "protoc": _PROTOC,
}  # fmt: skip


class BuildError(Exception):
    """A bot that cannot be built.

    Attributes:
        message: one sentence without its full stop; says what to install if a program is missing.
        output: the first and the last lines that the build printed, as it printed them; may be empty.
    """

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(f"{message}\n{output}" if output else message)
        self.message = message
        self.output = output


def _nobody_asks(manifest: BotManifest, number: int, of: int) -> None:
    """Nobody follows which bot is built."""


async def build_all(
    bots: Iterable[tuple[BotManifest, Sandbox]],
    say: Callable[[str], None],
    begin: Callable[[BotManifest, int, int], None] = _nobody_asks,
) -> None:
    """Checks the folders of several bots, then builds each folder once, one after another; see `build`.

    `begin` is called before each bot that has something to build, with its place among them from 1, and
    their number.
    """
    each = {manifest.folder: (manifest, sandbox) for manifest, sandbox in bots}.values()
    for manifest, sandbox in each:
        await require_fit(manifest, sandbox)
    made = [manifest for manifest, _ in each if manifest.build]
    for manifest, sandbox in each:
        if manifest.build:
            begin(manifest, made.index(manifest) + 1, len(made))
        await _build(manifest, say, sandbox)


async def require_fit(manifest: BotManifest, sandbox: Sandbox) -> None:
    """Checks a bot's folder. Raises BuildError if the folder is refused (see `submitted`)."""
    command = (*manifest.command, *manifest.build)
    trusted = sandbox.level is Level.NONE
    try:
        problem = await trio.to_thread.run_sync(problem_in, manifest.folder, command, trusted)
    except OSError as error:
        problem = f"{error.filename}: cannot be read: {error.strerror}"
    if problem is not None:
        raise BuildError(f"{manifest.name} cannot be used as it is: in {manifest.folder} {problem}")


def _unheard(line: str) -> None:
    """Nobody follows what a build prints."""


async def build(
    manifest: BotManifest,
    say: Callable[[str], None],
    sandbox: Sandbox = TRUSTED,
    every: float = _TELL_EVERY,
    hear: Callable[[str], None] = _unheard,
) -> float | None:
    """Builds a bot if that is needed.

    It is needed if the build command or the sources have changed since
    the last successful build, if a file is gone that the run command names and that
    build had made, and always if `sources` is not given or matches
    nothing. Symlinked folders are followed.

    Args:
        manifest: the bot's bot.toml.
        say: called with a line for people when building begins, now and then, and when it ends.
        sandbox: how the build is contained.
        every: the seconds between two lines while it is built.
        hear: called with each line that the build prints.

    Returns the seconds it took, None if nothing had to be done. Raises
    BuildError if the bot cannot be built, or its folder is
    refused. When cancelled, nothing of the build is left running.
    """
    await require_fit(manifest, sandbox)
    return await _build(manifest, say, sandbox, every, hear)


async def _build(
    manifest: BotManifest,
    say: Callable[[str], None],
    sandbox: Sandbox,
    every: float = _TELL_EVERY,
    hear: Callable[[str], None] = _unheard,
) -> float | None:
    """Does the same for a folder that was checked."""
    if not manifest.build:
        return None
    path = manifest.folder / STAMP
    if is_finished(manifest.folder):
        return None
    try:
        stamp = open(path, "a+", encoding="utf-8", opener=_without_links)  # noqa: SIM115 - closed just below
    except OSError as error:
        raise BuildError(
            f"{manifest.name} cannot be built: {path} cannot be written: {error.strerror}; "
            "remove it if it is a link, or let this user write in its folder (chmod u+w)"
        ) from None
    with stamp:
        await _lock(stamp, manifest.name, say)
        sources = await _sources(manifest)
        if sources is not None and _is_fresh(stamp, sources, manifest.folder):
            return None
        stamp.truncate(0)  # from now on the last build no longer counts
        say(f"building {manifest.name} ...")
        if sandbox.level is not Level.NONE and (
            reason := await trio.to_thread.run_sync(sandbox.opens_to_builds)
        ):
            say(f"that build reaches services of this machine and its network: {reason}")
        began = time.monotonic()
        async with trio.open_nursery() as nursery:
            lines = _Lines(hear)
            nursery.start_soon(_tell, manifest.name, say, every, lines)
            problem = await _run(manifest, sandbox, lines)
            nursery.cancel_scope.cancel()
        if problem is not None:
            raise problem
        took = time.monotonic() - began
        if sources is not None:
            made = [word for word in manifest.command if os.path.isfile(manifest.folder / word)]
            json.dump({"sources": sources, "made": made}, stamp)
        say(f"built {manifest.name} in {took:.1f} s")
        return took


def finish(folder: Path) -> None:
    """Says of a bot's folder that its build is never repeated."""
    path = folder / STAMP
    path.unlink(missing_ok=True)  # a build may have put a link there
    with open(path, "x", encoding="utf-8", opener=_without_links) as stamp:
        stamp.write(_FINISHED)


def is_finished(folder: Path) -> bool:
    """Whether a bot's folder is built for good."""
    path = folder / STAMP
    try:
        return (
            not path.is_symlink() and path.stat().st_size == len(_FINISHED) and path.read_text() == _FINISHED
        )
    except (OSError, ValueError):
        return False


async def _sources(manifest: BotManifest) -> str | None:
    """The fingerprint of the bot's sources. Raises BuildError if they are too large."""
    try:
        return await trio.to_thread.run_sync(fingerprint, manifest.folder, manifest.build, manifest.sources)
    except TooMuch as problem:
        raise BuildError(
            f"{manifest.name} cannot be built: its sources {problem}: name only what the build reads"
        ) from None


def _without_links(path: str, flags: int) -> int:
    """Opens a file for writing, but no link, which would lead to another file."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


async def _lock(stamp: IO[str], name: str, say: Callable[[str], None]) -> None:
    """Locks the stamp until it is closed; waits while another process holds it."""
    waiting = False
    while _CAN_LOCK:
        try:
            fcntl.flock(stamp, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if not waiting:
                say(f"{name} is being built by another arena; waiting for that")
                waiting = True
        await trio.sleep(_POLL)


def _is_fresh(stamp: IO[str], sources: str, folder: Path) -> bool:
    """Whether the stamp says that the bot was built from these sources and is still there."""
    stamp.seek(0)
    try:
        last = json.loads(stamp.read(_LONGEST_STAMP))
        return last["sources"] == sources and all(os.path.isfile(folder / word) for word in last["made"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return False  # empty after a failed build; or not written by the arena


async def _tell(name: str, say: Callable[[str], None], every: float, lines: _Lines) -> None:
    """Says now and then that a bot is still being built, and what its build said last, until cancelled."""
    began = trio.current_time()
    while True:
        await trio.sleep(every)
        last = one_line(lines.last, _QUOTED)
        say(f"building {name} ... {trio.current_time() - began:.0f} s so far{': ' if last else ''}{last}")


async def _run(manifest: BotManifest, sandbox: Sandbox, lines: _Lines) -> BuildError | None:
    """Runs the build command; returns why it failed."""
    try:
        if GUARDED:
            home = sandbox.build_home or build_home(manifest.folder)
            order = sandbox.building(manifest.build, manifest.folder, home, environment())
            process = await supervised(order, subprocess.PIPE)
        else:
            process = await trio.lowlevel.open_process(
                found(manifest.build, manifest.folder, environment()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=manifest.folder,
                env=environment(),
            )
    except OSError as error:
        why = why_not(manifest.build, str(manifest.folder), environment()["PATH"], error, contained=False)
        return _cannot_start(manifest, why)
    output = process.stdout
    assert output is not None
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_read, output, lines)
            code = await process.wait()
            nursery.cancel_scope.deadline = trio.current_time() + _LAST_WORDS
    finally:
        if process.returncode is None:
            with trio.CancelScope(shield=True):
                await (stop(process) if GUARDED else end_unsupervised(process))
        await trio.aclose_forcefully(output)
    return _failed(manifest, code, lines.text()) if code != 0 else None


def build_home(folder: Path) -> Path:
    """The home of a bot's contained builds, where its toolchain keeps its downloads."""
    home = cache_folder() / "builds" / hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    home.mkdir(parents=True, exist_ok=True)
    return home


class _Lines:
    """The first and the last lines of an output.

    Args:
        hear: called with each line.

    Attributes:
        last: the last line that is not empty.
    """

    def __init__(self, hear: Callable[[str], None]) -> None:
        self._hear, self.last = hear, ""
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=LAST_LINES)
        self._left_out = 0

    def add(self, line: bytes) -> None:
        text = line[-_LONGEST_LINE:].decode(errors="replace").rstrip()
        if text:
            self.last = text
            self._hear(text)
        if len(self._first) < FIRST_LINES:
            self._first.append(text)
        else:
            self._left_out += len(self._last) == LAST_LINES
            self._last.append(text)

    def text(self) -> str:
        left_out = [f"[... {self._left_out:,} lines are left out here ...]"] if self._left_out else []
        return "\n".join((*self._first, *left_out, *self._last))


async def _read(output: trio.abc.ReceiveStream, lines: _Lines) -> None:
    """Keeps the first and the last lines of an output."""
    rest = b""
    async for data in output:
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            lines.add(line)
        rest = rest[-_LONGEST_LINE:]
    if rest:
        lines.add(rest)


def _cannot_start(manifest: BotManifest, problem: str) -> BuildError:
    program = manifest.build[0]
    if problem == NOT_ON_PATH:
        return _missing(manifest, program)
    return BuildError(
        f"{manifest.name} cannot be built: its build command {program} cannot be started "
        f"in {manifest.folder}: {problem}"
    )


def _failed(manifest: BotManifest, code: int, output: str) -> BuildError:
    if code == EXIT_CODE and output.startswith(CANNOT_START):  # the supervisor's words
        problem = output.removeprefix(f"{CANNOT_START}{manifest.build[0]}: ")
        return _cannot_start(manifest, problem)
    if code == EXIT_CODE:  # of shells too, for a program that they do not find
        # In the words of shells: `sh: 1: go: not found`, `build.sh: line 3: cargo: command not found`.
        complaint = next((line for line in reversed(output.splitlines()) if "not found" in line), "")
        words = [word.strip("'\"`") for word in complaint.split(": ")]
        program = next((word for word in words if word in _TOOLCHAINS), None)
        if program is not None:
            return _missing(manifest, program)
    how = f"exit code {code}" if code > 0 else f"signal {-code}"
    command = " ".join(manifest.build)
    return BuildError(f"{manifest.name} cannot be built: `{command}` ended with {how}", output)


def _missing(manifest: BotManifest, program: str) -> BuildError:
    """The error for a missing program of the toolchain."""
    known = _TOOLCHAINS.get(program)
    remedy = f"install {known.name}, see {known.page}" if known else "install it, or correct bot.toml"
    return BuildError(f"{manifest.name} cannot be built: there is no program {program} on the PATH: {remedy}")


class TooMuch(Exception):
    """The sources are too large; the text says how, without a subject."""


def fingerprint(
    folder: Path,
    command: Sequence[str],
    patterns: Sequence[str],
    most_names: int = MOST_NAMES,
    most_bytes: int = MOST_BYTES,
) -> str | None:
    """The SHA-256 over a build command and all files that the patterns match; None if they match nothing.

    Raises TooMuch where it would look at more names, or read more bytes, than so many.
    """
    looked = _Look(folder, most_names)
    try:
        names = sorted({name for pattern in patterns for name in looked.matching(pattern)})
    except RecursionError:
        raise TooMuch("lie too deep in folders, or behind too many links") from None
    if not names:
        return None
    digest = hashlib.sha256(json.dumps([command, names]).encode())
    left = most_bytes
    for name in names:
        content = hashlib.sha256()
        try:
            with open(folder / name, "rb") as file:
                while data := file.read(_CHUNK):
                    content.update(data)
                    left -= len(data)
                    if left < 0:
                        raise TooMuch(f"match files of more than {size_text(most_bytes)}")
        except OSError as error:
            content.update(str(error).encode())  # a file that just goes, or cannot be read
        digest.update(content.digest())
    return digest.hexdigest()


class _Look:
    """One search of a folder, for all patterns."""

    def __init__(self, folder: Path, most_names: int) -> None:
        self._folder = folder
        self._most_names = most_names
        self._names = 0

    def matching(self, pattern: str) -> Iterator[str]:
        """The files that a pattern matches, by name; a matched folder gives all its files."""
        parts = [part for part in pattern.split("/") if part not in ("", ".")]
        if not any(character in pattern for character in _MAGIC) and os.path.isdir(self._folder / pattern):
            parts.append("**")
        return self._below("", parts, set())

    def _below(self, place: str, parts: Sequence[str], seen: set[tuple[int, int, int]]) -> Iterator[str]:
        """The files in a folder that the rest of a pattern matches; `seen`: the searched folders."""
        part, *rest = parts
        if part != "**" and not any(character in part for character in _MAGIC):
            yield from self._match(os.path.join(place, part), rest, seen)
            return
        try:
            status = os.stat(self._folder / place)
            entries = os.listdir(self._folder / place)
        except OSError:  # no folder, or an unreadable one
            return
        identity = (status.st_dev, status.st_ino, len(parts))
        if identity in seen:
            return
        seen.add(identity)
        self._names += len(entries)
        if self._names > self._most_names:
            raise TooMuch(f"are looked for among more than {self._most_names:,} names")
        if part == "**" and rest:
            yield from self._below(place, rest, seen)
        for entry in entries:
            name = os.path.join(place, entry)
            if part != "**":
                if fnmatch.fnmatchcase(entry, part) and (entry[0] != "." or part[0] == "."):
                    yield from self._match(name, rest, seen)
            elif entry[0] != ".":
                if os.path.isdir(self._folder / name):
                    yield from self._below(name, parts, seen)
                elif not rest and os.path.isfile(self._folder / name):
                    yield name

    def _match(self, name: str, rest: Sequence[str], seen: set[tuple[int, int, int]]) -> Iterator[str]:
        """The file itself if nothing of the pattern is left, else the matches below it."""
        if rest:
            yield from self._below(name, rest, seen)
        elif os.path.isfile(self._folder / name):
            yield name
