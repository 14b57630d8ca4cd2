"""Random games: any game with any options, seats and starter, on a keyed board."""

from __future__ import annotations

import dataclasses
import random
from typing import Any, NamedTuple

from arena.games.game import Action, Board, Game, Seat, State
from tests.games.boards import keyed

DEALS = ("series", "rounds", "runoff", "replay")
"""The options that make several deals one game: kept small here."""


class Setup(NamedTuple):
    """All that a game follows from, but for the choices of the seats."""

    game: Game
    options: Any
    seats: int
    starter: Seat
    board: Board

    def start(self, board: Board | None = None) -> State:
        """The first position, on the setup's board or on another."""
        return self.game.new(board or self.board, self.seats, self.options, self.starter)


def random_options(game: Game, rng: random.Random) -> Any:
    """Options of a game, about half of them other than the default."""
    given: dict[str, Any] = {}
    for field in dataclasses.fields(game.Options):
        if rng.random() < 0.5:
            continue
        default, choices, high = field.default, field.metadata["choices"], field.metadata["high"]
        if isinstance(default, bool):
            given[field.name] = not default
        elif isinstance(default, int):
            low = field.metadata["low"]
            top = low + 2 if field.name in DEALS else 2 * default + 1
            given[field.name] = rng.randint(low, top if high is None else min(top, high))
        elif choices:
            given[field.name] = rng.choice(choices)
    options = game.parse_options(given)
    if hasattr(options, "deck") and rng.random() < 0.3:
        cards = list(game.deck(options))
        given["deck"] = [str(card) for card in rng.sample(cards, rng.randint(len(cards) // 2, len(cards)))]
        options = game.parse_options(given)
    return options


def random_setup(game: Game, rng: random.Random, options: Any = None) -> Setup:
    """A setup with the options given, or with random ones."""
    if options is None:
        options = random_options(game, rng)
    seats = rng.choice(game.seats(options))
    board = keyed(game, options, rng.getrandbits(200))
    return Setup(game, options, seats, rng.randrange(seats), board)


def random_action(state: State, rng: random.Random) -> tuple[Seat, Action]:
    """A seat that is to act, and one of its legal actions."""
    seat = rng.choice(state.to_act)
    return seat, rng.choice(state.legal_actions(seat))
