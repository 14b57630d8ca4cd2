"""Policies: functions that choose an action in any game, to play a position to its end quickly.

A policy chooses for a seat in a position: `policy(state, seat, rng)`. It is called if there is
a choice. A fair policy reads only `state.observation(seat)` and `state.legal_actions(seat)`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from arena.games import PerGame
from arena.games.game import Action, Seat, State
from arena.games.series import SeriesObservation

Choose = Callable[[Any, Sequence[Any]], Action]
"""A greedy policy of one game: chooses from an observation of a deal and the legal actions."""

GREEDY: Final[Mapping[str, Choose]] = PerGame("greedy")
"""The greedy policy of each game, by game id."""


@cache
def _choose_of(kind: str) -> Choose:
    """The greedy policy for observations of a kind, which is the game's id with `_` for `-`."""
    return GREEDY[kind.replace("_", "-")]


def greedy(seen: Any, actions: Sequence[Action]) -> Action:
    """The action that looks best right now, by one simple idea for each game.

    Args:
        seen: an observation of a deal or a series.
        actions: the legal actions.

    Raises MissingPart if the game has no greedy policy.
    """
    if isinstance(seen, SeriesObservation):
        seen = seen.current
    return _choose_of(seen.kind)(seen, actions)


def greedy_policy(state: State, seat: Seat, rng: random.Random) -> Action:
    """Chooses greedily."""
    return greedy(state.observation(seat), state.legal_actions(seat))


def random_policy(state: State, seat: Seat, rng: random.Random) -> Action:
    """Chooses any action, all equally likely."""
    actions = state.legal_actions(seat)
    return actions[int(rng.random() * len(actions))]
