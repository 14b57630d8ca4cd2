"""Samples Hyrule: played and discarded cards are known; all others may be anywhere.

Under chance rules no seat is told which others have sealed. So the drawn position has
no sealed card: every choice of the others is still possible.
"""

from __future__ import annotations

import random
from typing import Any

from arena.cards import ALL_CARDS, Card
from arena.games.game import State
from arena.games.hyrule import ChanceRules, HyruleState, Strategy
from arena.sampling.hidden import Unseen
from arena.sampling.sampler import Draw, Sampler, dealt_anew


class HyruleSampler(Sampler):
    """Permutes the cards that were not played or discarded over hands and stock."""

    def hidden(self, seen: Any) -> Unseen | None:
        if seen.to_act not in (self.viewer, None):
            return None
        return Unseen([[]] * self.seats, [*seen.hand_sizes], _pool(seen))

    def draws(self, seen: Any) -> Draw:
        options = self.options
        rules: type[HyruleState] = Strategy if options.mode == "strategy" else ChanceRules
        pool = _pool(seen)

        def draw(rng: random.Random) -> State:
            hands, stock = dealt_anew(seen, pool, rng)
            return rules.as_seen(seen, options, hands, stock)

        return draw


def _pool(seen: Any) -> list[Card]:
    shown = {*seen.hand, *seen.played, *seen.discards, *(played.card for played in seen.trick)}
    return [card for card in ALL_CARDS if card not in shown]
