"""Cards: the 52-card deck, its two jokers, and how each is written.

This module is common to the card games and knows none of them. Ranks are
plain numbers 1 (ace) to 13 (king); whether an ace is low, high or worth
eleven points is a rule of each game.

A card is an `int`, so it indexes tables, sorts and packs into a byte; its
number is the number of the enum `arena.v1.Card` on the wire. Every card exists
once: take cards from `DECK`, `JOKERS` or `card()`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Final


class Suit(enum.IntEnum):
    """The four suits, in the order of the card numbers."""

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3


SUIT_SYMBOLS: Final = "♣♦♥♠"
RANK_SYMBOLS: Final = ("", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
ACE, JACK, QUEEN, KING = 1, 11, 12, 13


class Card(int):
    """One playing card.

    Attributes:
        suit: the suit, None for a joker.
        rank: 1 (ace) to 13 (king), 0 for a joker.
        text: the card as printed: `A♣`, `10♥`; the jokers are `JK1` and `JK2`.
    """

    suit: Suit | None
    rank: int
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def __format__(self, spec: str) -> str:
        return format(self.text, spec)


def _make(number: int, suit: Suit | None, rank: int, text: str) -> Card:
    card = Card(number)
    card.suit, card.rank, card.text = suit, rank, text
    return card


DECK: Final[tuple[Card, ...]] = tuple(
    _make(1 + 13 * suit + rank - 1, suit, rank, RANK_SYMBOLS[rank] + SUIT_SYMBOLS[suit])
    for suit in Suit
    for rank in range(ACE, KING + 1)
)
"""The 52 cards, numbered 1 to 52: clubs, diamonds, hearts, spades, each ace to king."""

JOKERS: Final[tuple[Card, Card]] = (_make(53, None, 0, "JK1"), _make(54, None, 0, "JK2"))
"""The two jokers, numbered 53 and 54."""

ALL_CARDS: Final[tuple[Card, ...]] = DECK + JOKERS


def card(number: int) -> Card:
    """The card with a number, 1 to 54. Raises ValueError for any other number."""
    if not 1 <= number <= len(ALL_CARDS):
        raise ValueError(f"no card has the number {number}: cards are numbered 1 to {len(ALL_CARDS)}")
    return ALL_CARDS[number - 1]


def format_cards(cards: Iterable[Card]) -> str:
    """Cards as printed, separated by spaces, in the order given; `-` if there are none."""
    return " ".join(card.text for card in cards) or "-"
