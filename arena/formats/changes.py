"""What may be added to a stage that is being played: cycles, and entrants that come late."""

from __future__ import annotations

from typing import NamedTuple


class MoreCycles(NamedTuple):
    """A stage has so many more cycles."""

    cycles: int


class Late(NamedTuple):
    """An entrant that came when the stage was being played.

    Attributes:
        entrant: who.
        since: from which of the stage's cycles or, in a format without them, rounds on it takes part, from 0.
    """

    entrant: int
    since: int


Change = MoreCycles | Late


class Progress(NamedTuple):
    """How far a stage is.

    Attributes:
        over: how many of its rounds, from the first on, are over in all their matches.
        begun: how many there are up to the last of which anything was played or may be under way.
    """

    over: int
    begun: int


class TooLate(ValueError):
    """A stage that nobody can enter any more; the text, the end of a sentence on the tournament, says why."""
