"""Turns Nyuri into numbers for training: one for each pile, and for each set of cards that can be shown.

The cards of a pile, and those shown for a steal, are of one suit: there are 364
piles, and 1,508 sets of one to three cards. A steal is numbered by the owner,
counted from the seat that steals, and the set: 366 + 1508 * (seats - 1) actions.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

from arena.cards import DECK, Suit, format_cards
from arena.games.nyuri_values import VALUES, Draw, Leave, NyuriAction, Observation, Place, Steal
from arena.rl.encoding import Arrays, Encoding, Field, Listed, by_seat, cards, from_seat, mark, number, seats

_SUITS: Final = tuple(tuple(card for card in DECK if card.suit is suit) for suit in Suit)
_LISTED: Final = Listed(
    (
        Leave(),
        Draw(),
        *(
            Place(base, guard)
            for cards in _SUITS
            for base in cards
            for guard in (None, *(card for card in cards if VALUES[card] > VALUES[base]))
        ),
    )
)
_SHOWN: Final = Listed(
    tuple(shown for cards in _SUITS for size in (1, 2, 3) for shown in combinations(cards, size))
)
FIRST_STEAL: Final = len(_LISTED.actions)
SETS: Final = len(_SHOWN.actions)


class NyuriEncoding(Encoding):
    """0 leaves, 1 draws, 2 to 365 place; then for each other seat, from the next on, 1,508 steals."""

    game = "nyuri"
    phases = ("place", "steal", "over")
    listed = _LISTED
    deal_options = ("series", "replay")

    def __init__(self, seats: int, options: Any) -> None:
        super().__init__(seats, options)
        self.actions = FIRST_STEAL + SETS * (seats - 1)

    def own_fields(self) -> dict[str, Field]:
        count = self.seats
        return {
            "hand": cards("the own hand, by card number less 1"),
            "base": Field((count, 52), "by seat, the base of its pile"),
            "guard": Field((count, 52), "by seat, the bodyguard of its pile"),
            "claimed": Field((count, count), "by seat, whose pile it claims in this window"),
            "shown": Field((count, 52), "by seat, the cards shown for its claim"),
            "spent": cards("the cards that have left the game"),
            "hand_sizes": by_seat(count, "by seat, the cards in each hand", 52),
            "placer": seats(count, "the seat that placed, or is to place"),
            "to_act": seats(count, "the seat to act"),
            "stock": number("the cards left in the stock", 52),
            "stalled": number(
                "steal turns in a row without a draw from the stock", self.options.stall + 2 * count
            ),
        }

    def meaning(self, number: int) -> str:
        if number < FIRST_STEAL:
            return super().meaning(number)
        owner, place = divmod(number - FIRST_STEAL, SETS)
        return f"steal from the seat {owner + 1} after one's own with {format_cards(_SHOWN.actions[place])}"

    def number_in(self, seen: Observation, action: NyuriAction) -> int:
        if not isinstance(action, Steal):
            return super().number_in(seen, action)
        assert seen.seat is not None
        distance = (action.owner - seen.seat) % self.seats
        return FIRST_STEAL + SETS * (distance - 1) + _SHOWN.places[action.cards]

    def fill(self, seen: Observation, arrays: Arrays) -> None:
        assert seen.seat is not None
        for place, pile in enumerate(from_seat(seen.seat, seen.piles)):
            mark(arrays["base"][place], pile.base, -1)
            mark(arrays["guard"][place], pile.guard, -1)
        for claim in seen.claims:  # each seat makes at most one in a window
            place = (claim.seat - seen.seat) % self.seats
            mark(arrays["claimed"][place], claim.owner, -seen.seat)
            mark(arrays["shown"][place], claim.cards, -1)
