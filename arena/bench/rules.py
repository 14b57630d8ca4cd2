"""How fast the rules are: random playouts of each game through the public contract."""

from __future__ import annotations

import hashlib
import random
import time
from typing import NamedTuple

from arena.games import GAMES
from arena.table.deal import KeyedBoard

SEATS = 2


class Playouts(NamedTuple):
    """What random playouts of one game reached.

    Attributes:
        rate: decisions per second, where there was a choice; dealing included.
        clone: the seconds that one copy of a position takes.
    """

    rate: float
    clone: float


def measure_rules(game_id: str, seconds: float) -> Playouts:
    """Plays games at two seats, all choices at random, for so long, after half as long to warm up."""
    _playouts(game_id, "warm up", seconds / 2)  # what the rules find out about cards, they keep
    return Playouts(_playouts(game_id, "measure", seconds), _clone_time(game_id))


def _playouts(game_id: str, what: str, seconds: float) -> float:
    """Decisions per second in other games for every `what`."""
    game = GAMES[game_id]
    options = game.Options()
    deck = game.deck(options)
    chance = random.Random(game_id).random
    decisions = games = 0
    begin = time.perf_counter()
    while (now := time.perf_counter()) < begin + seconds:
        games += 1
        key = hashlib.sha256(f"{what} {game_id} {games}".encode()).digest()
        state = game.new(KeyedBoard(key, deck), SEATS, options, 0)
        while state.to_act:
            seat = state.to_act[0]
            actions = state.legal_actions(seat)
            count = len(actions)
            if count > 1:
                decisions += 1
                state.apply(seat, actions[int(chance() * count)])
            else:
                state.apply(seat, actions[0])
    return decisions / (now - begin)


def _clone_time(game_id: str, copies: int = 2000) -> float:
    """The seconds that a copy of a position in mid-game takes."""
    game = GAMES[game_id]
    options = game.Options()
    state = game.new(KeyedBoard(bytes(32), game.deck(options)), SEATS, options, 0)
    for _ in range(5):
        if state.to_act:
            seat = state.to_act[0]
            state.apply(seat, state.legal_actions(seat)[0])
    begin = time.perf_counter()
    for _ in range(copies):
        state.clone()
    return (time.perf_counter() - begin) / copies
