"""Reads and strictly checks a tournament file, and makes one from values.

People write a tournament as one TOML file. These are all its keys, with the defaults:

```toml
name = "Friday league night"
games = ["nyuri", "forty-one"]  # default: the built-in games
boards = 1                      # deals per match and game; each is played once from every seat
seats = 2                       # of a table; a stage may have its own
names = "hidden"                # or "shown": bots are told who sits at the table
reveal = "at-once"              # or "host": played when due, and shown when the host says so
thoughts = "hidden"             # or "shown": replays tell everybody what bots said that they thought
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
reveal = "host"                 # from this stage on the host shows the results; default: the tournament's

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

The arena itself makes a tournament from values (`made`), such as a comparison or the season of a standing
league. Its text, which the league keeps, is JSON with everything resolved; it begins with a brace.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast, get_args

from arena.formats import FORMATS, Format
from arena.formats.comparison import ComparisonFormat
from arena.formats.round_robin import RoundRobinFormat
from arena.games import GAMES
from arena.games.game import WrongOption
from arena.league.entrants import Entrant, WrongEntrant, entrants_of, trust_of
from arena.link.local.sandbox import EVERYBODYS, Asked, Level, Trust
from arena.results import SharedCards
from arena.strict_toml import Section, WrongFile, parse, read_text, show
from arena.table.clock import TimeControl, parse_duration
from arena.text import shell_word
from arena.tournament.plan import DEFAULTS, LONGEST, MAX_BOARDS, Plan, Rules, UnknownPlan, read_plan

TITLE_LENGTH = 80
MAX_FAULTS = 1_000
MAX_CONCURRENCY = 10_000
MAX_ENTRANTS = 1_000
MAX_SEATS = 7
"""The most seats of any game; the limits of each game are checked too."""

_SHOWN = ("hidden", "shown")
_REVEAL = ("at-once", "host")
LEAGUE_HEAD = b"SQLite format 3\0"
"""The first bytes of a league file."""


class TournamentFileError(WrongFile):
    """A tournament file that cannot be used; the text says in one sentence where and why."""


@dataclasses.dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament as its file describes it, or as `made` makes it.

    Attributes:
        path: the file, absolute; nothing may be there if it was made.
        text: the text of the file, from which the bots are read again when the tournament goes on.
        plan: the tournament, with every default spelled out.
        concurrency: how many tables are played at once; None if the file does not say.
        entrants: at least two, in seeding order.
        trust: what the bots that the referee starts are allowed.
        begins: when it begins; None if it begins when all are here.
        gone: the numbers of the entrants that play no more, in a tournament that goes on: nothing of them is
            read, started or waited for.
    """

    path: Path
    text: str
    plan: Plan
    concurrency: int | None
    entrants: tuple[Entrant, ...]
    trust: Trust
    begins: datetime | None = None
    gone: Collection[int] = frozenset()

    @property
    def bots(self) -> Bots:
        """Who plays, and how."""
        return Bots(self.concurrency, self.entrants, self.trust)


class Bots(NamedTuple):
    """Who plays a tournament, and how; see `TournamentFile`."""

    concurrency: int | None
    entrants: tuple[Entrant, ...]
    trust: Trust


def read_tournament(path: Path, asked: Asked | None = None) -> TournamentFile:
    """Reads a tournament file, and the `bot.toml` of every bot that it names.

    A pipe, such as /dev/stdin, is read once. Its tournament is called `input`, and its bots are looked for
    relative to the current folder.

    Args:
        path: the file.
        asked: the sandbox level of all bots that the referee starts, whatever the file says; None for the
            file's.

    Raises TournamentFileError.
    """
    _refuse_league(path)
    text = read_text(path, TournamentFileError)
    return parse_tournament(text, Path("input") if path.exists() and not path.is_file() else path, asked)


def _refuse_league(path: Path) -> None:
    """Raises TournamentFileError with advice if the file is a league."""
    try:
        if not path.is_file():
            return  # a pipe can be read only once
        with path.open("rb") as file:
            if file.read(len(LEAGUE_HEAD)) != LEAGUE_HEAD:
                return
    except (OSError, ValueError):
        return  # reading it reports that
    raise TournamentFileError(
        f"{path} is a league, not a tournament file: go on with it by arena resume {shell_word(path)}, "
        f"or show it by arena standings {shell_word(path)}"
    )


def parse_tournament(text: str, path: Path, asked: Asked | None = None) -> TournamentFile:
    """Reads the text of a tournament file; its bots are looked for relative to `path`.

    Raises TournamentFileError. `asked`: see `read_tournament`.
    """
    if not is_made(text):
        file = tournament_of(_top(text, path), path, asked)
        return dataclasses.replace(file, text=text)
    plan = parse_plan(text, path)
    bots = read_bots(text, path, plan.games, asked)
    with _values_of(text, path) as values:
        begins = values["begins"] and datetime.fromisoformat(values["begins"])
    return TournamentFile(Path(os.path.abspath(path)), text, plan, *bots, begins)


def tournament_of(
    top: Section, path: Path, asked: Asked | None = None, most: Trust | None = None
) -> TournamentFile:
    """The tournament that the keys of a file describe, without a text.

    Args:
        top: the keys and values.
        path: the file; its bots are looked for relative to it.
        asked: see `read_tournament`.
        most: what the bots are allowed where the file says nothing; None for what they always are.

    Raises TournamentFileError.
    """
    _check_keys(top)
    plan = _plan(top)
    bots = _bots(top, path, plan.games, asked, most)
    if "shared_cards" not in top:
        plan = dataclasses.replace(plan, shared_cards=safe_to_share(plan, bots.entrants))
    begins = top.moment("begins") if "begins" in top else None
    return TournamentFile(Path(os.path.abspath(path)), "", plan, *bots, begins)


def made(
    path: Path, plan: Plan, bots: Bots, begins: datetime | None = None, home: Path | None = None
) -> TournamentFile:
    """A tournament from values, with a text of which `parse_tournament` makes the same tournament.

    Args:
        path: where its file is, or would be.
        plan: the tournament.
        bots: who plays it; all bots that the referee starts are contained as the trust says.
        begins: when it begins; None if it begins when all are here.
        home: a folder that may be moved: the text names bots in it relative to the file. None for none.
    """
    path = Path(os.path.abspath(path))
    entrants: list[dict[str, object]] = []
    for entrant in bots.entrants:
        where: dict[str, object] = {"join": True}
        if entrant.bot is not None:
            folder = entrant.bot.folder.absolute()
            moves = home is not None and folder.is_relative_to(home)
            where = {"bot": os.path.relpath(folder, path.parent) if moves else str(folder)}
        elif entrant.address is not None:
            where = {"address": entrant.address}
        entrants.append({"name": entrant.name, **where})
    values = {
        "plan": json.loads(plan.to_json()),
        "begins": begins.isoformat() if begins else None,
        "concurrency": bots.concurrency,
        "trust": bots.trust._asdict(),
        "entrants": entrants,
    }
    text = json.dumps(values, ensure_ascii=False, indent=1) + "\n"
    return TournamentFile(path, text, plan, *bots, begins)


def write_made(file: TournamentFile) -> None:
    """Writes a tournament to its path, whole or not at all. Raises OSError."""
    file.path.parent.mkdir(exist_ok=True)
    half = file.path.with_suffix(".part")
    with half.open("w", encoding="utf-8") as output:
        output.write(file.text)
        output.flush()
        os.fsync(output.fileno())
    half.replace(file.path)


def is_made(text: str) -> bool:
    """Whether a text is of a tournament that the arena made, and not of a file that people wrote."""
    return text.startswith("{")


@contextmanager
def _values_of(text: str, path: Path) -> Iterator[dict[str, Any]]:
    """The values in the text of a tournament that was made.

    Raises TournamentFileError, also if they are used and turn out to be wrong.
    """
    try:
        values: dict[str, Any] = json.loads(text)
        if not {"plan", "trust", "entrants"} <= values.keys():
            raise ValueError
        yield values
    except (WrongEntrant, UnknownPlan) as problem:
        raise TournamentFileError(f"{path}: {problem}") from None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise TournamentFileError(
            f"{path}: is no tournament that the arena made: write it in TOML, see docs/tournament-file.md"
        ) from None


def parse_plan(text: str, path: Path) -> Plan:
    """The plan in the text of a tournament file, without a look at its bots.

    Raises TournamentFileError.
    """
    if not is_made(text):
        return _plan(_top(text, path))
    with _values_of(text, path) as values:
        return read_plan(json.dumps(values["plan"]))


def safe_to_share(plan: Plan, entrants: Sequence[Entrant]) -> SharedCards:
    """The sharing that the format has; else the widest in which no bot knows cards that it does not see."""
    if (shared := plan.first.shared_cards) is not None:
        return shared
    return "round" if all(entrant.sees_boards_once for entrant in entrants) else "none"


def read_bots(text: str, path: Path, games: Collection[str], asked: Asked | None = None) -> Bots:
    """Reads who plays from the text of a file, for a tournament of these games.

    Raises TournamentFileError. `asked`: see `read_tournament`.
    """
    if not is_made(text):
        return _bots(_top(text, path), path, games, asked)
    trust = read_trust(text, path, asked)
    entrants = entrants_of(entrant_tables(text, path), folder_of(path), games, trust, asked)
    return Bots(read_concurrency(text, path), entrants, trust)


def folder_of(path: Path) -> Path:
    """The folder relative to which the bots of a tournament file are looked for."""
    return Path(os.path.abspath(path)).parent


def entrant_tables(text: str, path: Path) -> list[Section]:
    """The table of each entrant in the text of a file, unchecked. Raises TournamentFileError."""
    if not is_made(text):
        return _top(text, path).tables("entrant")
    with _values_of(text, path) as values:
        return [
            Section({**each, "name": each["name"]}, f"{path}: entrant {number}", TournamentFileError)
            for number, each in enumerate(values["entrants"], start=1)
        ]


def places_of(text: str, path: Path) -> list[str | None]:
    """Where the bots in the text of a file are: a folder or an address; None for a guest.

    They need not be there. Raises TournamentFileError.
    """
    places: list[str | None] = []
    for table in entrant_tables(text, path):
        if "bot" in table:
            places.append(os.path.abspath(folder_of(path) / table.text("bot")))
        else:
            places.append(table.text("address") if "address" in table else None)
    return places


def read_concurrency(text: str, path: Path) -> int | None:
    """How many tables the text of a file wants to be played at once. Raises TournamentFileError."""
    if not is_made(text):
        return _concurrency(_top(text, path))
    with _values_of(text, path) as values:
        concurrency: int | None = values["concurrency"]
        return concurrency


def _concurrency(top: Section) -> int | None:
    return top.number("concurrency", None, 1, MAX_CONCURRENCY) if "concurrency" in top else None


def _bots(
    top: Section, path: Path, games: Collection[str], asked: Asked | None, most: Trust | None = None
) -> Bots:
    trust = trust_of(top, asked, most)
    entrants = entrants_of(top.tables("entrant"), folder_of(path), games, trust, asked)
    return Bots(_concurrency(top), entrants, trust)


def read_trust(text: str, path: Path, asked: Asked | None = None) -> Trust:
    """Reads what a file allows the bots that the referee starts. Raises TournamentFileError.

    `asked`: see `read_tournament`.
    """
    if not is_made(text):
        return trust_of(_top(text, path), asked)
    with _values_of(text, path) as values:
        trust = Trust(**{**values["trust"], "level": Level(values["trust"]["level"])})
    return trust.at(asked) if asked else trust


def _top(text: str, path: Path) -> Section:
    top = parse(text, path, TournamentFileError)
    _check_keys(top)
    return top


def _check_keys(top: Section) -> None:
    top.only(
        "name", "games", "boards", "seats", "names", "max_faults", "withdraw_after", "concurrency",
        "clock", "options", "stage", "entrant", "sandbox", "allow", "shared_cards", "begins", "thoughts",
        "reveal",
        meant=dict.fromkeys(("bot", "bots", "entrants", "player", "players"), "entrant"),
    )  # fmt: skip


def _plan(top: Section) -> Plan:
    entrants = top.tables("entrant")
    if len(entrants) < 2:
        entrants[0].fail("is the only entrant; a tournament needs at least 2")
    if len(entrants) > MAX_ENTRANTS:
        top.fail(f"has {len(entrants):,} entrants, and a tournament has at most {MAX_ENTRANTS:,}")
    rules = rules_of(top)
    plan = rules.plan(
        name=top.name("name", length=TITLE_LENGTH),
        stages=_stages(top, rules, len(entrants)),
        own_clocks={
            number: _clock(table.table("clock"), rules.clock)
            for number, table in enumerate(entrants)
            if "clock" in table
        },
        shared_cards=cast("SharedCards", top.choice("shared_cards", get_args(SharedCards), "round")),
    )
    return dataclasses.replace(plan, reveal=_reveal(top, plan))


def _reveal(top: Section, plan: Plan) -> int | None:
    """From which stage on the host shows the results; None if all see them at once."""
    word, first = top.choice("reveal", _REVEAL, _REVEAL[0]), None
    for number, table in enumerate(top.tables("stage", default=({},))):
        before, word = word, table.choice("reveal", _REVEAL, word)
        if before == "host" != word:
            table.fail(
                'reveal = "host" of an earlier stage holds for this one too: its pairings tell results'
            )
        if word == "host" and first is None:
            first = number
    if first is not None and plan.first.alone:
        top.fail(f'a {plan.first.title} has no rounds that a host could show: leave reveal = "host" out')
    return first


def rules_of(top: Section) -> Rules:
    """The rules in the keys of a file, with the defaults for what it does not say."""
    games = top.choices("games", tuple(GAMES)) if "games" in top else DEFAULTS.games
    return Rules(
        games=games,
        options=_options(top.table("options"), games),
        boards=top.number("boards", DEFAULTS.boards, 1, MAX_BOARDS),
        show_names=top.choice("names", _SHOWN, _SHOWN[DEFAULTS.show_names]) == _SHOWN[True],
        max_faults=top.number("max_faults", DEFAULTS.max_faults, 1, MAX_FAULTS),
        withdraw_after=top.number("withdraw_after", DEFAULTS.withdraw_after, 0, MAX_BOARDS),
        clock=_clock(top.table("clock"), DEFAULTS.clock),
        show_thoughts=top.choice("thoughts", _SHOWN, _SHOWN[DEFAULTS.show_thoughts]) == _SHOWN[True],
    )


def require_sandboxes(file: TournamentFile) -> None:
    """Raises SandboxMissing if this machine must not run one of the bots; see `Sandbox.require`."""
    for sandbox in {each.sandbox._replace(needs=EVERYBODYS) for each in file.entrants if each.bot}:
        sandbox.require()


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
        if not least <= nanoseconds <= LONGEST:
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


def _stages(top: Section, rules: Rules, entrants: int) -> tuple[Format, ...]:
    seats = top.number("seats", 2, 2, MAX_SEATS)
    stages: list[Format] = []
    for table in top.tables("stage", default=({"format": RoundRobinFormat.id},)):
        stages.append(_stage(table, seats, stages[-1].entrants if stages else entrants, first=not stages))
        if misfit := rules.misfit(stages[-1]):
            table.fail(misfit)
        if stages[-1].alone and (len(stages) > 1 or len(top.tables("stage")) > 1):
            table.fail(f"a {stages[-1].title} is the only stage of its tournament")
        if isinstance(stages[-1], ComparisonFormat):
            _check_comparison(top, table)
    return tuple(stages)


def _check_comparison(top: Section, table: Section) -> None:
    """Checks that a comparison has one board a round on shared cards."""
    if top.choice("shared_cards", get_args(SharedCards), "match") == "none":
        table.fail('a comparison is of bots that play the same boards: leave shared_cards = "none" out')
    if top.number("boards", 1, 1, MAX_BOARDS) != 1:
        table.fail(
            "each round of a comparison is one board: leave out boards, and set cap, which counts them"
        )


def _stage(table: Section, seats: int, entrants: int, *, first: bool) -> Format:
    """Reads a stage; `seats` is the tournament's default, `entrants` the number that can enter."""
    kind = FORMATS[table.choice("format", tuple(FORMATS))]
    table.only("format", "advance", "seats", "reveal", *kind.keys)
    if first and "advance" in table:
        table.fail("advance is for later stages; everybody enters the first one")
    entrants = table.number("advance", entrants, 2, entrants)
    return kind.read(table, entrants, table.number("seats", seats, 2, MAX_SEATS))
