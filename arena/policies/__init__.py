"""Simple ways to play every game, to play positions out by.

A policy chooses for a seat in a position: `policy(state, seat, rng)`. It is called where there is
a choice. One that plays fair looks at `state.observation(seat)` and `state.legal_actions(seat)` alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from arena.games.game import Action, Seat, State
from arena.games.series import SeriesObservation
from arena.policies import forty_one, hyrule, kleftis, nur_mut, nyuri

GREEDY: Final[dict[str, Callable[[Any, Sequence[Any]], Action]]] = {
    "nyuri": nyuri.choose,
    "forty-one": forty_one.choose,
    "nur-mut": nur_mut.choose,
    "kleftis": kleftis.choose,
    "hyrule": hyrule.choose,
}
"""How greed chooses in each game, from what is seen of a deal and what is legal; it needs no memory."""


def greedy(seen: Any, actions: Sequence[Action]) -> Action:
    """What looks best right now, by one simple idea for each game.

    Args:
        seen: an observation, also that of a series.
        actions: the legal actions.
    """
    if isinstance(seen, SeriesObservation):
        seen = seen.current
    return GREEDY[seen.kind.replace("_", "-")](seen, actions)


def greedy_policy(state: State, seat: Seat, rng: random.Random) -> Action:
    """Chooses greedily."""
    return greedy(state.observation(seat), state.legal_actions(seat))


def random_policy(state: State, seat: Seat, rng: random.Random) -> Action:
    """Chooses any action, each as likely as every other."""
    actions = state.legal_actions(seat)
    return actions[int(rng.random() * len(actions))]
