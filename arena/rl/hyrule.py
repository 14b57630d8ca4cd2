"""Turns Hyrule into numbers for training: 54 cards to play, and under strategy rules 54 to swap."""

from __future__ import annotations

from typing import Any

from arena.cards import ALL_CARDS
from arena.games.hyrule_values import Observation, Play, Swap
from arena.rl.encoding import Arrays, Encoding, Field, Listed, by_seat, cards, number, seats

_CARDS = len(ALL_CARDS)


class HyruleEncoding(Encoding):
    """c - 1 plays or seals card number c; under strategy rules 53 + c swaps it."""

    game = "hyrule"
    phases = ("open", "follow", "seal", "over")
    listed = Listed((*map(Play, ALL_CARDS), *map(Swap, ALL_CARDS)))
    deal_options = ("series", "runoff")

    def __init__(self, seats: int, options: Any) -> None:
        super().__init__(seats, options)
        self.actions = 2 * _CARDS if options.mode == "strategy" else _CARDS

    def own_fields(self) -> dict[str, Field]:
        count = self.seats
        return {
            "hand": cards("the own hand, by card number less 1", _CARDS),
            "trick": Field((count, _CARDS), "by seat, the card that it played to the current trick"),
            "played": cards("the cards of all finished tricks", _CARDS),
            "discards": cards("the cards discarded by swaps", _CARDS),
            "hand_sizes": by_seat(count, "by seat, the cards in each hand", 7),
            "captured": by_seat(count, "by seat, the cards captured", 7 * count),
            "stock": number("the cards left in the stock", _CARDS),
            "leader": seats(count, "the seat that opened, or is to open, the trick"),
            "tallest": seats(count, "the seat that leads when captures are equal"),
            "to_act": seats(count, "the seat to act; nobody while all seal"),
            "swapped": number("whether the opener swapped"),
            "must_lead": number("whether the seat to act leads because the opener swapped"),
        }

    def fill(self, seen: Observation, arrays: Arrays) -> None:
        assert seen.seat is not None
        for played in seen.trick:
            arrays["trick"][(played.seat - seen.seat) % self.seats, played.card - 1] = 1
