"""What a bot was told at one table, and what of its clock is left: the memory behind its turns."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from arena.bot.table_info import TableInfo
from arena.bot.thinking import Bank
from arena.games.game import State
from arena.sampling import Draw, new_sampler
from arena.sampling.sampler import SeriesSampler

if TYPE_CHECKING:  # which has a history itself
    from arena.bot.player import Turn


class History:
    """What a bot was told at one table.

    Turns and the moments of the clock are only put by as they come. What follows from them is
    found out when somebody asks, so a bot that never asks pays next to nothing.

    Args:
        table: what the bot knows of the table.

    Attributes:
        moments: when each turn came and was answered, in turn, in seconds.
    """

    __slots__ = ("_bank", "_draw", "_last", "_sampler", "_table", "_unread", "moments")

    def __init__(self, table: TableInfo) -> None:
        self._table = table
        self._sampler: SeriesSampler | None = None
        self._unread: list[Turn] = []
        self._last: Turn | None = None
        self._draw: Draw | None = None
        self._bank: Bank | None = None
        self.moments: list[float] = []

    def add(self, turn: Turn) -> None:
        """Puts a turn by; called for every turn of the table, in order."""
        self._unread.append(turn)
        self._last = turn
        self._draw = None

    def think_for(self, time_left: float) -> float:
        """How long to think about the turn to be answered, in seconds; `time_left`: how long it may take."""
        if self._bank is None:
            self._bank = Bank(self._table)
        moments = self.moments
        while len(moments) > 1:
            came, answered = moments[:2]
            self._bank.spent(answered - came)
            del moments[:2]
        return self._bank.share(time_left)

    def sample(self, turn: Turn, rng: random.Random) -> State:
        """Draws a position that fits all that was told up to a turn.

        Raises ValueError where it is not the last turn.
        """
        if turn is not self._last:
            raise ValueError(f"turn {turn.number} is over: only the turn to be answered can be sampled")
        if self._draw is None:
            self._draw = self._sampler_now().draws(turn.observation)
        return self._draw(rng)

    def _sampler_now(self) -> SeriesSampler:
        if self._sampler is None:
            table = self._table
            self._sampler = new_sampler(table.game, table.options, table.seats, table.seat, table.starter)
        for unread in self._unread:
            for event in unread.events:
                self._sampler.tell(event)
        self._unread.clear()
        return self._sampler
