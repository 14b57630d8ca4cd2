"""The entrants of a tournament, and what it allows the bots that the referee starts; also from a file."""

from __future__ import annotations

import dataclasses
import os
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
from arena.link.local.sandbox import TRUSTED, Asked, Level, Sandbox, Trust, usual
from arena.link.tls.address import read_address
from arena.link.tls.trust import OwnCertificate
from arena.names import NAME_LIMIT, name_problem, same_name
from arena.strict_toml import Section, show
from arena.text import shell_word

PATH_LENGTH = 1_000


@dataclasses.dataclass(frozen=True, slots=True)
class Entrant:
    """A bot's registration: one of `bot`, `address` and `join` is given, and none for one that plays no more.

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

    @property
    def check(self) -> str:
        """The command that checks it, for people; without its place if it dials in."""
        place = self.address if self.bot is None else self.bot.folder
        return f"arena check-bot {'BOT' if place is None else shell_word(place)}"

    def may_read(self, secret: Path) -> str | None:
        """A sentence with the remedy if the bot, in a sandbox, could read a file that holds a secret."""
        if self.bot is None or self.sandbox.level is Level.NONE:
            return None
        if not secret.resolve().is_relative_to(self.bot.folder.resolve()):
            return None
        return f"{secret} would lie in the folder of {self.name}, which may read it: keep the two apart"


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


class WrongEntrant(ValueError):
    """A bot cannot be an entrant; the text is a sentence with the remedy in the file that names the bot.

    Attributes:
        why: the sentence without that remedy.
        repair: what can be done to the bot, where that file cannot be changed, as a clause.
        repaired: the sentence with that.
    """

    def __init__(self, why: str, repair: str = "put that right", allow: str = "") -> None:
        super().__init__(f"{why}: {allow}" if allow else why)
        self.why, self.repair, self.repaired = why, repair, f"{why}: {repair}"


def started(folder: Path, games: Collection[str], trust: Trust, name: str = "") -> Entrant:
    """The entrant of a bot that the referee starts. Raises WrongEntrant.

    Args:
        folder: the bot's folder.
        games: the ids of the games that it has to play.
        trust: what the host allows it.
        name: its name; empty for its own.
    """
    try:
        bot = read_bot_manifest(folder)
    except BotManifestError as problem:
        raise WrongEntrant(str(problem)) from None
    if lack := does_not_play(games, bot.games):
        raise WrongEntrant(f"the bot {bot.name} {lack}; it plays {', '.join(bot.games)}")
    if refusal := trust.refusal(bot.needs):
        why = f"the bot {bot.name} {refusal.what}"
        raise WrongEntrant(why, "ask for less in [needs] of its bot.toml", refusal.allow)
    return Entrant(name or bot.name, bot=bot, sandbox=trust.sandbox(bot.needs))


def entrants_of(
    tables: Sequence[Section], folder: Path, games: Collection[str], trust: Trust, asked: Asked | None = None
) -> tuple[Entrant, ...]:
    """The entrants that a file's tables describe; mistakes are reported by `Section.fail`.

    Args:
        tables: the tables `[[entrant]]`.
        folder: the file's folder; the paths of bots are relative to it.
        games: the ids of the games.
        trust: what the file allows bots.
        asked: the level of all bots, whatever the tables say; None for theirs.
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
        try:
            entrant = _entrant(table, folder, games, trust, asked)
        except WrongEntrant as wrong:
            table.fail(str(wrong))
        if "name" not in table:
            if problem := name_problem(entrant.name):
                table.fail(f"name is missing, and {show(entrant.name)} cannot stand for it: a name {problem}")
            entrant = dataclasses.replace(entrant, name=names.free(entrant.name, number))
        entrants.append(entrant)
    return tuple(entrants)


def entrant_again(
    table: Section, name: str, folder: Path, games: Collection[str], trust: Trust, asked: Asked | None
) -> Entrant:
    """The entrant of a tournament that goes on, under the name that it has there.

    For the other arguments see `entrants_of`. Raises WrongEntrant.
    """
    if "bot" in table:
        require_folder(folder / table.text("bot"))
    return dataclasses.replace(_entrant(table, folder, games, trust, asked), name=name)


def require_folder(folder: Path) -> None:
    """Raises WrongEntrant if the folder of a bot of a tournament that goes on is not there any more."""
    if not folder.is_dir():
        raise WrongEntrant(f"its folder {os.path.abspath(folder)} is not there any more", "put it back")


def _entrant(
    table: Section, folder: Path, games: Collection[str], trust: Trust, asked: Asked | None
) -> Entrant:
    """The entrant, with a default name if the file gives none. For the arguments see `entrants_of`.

    Raises WrongEntrant.
    """
    table.only("name", "bot", "address", "join", "sandbox", "clock")
    kinds = [key for key in ("bot", "address", "join") if key in table]
    if len(kinds) != 1:
        table.fail(f"needs exactly one of bot, address and join, not {' and '.join(kinds) or 'none'}")
    name = table.name("name") if "name" in table else ""
    if "bot" in table:
        path = folder / table.name("bot", length=PATH_LENGTH)
        return started(path, games, _at_level(table, trust, asked), name)
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


def trust_of(top: Section, asked: Asked | None = None, most: Trust | None = None) -> Trust:
    """What the host allows the bots that the referee starts.

    Args:
        top: the keys `sandbox` and `allow` of a file.
        asked: the level of all bots, whatever the file says; None for the file's.
        most: what holds where the file says nothing; None for what always does.
    """
    most = most or Trust(usual())
    table = top.table("allow")
    table.only("network", "memory", "threads", "writable", "locks")
    if "allow" in top:
        usually = Trust(most.level)
        most = most._replace(
            network=table.flag("network", usually.network),
            memory=memory(table, usually.memory),
            threads=table.number("threads", usually.threads, 1, MAX_THREADS),
            writable=table.flag("writable", usually.writable),
            locks=table.flag("locks", usually.locks),
        )
    return _at_level(top, most, asked)


def _at_level(table: Section, trust: Trust, asked: Asked | None) -> Trust:
    """The trust at the level that is asked for: as `asked` says, or else the table, if that has one."""
    if "sandbox" in table:
        own = Asked(Level(table.choice("sandbox", tuple(Level))))
        asked = asked or own
    return trust.at(asked) if asked else trust
