"""Hyrule, thoughtfully: odds of winning by counting the cards, and a hand that has an answer to everything.

Playing last is what wins tricks, so a hand is worth the share of the unseen
cards to which it has an answer. The cheapest way to win a trick is the card
without which the hand answers most of what is still to come; and the best card
to throw away, or to swap, is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from arena.cards import ALL_CARDS, Card
from arena.games.hyrule import trick_winner
from arena.games.hyrule_values import Observation, Play, Swap
from thoughtful.player import Player, chance_of_none

SECOND_ANSWER = 0.3
"""A card counts as unanswered at this rate for each card of the hand that answers it."""
READINESS_LAST, READINESS_BEFORE = 0.3, 0.02
"""What the readiness of the hand counts against a sure trick: for the seat that plays last, and others."""

HyruleAction = Play | Swap


class HyrulePlayer(Player):
    """Plays a deal of Hyrule."""

    def choose(self, seen: Observation, actions: Sequence[HyruleAction]) -> HyruleAction:
        trick = [played.card for played in seen.trick]
        gone = {*seen.hand, *seen.played, *seen.discards, *trick}
        unseen = [card for card in ALL_CARDS if card not in gone]
        to_come = self.table.seats - 1 - len(trick)  # where cards are sealed: all others
        held = to_come * len(seen.hand)
        weight = READINESS_BEFORE if to_come else READINESS_LAST

        def worth(action: HyruleAction) -> float:
            ready = readiness([card for card in seen.hand if card != action.card], unseen)
            if isinstance(action, Swap):
                return 1 + ready  # always: it means to play last
            return weight * ready + self._chance_to_win(action.card, trick, unseen, held)

        return max(actions, key=worth)

    def _chance_to_win(self, card: Card, trick: Sequence[Card], unseen: Sequence[Card], held: int) -> float:
        """The chance that a card wins a trick, where the seats to come hold so many of the unseen cards."""
        played = [*trick, card]
        last_joker = self.table.options.double_joker == "last"
        if trick_winner(played, last_joker=last_joker) != card:
            return 0.0
        if not held:
            return 1.0
        beaters = sum(trick_winner([*played, other], last_joker=last_joker) != card for other in unseen)
        return chance_of_none(beaters, len(unseen), held)


def readiness(hand: Sequence[Card], unseen: Sequence[Card]) -> float:
    """To what share of the unseen cards the hand has an answer."""
    answered = sum(1 - SECOND_ANSWER ** sum(beats(card, led) for card in hand) for led in unseen)
    return answered / max(1, len(unseen))


@cache
def beats(card: Card, led: Card) -> bool:
    """Whether a card beats one that was played before it."""
    return trick_winner([led, card]) == card
