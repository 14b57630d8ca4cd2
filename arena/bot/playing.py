"""Playing a position to its end."""

from __future__ import annotations

import random
from collections.abc import Callable

from arena.games.game import Action, Outcome, Seat, State

Policy = Callable[[State, Seat, random.Random], Action]
"""Chooses for a seat of a position, which has at least two legal actions."""


def playout(state: State, policy: Policy, rng: random.Random) -> Outcome:
    """How a position ends when every seat plays by a policy; the position stays as it is.

    Args:
        state: the position.
        policy: what chooses for a seat that has a choice.
        rng: its random numbers.
    """
    state = state.clone()
    while to_act := state.to_act:
        seat = to_act[0]
        actions = state.legal_actions(seat)
        state.apply(seat, actions[0] if len(actions) == 1 else policy(state, seat, rng))
    outcome = state.outcome
    assert outcome is not None, "nobody is to act, so the game is over"
    return outcome
