"""What all decisions about a tournament come to."""

from __future__ import annotations

from collections.abc import Iterable

from arena.formats.changes import Change, Late, MoreCycles
from arena.tournament.decisions import (
    Admit,
    Annul,
    Contain,
    Contribute,
    Decision,
    End,
    Extend,
    Go,
    Pause,
    Withdraw,
)
from arena.tournament.void_boards import VoidBoards


class Decided:
    """All that was decided about a tournament, taken together.

    Args:
        entrants: how many there were when it began.
        decisions: what was decided, in order.

    Attributes:
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
        contributed: what the bots have put into the deals; None where nothing was asked or pledged.
    """

    def __init__(self, entrants: int, decisions: Iterable[Decision]) -> None:
        self.entrants = entrants
        self.withdrawn: dict[int, Withdraw] = {}
        self.left_out: dict[int, set[int]] = {}
        self.void = VoidBoards()
        self.changes: dict[int, list[Change]] = {}
        self.added: dict[int, list[tuple[int, int]]] = {}
        self.paused = self.ended = False
        self.contained: tuple[str, ...] = ()
        self.lacking: tuple[str, ...] = ()
        self.contributed: Contribute | None = None
        for decision in decisions:
            self._take(decision)
        for each in self.withdrawn.values():
            if each.annulled:
                self.left_out.setdefault(each.stage, set()).add(each.entrant)

    def _take(self, decision: Decision) -> None:
        match decision:
            case Withdraw():
                self.withdrawn[decision.entrant] = decision
            case End():
                self.ended = True
            case Pause() | Go():
                self.paused = isinstance(decision, Pause)
            case Admit():
                self.entrants += 1
                self.changes.setdefault(0, []).append(Late(decision.entrant, decision.since))
            case Extend():
                if decision.cycles:
                    self.changes.setdefault(decision.stage, []).append(MoreCycles(decision.cycles))
                if decision.boards:
                    self.added.setdefault(decision.stage, []).append((decision.round, decision.boards))
            case Annul():
                self.void.add(decision)
            case Contain():
                self.contained, self.lacking = decision.levels, decision.lacking
            case Contribute():
                self.contributed = decision

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
