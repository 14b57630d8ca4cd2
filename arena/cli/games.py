"""`arena games`: the games, and the rules of one as implemented."""

from __future__ import annotations

import dataclasses
import json
from importlib import resources
from typing import Any

import click

from arena.games import GAMES
from arena.games.game import Game


@click.command()
@click.argument("game", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the games, seats and options as JSON.")
def games(game: str | None, as_json: bool) -> None:
    """Lists the games with seats and options; with GAME, prints its rules and rulings."""
    if game is None:
        if as_json:
            click.echo(json.dumps([_as_json(item) for item in GAMES.values()], indent=2, ensure_ascii=False))
        else:
            click.echo("\n\n".join(_summary(item) for item in GAMES.values()))
            click.echo("\nThe rules of a game with all rulings: arena games GAME")
        return
    if game not in GAMES:
        raise click.BadParameter(f"there is no game {game!r}; the games are {', '.join(GAMES)}")
    if as_json:
        click.echo(json.dumps(_as_json(GAMES[game]), indent=2, ensure_ascii=False))
    else:
        click.echo_via_pager(
            resources.files("arena.games").joinpath("rules", f"{game}.md").read_text("utf-8")
        )


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


def _summary(game: Game) -> str:
    low, high = _seats(game)
    players = next((field for field in dataclasses.fields(game.Options) if field.name == "players"), None)
    more = f", up to {players.metadata['high']} with the option players" if players else ""
    lines = [f"{game.id}  ({game.title}, {low} to {high} seats{more})"]
    for option in _options(game):
        default = json.dumps(option["default"])
        choices = f" [{' | '.join(option['choices'])}]" if option["choices"] else ""
        lines.append(f"    {option['name']} = {default}{choices}  {option['help']}")
    return "\n".join(lines)
