"""`arena replay`: the games of a league as readable logs."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import choose_tournament, last_tournament, league_argument, tournament_option
from arena.cli.output import echo, echo_json, screen_width
from arena.games import GAMES
from arena.league.store import League, StoredTournament, UnknownGame
from arena.league.stored import plan_of, stored_effects
from arena.league.traveller import AtTable, swung, traveller
from arena.link.wire.messages import decode_record, decode_thoughts
from arena.names import did_you_mean, same_name
from arena.report.game_log import game_steps
from arena.report.tables import Column, fitting, name_column, table
from arena.results import (
    FAULT_REASONS,
    GameKey,
    GameResult,
    SeatResult,
    StoredGame,
    read_game_key,
    read_match_key,
)
from arena.text import counted, one_line

if TYPE_CHECKING:  # NumPy takes long to load
    from arena.checkup.analysed import KnownTable

_ANY_FAULT = "any"
_FORFEIT = "forfeit"
_SWINGS = 10  # how many boards are listed


@click.command()
@league_argument
@click.argument("game", required=False)
@click.option("--seat", type=click.IntRange(min=0), help="Show it as this seat saw it (default: everything).")
@click.option("--positions", is_flag=True, help="Show the position and all legal actions before each choice.")
@click.option("--thoughts", is_flag=True, help="Show what the bots thought when they chose, if they told it.")
@click.option("--step", is_flag=True, help="Like --positions, step by step: Enter goes on, Ctrl-D leaves.")
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="NAME",
    help="Only games of this bot; if given several times, of all of them together.",
)
@click.option("--match", metavar="MATCH", help="Only games of this match, such as 1.3.2.")
@click.option("--game", "kind", metavar="GAME", help="Only games of this kind, such as nyuri.")
@click.option(
    "--fault",
    is_flag=False,
    flag_value=_ANY_FAULT,
    metavar="[KIND]",
    help=("Only games with a fault, of any kind or of one KIND (such as timeout); with --bot, of that bot."),
)
@click.option(
    "--all",
    "all_tables",
    is_flag=True,
    help="Compare all tables that had the cards of GAME; without GAME, list the boards that swung most.",
)
@click.option("--logs", is_flag=True, help="Print the logs of all these games, one after another.")
@tournament_option
@click.option("--json", "as_json", is_flag=True, help="Print the list, or the lines of the log, as JSON.")
def replay(
    league: Path,
    game: str | None,
    bots: tuple[str, ...],
    match: str | None,
    kind: str | None,
    fault: str | None,
    all_tables: bool,
    logs: bool,
    seat: int | None,
    positions: bool,
    thoughts: bool,
    step: bool,
    tournament: int | None,
    as_json: bool,
) -> None:
    """Prints a game of a league as a log, or lists the games.

    Without GAME it lists the games. --bot, --match, --game and --fault list only some of them; with
    --logs the logs of all these games are printed.

    Write GAME as the list does, such as 1.3.2/nyuri/1.2 (stage, round and match, then the game, then
    board and rotation), or give the number of the game in the league.

    With --all it compares the tables of a board: who made what of the same cards, and where each table
    first chose otherwise than most of the others; the luck of seat 0 and the most expensive choice, where
    they are kept beside the league. GAME may then leave the match and the rotation out, such as 1.3/nyuri/1,
    or be written as the page does: "Nyuri round 3, board 1". Without GAME, --all lists the boards whose
    tables differ most.
    """
    with League.read(league) as store:
        if game is not None:
            if bots or match or kind or fault or logs:
                raise click.UsageError("give either GAME, or options that choose games")
            if all_tables:
                if seat is not None or positions or step:
                    raise click.UsageError("--all goes without --seat, --positions and --step")
                _print_tables(store, game, tournament, as_json)
                return
            stored = find_game(store, game, tournament)
            steps = _log(store, stored, seat, positions or step, thoughts)
            if as_json:
                echo_json(list(itertools.chain.from_iterable(steps)))
            else:
                _print(steps, step)
            return
        if all_tables:
            if bots or match or kind or fault or logs or seat is not None or positions or step:
                raise click.UsageError("--all goes with GAME, --tournament and --json alone")
            _print_swings(store, tournament, as_json)
            return
        chosen = choose_tournament(store, tournament)
        names = [entrant.name for entrant in chosen.entrants]
        fits = wanted_games(chosen, bots, match, kind, fault)
        found = (item for item in store.games(chosen.id) if fits(item[1]))
        if as_json:
            games = [_listed(number, result, names) for number, result in found]
            if logs:
                for listed in games:
                    steps = _log(store, store.game(listed["number"]), seat, positions or step, thoughts)
                    listed["log"] = list(itertools.chain.from_iterable(steps))
            echo_json(games)
            return
        for place, (number, result) in enumerate(list(found) if logs else found):
            if logs:
                echo(f"{chr(10) * (place > 0)}game {number}, {result.key}")
                steps = _log(store, store.game(number), seat, positions or step, thoughts)
                if not _print(steps, step):
                    return
            else:
                places = "  ".join(_seat_text(names[seat.entrant], seat, fault) for seat in result.seats)
                echo(fitting(f"{number:6}  {result.key!s:28}  {one_line(places)}", screen_width(), " " * 8))


def _log(
    store: League, stored: StoredGame, seat: int | None, positions: bool, thoughts: bool
) -> Iterator[list[str]]:
    """The log of a game, in steps. Raises BadParameter if it has no such seat."""
    entrants = store.tournament(stored.tournament).entrants
    names = [entrants[item.entrant].name for item in stored.result.seats]
    if seat is not None and seat >= len(names):
        raise click.BadParameter(f"the game has seats 0 to {len(names) - 1}", param_hint="--seat")
    kept = store.thoughts(store.game_number(stored.tournament, stored.result.key)) if thoughts else b""
    return game_steps(decode_record(stored.record), names, seat, positions, decode_thoughts(kept))


def _print(steps: Iterable[Sequence[str]], step: bool) -> bool:
    """Prints a log, all at once or step by step; returns False if the reader leaves."""
    for lines in steps:
        echo("\n".join(map(one_line, lines)))
        if step and sys.stdin.isatty() and not sys.stdin.readline():  # Ctrl-D leaves
            return False
    return True


def _print_tables(store: League, game: str, tournament: int | None, as_json: bool) -> None:
    """Prints what all tables made of a board.

    Raises UnknownGame, BrokenRecord, AnalysesUnreadable; DamagedLeague.
    """
    from arena.checkup.analysed import known_tables
    from arena.report.analysis_text import better_text, hundredths

    if game.isdecimal():
        stored = store.game(_number(game))
        key, chosen = stored.result.key, store.tournament(stored.tournament)
    else:
        night = re.search(r"/nights/(\d{1,9})/(?:boards|games)/", game)  # in an address of the page
        chosen = last_tournament(store, int(night[1]) if night and tournament is None else tournament)
        key = _parse_board(game, plan_of(chosen).games)
    names = [entrant.name for entrant in chosen.entrants]
    tables = traveller(store, chosen, key)
    store.require_stored(each.number for each in tables)
    known = known_tables(store, tables)
    if as_json:
        echo_json([_at_table(*each, names) for each in zip(tables, known, strict=True)])
        return
    seats = range(len(tables[0].result.seats))
    columns = [Column("game", [str(each.result.key) for each in tables], left=True)]
    for seat in seats:
        at = [each.result.seats[seat] for each in tables]
        columns.append(name_column(f"seat {seat}", [names[each.entrant] for each in at]))
        columns.append(Column("points", [str(each.points) for each in at]))
    if any(each.luck is not None for each in known):
        columns.append(Column("score", [hundredths(each.score) for each in tables]))
        columns.append(Column("luck", [hundredths(each.luck, sign=True) for each in known]))
    echo("\n".join(table(columns, screen_width())))
    for each, found in zip(tables, known, strict=True):
        if (parted := each.parted) is not None:
            who = names[each.result.seats[parted.seat].entrant]
            line = (
                f"{each.result.key}, action {parted.step}: {who} (seat {parted.seat}) chose {parted.chosen} "
                f"where {counted(parted.tables, 'table')} chose {parted.common}"
            )
            echo(fitting(one_line(line), screen_width(), " " * 4))
        if (wrong := found.mistake) is not None:
            line = (
                f"{each.result.key}, action {wrong.ply + 1}: {names[each.result.seats[wrong.seat].entrant]} "
                f"(seat {wrong.seat}) lost most by {wrong.choice.words}; {better_text(wrong)}"
            )
            echo(fitting(one_line(line), screen_width(), " " * 4))


def _at_table(each: AtTable, known: KnownTable, names: Sequence[str]) -> dict[str, Any]:
    """What a table made of a board, as data."""
    parted, wrong = None if each.parted is None else each.parted._asdict(), known.mistake
    return _listed(each.number, each.result, names) | {
        "parted": parted,
        "score": each.score,
        "luck": known.luck,
        "mistake": wrong
        and {
            "step": wrong.ply + 1,
            "seat": wrong.seat,
            "chosen": wrong.choice.words,
            "better": wrong.better.words,
            "cost": wrong.cost,
        },
    }


def _print_swings(store: League, tournament: int | None, as_json: bool) -> None:
    """Prints the boards whose tables differ most."""
    chosen = last_tournament(store, tournament)
    names = [entrant.name for entrant in chosen.entrants]
    boards = [
        (f"{each.key.stage + 1}.{each.key.round + 1}/{each.key.game}/{each.key.board + 1}", each)
        for each in swung(store, chosen, stored_effects(store, chosen.id).void, _SWINGS)
    ]
    for _, each in boards:
        store.require_stored(number for number, *_ in store.games_of_board(chosen.id, each.key))
    if as_json:
        echo_json(
            [
                {"board": board, "tables": each.tables}
                | {"best": {"name": names[each.best], "lead": each.high}}
                | {"worst": {"name": names[each.worst], "lead": each.low}}
                for board, each in boards
            ]
        )
        return
    if not boards:
        echo("no board was played by several tables that came to different results")
        return
    columns = [
        Column("board", [board for board, _ in boards], left=True),
        Column("tables", [str(each.tables) for _, each in boards]),
        name_column("best at seat 0", [names[each.best] for _, each in boards]),
        Column("lead", [_signed(each.high) for _, each in boards]),
        name_column("worst at seat 0", [names[each.worst] for _, each in boards]),
        Column("lead", [_signed(each.low) for _, each in boards]),
    ]
    echo("\n".join(table(columns, screen_width())))


def _signed(points: int) -> str:
    return f"{points:+}" if points else "0"


def _parse_board(text: str, games: Sequence[str]) -> GameKey:
    """A game, or a board of a round, such as 1.3/nyuri/1, or as the page has it: its address, or its words.

    Raises UnknownGame for another form.
    """
    text = re.sub(r"^.*/(boards|games)/|\?.*$", "", text.strip())
    words = re.fullmatch(r"(?i)(\D*?)[ ,]*round (\d+)[ ,]+board (\d+)", text)
    if words is not None:
        named = {same_name(name): each for each in games for name in (GAMES[each].title, each)}
        game = named.get(same_name(words[1] or games[0]), words[1])
        text = f"1.{words[2]}/{game}/{words[3]}"
    where, _, rest = text.partition("/")
    match = where if where.count(".") > 1 else f"{where}.1"
    key = read_game_key(f"{match}/{rest}" if "." in rest else f"{match}/{rest}.1")
    if key is None:
        raise UnknownGame(
            f"{text!r} is neither a board such as 1.3/nyuri/1 nor a game such as 1.3.2/nyuri/1.2; "
            "arena replay LEAGUE lists the games"
        )
    return key


def _seat_text(name: str, seat: SeatResult, fault: str | None) -> str:
    """The name of a seat's bot and its place, with its faults if the list is about faults."""
    what = [str(seat.place)]
    if fault is not None:
        what += [f"{count} x {kind.replace('_', ' ')}" for kind, count in faults_of(seat).items()]
        what += ["forfeit"] * seat.forfeit
    return f"{name} ({', '.join(what)})"


def _listed(number: int, result: GameResult, names: Sequence[str]) -> dict[str, Any]:
    """A game of the list as data."""
    return {
        "number": number,
        "game": str(result.key),
        "reason": result.reason,
        "seats": [
            {
                "name": names[seat.entrant],
                "place": seat.place,
                "points": seat.points,
                "forfeit": seat.forfeit,
                "faults": faults_of(seat),
            }
            for seat in result.seats
        ],
    }


def find_game(store: League, game: str, tournament: int | None) -> StoredGame:
    """The game that a text names, as `replay` lists it. Raises UnknownGame; DamagedLeague."""
    store.require_sound()
    if game.isdecimal():
        number = _number(game)
    else:
        key = parse_key(game)
        number = store.game_number(last_tournament(store, tournament).id, key)
    store.require_sound(game=number)
    return store.game(number)


def _number(digits: str) -> int:
    """The running number of a game; of too many digits for any league, the largest that there could be."""
    return int(digits) if len(digits) < 19 else 2**63 - 1


def parse_key(text: str) -> GameKey:
    """The game that a text such as 1.3.2/nyuri/1.2 names. Raises UnknownGame for another form."""
    key = read_game_key(text)
    if key is None:
        raise UnknownGame(
            f"{text!r} is not a game; write it as 1.3.2/nyuri/1.2 (arena replay LEAGUE lists them)"
        )
    return key


def wanted_games(
    chosen: StoredTournament, bots: Sequence[str], match: str | None, kind: str | None, fault: str | None
) -> Callable[[GameResult], bool]:
    """A test for the games of a tournament that `--bot`, `--match`, `--game` and `--fault` choose.

    Raises BadParameter for a name that the tournament does not have.
    """
    names, games = [entrant.name for entrant in chosen.entrants], list(plan_of(chosen).games)
    numbers = {_found(bot, names, "--bot") for bot in bots}
    key = None if match is None else read_match_key(match)
    if match is not None and key is None:
        raise click.BadParameter(f"{match!r} is not a match such as 1.3.2", param_hint="--match")
    game = None if kind is None else games[_found(kind, games, "--game")]
    kinds = (_ANY_FAULT, _FORFEIT, *FAULT_REASONS)
    # A fault may be written with hyphens, with spaces, or as in the protocol.
    reason = None if fault is None else kinds[_found(re.sub("[- ]", "_", fault), kinds, "--fault")]

    def is_at_fault(seat: SeatResult) -> bool:
        if reason == _FORFEIT:
            return seat.forfeit
        return bool(faults_of(seat).keys() & (set(FAULT_REASONS) if reason == _ANY_FAULT else {reason}))

    def fits(result: GameResult) -> bool:
        if (match is not None and result.key.match_key != key) or game not in (None, result.key.game):
            return False
        seats = [seat for seat in result.seats if seat.entrant in numbers]
        if len(seats) < len(numbers):
            return False
        return reason is None or any(map(is_at_fault, seats or result.seats))

    return fits


def faults_of(seat: SeatResult) -> dict[str, int]:
    """The faults of a seat by their kinds, without zeros."""
    return {kind: count for kind, count in zip(FAULT_REASONS, seat.faults, strict=True) if count}


def _found(text: str, valid: Sequence[str], option: str) -> int:
    for number, each in enumerate(valid):
        if same_name(each) == same_name(text):
            return number
    raise click.BadParameter(f"there is no {text!r}; {did_you_mean(text, valid)}", param_hint=option)
