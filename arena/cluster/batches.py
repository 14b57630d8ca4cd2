"""What an allocation is made of: batches of games, and workers that have them. Plain values."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from arena.runner.rooms.room import Seating


class Trial(NamedTuple):
    """What a board's games are played for where they do not count.

    Attributes:
        player: the bot that is tried.
        left: those that are tried next.
        guilty: those that were found guilty.
    """

    player: int
    left: tuple[int, ...]
    guilty: tuple[int, ...] = ()


@dataclasses.dataclass(eq=False, slots=True)
class Batch:
    """Games that are played together.

    Attributes:
        number: by which it is known at a worker; elsewhere it gets another.
        seatings: the games.
        losses: how many workers were lost with it.
        avoided: the workers that went wrong with it.
        troubles: how often workers went wrong with it.
        unasked: whether none of its bots is asked.
        trial: what it is for where its games do not count.
    """

    number: int
    seatings: Sequence[Seating]
    losses: int = 0
    avoided: set[str] = dataclasses.field(default_factory=set)
    troubles: int = 0
    unasked: bool = False
    trial: Trial | None = None

    @property
    def players(self) -> tuple[int, ...]:
        """The bots that sit in it, whether they are asked or not."""
        return tuple(sorted({player for seating in self.seatings for player in seating.players}))

    @property
    def asked(self) -> tuple[int, ...]:
        """Those of them that are asked."""
        if self.unasked:
            return ()
        return self.players if self.trial is None else (self.trial.player,)


@dataclasses.dataclass(eq=False, slots=True)
class Worker:
    """A worker.

    Attributes:
        queue: its batches, in the order in which it plays them.
        here: whether it is there.
        batches, games: how many it played.
        seconds: how long that took.
        lost: how often it was lost.
        missed: the bots that did not come up there.
    """

    queue: list[Batch] = dataclasses.field(default_factory=list)
    here: bool = True
    batches: int = 0
    games: int = 0
    seconds: float = 0.0
    lost: int = 0
    missed: set[int] = dataclasses.field(default_factory=set)


def board(seating: Seating) -> object:
    """What the games of a board have in common."""
    return seating.key[:5]


def halves(seatings: Sequence[Seating]) -> list[Sequence[Seating]]:
    """A batch's games in two parts of whole boards; in one where there is only one board."""
    cuts = [cut for cut in range(1, len(seatings)) if board(seatings[cut - 1]) != board(seatings[cut])]
    if not cuts:
        return [seatings]
    cut = min(cuts, key=lambda each: abs(2 * each - len(seatings)))
    return [seatings[:cut], seatings[cut:]]
