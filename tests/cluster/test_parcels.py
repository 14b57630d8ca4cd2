"""What comes back from a worker: a game counts only as that which was asked for."""

from __future__ import annotations

import dataclasses

import pytest

from arena.cluster.parcels import Told
from arena.cluster.scrutiny import Untrue, game_told, sealed
from arena.games import GAMES
from arena.results import GameKey
from arena.runner.rooms.room import Played, Seating
from arena.table.clock import SECOND, TimeControl
from arena.table.table import Table, TableRules

HYRULE = GAMES["hyrule"]
RULES = TableRules(HYRULE, HYRULE.parse_options({}), 2, TimeControl(SECOND, SECOND, SECOND), 3)
SEATING = Seating(GameKey(0, 0, 0, "hyrule", 0, 0), RULES, bytes(32), (0, 1))


def told() -> Told:
    """The game, played."""
    table = Table(RULES, SEATING.board_key)
    while not table.over:
        for ask in table.asks():
            table.answer(ask.seat, ask.turn, 0, 1)
    turns = (table.turns_of(0), table.turns_of(1))
    return sealed(0, Played(SEATING, table.record(), table.times(), turns, turns))


def believed(game: Told, seating: Seating) -> bool:
    """Whether a game is believed to be that of a seating."""
    try:
        return game_told(game, seating, 1.0) == game
    except Untrue:
        return False


@pytest.mark.parametrize(
    "other",
    [
        {"board_key": bytes(31) + b"x"},
        {"rules": dataclasses.replace(RULES, seats=3)},
        {"rules": dataclasses.replace(RULES, starter=1)},
        {"rules": dataclasses.replace(RULES, options=HYRULE.parse_options({"mode": "chance"}))},
        {"rules": dataclasses.replace(RULES, game=GAMES["kleftis"])},
    ],
)
def test_a_game_is_that_which_was_asked_for_or_none(other):
    assert believed(told(), SEATING)
    assert not believed(told(), dataclasses.replace(SEATING, **other))


@pytest.mark.parametrize("short", ["times", "seat_times", "decisions"])
def test_what_is_told_of_a_game_is_whole(short):
    game = told()
    assert not believed(game._replace(**{short: getattr(game, short)[1:]}), SEATING)
    played = Played(SEATING, game.record, game.times, game.seat_times, game.decisions)
    cut = dataclasses.replace(played, **{short: getattr(game, short)[1:]})
    assert not believed(sealed(0, cut), SEATING)
