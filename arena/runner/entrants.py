"""The entrants of a tournament file, and what it allows the bots among them that the referee starts."""

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
    """Whether a text is where a bot may listen, as an entrant's address says it."""
    return read_address(text) is not None


def is_dialled(bot: str) -> bool:
    """Whether a bot that a command line names is an address, and not a folder."""
    return is_address(bot) and not Path(bot).is_dir()


def entrants_of(
    tables: Sequence[Section], folder: Path, games: Collection[str], trust: Trust
) -> tuple[Entrant, ...]:
    """The entrants that a file's tables describe; what is wrong fails as `Section.fail` does.

    Args:
        tables: the tables `[[entrant]]`.
        folder: the file's, from where the bots are looked for.
        games: the ids of the games that are played.
        trust: what the file allows bots.
    """
    taken: dict[str, int] = {}  # given names first, so that a defaulted one never takes one of them
    named = []
    for number, table in enumerate(tables, start=1):
        if "name" in table:
            name = table.name("name")
            table = table.called(name)
            if taken.setdefault(same_name(name), number) != number:
                table.fail(f"the name is taken by entrant {taken[same_name(name)]}; names must differ")
        named.append(table)
    entrants: list[Entrant] = []
    tried: dict[str, int] = {}
    for number, table in enumerate(named, start=1):
        entrants.append(_entrant(table, folder, games, taken, tried, trust))
        taken[same_name(entrants[-1].name)] = number
    return tuple(entrants)


def _entrant(
    table: Section,
    folder: Path,
    games: Collection[str],
    taken: Collection[str],
    tried: dict[str, int],
    trust: Trust,
) -> Entrant:
    """The entrant; where the file gives no name it gets one that is not taken.

    What else is passed is as for `entrants_of`; `tried` has for each default name the last number beside it.
    """
    table.only("name", "bot", "address", "join", "sandbox", "clock")
    kinds = [key for key in ("bot", "address", "join") if key in table]
    if len(kinds) != 1:
        table.fail(f"needs exactly one of bot, address and join, not {' and '.join(kinds) or 'none'}")
    if "bot" in table:
        bot = _bot(table, folder, games)
        level = _level(table, trust.level)
        if problem := trust._replace(level=level).refusal(bot.needs):
            table.fail(f"the bot {bot.name} {problem}")
        return Entrant(_name(table, bot.name, taken, tried), bot=bot, sandbox=Sandbox(level, bot.needs))
    if "sandbox" in table:
        table.fail("sandbox is for bots that the referee starts; this one runs elsewhere")
    if "address" in table:
        address = _address(table)
        return Entrant(_name(table, address, taken, tried), address=address)
    if not table.flag("join", True):
        table.fail("join must be true where it is given")
    if "name" not in table:
        table.fail('an entrant that joins needs a name, such as name = "guest"')
    return Entrant(table.name("name"), join=True)


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


def _address(table: Section) -> str:
    address = table.text("address")
    if not is_address(address):
        table.fail(f'address must be "host:port" or "unix:/path", not {show(address)}')
    return address


def _name(table: Section, default: str, taken: Collection[str], tried: dict[str, int]) -> str:
    """The name given, or the default, with a number where that is taken."""
    if "name" in table:
        return table.name("name")
    if problem := name_problem(default):
        table.fail(f"name is missing, and {show(default)} cannot stand for it: a name {problem}")
    name, number = default, tried.get(default, 1)
    while same_name(name) in taken:
        number += 1
        ending = f" {number}"
        name = default[: NAME_LIMIT - len(ending)].rstrip() + ending
    tried[default] = number
    return name
