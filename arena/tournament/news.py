"""What happens in the course of a tournament, for people to hear."""

from __future__ import annotations

from typing import NamedTuple

from arena.formats.format import Round, Stage
from arena.results import Match, MatchResult


class StageBegan(NamedTuple):
    """A stage begins."""

    stage: Stage

    @property
    def key(self) -> tuple[int | str, ...]:
        """Which news this is among all of a tournament."""
        return (self.stage.number,)


class RoundBegan(NamedTuple):
    """A round is paired."""

    stage: Stage
    round: Round

    @property
    def key(self) -> tuple[int | str, ...]:
        """See `StageBegan`."""
        return self.stage.number, self.round.label


class MatchOver(NamedTuple):
    """A match is over, played or by a walkover."""

    match: Match
    result: MatchResult
    walkover: bool

    @property
    def key(self) -> tuple[int | str, ...]:
        """See `StageBegan`."""
        return self.match.key


News = StageBegan | RoundBegan | MatchOver
