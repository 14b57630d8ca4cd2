"""Keeping an entrant's bot at the tables, wherever it comes from."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable, Sequence
from functools import partial

import trio

from arena.link.streams.dial import BotFault, BotInfo, Flood
from arena.link.streams.flood import CUTS, Meter
from arena.link.streams.stream import PlayStream
from arena.link.streams.trio_thread import RefereeBug
from arena.runner.entrants import Entrant
from arena.runner.rooms.rooms import Reception
from arena.runner.sitting.flood_watch import watch

_FAREWELL = 1.0  # how long a bot may take to end its stream when it is let go, in seconds


@dataclasses.dataclass(frozen=True, slots=True)
class Attendance:
    """What happened with a bot, for people to read.

    Attributes:
        entrant: whose bot.
        what: one sentence without its subject and full stop, such as `was lost: ...`.
        came: whether the bot was ever there.
        here: whether it is there now.
        fault: why it was lost, or did not come up; None for other news.
    """

    entrant: Entrant
    what: str
    came: bool
    here: bool
    fault: BotFault | None = None


class Keeper(abc.ABC):
    """Keeps one entrant's bot at the tables, as long as it can be got back.

    It is let go within seconds, however it is: by `close` when the tournament
    is over, or by cancelling `run`. A bot that dialled in is told which.

    Args:
        player: the bot's number there.
        entrant: where it comes from.
        reception: where it goes to play.
        tell: called with what people should know.

    Attributes:
        settled: set once the bot is there for the first time, or is given up.
        info: what the bot says it is; None as long as it never came.
        given_up: why it is waited for no more, None as long as it is.
        on_settled: called when the bot has come, at first or again, or is given up.
        on_lost: called when the bot was there, is not, and may come back.
    """

    def __init__(
        self, player: int, entrant: Entrant, reception: Reception, tell: Callable[[Attendance], None]
    ) -> None:
        self.player = player
        self.entrant = entrant
        self.settled = trio.Event()
        self.info: BotInfo | None = None
        self.given_up: BotFault | None = None
        self.on_settled: Callable[[], None] = lambda: None
        self.on_lost: Callable[[], None] = lambda: None
        self._numbers: Sequence[int] = (player,)  # of its instances, in the rooms
        self._came: set[int] = set()  # those of them that were there
        self._lost: set[int] = set()  # those of these that are not there now
        self._reception = reception
        self._tell = tell
        self._staying = trio.CancelScope()
        self._floods = 0  # for which it was cut off

    @property
    def limit(self) -> int:
        """At how many tables the bot can play at once; 0 for any number."""
        return 0 if self.info is None else self.info.max_tables

    @property
    def came(self) -> bool:
        """Whether all instances of the bot were there, or it is given up."""
        return len(self._came) == len(self._numbers) or self.given_up is not None

    async def run(self) -> None:
        """Brings the bot in, again and again, until `close`."""
        with self._staying:
            await self._keep()

    @abc.abstractmethod
    async def _keep(self) -> None:
        """Brings the bot in, again and again, until cancelled."""

    async def bytes_for_deals(self, pledge: bytes, commitment: bytes, pledges: bytes) -> bytes:
        """The bytes that the bot pledged, for which it is asked now that all have; to be called once.

        Args:
            pledge: its pledge, which may be one of before it was started anew.
            commitment: to the tournament's key.
            pledges: the digest of all pledges.

        Raises BotFault where it does not give them.
        """
        raise BotFault("disconnect", "is not there")

    def close(self) -> None:
        """Lets the bot go, for the tournament is over: `run` ends soon after."""
        self._staying.cancel()

    def dismiss(self, why: BotFault) -> None:
        """Lets the bot go for good: what it is asked from now on ends by this fault at once."""
        self._give_up(why)
        self.close()

    def say(self, what: str, here: bool = False, fault: BotFault | None = None) -> None:
        """Tells people what happened with the bot, and whether it is there."""
        self._tell(Attendance(self.entrant, what, self.info is not None, here, fault))

    async def _play(
        self, connect: Callable[[PlayStream], None], number: int, meter: Meter | None = None
    ) -> BotFault:
        """Plays over a new stream until it ends; returns why it did. Lets the bot go when cancelled.

        Args:
            connect: has the stream begin.
            number: the instance's number in the rooms.
            meter: tells what its connection costs, where the referee has dialled.

        Raises RefereeBug.
        """
        ended = trio.Event()
        loss: BotFault | RefereeBug | None = None

        def on_end(fault: BotFault | RefereeBug | None) -> None:
            nonlocal loss
            loss = fault
            ended.set()

        stream = PlayStream(
            partial(self._reception.decided, number),
            on_end,
            self._reception.now,
            meter,
        )
        connect(stream)
        self._came.add(number)
        self._lost.discard(number)
        self._reception.connect(number, stream)
        if self.came and not self._lost:
            self._settle()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(watch, stream)
                await ended.wait()
                nursery.cancel_scope.cancel()
        finally:
            if not ended.is_set():
                stream.finish(over=self._staying.cancel_called)
                with trio.move_on_after(_FAREWELL, shield=True):
                    await ended.wait()
                stream.cancel()
        if isinstance(loss, RefereeBug):
            raise loss
        assert loss is not None  # it was not finished
        return loss

    def _give_up(self, fault: BotFault) -> None:
        """The bot is waited for no more; as long as it does not come, its turns are faults at once."""
        self.given_up = fault
        for number in self._numbers:
            self._reception.give_up(number, fault)
        self._settle()

    def _settle(self) -> None:
        self.settled.set()
        self.on_settled()

    def _lose(self, number: int, loss: BotFault, then: str) -> None:
        """An instance is gone in the middle of the tournament; a bot with too many floods is given up."""
        self._lost.add(number)
        self.on_lost()
        if not isinstance(loss, Flood):
            self._reception.lost(number, loss)
            self.say(f"was lost: {loss.message} {then}", fault=loss)
            return
        self._floods += 1
        if self._floods < CUTS:
            self._reception.cut(number, loss)
            self.say(f"was cut off: {loss.message} {then}", fault=loss)
        else:
            self.say(f"was cut off for good: {loss.message}", fault=loss)
            self._give_up(loss)
