"""The ways of playing a game that a checkup tries: every number of seats and every option."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

from arena.games.game import Game, WrongOption


class Setting(NamedTuple):
    """One way of playing a game.

    Attributes:
        game: the rules.
        options: the options.
        changed: the option that is not at its default, as a tournament file has it; empty for none.
        seats: the number of seats.
    """

    game: Game
    options: Any
    changed: str
    seats: int

    def __str__(self) -> str:
        return f"{self.game.id}, {self.seats} seats{', ' if self.changed else ''}{self.changed}"


def settings(game: Game) -> list[Setting]:
    """The default options at every number of seats; then each option changed, one at a time.

    A changed option is played at its fewest and its most seats, and at any
    number that the defaults do not allow. Of a number's many values, the least
    and the one next to the default are tried, and the greatest where that
    allows other numbers of seats: great ones make for endless games.
    """
    defaults = game.Options()
    usual = game.seats(defaults)
    found = [Setting(game, defaults, "", seats) for seats in usual]
    for name, value in _changes(game):
        options = game.parse_options({name: value})
        possible = game.seats(options)
        chosen = {possible[0], possible[-1]} | (set(possible) - set(usual))
        found += [Setting(game, options, f"{name} = {_toml(value)}", seats) for seats in sorted(chosen)]
    return found


def usual_settings(game: Game) -> list[Setting]:
    """The default options, at their fewest and their most seats."""
    options = game.Options()
    possible = game.seats(options)
    return [Setting(game, options, "", seats) for seats in sorted({possible[0], possible[-1]})]


def _changes(game: Game) -> Iterator[tuple[str, Any]]:
    """Every option with each value that is to be tried instead of its default."""
    usual = game.seats(game.Options())
    for field in dataclasses.fields(game.Options):
        name, default = field.name, field.default
        if isinstance(default, bool):
            values: list[Any] = [not default]
        elif isinstance(default, str):
            values = list(field.metadata["choices"])
        elif isinstance(default, int):
            high = field.metadata["high"]
            values = [field.metadata["low"], default + 1]
            if _seats(game, name, high) not in (None, usual):
                values.append(high)
        else:  # a deck of one's own: the usual one, a card short
            values = [[str(card) for card in game.deck(game.Options())[:-1]]]
        tried: list[Any] = [default]
        for value in values:
            if value not in tried and _seats(game, name, value):
                tried.append(value)
                yield name, value


def _seats(game: Game, name: str, value: Any) -> range | None:
    """The possible numbers of seats with an option changed; None where the value is not allowed."""
    try:
        return game.seats(game.parse_options({name: value}))
    except WrongOption:
        return None


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{len(value)} texts]"
    return f'"{value}"' if isinstance(value, str) else str(value)
