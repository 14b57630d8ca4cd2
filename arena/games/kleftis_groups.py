"""The groups of Kleftis: which cards may join a group, and the new group.

There are about 1,200: 52 single cards, the sets in each order and the runs of each
suit. So results are cached.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final, NamedTuple

from arena.cards import ACE, DECK, KING, RANK_SYMBOLS, Card, Suit, card

BIT: Final = tuple(1 << number for number in range(len(DECK) + 1))
"""By card number, the bit that stands for the card in a set of cards written as one number."""

_COUNTS: Final = ("", "", "pair", "three", "four")
_RANKS: Final = ("", "aces", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens",
                 "jacks", "queens", "kings")  # fmt: skip


@functools.cache
def groups_made(cards: tuple[Card, ...]) -> Mapping[Card, tuple[Card, ...]]:
    """The cards that may join a group, each with the group that it makes (K3, K4).

    A single card is the beginning of a set and of a run (K1); two cards are one
    or the other for good. `cards` and the groups made are runs from low to high
    or sets as they grew, so an ace is low as the first card of a run and high
    as the last.
    """
    first, size = cards[0], len(cards)
    is_set = size > 1 and cards[1].rank == first.rank
    made: dict[Card, tuple[Card, ...]] = {}
    if is_set or size == 1:
        of_rank = (card(13 * suit + first.rank) for suit in Suit)
        made.update({joined: (*cards, joined) for joined in of_rank if joined not in cards})
    if not is_set and size < KING:
        below_ace = first - first.rank  # the number before the suit's ace
        high = first.rank + size - 1  # 14 with a high ace
        if high <= KING:
            above = card(below_ace + (high + 1 if high < KING else ACE))
            made[above] = (*cards, above)
        if first.rank > ACE:  # K17: to 2-...-K the ace joins low, which overwrites high: it is one card
            below = card(below_ace + first.rank - 1)
            made[below] = (below, *cards)
        elif size == 1:
            king = card(below_ace + KING)
            made[king] = (king, *cards)
    return made


@functools.cache
def group_words(cards: tuple[Card, ...]) -> str:
    """A group in words: `9♦`, `pair of nines`, `run 3-4-5 of hearts`, `run 3 to 6 of hearts`."""
    first, size = cards[0], len(cards)
    if size == 1:
        return str(first)
    if cards[1].rank == first.rank:
        return f"pair of {_RANKS[first.rank]}" if size == 2 else f"{_COUNTS[size]} {_RANKS[first.rank]}"
    assert first.suit is not None, "the deck has no joker"
    ranks = [RANK_SYMBOLS[each.rank] for each in cards]
    return f"run {'-'.join(ranks) if size < 4 else f'{ranks[0]} to {ranks[-1]}'} of {first.suit.name.lower()}"


def the_group(cards: tuple[Card, ...]) -> str:
    """The same in a sentence: `9♦`, `the pair of nines`."""
    return group_words(cards) if len(cards) == 1 else f"the {group_words(cards)}"


@functools.cache
def joining_bits(cards: tuple[Card, ...]) -> int:
    """The cards that may join a group, as the sum of their bits."""
    return sum(BIT[joined] for joined in groups_made(cards))


@functools.cache
def cards_of(bits: int) -> tuple[Card, ...]:
    """The cards of a sum of bits, by card number; cached, so only for cards that may join some group."""
    return tuple(card for card in DECK if bits & BIT[card])


class OpenGroup(NamedTuple):
    """An unsecured group; `joining` are the cards that may join it, as the sum of their bits."""

    number: int
    cards: tuple[Card, ...]
    joining: int


def open_group(number: int, cards: tuple[Card, ...]) -> OpenGroup:
    """The group with this number and these cards."""
    return OpenGroup(number, cards, joining_bits(cards))


def place_of(number: int, groups: list[OpenGroup]) -> int:
    """The place of a group on its dashboard."""
    return next(place for place, group in enumerate(groups) if group.number == number)
