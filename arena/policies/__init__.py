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
    if by_engine(state):
        return chosen(state, seat, "greedy", rng)
    return greedy(state.observation(seat), state.legal_actions(seat))


def random_policy(state: State, seat: Seat, rng: random.Random) -> Action:
    """Chooses any action, all equally likely."""
    actions = state.legal_actions(seat)
    return actions[int(rng.random() * len(actions))]


def thoughtful_policy(state: State, seat: Seat, rng: random.Random) -> Action:
    """Chooses as the bot thoughtful does, by memory and odds. Only the native engine has this policy.

    Raises ImportError if the position is not one of the engine: either it is not installed, or it draws
    no positions at this table.
    """
    if not by_engine(state):
        raise ImportError(
            "thoughtful_policy needs positions of the native engine: install it by `pip install ./engine`"
            " in a clone of the arena (it draws none for a spectator)"
        )
    return chosen(state, seat, "thoughtful", rng)


ENGINE_POLICIES: Final[Mapping[Any, str]] = {
    greedy_policy: "greedy",
    random_policy: "random",
    thoughtful_policy: "thoughtful",
}
"""The policies that the native engine has, and the engine's name of each."""


def by_engine(state: Any) -> bool:
    """Whether a position is one of the native engine, which chooses and plays on by itself."""
    return type(state).__module__ == "arena_engine"


def chosen(state: Any, seat: Seat, policy: str, rng: random.Random) -> Action:
    """What a policy of the engine chooses in a position of the engine."""
    action: Action = state.chosen(seat, policy, rng.getrandbits(64))
    return action
