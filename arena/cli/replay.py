"""`arena replay`: a stored game as a readable log."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from arena.cli.common import choose_tournament, last_tournament, league_argument, tournament_option
from arena.cli.output import echo, echo_json
from arena.link.wire.records import decode_record
from arena.report.game_log import game_steps
from arena.results import GameKey, GameResult, read_game_key
from arena.store import League, StoredGame, UnknownGame
from arena.text import one_line


@click.command()
@league_argument
@click.argument("game", required=False)
@click.option("--seat", type=click.IntRange(min=0), help="Show it as this seat saw it (default: everything).")
@click.option("--positions", is_flag=True, help="Show before each choice the position and all legal actions.")
@click.option("--step", is_flag=True, help="The same step by step: Enter goes on, Ctrl-D leaves.")
@tournament_option
@click.option("--json", "as_json", is_flag=True, help="Print the list, or the lines of the log, as JSON.")
def replay(
    league: Path,
    game: str | None,
    seat: int | None,
    positions: bool,
    step: bool,
    tournament: int | None,
    as_json: bool,
) -> None:
    """Prints a game of a league as a readable log; without GAME, lists the games.

    GAME is written as the list writes it, such as 1.3.2/nyuri/1.2: stage,
    round and match, the game, board and rotation; or it is the number of the
    game in the league.
    """
    with League.read(league) as store:
        if game is None:
            chosen = choose_tournament(store, tournament)
            names = [entrant.name for entrant in chosen.entrants]
            listed = store.games(chosen.id)
            if as_json:
                echo_json([_listed(*item, names) for item in listed])
                return
            for number, result in listed:
                places = "  ".join(f"{names[seat.entrant]} ({seat.place})" for seat in result.seats)
                echo(f"{number:6}  {result.key!s:28}  {one_line(places)}")
            return
        stored = find_game(store, game, tournament)
        entrants = store.tournament(stored.tournament).entrants
        names = [entrants[item.entrant].name for item in stored.result.seats]
        if seat is not None and seat >= len(names):
            raise click.BadParameter(f"the game has seats 0 to {len(names) - 1}", param_hint="--seat")
        steps = game_steps(decode_record(stored.record), names, seat, positions or step)
        if as_json:
            echo_json(list(itertools.chain.from_iterable(steps)))
            return
        for lines in steps:
            echo("\n".join(map(one_line, lines)))
            if step and sys.stdin.isatty() and not sys.stdin.readline():  # Ctrl-D leaves
                return


def _listed(number: int, result: GameResult, names: Sequence[str]) -> dict[str, Any]:
    """A game of the list as data."""
    return {
        "number": number,
        "game": str(result.key),
        "reason": result.reason,
        "seats": [
            {"name": names[seat.entrant], "place": seat.place, "points": seat.points, "forfeit": seat.forfeit}
            for seat in result.seats
        ],
    }


def find_game(store: League, game: str, tournament: int | None) -> StoredGame:
    """The game that a text names, as `replay` lists it. Raises UnknownGame; DamagedLeague."""
    store.require_sound()
    if game.isdecimal():
        number = int(game)
    else:
        key = parse_key(game)
        number = store.game_number(last_tournament(store, tournament).id, key)
    store.require_sound(game=number)
    return store.game(number)


def parse_key(text: str) -> GameKey:
    """The game that a text such as 1.3.2/nyuri/1.2 names. Raises UnknownGame for another form."""
    key = read_game_key(text)
    if key is None:
        raise UnknownGame(
            f"{text!r} names no game; write it as 1.3.2/nyuri/1.2 (arena replay LEAGUE lists them)"
        )
    return key
