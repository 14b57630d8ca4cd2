"""Sandboxes: the levels of containment, what a bot asks for, and what the host allows it."""

from __future__ import annotations

import enum
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from arena.link.local.containment import cgroup, kernel, namespaces, readable, usage
from arena.link.local.containment.restrictions import Restrictions
from arena.link.local.supervisor import Order
from arena.text import size_text

MIB = 1 << 20

# The files that every bot may keep, in bytes and number, and the processes that it may have.
_DISK, _FILES, _PROCESSES = 64 * MIB, 10_000, 16
_RUNTIME = 1  # a processor for the other work of a bot's runtime, such as to compile
_BUILD = (4096 * MIB, 8192 * MIB, 500_000, 1000)  # memory, disk, files and processes of a build


class Level(enum.StrEnum):
    """A level of containment."""

    NONE = "none"
    BASIC = "basic"
    STRICT = "strict"


class Needs(NamedTuple):
    """A bot's requests beyond what every bot gets, from the `[needs]` of its bot.toml.

    Attributes:
        network: whether it wants to use the network.
        memory: how much memory it wants, in bytes.
        threads: how many threads it wants to think with.
        writable: folders directly in its own folder in which it wants to write.
        locks: whether it wants to lock files.
    """

    network: bool = False
    memory: int = 1024 * MIB
    threads: int = 1
    writable: tuple[str, ...] = ()
    locks: bool = False

    @property
    def connects(self) -> bool:
        """Whether the bot's instances could tell each other what they see."""
        return self.network or self.locks or bool(self.writable)


EVERYBODYS = Needs()
"""The needs that every bot gets."""


class Asked(NamedTuple):
    """A level for all bots, whatever else is said about them.

    Attributes:
        level: the level.
        demanded: whether somebody asked for it by its name; see `Sandbox.require`.
    """

    level: Level
    demanded: bool = True


class TooMuchAsked(NamedTuple):
    """Why a bot does not get what it asks for.

    Attributes:
        what: the end of a sentence about the bot.
        allow: how the host can allow it in the file whose table `[allow]` says what bots may ask for.
    """

    what: str
    allow: str


class Trust(NamedTuple):
    """A host's trust in bots: the level at which they are contained, and the most that they may ask for.

    Attributes:
        level: the level.
        network: whether a bot that asks for it gets the network.
        memory: the most memory that a bot gets, in bytes.
        threads: the most threads that a bot gets.
        writable: whether a bot may write in its own folder.
        locks: whether a bot may lock files, through which its instances could exchange messages.
        demanded: whether somebody asked for the level by its name; see `Sandbox.require`.
    """

    level: Level
    network: bool = False
    memory: int = 2048 * MIB
    threads: int = 4
    writable: bool = True
    locks: bool = False
    demanded: bool = False

    def at(self, asked: Asked) -> Trust:
        """The same trust at another level."""
        return self._replace(level=asked.level, demanded=asked.demanded)

    def sandbox(self, needs: Needs) -> Sandbox:
        """The sandbox of a bot that is granted its needs."""
        return Sandbox(self.level, needs, demanded=self.demanded)

    def refusal(self, needs: Needs) -> TooMuchAsked | None:
        """Why a bot does not get what it asks for; None if it does."""
        if self.level is Level.NONE:
            return None
        if needs.network and not self.network:
            return TooMuchAsked(
                "asks for the network, which is not allowed here",
                "set network = true in [allow], or trust it",
            )
        if needs.memory > self.memory:
            what = f"{size_text(needs.memory)} of memory, and {size_text(self.memory)} are allowed"
            return TooMuchAsked(f"asks for {what}", "set memory in [allow]")
        if needs.threads > self.threads:
            what = f"{needs.threads} threads, and {self.threads} are allowed"
            return TooMuchAsked(f"asks for {what}", "set threads in [allow]")
        if needs.writable and not self.writable:
            return TooMuchAsked(
                "asks to write in its folder, which is not allowed here", "set writable = true in [allow]"
            )
        if needs.locks and not self.locks:
            return TooMuchAsked(
                "asks to lock files, which is not allowed here", "set locks = true in [allow], or trust it"
            )
        return None


_MEANS: Final = {
    Level.NONE: "a bot may do all that you may, so you have to trust its author",
    Level.BASIC: "a bot reads what it needs to run, writes in its own folder, and has no network",
    Level.STRICT: "a bot has a system of its own, sees nothing of this one, and has no network",
}


class SandboxMissing(Exception):
    """This system cannot offer the level that was asked for; the text is a sentence with what is missing.

    Attributes:
        instead: the strongest level that it offers.
    """

    def __init__(self, level: Level) -> None:
        self.instead = Level.NONE if missing(Level.BASIC) else Level.BASIC
        trust = " if you trust the bots" if self.instead is Level.NONE else ""
        super().__init__(
            f'sandbox "{level}" cannot be had on this machine, which lacks {", ".join(missing(level))}: '
            f'take "{self.instead}"{trust}'
        )


def usual() -> Level:
    """The default level: `basic`, as far as the system offers it."""
    return Level.BASIC if sys.platform == "linux" else Level.NONE


def strongest() -> Level:
    """The strongest level of this system: `strict` if it offers all of it, else the usual one."""
    return usual() if missing(Level.STRICT) else Level.STRICT


def about_strongest() -> str:
    """What the strongest level of this system means, and what a stronger one needs, as a sentence."""
    level = strongest()
    sentence = f'this machine can contain bots at level "{level}": {_MEANS[level]}'
    if level is Level.STRICT:
        return sentence
    needed = ", ".join(missing(Level.STRICT))
    return f'{sentence}; level "strict" ({_MEANS[Level.STRICT]}) needs {needed}'


def missing(level: Level) -> list[str]:
    """The parts of a level that this system does not offer, for people."""
    if level is Level.NONE:
        return []
    if sys.platform != "linux":
        return ["all of it (only Linux has it)"]
    return [
        *kernel.missing(),
        *usage.missing(),
        *(namespaces.missing() if level is Level.STRICT else ()),
    ]


def require(level: Level) -> None:
    """Raises SandboxMissing if the system does not offer all of a level."""
    if missing(level):
        raise SandboxMissing(level)


def lacking(levels: Collection[str]) -> list[str]:
    """The parts of these levels that bots do without on this machine, for people."""
    if Level.STRICT in levels:  # it is required whole, but for its optional parts
        return [] if cgroup.places() else ["a control group"]
    return missing(Level.BASIC) if Level.BASIC in levels else []


def remarks(levels: Collection[str]) -> list[str]:
    """Remarks about these levels on this machine, one sentence for people each."""
    contained = {Level.BASIC, Level.STRICT}.intersection(levels)
    if contained and (of_basic := missing(Level.BASIC)):
        return [f"bots are contained as far as this machine can, which lacks {', '.join(of_basic)}"]
    if Level.STRICT not in levels:
        return []
    places = cgroup.places()
    if places is None:
        return [
            "this machine offers no control groups, so a bot's usage is measured twice a second: "
            "start the arena by systemd-run --user --scope, or as root"
        ]
    return [f"the usage of a bot at level strict is limited by {places}"]


class Sandbox(NamedTuple):
    """The containment of one bot.

    Attributes:
        level: the level of containment.
        needs: the needs that the host grants it.
        build_home: the home of its builds, which keeps their downloads; None for one of the bot's own.
        reach: the domains that its builds reach, besides the registries that the
            host's toolchains are configured for; empty for all public addresses.
        demanded: whether somebody asked for the level by its name.
    """

    level: Level
    needs: Needs = EVERYBODYS
    build_home: Path | None = None
    reach: tuple[str, ...] = ()
    demanded: bool = False

    def require(self) -> None:
        """Raises SandboxMissing if this system must not run the bot.

        A level that was asked for, and `strict` always, needs a system that offers all of it. A default goes
        as far as the system does.
        """
        if self.demanded or self.level is Level.STRICT:
            require(self.level)

    def with_network(self) -> Sandbox:
        """The same sandbox with the network, for a bot that dials in."""
        return self._replace(needs=self.needs._replace(network=True))

    @property
    def _isolated(self) -> bool:
        return self.level is Level.STRICT

    @property
    def _disk(self) -> int:
        return max(_DISK, self.needs.memory // 4)

    @property
    def _processes(self) -> int:
        return _PROCESSES + 8 * self.needs.threads

    @property
    def limited(self) -> str:
        """What the bot may do, as a clause for its author."""
        if self.level is Level.NONE:
            return f'at level "{self.level}" {_MEANS[self.level]}'
        places = " and ".join(("the folder that TMPDIR names", *self.needs.writable))
        return (
            f'at level "{self.level}" it reads the system, its toolchain and its own folder, writes only '
            f"into {places}, has {'the' if self.needs.network else 'no'} network, "
            f"{size_text(self.needs.memory)} of memory, {size_text(self._disk)} in {_FILES:,} files, "
            f"and {self._processes} processes"
        )

    def playing(
        self, command: Sequence[str], folder: Path, private: Path, environment: Mapping[str, str]
    ) -> Order:
        """The order to run a bot.

        Args:
            command: the bot's command.
            folder: its own folder, which it may read.
            private: a folder in which it may write, and its home; it is removed with the bot.
            environment: the environment of a trusted bot.
        """
        if self.level is Level.NONE:
            return Order(tuple(command), str(folder), dict(environment), private=str(private))
        memory, threads = self.needs.memory, self.needs.threads
        writable = (str(private), *(str(folder / name) for name in self.needs.writable), *readable.DEVICES)
        restrictions = Restrictions(
            readable.readable(command, folder), writable, self.needs.network,
            memory, self._disk, _FILES, self._processes,
            overrides=bool(self.needs.writable), isolated=self._isolated, processors=threads + _RUNTIME,
            locks=self.needs.locks,
        )  # fmt: skip
        home = Path(namespaces.SCRATCH) if self._isolated else private
        told = {**readable.told(environment, self.needs.network), **_at_home(home)}
        if not self.needs.locks:
            told["DENO_DIR"] = os.devnull  # Deno waits for ever for the lock of its cache; this is no folder
        if readable.package_is_apart():
            # Python searches the folder around the package, which a bot may not read; it may read this one.
            library = private / "python"
            library.mkdir()
            (library / "arena").symlink_to(readable.package_folder())
            told["PYTHONPATH"] = str(library)
        return Order(tuple(command), str(folder), told, private=str(private), restrictions=restrictions)

    def opens_to_builds(self) -> str | None:
        """Why a contained build can reach services of this machine and its network; None if it cannot."""
        from arena.link.local.containment import build_proxy  # only here: it loads much, and few need it

        return None if self._isolated else build_proxy.missing()

    def building(
        self, command: Sequence[str], folder: Path, home: Path, environment: Mapping[str, str]
    ) -> Order:
        """The order to build a bot, which may fetch from the internet and write in the bot's folder.

        Args:
            command: the build's command.
            folder: the bot's folder.
            home: the build's home folder, which is kept for the next build.
            environment: the environment of a trusted build.
        """
        if self.level is Level.NONE:
            return Order(tuple(command), str(folder), dict(environment))
        from arena.link.local.containment import build_proxy  # only here: it loads much, and few need it

        restrictions = Restrictions(
            readable.readable(command, folder),
            (str(folder.resolve()), str(home), *readable.DEVICES),
            True,
            *_BUILD,
            overrides=True,
            building=True,
            isolated=self._isolated,
            processors=os.cpu_count() or 1,
        )
        outside = readable.told(environment, network=True, building=True)
        has_proxy = self.opens_to_builds() is None
        told = {**(build_proxy.told(outside) if has_proxy else outside), **_at_home(home)}
        # Go asks git about the repository around a folder, which a build may not read, and stops.
        told["GOFLAGS"] = f"{told.get('GOFLAGS', '')} -buildvcs=false".strip()
        told["GRADLE_USER_HOME"] = str(home / ".gradle")
        proxy = build_proxy.proxied(outside, self.reach) if has_proxy else None
        return Order(tuple(command), str(folder), told, restrictions=restrictions, proxy=proxy)


TRUSTED = Sandbox(Level.NONE)
"""The sandbox of a bot that may do all that its user may."""


def _at_home(folder: Path) -> dict[str, str]:
    """The variables that say where a program keeps its own files, and what its runtime must leave alone."""
    return {
        "HOME": str(folder),
        "TMPDIR": str(folder),
        # Java knows no TMPDIR. It asks the system for its user's home, and makes a folder "?" without one.
        "JAVA_TOOL_OPTIONS": f"'-Djava.io.tmpdir={folder}' '-Duser.home={folder}'",
        # .NET makes a file of 2 TiB in memory to write code that it runs, and the limit of files ends it.
        "DOTNET_EnableWriteXorExecute": "0",
    }
