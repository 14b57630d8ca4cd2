"""Who is told how a tournament goes: the command line, a test, a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from arena.formats.stage import Round, Stage
from arena.results import GameResult, Match, MatchResult
from arena.runner.entrants import Attendance


class Watcher(Protocol):
    """Someone who is told how a tournament goes, in the referee's own thread; must not block."""

    def say(self, text: str) -> None:
        """A line for people, such as that a bot is being built."""

    def bots_came(self, here: int, bots: int) -> None:
        """So many of the bots that the referee starts or dials are there."""

    def lobby_open(self, port: int, tokens: Mapping[str, str]) -> None:
        """Bots can dial in at a port; `tokens` has the token of each entrant that is to."""

    async def start_signal(self) -> None:
        """Returns when the host wants to begin without those who are still missing."""

    def started(self, tournament: int, commitment: str) -> None:
        """The tournament is in the league file; its games follow."""

    def stage_began(self, stage: Stage) -> None:
        """A stage begins."""

    def round_began(self, stage: Stage, round: Round) -> None:
        """A round is paired."""

    def game_over(self, result: GameResult) -> None:
        """A game is stored."""

    def match_over(self, match: Match, result: MatchResult) -> None:
        """All games of a match are stored."""

    def attendance(self, news: Attendance) -> None:
        """A bot dialled in, did not come, was lost or was given up."""

    def refused(self, sentence: str) -> None:
        """Someone who dialled in was refused."""
