"""Hyrule: 54 cards to play, and by the strategy rules 54 to swap; everything is told by card."""

from __future__ import annotations

from typing import Any

from arena.cards import ALL_CARDS
from arena.games.game import Action
from arena.games.hyrule_values import Observation, Play, Swap
from arena.rl.encoding import Arrays, Encoding, Field, Listed, from_seat

_CARDS = len(ALL_CARDS)
_LISTED = Listed((*map(Play, ALL_CARDS), *map(Swap, ALL_CARDS)))


class HyruleEncoding(Encoding):
    """c - 1 plays or seals card number c; by the strategy rules 53 + c swaps it."""

    game = "hyrule"
    phases = ("open", "follow", "seal", "over")

    def __init__(self, seats: int, options: Any) -> None:
        super().__init__(seats, options)
        self.actions = 2 * _CARDS if options.mode == "strategy" else _CARDS

    def most_deals(self) -> int:
        return int(self.options.series + self.options.runoff)

    def own_fields(self) -> dict[str, Field]:
        seats = self.seats
        return {
            "hand": Field((_CARDS,), "the own hand, by card number less 1"),
            "trick": Field((seats, _CARDS), "by seat, the card that it played to the current trick"),
            "played": Field((_CARDS,), "the cards of all finished tricks"),
            "discards": Field((_CARDS,), "the cards discarded by swaps"),
            "hand_sizes": Field((seats,), "by seat, the cards in each hand", 7),
            "captured": Field((seats,), "by seat, the cards captured", 7 * seats),
            "stock": Field((1,), "the cards left in the stock", _CARDS),
            "leader": Field((seats,), "the seat that opened, or is to open, the trick"),
            "tallest": Field((seats,), "the seat that leads when captures are equal"),
            "to_act": Field((seats,), "the seat to act; nobody while all seal"),
            "swapped": Field((1,), "whether the opener swapped"),
            "must_lead": Field((1,), "whether the seat to act leads because the opener swapped"),
        }

    def meaning(self, number: int) -> str:
        return str(_LISTED.actions[: self.actions][number])

    def number_in(self, seen: Observation, action: Action) -> int:
        return _LISTED.places[action]

    def fill(self, seen: Observation, arrays: Arrays) -> None:
        assert seen.seat is not None
        for name, cards in (("hand", seen.hand), ("played", seen.played), ("discards", seen.discards)):
            for card in cards:
                arrays[name][card - 1] = 1
        for played in seen.trick:
            arrays["trick"][(played.seat - seen.seat) % self.seats, played.card - 1] = 1
        for name, seat in (("leader", seen.leader), ("tallest", seen.tallest), ("to_act", seen.to_act)):
            if seat is not None:
                arrays[name][(seat - seen.seat) % self.seats] = 1
        arrays["hand_sizes"][:] = from_seat(seen.seat, seen.hand_sizes)
        arrays["captured"][:] = from_seat(seen.seat, seen.captured)
        arrays["stock"][0] = seen.stock
        arrays["swapped"][0], arrays["must_lead"][0] = seen.swapped, seen.must_lead
