"""Forty-one, thoughtfully: collect one suit, whatever the other cards cost, and stop as soon as it pays.

Play ends for the one who first holds four cards of a suit, and by then no other
card is left to count against him. So on the way only the best suit counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.cards import Card, Suit
from arena.games.forty_one import card_value, hand_values
from arena.games.forty_one_values import Discard, DrawStock, EndPlay, Observation, TakeDiscard
from thoughtful.player import Player

STOP_AT = 22
"""Low, for a rival who does not hold four of a suit yet seldom has as much: only two or three cards count."""
FEEDING = 0.3
"""How much of a discard's value counts against it when the next seat was seen to collect its suit."""

FortyOneAction = DrawStock | TakeDiscard | EndPlay | Discard


class FortyOnePlayer(Player):
    """Plays a deal of Forty-one."""

    def choose(self, seen: Observation, actions: Sequence[FortyOneAction]) -> FortyOneAction:
        if seen.phase == "discard":
            wanted = suit_wanted_next(seen)
            return max(actions, key=lambda action: self._worth_of_discard(seen.hand, action, wanted))
        by_kind = {action.kind: action for action in actions}
        if "end_play" in by_kind and (seen.stock == 0 or sum(hand_values(seen.hand)) >= STOP_AT):
            return by_kind["end_play"]
        if "take_discard" in by_kind:
            five = {*seen.hand, seen.discards[-1]}
            if max(promise(five - {card}) for card in seen.hand) > promise(seen.hand):
                return by_kind["take_discard"]
        return by_kind.get("draw_stock") or actions[0]

    @staticmethod
    def _worth_of_discard(hand: Sequence[Card], action: FortyOneAction, wanted: Suit | None) -> float:
        assert isinstance(action, Discard)
        gift = card_value(action.card) if action.card.suit is wanted else 0
        return promise(set(hand) - {action.card}) - FEEDING * gift


def promise(hand: Iterable[Card]) -> int:
    """What the best suit of a hand is worth, the other cards left out."""
    by_suit = dict.fromkeys(Suit, 0)
    for card in hand:
        assert card.suit is not None
        by_suit[card.suit] += card_value(card)
    return max(by_suit.values())


def suit_wanted_next(seen: Observation) -> Suit | None:
    """The suit of the discard that the next seat took last; None where it took none."""
    seats = len(seen.hand_sizes)
    assert seen.seat is not None
    own = [number for number in range(len(seen.discards)) if (seen.starter + number) % seats == seen.seat]
    return next((seen.discards[number].suit for number in reversed(own) if seen.taken[number]), None)
