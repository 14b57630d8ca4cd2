"""Who is told how a tournament goes: the command line, a test, a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import trio

from arena.link.tls.address import Address
from arena.results import GameResult
from arena.runner.cluster_statistics import ClusterStatistics
from arena.runner.sitting.keeper import Attendance
from arena.tournament.course import Course, News
from arena.tournament.rulings import Ruling


class Invitation(NamedTuple):
    """Where and how bots dial in.

    Attributes:
        address: where the lobby listens, and what certificate it shows.
        tokens: of each entrant that is to dial in its token; empty where only its author knows it.
        asks_certificate: whether bots have to show a certificate.
    """

    address: Address
    tokens: Mapping[str, str]
    asks_certificate: bool


class Watcher:
    """Someone who is told how a tournament goes, in the referee's own thread; must not block.

    This one does nothing with it: to be subclassed by whoever wants to know.
    """

    def say(self, text: str) -> None:
        """A line for people, such as that a bot is being built."""

    def bots_came(self, here: int, bots: int) -> None:
        """So many of the bots that the referee starts or dials are there."""

    def lobby_open(self, invitation: Invitation) -> None:
        """Bots can dial in; it comes again for bots that are to dial in later."""

    async def start_signal(self) -> None:
        """Returns when the host wants to begin without those who are still missing: here, never."""
        await trio.sleep_forever()

    def started(self, tournament: int, commitment: str) -> None:
        """The tournament is in the league file; its games follow."""

    def follow(self, course: Course) -> None:
        """The course that the tournament takes, to be asked at any moment how it stands.

        It comes after `started`, and again after a ruling, which makes a new one.
        """

    def news(self, item: News) -> None:
        """A stage or a round begins, or a match is over."""

    def ruled(self, ruling: Ruling, reason: str) -> None:
        """The host or the tournament's rules added a ruling."""

    def game_over(self, result: GameResult) -> None:
        """A game is stored; the course counts it right after."""

    def cluster_statistics(self, cluster_statistics: ClusterStatistics) -> None:
        """What other machines do, where they play as well; every few seconds."""

    def attendance(self, news: Attendance) -> None:
        """A bot dialled in, did not come, was lost or was given up."""

    def refused(self, sentence: str) -> None:
        """Someone who dialled in was refused."""
