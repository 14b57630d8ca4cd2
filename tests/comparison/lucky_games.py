"""Games whose luck is tested: positions, players, and records."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from typing import Any

from arena.games import GAMES
from arena.games.game import State
from arena.policies import greedy
from arena.table.deal import KeyedBoard
from arena.table.record import Record
from tests.games.random_play import random_action

Policy = Callable[[State, int], Any]
"""Chooses an action of a seat that is to act."""


def played(
    game: str, state: State, key: bytes, policy: Policy, options: Any = None, seats: int = 2
) -> Record:
    """The rest of a game, as it is recorded; the position is played on."""
    actions = []
    while state.to_act:
        seat = state.to_act[0]
        legal = state.legal_actions(seat)
        actions.append(legal.index(policy(state, seat)))
        state.apply(seat, legal[actions[-1]])
    assert state.outcome is not None
    return Record(
        game, options or GAMES[game].Options(), seats, 0, key, tuple(actions), (), state.outcome, ()
    )


def usual(state: State, seat: int) -> Any:
    """The baseline's choice."""
    return greedy(state.observation(seat), state.legal_actions(seat))


def clever(mood: int, often: int = 3) -> Policy:
    """Chooses by all that it sees, perhaps unlike the baseline once in so many times."""

    def policy(state: State, seat: int) -> Any:
        said = zlib.crc32(f"{mood} {state.observation(seat)}".encode())
        legal = state.legal_actions(seat)
        return usual(state, seat) if said % often else legal[said // often % len(legal)]

    return policy


def late(game: str, rng: random.Random) -> State:
    """A position with three cards in the stock."""
    state = start(game, rng.randbytes(32))
    while len(stock(state)) > 3:
        seat, action = random_action(state, rng)
        state.apply(seat, usual(state, seat) if game == "kleftis" else action)
    return state


def stock(state: Any) -> list[Any]:
    return list(state._stock)


def board_of(game: str, key: bytes, options: Any = None) -> KeyedBoard:
    return KeyedBoard(key, GAMES[game].deck(options or GAMES[game].Options()))


def start(game: str, key: bytes, options: Any = None, seats: int = 2) -> State:
    options = options or GAMES[game].Options()
    return GAMES[game].new(board_of(game, key, options), seats, options)
