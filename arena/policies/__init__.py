"""Simple ways to play every game, to play positions out by.

A policy chooses for a seat in a position: `policy(state, seat, rng)`. It is called where there is
a choice. One that plays fair looks at `state.observation(seat)` and `state.legal_actions(seat)` alone.
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
"""How greed chooses in one game, from what is seen of a deal and what is legal; it needs no memory."""

GREEDY: Final[Mapping[str, Choose]] = PerGame("greedy")
"""How greed chooses in each game, by game id."""


@cache
def _choose_of(kind: str) -> Choose:
    """How greed chooses where observations are of a kind, which is the game's id but for its hyphens."""
    return GREEDY[kind.replace("_", "-")]


def greedy(seen: Any, actions: Sequence[Action]) -> Action:
    """What looks best right now, by one simple idea for each game.

    Args:
        seen: an observation, also that of a series.
        actions: the legal actions.

    Raises MissingPart where the game has no greedy policy.
    """
    if isinstance(seen, SeriesObservation):
        seen = seen.current
    return _choose_of(seen.kind)(seen, actions)


def greedy_policy(state: State, seat: Seat, rng: random.Random) -> Action:
    """Chooses greedily."""
    return greedy(state.observation(seat), state.legal_actions(seat))


def random_policy(state: State, seat: Seat, rng: random.Random) -> Action:
    """Chooses any action, each as likely as every other."""
    actions = state.legal_actions(seat)
    return actions[int(rng.random() * len(actions))]
