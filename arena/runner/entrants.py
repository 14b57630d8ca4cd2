"""Reads the entrants of a tournament file, and what it allows the bots that the referee starts."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from pathlib import Path

from arena.games import does_not_play
from arena.link.local.bot_manifest import (
    MAX_THREADS,
    BotManifest,
    BotManifestError,
    memory,
    read_bot_manifest,
)
from arena.link.local.sandbox import TRUSTED, Level, Sandbox, SandboxMissing, Trust, require, usual
from arena.link.tls.address import read_address
from arena.link.tls.trust import OwnCertificate
from arena.names import NAME_LIMIT, name_problem, same_name
from arena.strict_toml import Section, show

PATH_LENGTH = 1_000


@dataclasses.dataclass(frozen=True, slots=True)
class Entrant:
    """A bot's registration: exactly one of `bot`, `address` and `join` is given.

    Attributes:
        name: 1 to 40 printable characters, unique in the tournament.
        bot: the bot that the referee starts and stops.
        address: where a running bot listens: `unix:/path` or `host:port`, with `/sha256:` and
            a fingerprint, or `/tls`, where it speaks TLS.
        shown: the certificate that is shown to such a bot if it asks who dials.
        join: the bot dials in.
        sandbox: how a bot that the referee starts is contained.
    """

    name: str
    bot: BotManifest | None = None
    address: str | None = None
    join: bool = False
    sandbox: Sandbox = TRUSTED
    shown: OwnCertificate | None = None

    @property
    def sees_boards_once(self) -> bool:
        """Whether the referee starts its instances, and they share no folder and no network."""
        return self.bot is not None and not self.bot.needs.connects


def is_address(text: str) -> bool:
    """Whether a text is a valid address of a bot."""
    return read_address(text) is not None


def is_dialled(bot: str) -> bool:
    """Whether a bot on the command line is an address, and not a folder."""
    return is_address(bot) and not Path(bot).is_dir()


class Names:
    """Keeps the names of entrants unique: a default name that is taken gets a number, such as `greedy 2`."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}  # by whom
        self._tried: dict[str, int] = {}  # the last number of each default name

    def take(self, name: str, entrant: int) -> int:
        """Gives a name to an entrant, unless it is taken; returns the entrant that has it."""
        return self._taken.setdefault(same_name(name), entrant)

    def free(self, default: str, entrant: int = 0) -> str:
        """Gives an entrant the default name, with a number if that is taken; returns it."""
        name, number = default, self._tried.get(default, 1)
        while same_name(name) in self._taken:
            number += 1
            name = shortened(default, f" {number}")
        self._tried[default] = number
        self.take(name, entrant)
        return name


def shortened(name: str, ending: str = "") -> str:
    """A name with an ending, cut to the allowed length."""
    return name[: NAME_LIMIT - len(ending)].rstrip() + ending


def entrants_of(
    tables: Sequence[Section], folder: Path, games: Collection[str], trust: Trust
) -> tuple[Entrant, ...]:
    """The entrants that a file's tables describe; mistakes are reported by `Section.fail`.

    Args:
        tables: the tables `[[entrant]]`.
        folder: the file's folder; the paths of bots are relative to it.
        games: the ids of the games.
        trust: what the file allows bots.
    """
    names = Names()
    named = []
    for number, table in enumerate(tables, start=1):
        if "name" in table:  # given names first, so that a default name never takes one of them
            name = table.name("name")
            table = table.called(name)
            if (other := names.take(name, number)) != number:
                table.fail(f"the name is taken by entrant {other}; names must differ")
        named.append(table)
    entrants = []
    for number, table in enumerate(named, start=1):
        entrant = _entrant(table, folder, games, trust)
        if "name" not in table:
            if problem := name_problem(entrant.name):
                table.fail(f"name is missing, and {show(entrant.name)} cannot stand for it: a name {problem}")
            entrant = dataclasses.replace(entrant, name=names.free(entrant.name, number))
        entrants.append(entrant)
    return tuple(entrants)


def _entrant(table: Section, folder: Path, games: Collection[str], trust: Trust) -> Entrant:
    """The entrant, with a default name if the file gives none. For the arguments see `entrants_of`."""
    table.only("name", "bot", "address", "join", "sandbox", "clock")
    kinds = [key for key in ("bot", "address", "join") if key in table]
    if len(kinds) != 1:
        table.fail(f"needs exactly one of bot, address and join, not {' and '.join(kinds) or 'none'}")
    name = table.name("name") if "name" in table else ""
    if "bot" in table:
        bot = _bot(table, folder, games)
        level = _level(table, trust.level)
        if problem := trust._replace(level=level).refusal(bot.needs):
            table.fail(f"the bot {bot.name} {problem}")
        return Entrant(name or bot.name, bot=bot, sandbox=Sandbox(level, bot.needs))
    if "sandbox" in table:
        table.fail("sandbox is for bots that the referee starts; the referee does not start this one")
    if "address" in table:
        address = table.text("address")
        if not is_address(address):
            table.fail(f'address must be "host:port" or "unix:/path", not {show(address)}')
        return Entrant(name or address, address=address)
    if not table.flag("join", True):
        table.fail("join must be true if it is given")
    if not name:
        table.fail('an entrant that joins needs a name, such as name = "guest"')
    return Entrant(name, join=True)


def _bot(table: Section, folder: Path, games: Collection[str]) -> BotManifest:
    try:
        bot = read_bot_manifest(folder / table.name("bot", length=PATH_LENGTH))
    except BotManifestError as problem:
        table.fail(str(problem))
    if lack := does_not_play(games, bot.games):
        table.fail(f"the bot {bot.name} {lack}; it plays {', '.join(bot.games)}")
    return bot


def trust_of(top: Section) -> Trust:
    """What the host allows the bots that the referee starts."""
    table = top.table("allow")
    table.only("network", "memory", "threads", "writable", "locks")
    most = Trust(usual())
    return Trust(
        _level(top, most.level),
        table.flag("network", most.network),
        memory(table, most.memory),
        table.number("threads", most.threads, 1, MAX_THREADS),
        table.flag("writable", most.writable),
        table.flag("locks", most.locks),
    )


def _level(table: Section, default: Level) -> Level:
    level = Level(table.choice("sandbox", tuple(Level), default))
    if "sandbox" in table:
        try:
            require(level)
        except SandboxMissing as problem:
            table.fail(str(problem))
    return level
