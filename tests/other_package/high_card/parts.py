"""How High card is sampled, and how it is played greedily."""

from __future__ import annotations

import random
from collections.abc import Sequence

from arena.games.game import State
from arena.sampling.sampler import Draw, Sampler, dealt_anew

from . import SPADES, HighCardState
from .values import Observation, Play


class HighCardSampler(Sampler):
    """Permutes the cards that were not seen over the hands and the rest."""

    def draws(self, seen: Observation) -> Draw:
        shown = {*seen.hand, *seen.gone, *(played.card for played in seen.trick)}
        pool = [card for card in SPADES if card not in shown]

        def draw(rng: random.Random) -> State:
            return HighCardState.as_seen(seen, *dealt_anew(seen, pool, rng))

        return draw


def choose(seen: Observation, actions: Sequence[Play]) -> Play:
    """The highest card."""
    return max(actions, key=lambda action: action.card.rank)
