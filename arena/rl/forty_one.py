"""Turns Forty-one into numbers for training: 55 actions; by card the hand, discards and takings."""

from __future__ import annotations

from arena.cards import DECK
from arena.games.forty_one_values import Discard, DrawStock, EndPlay, Observation, TakeDiscard
from arena.rl.encoding import Arrays, Encoding, Field, Listed, by_seat, cards, number, seats


class FortyOneEncoding(Encoding):
    """0 draws from the stock, 1 takes the discard, 2 ends play, 2 + c discards card number c."""

    game = "forty-one"
    phases = ("draw", "discard", "over")
    listed = Listed((DrawStock(), TakeDiscard(), EndPlay(), *map(Discard, DECK)))
    actions = len(listed.actions)

    def own_fields(self) -> dict[str, Field]:
        count = self.seats
        stall = self.options.stall * count
        return {
            "hand": cards("the own hand, by card number less 1, with the card drawn"),
            "drawn": cards("the card drawn or taken this turn, where one is to be discarded"),
            "top": Field((52,), "the discard that may be taken"),
            "lying": Field((52,), "the discards that nobody took"),
            "thrown": Field((count, 52), "by seat, the cards that it ever discarded"),
            "took": Field((count, 52), "by seat, the cards in its hand that it took from the discards"),
            "hand_sizes": by_seat(count, "by seat, the cards in each hand", 5),
            "stock": number("the cards left in the stock", 52),
            "discards": Field((1,), "how many discards there were", 52 * stall + 1),
            "stalled": number("the turns in a row without a draw from the stock", stall),
            "starter": seats(count, "the seat that started the deal"),
        }

    def fill(self, seen: Observation, arrays: Arrays) -> None:
        assert seen.seat is not None
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
        arrays["discards"][0] = len(seen.discards)
