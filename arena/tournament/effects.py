"""What all rulings mean together for a tournament: who is withdrawn, what is void, paused or added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.formats.format import Change
from arena.tournament.void_boards import VoidBoards


class Gone(NamedTuple):
    """When an entrant was withdrawn: the stage, and the first round for which it is not paired there."""

    stage: int
    round: int


class Effects:
    """What all rulings about a tournament mean together; each adds to it (`Ruling.apply`).

    Args:
        entrants: how many there were when it began.

    Attributes:
        first_entrants: how many there were when it began.
        entrants: how many there are, those included that came late.
        withdrawn: the entrants that play no more, in the order in which they left.
        left_out: by stage, those of them that are left out of its scores.
        void: the boards that count no more.
        changes: by stage, what was added to it, in order.
        added: by stage, the boards that were added to its matches: from which round on, and how many.
        paused: whether no further games begin.
        ended: whether the host ended it before it was over.
        contained: by entrant the level at which its bot is contained, as far as that was noted.
        lacking: what the machine did not have of these levels.
        given: the bytes that bots have put into the deals, by the numbers of their entrants.
    """

    def __init__(self, entrants: int) -> None:
        self.first_entrants = self.entrants = entrants
        self.withdrawn: dict[int, Gone] = {}
        self.left_out: dict[int, set[int]] = {}
        self.void = VoidBoards()
        self.changes: dict[int, list[Change]] = {}
        self.added: dict[int, list[tuple[int, int]]] = {}
        self.paused = self.ended = False
        self.contained: tuple[str, ...] = ()
        self.lacking: tuple[str, ...] = ()
        self.given: Mapping[int, bytes] = {}

    def is_gone(self, entrant: int, stage: int) -> bool:
        """Whether an entrant was withdrawn by the time a stage was over."""
        gone = self.withdrawn.get(entrant)
        return gone is not None and gone.stage <= stage

    def gone_from(self, stage: int) -> dict[int, int]:
        """Who is not paired any more in a stage, and from which of its rounds on."""
        return {
            entrant: gone.round if gone.stage == stage else 0
            for entrant, gone in self.withdrawn.items()
            if gone.stage <= stage
        }
