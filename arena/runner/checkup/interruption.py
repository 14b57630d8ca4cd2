"""Cutting off the bot under check, once and on purpose, in the middle of its games."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from arena.link.streams.dial import BotFault
from arena.link.streams.moments import Moment
from arena.link.streams.trio_thread import in_trio
from arena.link.wire.messages import Decision
from arena.runner.rooms.reception import Reception
from arena.runner.rooms.room import Stream


class Interruption:
    """A reception before that of the rooms, for one bot. To be made in trio's thread.

    When the bot has made so many decisions, it strikes: from then on until the
    bot connects anew, what it sends is lost, so that its games still run.

    Args:
        rooms: where the bot plays.

    Attributes:
        deaf: whether it has struck, and the bot is not back.
        struck: set when it strikes.
    """

    def __init__(self, rooms: Reception) -> None:
        self._rooms = rooms
        self._left: int | None = None
        self._strike: Callable[[], None] = lambda: None
        self._decided_in_trio = in_trio(self._decided)
        self.deaf = False
        self.struck = trio.Event()

    def prepare(self, decisions: int | None, strike: Callable[[], None]) -> None:
        """Is to strike after so many decisions, or never where that is None."""
        self._left, self._strike = decisions, strike

    def connect(self, player: int, stream: Stream) -> None:
        """See `Reception`."""
        self.deaf = False
        self._rooms.connect(player, stream)

    def lost(self, player: int, fault: BotFault) -> None:
        """See `Reception`."""
        self._rooms.lost(player, fault)

    def cut(self, player: int, fault: BotFault) -> None:
        """See `Reception`."""
        self._rooms.cut(player, fault)

    def give_up(self, player: int, fault: BotFault) -> None:
        """See `Reception`."""
        self._rooms.give_up(player, fault)

    def decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        """See `Reception`."""
        self._decided_in_trio(player, decisions, read)

    def now(self) -> Moment:
        """See `Reception`."""
        return self._rooms.now()

    def _decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        if self._left is not None:
            self._left -= len(decisions)
            if self._left <= 0:
                self._left, self.deaf = None, True
                self.struck.set()
                self._strike()
        if not self.deaf:
            self._rooms.decided(player, decisions, read)
