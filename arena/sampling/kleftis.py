"""Samples Kleftis: the cards that were not played may be anywhere; a played card never returns to a hand."""

from __future__ import annotations

import random
from typing import Any

from arena.cards import DECK, Card
from arena.games.game import Seat, State, Viewer
from arena.games.kleftis import KleftisState
from arena.games.kleftis_values import Played, Secured
from arena.sampling.hidden import Unseen
from arena.sampling.sampler import Draw, Sampler, dealt_anew


class KleftisSampler(Sampler):
    """Permutes the cards that were not played over hands and stock."""

    def __init__(self, options: Any, seats: int, viewer: Viewer, starter: Seat) -> None:
        super().__init__(options, seats, viewer, starter)
        self._secured: list[tuple[Card, ...]] = [()] * seats
        self._groups = 0

    def tell(self, event: Any) -> None:
        if isinstance(event, Secured):
            self._secured[event.seat] += event.cards
        elif isinstance(event, Played):
            self._groups += 1

    def _pool(self, seen: Any) -> list[Card]:
        shown = {card for cards in self._secured for card in cards}
        shown.update(card for board in seen.dashboards for group in board.groups for card in group.cards)
        return [card for card in DECK if card not in shown and card not in seen.hand]

    def hidden(self, seen: Any) -> Unseen | None:
        if seen.to_act != self.viewer:
            return None
        secured = sum(1 << card for cards in self._secured for card in cards)
        return Unseen([[]] * self.seats, [*seen.hand_sizes], self._pool(seen), memory=[[secured]])

    def draws(self, seen: Any) -> Draw:
        options, starter, secured, groups = self.options, self.starter, self._secured.copy(), self._groups
        pool = self._pool(seen)

        def draw(rng: random.Random) -> State:
            hands, stock = dealt_anew(seen, pool, rng)
            return KleftisState.as_seen(seen, options, starter, hands, stock, secured.copy(), groups)

        return draw
