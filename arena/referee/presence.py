"""Presence: whether a bot is here.

This module has the only rule for it. Each instance of a bot is in a `State`, and `NEXT` says which states may
follow. A bot as a whole is in the worst of its instances' states: so it is here once all its instances are.

A bot's `Keeper` owns its `Presence`, and notes there what happens to the bot (`arena.referee.sitting.keeper`
tells when). If that changes a state, the keeper tells the sitting by a `BotChange`. So the rooms know which
instances are connected, and the dispatcher knows whose games may begin. All others ask the `Presence`: the
roster, for the page of the host; the lobby, before it lets a bot in. The module has no I/O and calls nobody.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Sequence

from arena.link.streams.bot_fault import BotFault


class State(enum.IntEnum):
    """The state of an instance or of a bot; a greater one is worse."""

    HERE = enum.auto()  # connected
    LOST = enum.auto()  # was connected, and may come back; its clocks run
    COMING = enum.auto()  # has not connected yet
    ABSENT = enum.auto()  # given up for now: others play without it, and it may still come
    GONE = enum.auto()  # given up for good: it does not start, or sends too much
    DISMISSED = enum.auto()  # released for good, such as a bot that is withdrawn

    @property
    def awaited(self) -> bool:
        """Whether games wait for the bot."""
        return self in (State.LOST, State.COMING)

    @property
    def forfeits(self) -> bool:
        """Whether each turn ends at once with a fault."""
        return self >= State.ABSENT

    @property
    def final(self) -> bool:
        """Whether the bot is never here again."""
        return self >= State.GONE


# What happens to an instance has the name of the state that it leads to. In a state without that one it
# changes nothing: a bot that is given up is lost no more.
NEXT = {
    State.COMING: {State.HERE, State.ABSENT, State.GONE, State.DISMISSED},
    State.ABSENT: {State.HERE, State.GONE, State.DISMISSED},
    State.HERE: {State.LOST, State.GONE, State.DISMISSED},
    State.LOST: {State.HERE, State.GONE, State.DISMISSED},
    State.GONE: {State.DISMISSED},
    State.DISMISSED: set[State](),
}


class Presence:
    """The presence of one bot. It is changed in trio's thread, and may be read in any.

    Args:
        numbers: the numbers of its instances.
        now: returns the time in seconds.

    Attributes:
        numbers: as given.
        state: the state of the bot.
        came: whether all its instances have ever connected.
        since: the time at which it came into its state.
        fault: why it forfeits its games; None while it does not.
    """

    def __init__(self, numbers: Sequence[int], now: Callable[[], float] = time.monotonic) -> None:
        self.numbers = numbers
        self.state = State.COMING
        self.came = False
        self.since = now()
        self.fault: BotFault | None = None
        self._now = now
        self._states = dict.fromkeys(numbers, State.COMING)

    def of(self, number: int) -> State:
        """The state of an instance."""
        return self._states[number]

    def note(self, state: State, numbers: Sequence[int], fault: BotFault | None = None) -> list[int]:
        """Notes what has happened to some instances.

        Args:
            state: the state that it leads to.
            numbers: the instances.
            fault: why; needed for a state in which the bot forfeits its games.

        Returns the instances whose state this has changed.
        """
        changed = [number for number in numbers if state in NEXT[self._states[number]]]
        self._states.update(dict.fromkeys(changed, state))
        worst = max(self._states.values())
        if worst is not self.state:
            self.state, self.since = worst, self._now()
        self.came = self.came or worst in (State.HERE, State.LOST)
        if changed and state.forfeits:
            self.fault = fault
        elif not worst.forfeits:
            self.fault = None
        return changed
