"""The legal actions of Nyuri: all placements and all steals, in the documented order.

These are pure functions of the cards. They are most of the work of a game, so the actions for a set
of ranks, which are the same in every suit, are computed once and cached. A set of
cards is a number here: bit `1 << card` for each card in it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations
from typing import Final

from arena.cards import ACE, DECK, KING, Card
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
"""The highest total of a pile that may be claimed by at most two cards (N3)."""

LEAVE: Final = Leave()
DRAW: Final = Draw()


def card_set(cards: Iterable[Card]) -> int:
    """Some cards as a set."""
    return sum([1 << card for card in cards])


pile_set: Final[Callable[[Cards], int]] = cache(card_set)
"""Up to three cards of one suit as a set."""


def placements(owned: int, pile: Cards, reuse_base: bool) -> list[NyuriAction]:
    """A placer's legal actions: leave first if there is a pile, then by base and guard, no guard first.

    Args:
        owned: the set of the cards in the placer's hand and pile.
        pile: the pile, which goes back to the hand if another is laid; empty for none.
        reuse_base: whether its base may be the new base (N12).
    """
    actions: list[NyuriAction] = [LEAVE] if pile else []
    for suit in range(4):
        ranks = owned >> 13 * suit & _ALL_RANKS
        if ranks:
            fresh = _placements_of_suit(suit, ranks)
            if pile and suit == pile[0].suit:
                if reuse_base:
                    same = Place(pile[0], pile[1] if len(pile) == 2 else None)
                    fresh = [place for place in fresh if place != same]  # N20
                else:
                    fresh = [place for place in fresh if place.base is not pile[0]]  # N12
            actions += fresh
    return actions


def draw_and_steals(
    seat: Seat, owned: int, piles: Sequence[Cards], claims: Sequence[Claim]
) -> list[NyuriAction]:
    """A seat's legal actions in its steal turn: draw (N9), then steals by owner, number of cards, cards.

    Args:
        seat: the seat, whose own pile cannot be stolen.
        owned: the set of the cards in its hand and pile.
        piles: the pile of each seat, base first; empty for none.
        claims: the claims made in this window, oldest first.
    """
    actions: list[NyuriAction] = [DRAW]
    held = owned - pile_set(piles[seat])
    for owner, pile in enumerate(piles):
        if not pile or owner == seat:  # N11
            continue
        suit = (pile[0] - 1) // 13
        ranks = held >> 13 * suit & _ALL_RANKS  # N2
        if not ranks:
            continue
        bar = worth(pile)  # N5
        worths, numbers = _shows_of(ranks, 2 if bar <= SMALL_PILE else 3)  # N3
        for claim in claims:
            if claim.owner == owner:
                bar = worth(claim.cards)  # N7: each claim on a pile is higher than the one before
        steals = _steals(owner, suit)
        actions += map(steals.__getitem__, sorted(numbers[bisect_right(worths, bar) :]))  # N4
    return actions


_RANKS: Final = range(ACE, KING + 1)
_ALL_RANKS: Final = sum(1 << rank for rank in _RANKS)

# A rank is the number of its card in the first suit. The piles of the cards of a suit, and
# their sets of up to three cards, are numbered in the documented order.
_PILES: Final = [
    (base, guard) for base in _RANKS for guard in (0, *_RANKS) if not guard or VALUES[guard] > VALUES[base]
]
_PILE_NUMBERS: Final = {
    base: {guard: number for number, (other, guard) in enumerate(_PILES) if other == base} for base in _RANKS
}
_SHOWS: Final = [shown for size in (1, 2, 3) for shown in combinations(_RANKS, size)]
_SHOW_NUMBERS: Final = {shown: number for number, shown in enumerate(_SHOWS)}
_WORTHS: Final = [sum([VALUES[rank] for rank in shown]) for shown in _SHOWS]

_LOW: Final = [[rank for rank in range(7) if ranks >> rank & 1] for ranks in range(1 << 7)]
_HIGH: Final = [[rank + 7 for rank in range(7) if ranks >> rank & 1] for ranks in range(1 << 7)]
"""The ranks in a set of the lower ranks, and of the higher ranks: looking up is faster than searching."""


def _card(suit: int, rank: int) -> Card:
    return DECK[13 * suit + rank - 1]


_PLACES: Final = [
    [Place(_card(suit, base), _card(suit, guard) if guard else None) for base, guard in _PILES]
    for suit in range(4)
]


@cache
def _steals(owner: Seat, suit: int) -> Sequence[Steal]:
    """The steals from a seat by cards of a suit, in the order of `_SHOWS`."""
    return [Steal(owner, tuple([_card(suit, rank) for rank in shown])) for shown in _SHOWS]


# There are 2^13 sets of ranks, so these caches are bounded: 30 MB for all of them. A set
# has often been computed for another suit.


@cache
def _placements_of_suit(suit: int, ranks: int) -> Sequence[Place]:
    """The piles that cards of one suit can make."""
    return [*map(_PLACES[suit].__getitem__, _piles_of(ranks))]


@cache
def _piles_of(ranks: int) -> Sequence[int]:
    """The numbers of the piles that some ranks can make."""
    held = _listed(ranks)
    guards = [0, *held]
    return [row[guard] for row in map(_PILE_NUMBERS.__getitem__, held) for guard in guards if guard in row]


@cache
def _shows_of(ranks: int, limit: int) -> tuple[Sequence[int], Sequence[int]]:
    """The sets of up to `limit` ranks, by worth: their worths, and their numbers."""
    held = _listed(ranks)
    shown = [show for size in range(1, limit + 1) for show in combinations(held, size)]
    numbers = sorted(map(_SHOW_NUMBERS.__getitem__, shown), key=_WORTHS.__getitem__)
    return [*map(_WORTHS.__getitem__, numbers)], numbers


def _listed(ranks: int) -> list[int]:
    return _LOW[ranks & 0x7F] + _HIGH[ranks >> 7]
