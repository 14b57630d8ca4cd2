"""Forty-one: hands with their suit and score, the stock, and the discards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from arena.cards import SUIT_SYMBOLS, Card, card
from arena.games.forty_one import card_value, hand_values
from arena.games.game import Event
from arena.page.pictures.picture import Picture, Places, Sight, of_hands

_SHOWN = 6  # the last discards that are shown


class FortyOnePicture(Picture):
    """See `Picture`."""

    tones: ClassVar[Mapping[str, str]] = {"play_ended": "win", "shown": "win", "deal_ended": "win"}

    def __init__(self, seats: int, options: object) -> None:
        super().__init__(seats, options)
        self._shown: dict[int, tuple[Card, ...]] = {}
        self._drawn: int | None = None

    def tell(self, event: Event) -> None:
        match event.kind:
            case "dealt":
                self._shown.clear()
            case "shown":
                self._shown[event.seat] = event.cards  # type: ignore[attr-defined]  # of this kind
            case "drew_stock" | "took_discard":
                drawn: Card | None = event.card  # type: ignore[attr-defined]  # of these kinds
                self._drawn = None if drawn is None else int(drawn)
            case "discarded":
                self._drawn = None

    def places(self, sight: Sight) -> Places:
        seen = sight.public
        places = of_hands(sight)
        for seat, cards in self._shown.items():
            places[f"hand.{seat}"] = list(map(int, cards))
        acting = None if seen.phase == "over" else (seen.starter + len(seen.discards)) % self.seats
        for seat in range(self.seats):
            hand = places[f"hand.{seat}"]
            drawn = self._drawn if seat == acting and seen.phase == "discard" else None
            places[f"drawn.{seat}"] = drawn if hand is not None else None
            held = [] if hand is None else [card(each) for each in hand if each != drawn]
            places[f"score.{seat}"] = sum(hand_values(held)) if held else None
            suit = _counting_suit(held) if held else None
            places[f"suit.{seat}"] = None if suit is None else SUIT_SYMBOLS[suit]
            places[f"against.{seat}"] = [int(each) for each in held if each.suit is not suit]
        first = max(0, len(seen.discards) - _SHOWN)
        places["discards"] = [
            {"card": int(each), "taken": taken, "seat": (seen.starter + first + number) % self.seats}
            for number, (each, taken) in enumerate(
                zip(seen.discards[first:], seen.taken[first:], strict=True)
            )
        ]
        places["takable"] = bool(seen.phase == "draw" and seen.discards and not seen.taken[-1])
        places["stock"] = seen.stock
        places["act"] = acting
        places["open"] = bool(self._shown)
        return places


def _counting_suit(hand: list[Card]) -> int | None:
    """The suit that counts for the holder."""

    def score(suit: int | None) -> tuple[int, tuple[int, ...]]:
        values = sorted(card_value(each) if each.suit == suit else -card_value(each) for each in hand)
        return sum(values), tuple(values)

    return max({each.suit for each in hand}, key=score)
