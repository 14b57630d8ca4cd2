"""The loop that owns a room: it hears what happened, plays on, sends what came up, and reports what ended.

Who runs it and where messages come from differs: in this process whichever
thread brings one (`in_process`), in a process of its own its only thread, from
a socket (`worker`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from arena.link.streams.moments import Moment
from arena.runner.rooms.glimpses import Glimpse
from arena.runner.rooms.messages import Message, tell
from arena.runner.rooms.room import Played, Room, Seating


class RoomLoop:
    """A room and its loop; one thread at a time.

    Args:
        now, numbers: see `Room`.
        report: called at the end of every round with the games that were played in it, those
            that were void, and what onlookers are told; the lists are emptied afterwards.

    Attributes:
        room: the room, to be looked at.
    """

    def __init__(
        self,
        now: Callable[[], Moment],
        report: Callable[[list[Played], list[Seating], list[Glimpse]], None],
        numbers: Iterator[int] | None = None,
    ) -> None:
        self._played: list[Played] = []
        self._void: list[Seating] = []
        self._report = report
        self.room = Room(self._played.append, self._void.append, now, numbers)

    def round(self, messages: Iterable[Message]) -> bool:
        """Hears messages, plays on and sends what came up.

        Returns whether something is held back (see `Room.flush`). Games that
        were over are reported also where an error ends the round.
        """
        try:
            for message in messages:
                tell(self.room, message)
            return self.room.flush()
        finally:
            self._report(self._played, self._void, self.room.glimpses.gathered)
            self._played.clear()
            self._void.clear()
            self.room.glimpses.gathered.clear()
