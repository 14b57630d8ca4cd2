"""What a seat of Nyuri may do with its cards: every placement and every steal, in the documented order.

Pure functions of what lies where. They are most of the work of playing a game,
so what the cards of one suit can do is worked out once and kept. The key of it
is a set of cards written as a number: bit `1 << card` for each card in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from typing import Final

from arena.cards import DECK, Card, Suit
from arena.games.game import Seat
from arena.games.nyuri_values import (
    VALUES,
    Cards,
    Claim,
    Draw,
    Leave,
    NyuriAction,
    Place,
    Steal,
    worth,
)

SMALL_PILE: Final = 10
"""The highest total of a pile that no more than two cards may be shown for (N3)."""

MAX_SEATS: Final = 7  # that a deck can deal to

LEAVE: Final = Leave()
DRAW: Final = Draw()


def placements(hand: Sequence[Card], pile: Cards, reuse_base: bool) -> list[NyuriAction]:
    """What a placer may do: leave first where there is a pile, then by base and guard, no guard first.

    Args:
        hand: the placer's hand.
        pile: its pile, which goes back to the hand if another is laid; empty for none.
        reuse_base: whether its base may be the new base (N12).
    """
    held = _bits(hand) | _bits(pile)
    actions: list[NyuriAction] = [LEAVE] if pile else []
    for suit in _SUITS:
        fresh = _placements_of_suit(held & suit)
        if pile and suit >> pile[0] & 1:
            if reuse_base:
                same = _place(pile[0], pile[1] if len(pile) == 2 else None)
                fresh = [place for place in fresh if place is not same]  # N20
            else:
                fresh = [place for place in fresh if place.base is not pile[0]]  # N12
        actions += fresh
    return actions


def draw_and_steals(
    seat: Seat, hand: Sequence[Card], piles: Sequence[Cards], claims: Sequence[Claim]
) -> list[NyuriAction]:
    """What `seat` may do at its steal turn: draw first (N9), then steals by owner, number of cards, cards.

    Args:
        seat: the seat, whose own pile cannot be stolen.
        hand: its hand.
        piles: the pile of each seat, base first; empty for none.
        claims: the claims made in this window, oldest first.
    """
    held = _bits(hand)
    actions: list[NyuriAction] = [DRAW]
    for owner, pile in enumerate(piles):
        if not pile or owner == seat:  # N11
            continue
        suited = held & _SUIT_OF[pile[0]]  # N2
        if not suited:
            continue
        bar = worth(pile)  # N5
        limit = 2 if bar <= SMALL_PILE else 3  # N3
        for claim in claims:
            if claim.owner == owner:
                bar = worth(claim.cards)  # N7: each claim on a pile is higher than the one before
        actions += [steals[owner] for shown, steals in _shows_of_suit(suited, limit) if shown > bar]  # N4
    return actions


_SUITS: Final = tuple(sum(1 << card for card in DECK if card.suit is suit) for suit in Suit)
_SUIT_OF: Final = (0, *(suit for suit in _SUITS for _ in range(13)))
"""The bits of the suit of each card, by card number."""
_HIGHER: Final = (0, *(sum(1 << card for card in DECK if VALUES[card] > VALUES[base]) for base in DECK))
"""The bits of the cards worth more than each card, by card number."""


def _bits(cards: Iterable[Card]) -> int:
    bits = 0
    for card in cards:
        bits |= 1 << card
    return bits


# There are 4 * 2^13 sets of cards of one suit, so what is kept by them is bounded: 50 MB
# if all were met, a few in thousands of games.


@cache
def _cards(suited: int) -> Cards:
    return tuple(card for card in DECK if suited >> card & 1)


@cache
def _placements_of_suit(suited: int) -> Sequence[Place]:
    """The piles that cards of one suit can make."""
    cards = _cards(suited)
    return [_place(base, guard) for base in cards for guard in (None, *_cards(suited & _HIGHER[base]))]


_place: Final = cache(Place)  # one object for each of the 364 piles


@cache
def _shows_of_suit(suited: int, limit: int) -> Sequence[tuple[int, tuple[Steal, ...]]]:
    """Sets of 1 to `limit` cards of one suit: what each is worth, and the steals that show it, by owner."""
    cards = _cards(suited)
    return [_show(shown) for size in range(1, limit + 1) for shown in combinations(cards, size)]


@cache  # one object for each of the 4 * 377 sets of one suit
def _show(shown: Cards) -> tuple[int, tuple[Steal, ...]]:
    return worth(shown), tuple(Steal(owner, shown) for owner in range(MAX_SEATS))
