"""Plays sampled positions to their end by a policy, and compares the actions of a seat in them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from arena.games.game import Action, Outcome, Seat, State
from arena.policies import ENGINE_POLICIES, by_engine
from arena.results import seat_scores
from arena.sampling.native import EngineDraw, places
from arena.sampling.sampler import Draw

if TYPE_CHECKING:  # a bot that tries no actions never loads numpy
    import numpy as np
    from numpy.typing import NDArray

Policy = Callable[[State, Seat, random.Random], Action]
"""A function that chooses for a seat of a position, which has at least two legal actions."""


def playout(state: State, policy: Policy, rng: random.Random) -> Outcome:
    """The outcome of a position if every seat plays by a policy; does not change the position.

    Args:
        state: the position.
        policy: chooses for a seat that has a choice.
        rng: the policy's random numbers.
    """
    if (name := _engine_name(policy)) and by_engine(state):
        position: Any = state
        outcome: Outcome = position.playout(name, rng.getrandbits(64))
        return outcome
    return _play_on(state.clone(), policy, rng)


def try_actions(
    draw: Draw,
    seat: Seat,
    actions: Sequence[Action],
    policy: Policy,
    rng: random.Random,
    samples: int = 100,
    seconds: float | None = None,
) -> NDArray[np.float64]:
    """Tries actions of a seat: each one in the same sampled positions, which are then played to their end.

    All actions of a sample have the same luck: the policy's random numbers and the later chance of the
    position begin in the same way after each of them.

    Args:
        draw: draws a position in which the seat is to act, such as `new_sampler(...).draws(seen)`.
        seat: the seat.
        actions: legal actions of the seat.
        policy: chooses for every seat after the action.
        rng: the random numbers of samples, policy and chance.
        samples: the number of sampled positions, at least 1.
        seconds: begins no further sample after so many seconds; the first is always tried.
            None for no limit.

    Returns the seat's scores, an array with a row for each sample that was tried and a column for each
    action: the share of opponents that it beat, ties half, from 0 to 1.

    Raises ValueError if `samples` is below 1, and IllegalAction for an action that is not legal.
    """
    import numpy as np

    if samples < 1:
        raise ValueError(f"actions are tried in at least 1 sample, not {samples}")
    if (name := _engine_name(policy)) and isinstance(draw, EngineDraw) and draw.draws.seat == seat:
        draws = draw.draws
        wanted = places(draws.legal_actions(), actions, draw(random.Random(0)), seat)
        flat = draws.try_actions(wanted, name, rng.getrandbits(64), samples, seconds)
        return np.array(flat).reshape(-1, len(actions)) if actions else np.zeros((samples, 0))
    end = None if seconds is None else monotonic() + seconds
    scores: list[list[float]] = []
    luck = random.Random(0)
    for _ in range(samples):
        if scores and end is not None and monotonic() >= end:
            break
        luck.seed(rng.getrandbits(64))
        state = draw(luck)
        chance, choices = rng.getrandbits(64), rng.getrandbits(64)
        scores.append([])
        for action in actions:
            tried = state.clone()
            luck.seed(chance)  # the later chance of the position, and of its copies
            tried.apply(seat, action)
            outcome = _play_on(tried, policy, random.Random(choices))
            scores[-1].append(float(seat_scores(outcome.places)[seat]))
    return np.array(scores).reshape(len(scores), len(actions))


def _engine_name(policy: Policy) -> str | None:
    """The engine's name of a policy, if it has it."""
    return next((name for known, name in ENGINE_POLICIES.items() if known is policy), None)


def _play_on(state: State, policy: Policy, rng: random.Random) -> Outcome:
    while to_act := state.to_act:
        seat = to_act[0]
        actions = state.legal_actions(seat)
        state.apply(seat, actions[0] if len(actions) == 1 else policy(state, seat, rng))
    outcome = state.outcome
    assert outcome is not None, "no seat is to act, so the game is over"
    return outcome
