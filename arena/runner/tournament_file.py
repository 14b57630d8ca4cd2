"""Reads and strictly checks a tournament file.

A tournament is one TOML file. These are all its keys, with the defaults:

```toml
name = "Friday league night"
games = ["nyuri", "forty-one"]  # default: the built-in games
boards = 1                      # deals per match and game; each is played once from every seat
seats = 2                       # of a table; a stage may have its own
names = "hidden"                # or "shown": bots are told who sits at the table
shared_cards = "round"          # which games have the same cards: a board in all matches of a round,
                                # or "match", in the seatings of one match, or "none"; the default is
                                # "none" where a bot runs elsewhere, or may write or use the network
max_faults = 3                  # at its third fault a bot forfeits the game
withdraw_after = 10             # after ten forfeits in a row it is withdrawn; 0 for never
concurrency = 8                 # tables played at once; default: chosen when it is run
begins = 2026-12-01T19:00:00    # not before, and then without the missing guests; default: when all are here
sandbox = "basic"               # or "none", "strict": how bots are contained that are started here

[allow]                         # the most that one may ask for in its bot.toml
memory = "2GiB"
threads = 4
network = false
writable = true                 # folders right in its own
locks = false                   # to lock files, by which bots could tell each other something

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
format = "groups"
groups = 4                      # so many round robins side by side; the best of each advance
cycles = 1

[[stage]]
format = "swiss"                # at tables of two
rounds = 5                      # default: as many as a knockout would have

[[stage]]
format = "gauntlet"             # at tables of two
challengers = 1                 # so many of the first entrants each meet all the others
cycles = 1

[[stage]]
format = "knockout"
advance = 4                     # the best of the stage before; default: all; not in a first stage
seats = 2
qualify = 1                     # how many of each table go on
third_place = true              # a match for place 3, at tables of two
extra_boards = 3                # to break a tie, before the seed does

[[stage]]
format = "double-elimination"   # at tables of two
extra_boards = 3

[[stage]]                       # alone in its tournament, at tables of two; it has no keys
format = "ladder"

[[stage]]                       # alone in its tournament: docs/formats.md has its keys
format = "comparison"

[[entrant]]
bot = "../bots/greedy-python"   # a folder with a bot.toml, seen from this file
sandbox = "none"                # default: the tournament's

[[entrant]]
address = "127.0.0.1:50051"     # or "unix:/path": a bot that runs already
name = "visitor"                # default: the bot's own name, or the address

[[entrant]]
join = true                     # a bot that dials in; it needs a name
name = "laptop"

[entrant.clock]                 # of the entrant above alone; what it does not say is as in [clock]
bank = "20m"
move = "3m"
```

A defaulted name that is taken gets a number: `greedy`, `greedy 2`.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast, get_args

from arena.formats import FORMATS, Format
from arena.formats.comparison import ComparisonFormat
from arena.games import BUILT_IN, GAMES
from arena.games.game import WrongOption
from arena.link.local.sandbox import Level, Sandbox, Trust, require
from arena.results import SharedCards
from arena.runner.entrants import Entrant, entrants_of, trust_of
from arena.strict_toml import Section, WrongFile, parse, read_text, show
from arena.table.clock import MILLISECOND, SECOND, TimeControl
from arena.tournament.plan import MAX_BOARDS, Plan

TITLE_LENGTH = 80
MAX_FAULTS = 1_000
MAX_CONCURRENCY = 10_000
MAX_ENTRANTS = 1_000
MAX_SEATS = 7
"""The most seats of any game; the limits of each game are checked too."""

WITHDRAW_AFTER = 10
"""The default of `withdraw_after`."""

DEFAULT_CLOCK = TimeControl(bank=60 * SECOND, increment=100 * MILLISECOND, move=5 * SECOND)
"""The default clock."""

_UNITS = {"h": 3600 * SECOND, "m": 60 * SECOND, "s": SECOND, "ms": MILLISECOND}
_NUMBER = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)"
_DURATION = re.compile("".join(f"(?:{_NUMBER}{unit})?" for unit in _UNITS))
_LONGEST = 24 * 3600 * SECOND
LEAGUE_HEAD = b"SQLite format 3\0"
"""The first bytes of a league file."""


class TournamentFileError(WrongFile):
    """A tournament file that cannot be used; the text says in one sentence where and why."""


@dataclasses.dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament as its file describes it.

    Attributes:
        path: the file, absolute.
        text: the text of the file.
        plan: the tournament, with every default spelled out.
        concurrency: how many tables are played at once; None if the file does not say.
        entrants: at least two, in seeding order.
        trust: what the bots that the referee starts are allowed.
        begins: when it begins; None if it begins when all are here.
    """

    path: Path
    text: str
    plan: Plan
    concurrency: int | None
    entrants: tuple[Entrant, ...]
    trust: Trust
    begins: datetime | None = None


def read_tournament(path: Path) -> TournamentFile:
    """Reads a tournament file, and the `bot.toml` of every bot that it names.

    Raises TournamentFileError.
    """
    _refuse_league(path)
    return parse_tournament(read_text(path, TournamentFileError), path)


def _refuse_league(path: Path) -> None:
    """Raises TournamentFileError with advice if the file is a league."""
    try:
        with path.open("rb") as file:
            if file.read(len(LEAGUE_HEAD)) != LEAGUE_HEAD:
                return
    except (OSError, ValueError):
        return  # reading it reports that
    raise TournamentFileError(
        f"{path} is a league, not a tournament file: go on with it by arena resume {path}, "
        f"or show it by arena standings {path}"
    )


def parse_tournament(text: str, path: Path) -> TournamentFile:
    """Reads the text of a tournament file; its bots are looked for relative to `path`.

    Raises TournamentFileError.
    """
    plan = parse_plan(text, path)
    concurrency, entrants, trust = read_bots(text, path, plan.games)
    if "shared_cards" not in _top(text, path):
        plan = dataclasses.replace(plan, shared_cards=_safe_to_share(plan, entrants))
    top = _top(text, path)
    begins = top.moment("begins") if "begins" in top else None
    return TournamentFile(Path(os.path.abspath(path)), text, plan, concurrency, entrants, trust, begins)


def _safe_to_share(plan: Plan, entrants: Sequence[Entrant]) -> SharedCards:
    """The widest sharing of cards in which no bot can know cards that it does not see.

    A comparison always has its bots play the same boards.
    """
    if plan.compares:
        return "match"
    return "round" if all(entrant.sees_boards_once for entrant in entrants) else "none"


def parse_plan(text: str, path: Path) -> Plan:
    """The plan in the text of a tournament file, without a look at its bots.

    Raises TournamentFileError.
    """
    return _plan(_top(text, path))


def read_bots(text: str, path: Path, games: Collection[str]) -> tuple[int | None, tuple[Entrant, ...], Trust]:
    """Reads concurrency, entrants and trust from a file, for a tournament of these games.

    Raises TournamentFileError.
    """
    top = _top(text, path)
    concurrency = top.number("concurrency", None, 1, MAX_CONCURRENCY) if "concurrency" in top else None
    trust = trust_of(top)
    entrants = entrants_of(top.tables("entrant"), Path(os.path.abspath(path)).parent, games, trust)
    return concurrency, entrants, trust


def read_trust(text: str, path: Path) -> Trust:
    """Reads what a file allows the bots that the referee starts. Raises TournamentFileError."""
    return trust_of(_top(text, path))


def _top(text: str, path: Path) -> Section:
    top = parse(text, path, TournamentFileError)
    top.only(
        "name", "games", "boards", "seats", "names", "max_faults", "withdraw_after", "concurrency",
        "clock", "options", "stage", "entrant", "sandbox", "allow", "shared_cards", "begins",
        meant=dict.fromkeys(("bot", "bots", "entrants", "player", "players"), "entrant"),
    )  # fmt: skip
    return top


def _plan(top: Section) -> Plan:
    entrants = top.tables("entrant")
    if len(entrants) < 2:
        entrants[0].fail("is the only entrant; a tournament needs at least 2")
    if len(entrants) > MAX_ENTRANTS:
        top.fail(f"has {len(entrants):,} entrants, and a tournament has at most {MAX_ENTRANTS:,}")
    games = top.choices("games", tuple(GAMES)) if "games" in top else tuple(BUILT_IN)
    options = _options(top.table("options"), games)
    clock = _clock(top.table("clock"), DEFAULT_CLOCK)
    return Plan(
        name=top.name("name", length=TITLE_LENGTH),
        games=games,
        options=options,
        boards=top.number("boards", 1, 1, MAX_BOARDS),
        show_names=top.choice("names", ("hidden", "shown"), "hidden") == "shown",
        max_faults=top.number("max_faults", 3, 1, MAX_FAULTS),
        withdraw_after=top.number("withdraw_after", WITHDRAW_AFTER, 0, MAX_BOARDS),
        seating="balanced",
        clock=clock,
        stages=_stages(top, options, len(entrants)),
        own_clocks={
            number: _clock(table.table("clock"), clock)
            for number, table in enumerate(entrants)
            if "clock" in table
        },
        shared_cards=cast("SharedCards", top.choice("shared_cards", get_args(SharedCards), "round")),
    )


def parse_duration(text: str) -> int | None:
    """The nanoseconds of a duration such as `1m30s`, `1.5s` or `100ms`; None if it is not valid."""
    match = _DURATION.fullmatch(text)
    if not text or match is None:
        return None
    parts = zip(match.groups(), _UNITS.values(), strict=True)
    total = sum((Fraction(number) * unit for number, unit in parts if number), Fraction())
    return int(total) if total.denominator == 1 else None


def contained(file: TournamentFile, level: Level | None) -> TournamentFile:
    """The tournament with one sandbox level for all bots that the referee starts; unchanged for None.

    Raises SandboxMissing if this machine does not have the level, and TournamentFileError
    if a bot asks for more than it is allowed at that level.
    """
    if level is None:
        return file
    require(level)
    trust = file.trust._replace(level=level)
    entrants = list(file.entrants)
    for number, entrant in enumerate(entrants):
        if entrant.bot is not None:
            if problem := trust.refusal(entrant.bot.needs):
                raise TournamentFileError(f"{file.path}: the bot {entrant.bot.name} {problem}")
            sandbox = Sandbox(level, entrant.bot.needs)
            entrants[number] = dataclasses.replace(entrant, sandbox=sandbox)
    return dataclasses.replace(file, entrants=tuple(entrants), trust=trust)


def _clock(table: Section, default: TimeControl) -> TimeControl:
    """The clock in a table; missing keys are those of the default."""
    table.only("bank", "increment", "move")

    def duration(key: str, usual: int, least: int) -> int:
        if key not in table:
            return usual
        text = table.text(key)
        nanoseconds = parse_duration(text)
        if nanoseconds is None:
            table.fail(f'{key} must be a duration such as "20s", "100ms" or "1m30s", not {show(text)}')
        if not least <= nanoseconds <= _LONGEST:
            table.fail(f"{key} must be {'more than' if least else 'at least'} 0s and at most 24h, not {text}")
        return nanoseconds

    return TimeControl(
        bank=duration("bank", default.bank, 1),
        increment=duration("increment", default.increment, 0),
        move=duration("move", default.move, 1),
    )


def _options(table: Section, games: Sequence[str]) -> Mapping[str, Any]:
    for game in table.values():
        if game in GAMES and game not in games:
            table.fail(f"{game} is not played; name it in games, or remove [options.{game}]")
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


def _stages(top: Section, options: Mapping[str, Any], entrants: int) -> tuple[Format, ...]:
    seats = top.number("seats", 2, 2, MAX_SEATS)
    stages: list[Format] = []
    for table in top.tables("stage", default=({"format": "round-robin"},)):
        stages.append(_stage(table, seats, stages[-1].entrants if stages else entrants, first=not stages))
        _check_seats(table, stages[-1], options)
        if stages[-1].endless and (len(stages) > 1 or len(top.tables("stage")) > 1):
            table.fail("a ladder is the only stage of its tournament")
        if isinstance(stages[-1], ComparisonFormat):
            _check_comparison(top, table, len(stages))
    return tuple(stages)


def _check_comparison(top: Section, table: Section, stages: int) -> None:
    """Checks that a comparison is the only stage, and has one board a round on shared cards."""
    if stages > 1 or len(top.tables("stage")) > 1:
        table.fail("a comparison is the only stage of its tournament")
    if top.choice("shared_cards", get_args(SharedCards), "match") == "none":
        table.fail('a comparison is of bots that play the same boards: leave shared_cards = "none" out')
    if top.number("boards", 1, 1, MAX_BOARDS) != 1:
        table.fail(
            "each round of a comparison is one board: leave out boards, and set cap, which counts them"
        )


def _stage(table: Section, seats: int, entrants: int, *, first: bool) -> Format:
    """Reads a stage; `seats` is the tournament's default, `entrants` the number that can enter."""
    kind = FORMATS[table.choice("format", tuple(FORMATS))]
    table.only("format", "advance", "seats", *kind.keys)
    if first and "advance" in table:
        table.fail("advance is for later stages; everybody enters the first one")
    entrants = table.number("advance", entrants, 2, entrants)
    return kind.read(table, entrants, table.number("seats", seats, 2, MAX_SEATS))


def _check_seats(table: Section, stage: Format, options: Mapping[str, Any]) -> None:
    """Checks that every game can be played at the stage's tables, and that the entrants fill one."""
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
