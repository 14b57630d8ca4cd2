"""What every format is in a tournament file: its own keys, checked, and the stage that they make.

A format is a frozen dataclass of plain values, which are what is stored of it.
A value that comes later gets, as the dataclass's default, what was done before
it was there; so what is stored keeps its meaning.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, Self

from arena.comparison.comparison import Comparison, NoComparison
from arena.formats.changes import Change, Late, Progress, TooLate
from arena.formats.stage import Stage
from arena.strict_toml import Section

MAX_CYCLES = 1_000
"""The most cycles that a stage can be planned with, or can have added at once."""

NOBODY: Final[Mapping[int, int]] = MappingProxyType({})
"""Nobody is withdrawn."""


@dataclasses.dataclass(frozen=True, slots=True)
class Format(abc.ABC):
    """A stage as the tournament file describes it.

    Attributes:
        id: the name in tournament files, such as `round-robin`.
        title: the name for people.
        keys: the keys of its own in a `[[stage]]` table.
        compares: whether it compares bots until it is sure, instead of ranking them.
        rounds_share_boards: whether a round is one board, on which all its matches are played.
        has_walkovers: whether the opponent gets a match of two that an entrant has left; else nobody does.
        most_added: how many cycles can be added to it at once.
        entrants: how many enter: all in the first stage, afterwards the best of the stage before.
        seats: the seats of a table.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    keys: ClassVar[tuple[str, ...]]
    compares: ClassVar[bool] = False
    rounds_share_boards: ClassVar[bool] = False
    has_walkovers: ClassVar[bool] = True
    most_added: ClassVar[int] = MAX_CYCLES

    entrants: int
    seats: int

    @property
    def can_be_longer(self) -> bool:
        """Whether there can be more of its cycles."""
        return "cycles" in self.keys

    @classmethod
    @abc.abstractmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        """The format as a `[[stage]]` table describes it; fails as the table does."""

    @abc.abstractmethod
    def stage(self, number: int, entrants: Sequence[int], gone: Mapping[int, int] = NOBODY) -> Stage:
        """The stage of some entrants.

        Args:
            number: its number in the tournament, from 0.
            entrants: who takes part, best seed first.
            gone: who is withdrawn, each with the first round, from 0, for which
                it is not paired any more. Only a stage that `pairs_by_score` reads it.
        """

    def changed(
        self, number: int, entrants: Sequence[int], gone: Mapping[int, int], changes: Sequence[Change]
    ) -> Stage:
        """The stage of some entrants to which something was added.

        Args:
            number, entrants, gone: see `stage`.
            changes: what was added, in order; each as the format let it be.
        """
        late = [change.entrant for change in changes if isinstance(change, Late)]
        return self.stage(number, (*entrants, *late), gone)

    def comparison(self, games: Sequence[str]) -> Comparison:
        """What is asked of the boards of some games, which says what is played; here nothing."""
        return NoComparison()

    def cards_of(self, match: int) -> int:
        """The match of a round, from 0, whose cards a match has where each match has cards of its own."""
        return match

    def late_from(self, stage: Stage, progress: Progress) -> int:
        """From which cycle or round on, from 0, one who comes now takes part in a stage.

        Here: from the first, and only as long as that has not begun.

        Args:
            stage: the stage.
            progress: how far it is.

        Raises TooLate.
        """
        if progress.begun:
            raise TooLate(
                f"plays a {self.title} that has begun, and who meets whom there follows from its first round"
            )
        return 0

    def to_values(self) -> dict[str, Any]:
        """What is stored of it, as JSON has it."""
        return {"format": self.id, **dataclasses.asdict(self)}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """The format of which this was stored. Raises TypeError where it cannot be."""
        return cls(**{name: value for name, value in values.items() if name != "format"})
