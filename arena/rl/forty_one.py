"""Forty-one: 55 actions; hands, and what each seat threw away and took, by card."""

from __future__ import annotations

from arena.cards import DECK
from arena.games.forty_one_values import Discard, DrawStock, EndPlay, Observation, TakeDiscard
from arena.games.game import Action
from arena.rl.encoding import Arrays, Encoding, Field, Listed, from_seat

_LISTED = Listed((DrawStock(), TakeDiscard(), EndPlay(), *map(Discard, DECK)))


class FortyOneEncoding(Encoding):
    """0 draws from the stock, 1 takes the discard, 2 ends play, 2 + c discards card number c."""

    game = "forty-one"
    phases = ("draw", "discard", "over")
    actions = len(_LISTED.actions)

    def most_deals(self) -> int:
        return int(self.options.series)

    def own_fields(self) -> dict[str, Field]:
        seats = self.seats
        stall = self.options.stall * seats
        return {
            "hand": Field((52,), "the own hand, by card number less 1, with the card drawn"),
            "drawn": Field((52,), "the card drawn or taken this turn, where one is to be discarded"),
            "top": Field((52,), "the discard that may be taken"),
            "lying": Field((52,), "the discards that nobody took"),
            "thrown": Field((seats, 52), "by seat, the cards that it ever discarded"),
            "took": Field((seats, 52), "by seat, the cards in its hand that it took from the discards"),
            "hand_sizes": Field((seats,), "by seat, the cards in each hand", 5),
            "stock": Field((1,), "the cards left in the stock", 52),
            "discards": Field((1,), "how many discards there were", 52 * stall + 1),
            "stalled": Field((1,), "the turns in a row without a draw from the stock", stall),
            "starter": Field((seats,), "the seat that started the deal"),
        }

    def meaning(self, number: int) -> str:
        return str(_LISTED.actions[number])

    def number_in(self, seen: Observation, action: Action) -> int:
        return _LISTED.places[action]

    def fill(self, seen: Observation, arrays: Arrays) -> None:
        assert seen.seat is not None
        for card in seen.hand:
            arrays["hand"][card - 1] = 1
        if seen.drawn is not None:
            arrays["drawn"][seen.drawn - 1] = 1
        lying, thrown, took = arrays["lying"], arrays["thrown"], arrays["took"]
        by = (seen.starter - seen.seat) % self.seats
        for card, taken in zip(seen.discards, seen.taken, strict=True):  # each turn ends with a discard
            following = (by + 1) % self.seats
            thrown[by, card - 1] = 1
            took[by, card - 1] = 0
            lying[card - 1] = not taken
            took[following, card - 1] = taken
            by = following
        if seen.discards and not seen.taken[-1]:
            arrays["top"][seen.discards[-1] - 1] = 1
        arrays["hand_sizes"][:] = from_seat(seen.seat, seen.hand_sizes)
        arrays["stock"][0], arrays["discards"][0] = seen.stock, len(seen.discards)
        arrays["stalled"][0] = seen.stalled
        arrays["starter"][(seen.starter - seen.seat) % self.seats] = 1
