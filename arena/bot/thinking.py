"""How long to think: a bank and its increments shared out over the decisions that are likely to come."""

from __future__ import annotations

import dataclasses
from typing import Any

from arena.bot.table_info import TableInfo
from arena.games import find_game

_TAIL = 4  # a game that goes on and on is taken to have this part of its usual decisions ahead
_MOST = 0.8  # of the time that a decision may take: the rest is for the way there and back ...
_WAY = 0.05  # ... which is so many seconds, or half of the time where that is less
_RESERVE = 0.5  # seconds of the bank that are not shared out: what a decision takes besides thinking adds up
_SMALL = 8  # where the bank begins with little, the reserve is this part of it
_LEAST = 100  # even of a bank that is down to its reserve, this part is a share
_DEALS = ("series", "rounds")  # the options that say how many deals are played


class Bank:
    """What a bot knows of its bank, of which a turn tells no more than the move limit.

    Args:
        table: what the bot knows of the table.
    """

    __slots__ = ("_decisions", "_increment", "_left", "_made", "_move", "_reserve")

    def __init__(self, table: TableInfo) -> None:
        self._increment, self._move = table.increment, table.move
        self._left = table.bank
        self._reserve = min(_RESERVE, table.bank / _SMALL)
        self._made = 0
        self._decisions = find_game(table.game).usual_decisions * _deals(table.options)

    def spent(self, elapsed: float) -> None:
        """Takes note of a decision that took so long, in seconds."""
        self._left = max(0.0, self._left - elapsed) + self._increment
        self._made += 1

    def left(self, time_left: float) -> float:
        """What is in the bank, in seconds, as far as can be told.

        Args:
            time_left: how long the decision may take, in seconds: the bank itself
                where that is less than the move limit.
        """
        self._left = time_left if time_left < self._move else max(time_left, self._left)
        return self._left

    def share(self, time_left: float) -> float:
        """How long to think now, in seconds: an even share of the bank, and the increment.

        However long the game, what is shared out is never all that is left; and of the increment
        there is less the nearer the bank is to its reserve, so that it is not used up by what
        the bot cannot see: the way to the referee and back, and a last step that takes too long.
        """
        ahead = max(self._decisions - self._made, self._decisions / _TAIL)
        left = self.left(time_left)
        spare = left - self._reserve
        full = min(1.0, spare / self._reserve) if self._reserve else 1.0
        share = max(spare / ahead + full * self._increment, left / _LEAST)
        return min(share, _MOST * time_left, max(time_left - _WAY, time_left / 2))


def _deals(options: Any) -> int:
    """How many deals are played in any case."""
    names = [field.name for field in dataclasses.fields(options)]
    return next((getattr(options, name) for name in _DEALS if name in names), 1)
