"""Samples Forty-one: a discard that a seat took stays in its hand until discarded; others may be anywhere.

The observation says who took which discard, so events need not be stored.
"""

from __future__ import annotations

import random
from typing import Any

from arena.cards import DECK, Card
from arena.games.forty_one import FortyOneState
from arena.games.game import Seat, State
from arena.sampling.hidden import Unseen
from arena.sampling.sampler import Draw, Sampler, hands_of


class FortyOneSampler(Sampler):
    """Permutes the cards that were not shown over hands, drawn card and stock."""

    def hidden(self, seen: Any) -> Unseen | None:
        acting = (seen.starter + len(seen.discards)) % self.seats
        if acting != self.viewer:
            return None
        known, _, pool, _ = self._known(seen, acting)
        known[acting] = []
        return Unseen(known, [*seen.hand_sizes], pool)

    def _known(self, seen: Any, acting: Seat) -> tuple[list[list[Card]], Card | None, list[Card], list[int]]:
        """The known cards of each hand, the drawn card, the cards not shown, and how many each hand lacks."""
        seats, viewer = self.seats, self.viewer
        discards: tuple[Card, ...] = seen.discards
        known: list[list[Card]] = [hand or [] for hand in hands_of(seen)]
        drawn: Card | None = seen.drawn
        if drawn is not None:
            known[acting].remove(drawn)
        lies = {card: turn for turn, card in enumerate(discards)}  # the last time counts
        for card, turn in lies.items():
            taker = (seen.starter + turn + 1) % seats
            if not seen.taken[turn] or taker == viewer:
                continue
            if turn + 1 == len(discards):  # taken in the running turn
                drawn = card
            else:
                known[taker].append(card)
        shown = {*discards, *(card for hand in known for card in hand)}
        if drawn is not None:
            shown.add(drawn)
        pool = [card for card in DECK if card not in shown]
        missing = [size - len(hand) for size, hand in zip(seen.hand_sizes, known, strict=True)]
        if seen.phase == "discard":
            missing[acting] -= 1
        return known, drawn, pool, missing

    def draws(self, seen: Any) -> Draw:
        options = self.options
        acting = (seen.starter + len(seen.discards)) % self.seats
        known, drawn, pool, missing = self._known(seen, acting)
        blind = seen.phase == "discard" and drawn is None

        def draw(rng: random.Random) -> State:
            stock = pool.copy()
            rng.shuffle(stock)
            hands = []
            for hand, count in zip(known, missing, strict=True):
                if count:
                    hands.append(sorted(hand + stock[-count:]))
                    del stock[-count:]
                else:
                    hands.append(sorted(hand))
            return FortyOneState.as_seen(seen, options, hands, stock.pop() if blind else drawn, stock)

        return draw
