"""What a seat knows of the cards that it does not see. Samplers work it out; positions are drawn from it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Unseen(NamedTuple):
    """What the seat that is to act knows of the hidden cards: all lie in hands and in the stock.

    Attributes:
        certain: by seat, the cards that are certainly in its hand; of the seat itself, none are given.
        sizes: by seat, the size of its hand.
        pool: the cards that may be anywhere else.
        hypotheses: what else may be in the hands, one after the other: 8 bytes by seat, which hold the bits
            `1 << card`, the lowest byte first; empty if nothing.
        weights: the weights of the hypotheses up to and with each.
        memory: what the engine's policy thoughtful remembers besides, as bits (see `arena.sampling.native`).
    """

    certain: list[list[Any]]
    sizes: list[int]
    pool: list[Any]
    hypotheses: bytes = b""
    weights: list[float] = []  # noqa: RUF012 - a default that nothing changes
    memory: list[list[int]] = []  # noqa: RUF012 - as above


class Assigned(NamedTuple):
    """An assignment of Nur Mut's cards to spots that shows all that was seen (`arena.sampling.nur_mut`).

    Attributes:
        spots: for each spot its shuffle, its card, the face that was up when the card came and the other one
            (0 if they were not seen), whether the card was turned since, and the spot that it came from.
        decks, piles: the places of the spots in each, the top card last.
        known: by pile, both faces of cards that were seen of them, the lower first.
        flipped: the faces of a card that was flipped and is not laid yet.
    """

    spots: list[tuple[int, int, int, int, bool, int | None]]
    decks: list[list[int]]
    piles: list[list[int]]
    known: list[list[tuple[int, int]]]
    flipped: tuple[int, int] | None
