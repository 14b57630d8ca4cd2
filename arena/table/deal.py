"""Boards: where decks and in-play chance come from.

Everything random at a table follows from the 32-byte key of its board, and
every board key from the tournament's secret key, by HMAC-SHA-256. Exactly
(all texts are UTF-8, numbers in decimal, lines joined by one newline):

* the **board key** of board `name` of game `game` is
  `HMAC(tournament_key, "arena board 1\\n{game}\\n{name}")`;
* the **chance event** (`deal`, `purpose`, `seat`, `count`) draws from a row of
  32-bit numbers: block i (from 0) is
  `HMAC(board_key, "arena chance 1\\n{deal}\\n{purpose}\\n{seat}\\n{count}\\n{i}")`,
  read as eight big-endian unsigned 32-bit numbers, block after block;
* **below(n)**, 1 <= n <= 2^32, takes the next number x, drops it and takes the
  next while x >= 2^32 - 2^32 % n, and gives x % n;
* **shuffle** of items 0..m-1 goes i = m-1 down to 1: j = below(i+1), exchange
  items i and j;
* the **deck** of deal d is the game's ordered deck, shuffled by the event
  (d, "deck", 0, 0);
* the **seed of a seat**, given to its bot, is the first 16 bytes of
  `HMAC(board_key, "arena seed 1\\n{seat}")`;
* the key that a **seed** given by a person stands for is the SHA-256 of
  `"arena seed text 1\\n{text}"`;
* the **commitment** to a tournament key is its SHA-256.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Sequence
from typing import Any, TypeVar

from arena.games.game import Seat

T = TypeVar("T")
KEY_BYTES = 32
SEED_BYTES = 16
_NUMBERS = struct.Struct(">8I")
_SPAN = 1 << 32


def board_key(tournament_key: bytes, game: str, board: str) -> bytes:
    """The key, 32 bytes, of a board of a tournament; `game` is the game's id."""
    return hmac.digest(tournament_key, f"arena board 1\n{game}\n{board}".encode(), "sha256")


def key_of_seed(text: str) -> bytes:
    """The tournament key, 32 bytes, that a seed text stands for: reproducible, and no secret."""
    return hashlib.sha256(f"arena seed text 1\n{text}".encode()).digest()


def commitment(tournament_key: bytes) -> str:
    """The commitment to a tournament key, published before the first game, in hexadecimal."""
    return hashlib.sha256(tournament_key).hexdigest()


def seat_seed(key: bytes, seat: Seat) -> bytes:
    """The 16 bytes given to the bot in `seat` for its own chance."""
    return hmac.digest(key, f"arena seed 1\n{seat}".encode(), "sha256")[:SEED_BYTES]


class KeyedChance:
    """The draws of one chance event (the `Chance` of the game contract)."""

    __slots__ = ("_block", "_key", "_left", "_prefix")

    def __init__(self, key: bytes, event: str) -> None:
        self._key = key
        self._prefix = f"arena chance 1\n{event}\n"
        self._block = 0
        self._left: list[int] = []

    def _more(self) -> list[int]:
        """The numbers of the next block, the first one last; `_left` from now on."""
        block = hmac.digest(self._key, f"{self._prefix}{self._block}".encode(), "sha256")
        self._block += 1
        self._left = [*_NUMBERS.unpack(block)[::-1]]
        return self._left

    def below(self, n: int) -> int:
        """A uniform integer from 0 to n-1; n from 1 to 2^32."""
        limit = _SPAN - _SPAN % n
        while (number := (self._left or self._more()).pop()) >= limit:
            pass
        return number % n

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """The items in a uniform random order, as a new list."""
        shuffled = list(items)
        left = self._left
        for n in range(len(shuffled), 1, -1):  # j = below(n), written out: every game begins with this
            limit = _SPAN - _SPAN % n
            while (number := (left or (left := self._more())).pop()) >= limit:
                pass
            j = number % n
            shuffled[n - 1], shuffled[j] = shuffled[j], shuffled[n - 1]
        return shuffled


class KeyedDeal:
    """One deal of a board (the `Deal` of the game contract)."""

    __slots__ = ("_key", "_number", "deck")

    def __init__(self, key: bytes, number: int, ordered_deck: Sequence[Any]) -> None:
        self._key = key
        self._number = number
        self.deck = self.chance("deck", 0, 0).shuffle(ordered_deck)

    def chance(self, purpose: str, seat: Seat, count: int) -> KeyedChance:
        """The draws of one chance event of this deal."""
        return KeyedChance(self._key, f"{self._number}\n{purpose}\n{seat}\n{count}")


class KeyedBoard:
    """A board whose deals follow from its key (the `Board` of the game contract).

    Args:
        key: the board key, 32 bytes.
        ordered_deck: the deck before shuffling, `Game.deck(options)`.
    """

    __slots__ = ("_ordered_deck", "key")

    def __init__(self, key: bytes, ordered_deck: Sequence[Any]) -> None:
        self.key = key
        self._ordered_deck = ordered_deck

    def deal(self, number: int) -> KeyedDeal:
        """Deal `number`, from 0."""
        return KeyedDeal(self.key, number, self._ordered_deck)
