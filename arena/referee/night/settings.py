"""The settings of a run that the tournament file does not hold, and the interface that gets its news."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import trio

from arena.league.entrants import Entrant
from arena.link.tls.address import Address, read_address
from arena.link.tls.identity import Serving
from arena.referee.cluster_statistics import ClusterStatistics
from arena.referee.sitting.keeper import Attendance, Dialler
from arena.referee.sitting.sitting import Cluster, MakeKeeper
from arena.results import GameResult
from arena.tournament.course import Course, News
from arena.tournament.rulings import Ruling

DEFAULT_LOBBY = "0.0.0.0:50505"


class CannotRun(Exception):
    """The tournament cannot begin; the text is one sentence with the remedy."""


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    Attributes:
        key: the secret tournament key, 32 bytes.
        concurrency: how many tables are played at once.
        logs: the folder for what local bots print.
        lobby: where bots dial in, `host:port`.
        workers: how many worker processes to start; None to leave that to `workers_for`.
        tls: the certificate of the lobby, which then requires TLS. It is also shown to
            dialled bots that ask for one. None for no certificate.
        require_tls: whether all connections to other machines must use TLS.
        one_time: whether new tokens can be used only once.
        contributions: whether bots are asked for bytes of their own for the deals of a
            new tournament.
        cluster: a cluster that plays as well; None for this machine alone.
        keeper: makes the keepers of bots that this machine starts or dials.
        watch_delay: how many seconds late onlookers see running tables.
    """

    key: bytes
    concurrency: int
    logs: Path
    lobby: str = DEFAULT_LOBBY
    workers: int | None = None
    tls: Serving | None = None
    require_tls: bool = False
    one_time: bool = False
    contributions: bool = False
    cluster: Cluster | None = None
    keeper: MakeKeeper = Dialler
    watch_delay: float = 0.0

    def lobby_at(self, port: int) -> Address:
        """Where bots dial in, for a lobby that listens at a port."""
        host = self.lobby.rpartition(":")[0]
        return Address(f"{host}:{port}", self.tls.identity.fingerprint if self.tls else "")


def require_secrecy(entrant: Entrant, settings: Settings, way_out: str = "") -> None:
    """Raises CannotRun if TLS is required and the connection to a bot would have none.

    `way_out` says what can be done about an entrant whose address cannot be changed, as a clause.
    """
    if not settings.require_tls:
        return
    if entrant.join and settings.lobby_at(0).in_the_clear:
        raise CannotRun(
            f"{entrant.name} would dial in without TLS, and its token could be read on the way: give --tls, "
            "or leave out --require-tls"
        )
    address = read_address(entrant.address or "")
    if address is not None and address.in_the_clear:
        raise CannotRun(
            f"{entrant.name} would be dialled without TLS: leave out --require-tls, or {way_out}"
            if way_out
            else f"{entrant.name} would be dialled without TLS: have its bot listen with TLS and give the "
            f"address that ends in its fingerprint, {address}/sha256:..., or leave out --require-tls"
        )


class Invitation(NamedTuple):
    """What guests need to dial in.

    Attributes:
        address: where the lobby listens, and what certificate it shows.
        tokens: the token of each guest, by name; empty if only its author knows it.
        asks_certificate: whether bots have to show a certificate.
    """

    address: Address
    tokens: Mapping[str, str]
    asks_certificate: bool


class Watcher:
    """Gets the news of a run, in the referee's own thread; its methods must not block.

    This class ignores all news: the command line, the benchmark and tests have subclasses.
    """

    def say(self, text: str) -> None:
        """A line for people, such as that a bot is being built."""

    def bots_came(self, here: int, bots: int) -> None:
        """`here` of the bots that the referee starts or dials are connected."""

    def lobby_open(self, invitation: Invitation) -> None:
        """Bots can dial in; called again for guests that are admitted later."""

    async def start_signal(self) -> None:
        """Returns when the host wants to begin without missing guests: here, never."""
        await trio.sleep_forever()

    def started(self, tournament: int, commitment: str) -> None:
        """The tournament is in the league file; its games follow."""

    def follow(self, course: Course) -> None:
        """The course of the tournament, which can be asked at any moment how it stands.

        Called after `started`, and again after each ruling, which makes a new course.
        """

    def news(self, item: News) -> None:
        """A stage or a round begins, or a match is over."""

    def ruled(self, ruling: Ruling, reason: str) -> None:
        """The host or the tournament's rules added a ruling."""

    def game_over(self, result: GameResult) -> None:
        """A game is stored; the course counts it right after."""

    def cluster_statistics(self, cluster_statistics: ClusterStatistics) -> None:
        """The statistics of the cluster, every few seconds."""

    def attendance(self, news: Attendance) -> None:
        """News of a bot: it dialled in, did not start, was lost or was given up."""

    def refused(self, sentence: str) -> None:
        """A connection to the lobby was refused."""
