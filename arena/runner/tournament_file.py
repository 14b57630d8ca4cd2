"""The tournament file: read and strictly checked before anything is started.

A tournament is one TOML file. All it may hold, with the defaults where there are any:

```toml
name = "Friday league night"
games = ["nyuri", "forty-one"]  # default: all games
boards = 1                      # deals per match and game; each is played once from every seat
seats = 2                       # of a table; a stage may have its own
names = "hidden"                # or "shown": bots are told who sits at the table
max_faults = 3                  # at its third fault a bot forfeits the game
concurrency = 8                 # tables played at once; default: chosen when it is run

[clock]
bank = "60s"                    # per game and seat
increment = "100ms"             # added by each answered decision
move = "5s"                     # the limit of one decision

[options.nyuri]                 # the options of a game: `arena games` lists them
contest = "instant"

[[stage]]                       # default: one round robin
format = "round-robin"
cycles = 1                      # how many times everybody meets

[[stage]]
format = "knockout"
advance = 4                     # the best of the stage before; default: all; not in a first stage
seats = 2
qualify = 1                     # how many of each table go on
third_place = true              # a match for place 3, at tables of two
extra_boards = 3                # to break a tie, before the seed does

[[entrant]]
bot = "../bots/greedy-python"   # a folder with a bot.toml, seen from this file

[[entrant]]
address = "127.0.0.1:50051"     # or "unix:/path": a bot that runs already
name = "visitor"                # default: the bot's own name, or the address

[[entrant]]
join = true                     # a bot that dials in; it needs a name
name = "laptop"
```

A defaulted name that is taken gets a number: `greedy`, `greedy 2`.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena.formats.seating import Rule
from arena.games import GAMES
from arena.games.game import WrongOption
from arena.link.bot_manifest import BotManifest, BotManifestError, read_bot_manifest
from arena.strict_toml import (
    NAME_LENGTH,
    Table,
    WrongFile,
    name_problem,
    parse,
    read_text,
    same_name,
    show,
)
from arena.table.clock import MILLISECOND, SECOND, TimeControl

TITLE_LENGTH = 80
PATH_LENGTH = 1_000
MAX_BOARDS = 100_000
MAX_CYCLES = 1_000
MAX_FAULTS = 1_000
MAX_CONCURRENCY = 10_000
MAX_SEATS = 7
"""No game seats more; each game's own limits are checked besides."""

DEFAULT_CLOCK = TimeControl(bank=60 * SECOND, increment=100 * MILLISECOND, move=5 * SECOND)
"""The clock where the file has none."""

_UNITS = {"h": 3600 * SECOND, "m": 60 * SECOND, "s": SECOND, "ms": MILLISECOND}
_NUMBER = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)"
_DURATION = re.compile("".join(f"(?:{_NUMBER}{unit})?" for unit in _UNITS))
_LONGEST = 24 * 3600 * SECOND
_ADDRESS = re.compile(r"unix:/\S+|(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")


class TournamentFileError(WrongFile):
    """A tournament file that cannot be used; the text says in one sentence where and why."""


@dataclasses.dataclass(frozen=True, slots=True)
class RoundRobin:
    """A stage in which everybody meets everybody.

    Attributes:
        entrants: how many enter: all in the first stage, afterwards the best of the stage before.
        seats: the seats of a table.
        cycles: how many times the whole schedule is played.
    """

    entrants: int
    seats: int
    cycles: int


@dataclasses.dataclass(frozen=True, slots=True)
class Knockout:
    """A stage in which the best of each table go on and the others are out.

    Attributes:
        entrants: how many enter: all in the first stage, afterwards the best of the stage before.
        seats: the seats of a table.
        qualify: how many of each table go on, less than `seats`.
        third_place: whether the losers of the semi-finals play for place 3; never at larger tables than two.
        extra_boards: at most so many further boards break a tie; then the seed does.
    """

    entrants: int
    seats: int
    qualify: int
    third_place: bool
    extra_boards: int


Stage = RoundRobin | Knockout


@dataclasses.dataclass(frozen=True, slots=True)
class Entrant:
    """A bot's registration: exactly one of `bot`, `address` and `join` is given.

    Attributes:
        name: 1 to 40 printable characters, unique in the tournament.
        bot: the bot that the referee starts and stops.
        address: where a running bot listens: `host:port` or `unix:/path`.
        join: the bot dials in.
    """

    name: str
    bot: BotManifest | None = None
    address: str | None = None
    join: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament as its file describes it.

    Attributes:
        path: the file, absolute.
        text: the text of the file.
        name: what people call the tournament.
        games: the ids of the games, in order.
        options: the options of each of these games, an instance of its `Options`, by id.
        boards: the boards per match and game, at least 1.
        show_names: whether bots are told the names of their opponents.
        max_faults: the fault, counted from 1, at which a bot forfeits a game.
        concurrency: how many tables are played at once; None where the file does not say.
        clock: the clock of each seat.
        stages: the stages in order, at least one.
        entrants: at least two, in seeding order; empty where its bots were not looked for.
        seating: how its tables are seated; not in the file, but a matter of
            the version that the tournament was begun with.
    """

    path: Path
    text: str
    name: str
    games: tuple[str, ...]
    options: Mapping[str, Any]
    boards: int
    show_names: bool
    max_faults: int
    concurrency: int | None
    clock: TimeControl
    stages: tuple[Stage, ...]
    entrants: tuple[Entrant, ...]
    seating: Rule


def read_tournament(path: Path) -> TournamentFile:
    """Reads a tournament file, and the `bot.toml` of every bot that it names.

    Raises TournamentFileError.
    """
    return parse_tournament(read_text(path, TournamentFileError), path)


def parse_tournament(
    text: str, path: Path, *, find_bots: bool = True, seating: Rule = "balanced"
) -> TournamentFile:
    """Reads the text of a tournament file as if it stood in `path`.

    Args:
        text: the text.
        path: where it stands, for errors; bots are looked for from there.
        find_bots: whether to look for the bots; if not, as for a tournament of
            the past, whose bots may be gone, `entrants` is left empty.
        seating: how its tables are seated, which is balanced in a new tournament.

    Raises TournamentFileError.
    """
    top = parse(text, path, TournamentFileError)
    top.only(
        "name", "games", "boards", "seats", "names", "max_faults", "concurrency",
        "clock", "options", "stage", "entrant",
        meant=dict.fromkeys(("bot", "bots", "entrants", "player", "players"), "entrant"),
    )  # fmt: skip
    place = Path(os.path.abspath(path))
    games = top.choices("games", tuple(GAMES))
    options = _options(top.table("options"), games)
    tables = top.tables("entrant")
    entrants = _entrants(tables, place.parent, games) if find_bots else ()
    return TournamentFile(
        path=place,
        text=text,
        name=top.name("name", length=TITLE_LENGTH),
        games=games,
        options=options,
        boards=top.number("boards", 1, 1, MAX_BOARDS),
        show_names=top.choice("names", ("hidden", "shown"), "hidden") == "shown",
        max_faults=top.number("max_faults", 3, 1, MAX_FAULTS),
        concurrency=top.number("concurrency", None, 1, MAX_CONCURRENCY) if "concurrency" in top else None,
        clock=_clock(top.table("clock")),
        stages=_stages(top, options, len(tables)),
        entrants=entrants,
        seating=seating,
    )


def parse_duration(text: str) -> int | None:
    """The nanoseconds of a duration such as `1m30s`, `1.5s` or `100ms`; None where it is none."""
    match = _DURATION.fullmatch(text)
    if not text or match is None:
        return None
    parts = zip(match.groups(), _UNITS.values(), strict=True)
    total = sum((Fraction(number) * unit for number, unit in parts if number), Fraction())
    return int(total) if total.denominator == 1 else None


def is_address(text: str) -> bool:
    """Whether a text is where a bot may listen: `host:port` or `unix:/path`."""
    match = _ADDRESS.fullmatch(text)
    return match is not None and 1 <= int(match[1] or 1) <= 65535


def _clock(table: Table) -> TimeControl:
    table.only("bank", "increment", "move")

    def duration(key: str, default: int, least: int) -> int:
        if key not in table:
            return default
        text = table.text(key)
        nanoseconds = parse_duration(text)
        if nanoseconds is None:
            table.fail(f'{key} must be a duration such as "20s", "100ms" or "1m30s", not {show(text)}')
        if not least <= nanoseconds <= _LONGEST:
            table.fail(f"{key} must be {'more than' if least else 'at least'} 0s and at most 24h, not {text}")
        return nanoseconds

    return TimeControl(
        bank=duration("bank", DEFAULT_CLOCK.bank, 1),
        increment=duration("increment", DEFAULT_CLOCK.increment, 0),
        move=duration("move", DEFAULT_CLOCK.move, 1),
    )


def _options(table: Table, games: Sequence[str]) -> Mapping[str, Any]:
    table.only(*games)
    options = {}
    for game in games:
        given = table.table(game)
        given.only(*(field.name for field in dataclasses.fields(GAMES[game].Options)))
        try:
            options[game] = GAMES[game].parse_options(given.values())
        except WrongOption as problem:
            given.fail(str(problem))
    return MappingProxyType(options)


def _stages(top: Table, options: Mapping[str, Any], entrants: int) -> tuple[Stage, ...]:
    seats = top.number("seats", 2, 2, MAX_SEATS)
    stages: list[Stage] = []
    for table in top.tables("stage", default=({"format": "round-robin"},)):
        stages.append(_stage(table, seats, stages[-1].entrants if stages else entrants, first=not stages))
        _check_seats(table, stages[-1], options)
    return tuple(stages)


def _stage(table: Table, seats: int, entrants: int, *, first: bool) -> Stage:
    """The stage; `seats` is the tournament's own, `entrants` how many there are to come in."""
    keys = {
        "round-robin": ("format", "advance", "seats", "cycles"),
        "knockout": ("format", "advance", "seats", "qualify", "third_place", "extra_boards"),
    }
    kind = table.choice("format", tuple(keys))
    table.only(*keys[kind])
    if first and "advance" in table:
        table.fail("advance is for later stages; everybody enters the first one")
    entrants = table.number("advance", entrants, 2, entrants)
    seats = table.number("seats", seats, 2, MAX_SEATS)
    if kind == "round-robin":
        return RoundRobin(entrants, seats, cycles=table.number("cycles", 1, 1, MAX_CYCLES))
    third_place = table.flag("third_place", seats == 2)
    if third_place and seats != 2:
        table.fail(f"third_place needs tables of 2 seats, not {seats}; leave it out")
    return Knockout(
        entrants,
        seats,
        qualify=table.number("qualify", 1, 1, seats - 1),
        third_place=third_place,
        extra_boards=table.number("extra_boards", 3, 0, MAX_BOARDS),
    )


def _check_seats(table: Table, stage: Stage, options: Mapping[str, Any]) -> None:
    """Every game must be playable at the stage's tables, and the entrants must fill one."""
    for game, chosen in options.items():
        possible = GAMES[game].seats(chosen)
        if stage.seats not in possible:
            table.fail(
                f"{game} cannot be played at tables of {stage.seats} seats; "
                f"possible under its options: {', '.join(map(str, possible)) or 'none'}"
            )
    if stage.entrants < stage.seats:
        table.fail(
            f"a table of {stage.seats} seats needs as many entrants, but {stage.entrants} enter; "
            "add entrants or set fewer seats"
        )


def _entrants(tables: Sequence[Table], folder: Path, games: Collection[str]) -> tuple[Entrant, ...]:
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
    for number, table in enumerate(named, start=1):
        entrants.append(_entrant(table, folder, games, taken))
        taken[same_name(entrants[-1].name)] = number
    if len(entrants) < 2:
        tables[0].fail("is the only entrant; a tournament needs at least 2")
    return tuple(entrants)


def _entrant(table: Table, folder: Path, games: Collection[str], taken: Collection[str]) -> Entrant:
    """The entrant; where the file gives no name it gets one that is not taken."""
    table.only("name", "bot", "address", "join")
    kinds = [key for key in ("bot", "address", "join") if key in table]
    if len(kinds) != 1:
        table.fail(f"needs exactly one of bot, address and join, not {' and '.join(kinds) or 'none'}")
    if "bot" in table:
        bot = _bot(table, folder, games)
        return Entrant(_name(table, bot.name, taken), bot=bot)
    if "address" in table:
        address = _address(table)
        return Entrant(_name(table, address, taken), address=address)
    if not table.flag("join", True):
        table.fail("join must be true where it is given")
    if "name" not in table:
        table.fail('an entrant that joins needs a name, such as name = "guest"')
    return Entrant(table.name("name"), join=True)


def _bot(table: Table, folder: Path, games: Collection[str]) -> BotManifest:
    try:
        bot = read_bot_manifest(folder / table.name("bot", length=PATH_LENGTH))
    except BotManifestError as problem:
        table.fail(str(problem))
    missing = [game for game in games if game not in bot.games]
    if missing:
        table.fail(f"the bot {bot.name} does not play {', '.join(missing)}; it plays {', '.join(bot.games)}")
    return bot


def _address(table: Table) -> str:
    address = table.text("address")
    if not is_address(address):
        table.fail(f'address must be "host:port" or "unix:/path", not {show(address)}')
    return address


def _name(table: Table, default: str, taken: Collection[str]) -> str:
    """The name given, or the default, with a number where that is taken."""
    if "name" in table:
        return table.name("name")
    if problem := name_problem(default):
        table.fail(f"name is missing, and {show(default)} cannot stand for it: a name {problem}")
    name, number = default, 1
    while same_name(name) in taken:
        number += 1
        ending = f" {number}"
        name = default[: NAME_LENGTH - len(ending)].rstrip() + ending
    return name
