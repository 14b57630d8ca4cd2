"""Derives boards from keys: their decks, and all later chance of a game.

Everything random at a table follows from the 32-byte key of its board, and
every board key from the tournament's secret key and the bytes that its bots put
in, by HMAC-SHA-256. Exactly
(all texts are UTF-8, numbers in decimal, lines joined by one newline, and
"hex" are lower-case digits):

* a bot's **pledge** is the SHA-256 of its 16 bytes, and the **digest of the pledges**
  that of the lines `"arena pledges 1"` and, for each entrant that pledged, from
  the first, `"{number} {hex of its pledge}"`; numbers count from 0;
* the **deal key** is the HMAC, under the tournament key, of the lines
  `"arena contributions 1"` and, for each entrant that gave the bytes it had
  pledged, `"{number} {hex of its bytes}"`; if nobody did it is the tournament
  key itself;
* the **board key** of board `name` of game `game` is
  `HMAC(deal_key, "arena board 1\\n{game}\\n{name}")`;
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
from collections.abc import Mapping, Sequence
from operator import mod
from typing import Any, TypeVar

from arena.games.game import Seat

T = TypeVar("T")
KEY_BYTES = 32
SEED_BYTES = 16
CONTRIBUTION_BYTES = 16
PLEDGE_BYTES = 32
_NUMBERS = struct.Struct(">8I")
_SPAN = 1 << 32


def pledge_of(contribution: bytes) -> bytes:
    """The pledge, 32 bytes, of the bytes that a bot puts into the deals."""
    return hashlib.sha256(contribution).digest()


def pledges_digest(pledges: Mapping[int, bytes]) -> bytes:
    """The digest, 32 bytes, of all pledges, by the numbers of their entrants."""
    return hashlib.sha256(_numbered("arena pledges 1", pledges)).digest()


def deal_key(tournament_key: bytes, contributions: Mapping[int, bytes]) -> bytes:
    """The deal key, 32 bytes; `contributions` are by the numbers of their entrants."""
    if not contributions:
        return tournament_key
    return hmac.digest(tournament_key, _numbered("arena contributions 1", contributions), "sha256")


def _numbered(title: str, values: Mapping[int, bytes]) -> bytes:
    return "\n".join([title, *(f"{number} {values[number].hex()}" for number in sorted(values))]).encode()


def board_key(deal_key: bytes, game: str, board: str) -> bytes:
    """The key, 32 bytes, of a board of a tournament; `game` is the game's id."""
    return hmac.digest(deal_key, f"arena board 1\n{game}\n{board}".encode(), "sha256")


def key_of_seed(text: str) -> bytes:
    """The tournament key, 32 bytes, of a seed text: reproducible, and not secret."""
    return hashlib.sha256(f"arena seed text 1\n{text}".encode()).digest()


def commitment(tournament_key: bytes) -> str:
    """The commitment to a tournament key, published before the first game, in hexadecimal."""
    return hashlib.sha256(tournament_key).hexdigest()


def seat_seed(key: bytes, seat: Seat) -> bytes:
    """The 16 bytes that the bot in `seat` gets for its own random choices."""
    return hmac.digest(key, f"arena seed 1\n{seat}".encode(), "sha256")[:SEED_BYTES]


class KeyedChance:
    """The draws of one chance event (the `Chance` of the game contract)."""

    __slots__ = ("_block", "_left", "_mac", "_prefix")

    def __init__(self, mac: hmac.HMAC, event: str) -> None:
        self._mac = mac
        self._prefix = f"arena chance 1\n{event}\n"
        self._block = 0
        self._left: list[int] = []  # the numbers that come next

    def _ahead(self, count: int) -> list[int]:
        """The next numbers, at least `count` of them."""
        left = self._left
        while len(left) < count:
            mac = self._mac.copy()  # the key is already hashed in it
            mac.update(f"{self._prefix}{self._block}".encode())
            left += _NUMBERS.unpack(mac.digest())
            self._block += 1
        return left

    def below(self, n: int) -> int:
        """A uniform integer from 0 to n-1; n from 1 to 2^32."""
        limit = _SPAN - _SPAN % n
        while (number := self._ahead(1).pop(0)) >= limit:
            pass
        return number % n

    def each_below(self, bounds: Sequence[int]) -> list[int]:
        """`below(n)` for each n of `bounds`, one after the other; faster, as one call."""
        count = len(bounds)
        numbers = self._ahead(count)[:count]
        if count and max(numbers) >= _SPAN - max(bounds):  # one might be dropped
            return [self.below(n) for n in bounds]
        del self._left[:count]
        return [*map(mod, numbers, bounds)]

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """The items in a uniform random order, as a new list."""
        shuffled = list(items)
        last = len(shuffled) - 1
        others = self.each_below(range(last + 1, 1, -1))
        for i, j in zip(range(last, 0, -1), others, strict=True):
            shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
        return shuffled


class KeyedDeal:
    """One deal of a board (the `Deal` of the game contract)."""

    __slots__ = ("_mac", "_number", "deck")

    def __init__(self, mac: hmac.HMAC, number: int, ordered_deck: Sequence[Any]) -> None:
        self._mac = mac
        self._number = number
        self.deck = self.chance("deck", 0, 0).shuffle(ordered_deck)

    def chance(self, purpose: str, seat: Seat, count: int) -> KeyedChance:
        """The draws of one chance event of this deal."""
        return KeyedChance(self._mac, f"{self._number}\n{purpose}\n{seat}\n{count}")


class KeyedBoard:
    """A board whose deals follow from its key (the `Board` of the game contract).

    Args:
        key: the board key, 32 bytes.
        ordered_deck: the deck before shuffling, `Game.deck(options)`.
    """

    __slots__ = ("_mac", "_ordered_deck")

    def __init__(self, key: bytes, ordered_deck: Sequence[Any]) -> None:
        self._mac = hmac.new(key, digestmod="sha256")
        self._ordered_deck = ordered_deck

    def deal(self, number: int) -> KeyedDeal:
        """Deal `number`, from 0."""
        return KeyedDeal(self._mac, number, self._ordered_deck)
