"""`arena games`: the games, and the rules of one as implemented."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

import click

from arena.cli.output import echo, echo_json, screen_width
from arena.games import GAMES
from arena.games.game import Game
from arena.games.pages import rules_page
from arena.names import did_you_mean
from arena.report.tables import fitting


@click.command()
@click.argument("game", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the games, seats and options as JSON.")
def games(game: str | None, as_json: bool) -> None:
    """Lists the games, or prints the rules of GAME.

    The list has the seats and the options of each game.
    """
    if game is None:
        if as_json:
            echo_json([_as_json(item) for item in GAMES.values()])
        else:
            echo("\n\n".join(summary(item, screen_width()) for item in GAMES.values()))
            echo(fitting("\nThe rules of a game with all rulings: arena games GAME", screen_width(), ""))
        return
    if game not in GAMES:
        raise click.BadParameter(f"there is no game {game!r}; {did_you_mean(game, GAMES)}")
    if as_json:
        echo_json(_as_json(GAMES[game]))
    else:
        rules = _rules(GAMES[game])
        if sys.stdout.isatty():
            click.echo_via_pager(rules)
        else:
            echo(rules)


def _rules(game: Game) -> str:
    """The rules page of a game."""
    page = rules_page(game)
    if page is None:
        raise click.ClickException(f"{game.id} has no page of rules; arena games lists its options")
    return page


def _seats(game: Game) -> tuple[int, int]:
    """The fewest and the most seats under the default options."""
    possible = game.seats(game.Options())
    return possible[0], possible[-1]


def _options(game: Game) -> list[dict[str, Any]]:
    return [
        {
            "name": field.name,
            "default": field.default,
            "choices": list(field.metadata["choices"]),
            "help": field.metadata["help"],
        }
        for field in dataclasses.fields(game.Options)
    ]


def _as_json(game: Game) -> dict[str, Any]:
    low, high = _seats(game)
    return {"id": game.id, "title": game.title, "seats": [low, high], "options": _options(game)}


def summary(game: Game, width: int) -> str:
    """A game's seats and options, in lines of at most this width."""
    low, high = _seats(game)
    players = next((field for field in dataclasses.fields(game.Options) if field.name == "players"), None)
    more = f", up to {players.metadata['high']} with the option players" if players else ""
    lines = [f"{game.id}  ({game.title}, {low} to {high} seats{more})"]
    for option in _options(game):
        default = json.dumps(option["default"])
        choices = f" [{' | '.join(option['choices'])}]" if option["choices"] else ""
        lines.append(f"    {option['name']} = {default}{choices}  {option['help']}")
    return "\n".join(fitting(line, width, " " * 8) for line in lines)
