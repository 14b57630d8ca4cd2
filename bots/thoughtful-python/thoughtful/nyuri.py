"""Nyuri, thoughtfully: lay the pile that the others are least likely to be able to steal.

Whoever shows, steals or takes back a card holds it for all to know. The other
unseen cards lie anywhere; from that follow the odds of every sum that a seat
could show in a suit. High cards are kept back where the odds allow, for they
steal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any

from arena.bot import TableInfo
from arena.cards import DECK, Card, Suit
from arena.games.nyuri_actions import SMALL_PILE
from arena.games.nyuri_values import (
    VALUES,
    Claimed,
    NyuriAction,
    Observation,
    Penalty,
    Pile,
    Place,
    Placed,
    Steal,
    Stole,
    worth,
)
from thoughtful.player import Player

KEEP_HIGH = 0.03
"""What a point of a card's value is worth in the hand rather than on the table, in cards."""


class NyuriPlayer(Player):
    """Plays a deal of Nyuri; it remembers which cards others are known to hold."""

    def __init__(self, table: TableInfo) -> None:
        super().__init__(table)
        self._holder: dict[Card, int] = {}
        self._swing = 1 + 1 / (table.seats - 1)  # what one loses to another is gained by a rival

    def told(self, event: Any) -> None:
        match event:
            case Placed(seat, _, _, taken_back):
                self._hold(seat, taken_back)
            case Claimed(seat, _, cards):
                self._hold(seat, cards)
            case Stole(seat, _, pile, cards):
                self._hold(seat, (*pile, *cards))
            case Penalty(_, owner, card) if card is not None:
                self._hold(owner, (card,))

    def _hold(self, seat: int, cards: Sequence[Card]) -> None:
        self._holder.update(dict.fromkeys(cards, seat))

    def choose(self, seen: Observation, actions: Sequence[NyuriAction]) -> NyuriAction:
        if seen.phase == "steal":
            return max(actions, key=lambda action: self._gain(seen, action))
        assert seen.seat is not None
        lying = seen.piles[seen.seat]
        hidden = self._hidden(seen)

        @cache
        def sums(suit: Suit | None, limit: int) -> list[dict[int, float]]:
            """For each other seat, how likely each sum is to be the most that it can show."""
            return [best_sums(chances, suit, limit) for chances in hidden]

        def risk(action: NyuriAction) -> float:
            """What a pile is likely to cost, in cards."""
            pile = cards_of(Pile(action.base, action.guard) if isinstance(action, Place) else lying)
            bar, suit = worth(pile), pile[0].suit
            by_two = some_above(bar, sums(suit, 2))
            by_three = some_above(bar, sums(suit, 3)) - by_two if bar > SMALL_PILE else 0.0
            loss = by_two * len(pile) + by_three * (len(pile) - 1)  # N13: three cards shown cost one
            return self._swing * loss + KEEP_HIGH * bar

        return min(actions, key=risk)

    def _gain(self, seen: Observation, action: NyuriAction) -> tuple[float, int, int]:
        """What a steal turn is worth in cards, and how little it shows."""
        if not isinstance(action, Steal):
            return 1, 0, 0
        price = (len(action.cards) == 3) + len(action.cards) * self.table.options.spend_cards  # N13, N6
        net = len(cards_of(seen.piles[action.owner])) - price
        bid = worth(action.cards)  # where others may overbid (N7), the higher the better
        return net * self._swing, -len(action.cards), bid if self.table.seats > 2 else -bid

    def _hidden(self, seen: Observation) -> list[dict[Card, float]]:
        """For each other seat, the cards it may hold, each with its chance."""
        lying = {card for pile in seen.piles for card in cards_of(pile)}
        hidden = [card for card in DECK if card not in lying | {*seen.hand, *seen.spent}]
        others = [seat for seat in range(len(seen.piles)) if seat != seen.seat]
        known = {card: self._holder[card] for card in hidden if self._holder.get(card) in others}
        anywhere = len(hidden) - len(known)
        chances = []
        for seat in others:
            unknown = max(0, seen.hand_sizes[seat] - list(known.values()).count(seat))
            chance = min(1.0, unknown / max(1, anywhere))
            chances.append({card: float(known[card] == seat) if card in known else chance for card in hidden})
        return chances


def best_sums(chances: dict[Card, float], suit: Suit | None, limit: int) -> dict[int, float]:
    """How likely each value is to be the most that a seat can show with `limit` cards of a suit."""
    odds = {(0, 0): 1.0}  # by the cards shown and their sum, going through the suit from the top
    for card in sorted(chances, key=VALUES.__getitem__, reverse=True):
        if card.suit is not suit or not chances[card]:
            continue
        then: dict[tuple[int, int], float] = defaultdict(float)
        for (shown, total), chance in odds.items():
            if shown == limit:
                then[shown, total] += chance
            else:
                then[shown, total] += chance * (1 - chances[card])
                then[shown + 1, total + VALUES[card]] += chance * chances[card]
        odds = then
    sums: dict[int, float] = defaultdict(float)
    for (_, total), chance in odds.items():
        sums[total] += chance
    return sums


def some_above(bar: int, seats: Sequence[dict[int, float]]) -> float:
    """The chance that some seat can show more than `bar`."""
    return 1 - prod(sum(chance for total, chance in sums.items() if total <= bar) for sums in seats)


def cards_of(pile: Pile) -> tuple[Card, ...]:
    """The cards that lie in a pile."""
    return tuple(card for card in pile if card is not None)
