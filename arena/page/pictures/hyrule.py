"""Hyrule: a slot for each seat's card of the trick, and why it is won.

Where cards are sealed nothing of it is shown, nor who has sealed (H18): the
slots stay empty until all cards turn over at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from arena.cards import JOKERS, Card, Suit
from arena.games.hyrule import trick_winner
from arena.page.pictures.picture import Picture, Places, Sight, of_hands


class HyrulePicture(Picture):
    """See `Picture`."""

    tones: ClassVar[Mapping[str, str]] = {"trick_won": "win", "swapped": "claim", "deal_ended": "win"}

    def __init__(self, seats: int, options: Any) -> None:
        super().__init__(seats, options)
        self._trick: list[tuple[int, Card]] = []
        self._won: int | None = None

    def begin_step(self) -> None:
        if self._won is not None:
            self._trick, self._won = [], None

    def tell(self, event: Any) -> None:
        match event.kind:
            case "dealt":
                self._trick, self._won = [], None
            case "played":
                self._trick.append((event.seat, event.card))
            case "trick_won":
                self._won = event.seat

    def places(self, sight: Sight) -> Places:
        seen = sight.public
        places = of_hands(sight)
        order = {seat: number for number, (seat, _) in enumerate(self._trick)}
        cards = dict(self._trick)
        best, why = self._best()
        for seat in range(self.seats):
            places[f"slot.{seat}"] = int(cards[seat]) if seat in cards else None
            places[f"order.{seat}"] = order.get(seat)
            places[f"captured.{seat}"] = seen.captured[seat]
        places["best"], places["why"] = best, why
        places["won"] = self._won
        places["leader"] = None if seen.phase == "over" else seen.leader
        places["tallest"] = seen.tallest
        places["sealing"] = seen.phase == "seal"
        places["stock"] = seen.stock
        places["discards"] = list(map(int, seen.discards))
        places["act"] = seen.to_act
        return places

    def _best(self) -> tuple[int | None, str]:
        """Who is winning the trick, or has won it, and why."""
        if not self._trick:
            return None, ""
        cards = [card for _, card in self._trick]
        winner = trick_winner(cards, last_joker=self.options.double_joker == "last")
        seat = next(seat for seat, card in self._trick if card == winner)
        return seat, _reason(winner, cards)


def _reason(winner: Card, cards: list[Card]) -> str:
    if len(cards) == 1:
        return "the only card so far"
    if max(cards) >= JOKERS[0]:
        return "the joker beats all but a five" if winner.suit is None else "a five beats the joker"
    suits = {card.suit for card in cards}
    if winner.suit is Suit.HEARTS and Suit.DIAMONDS in suits:
        return "hearts beat diamonds"
    name = winner.suit.name.lower() if winner.suit is not None else ""
    if sum(card.suit is winner.suit for card in cards) > 1:
        return f"the highest of {name}"
    return f"{name} are the highest suit here"
