"""How a tournament is run besides what its file says, and who watches it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import trio

from arena.link.tls.address import Address, read_address
from arena.link.tls.identity import Serving
from arena.results import GameResult
from arena.runner.cluster_statistics import ClusterStatistics
from arena.runner.entrants import Entrant
from arena.runner.sitting.keeper import Attendance, Dialler
from arena.runner.sitting.sitting import Cluster, MakeKeeper
from arena.tournament.course import Course, News
from arena.tournament.rulings import Ruling

DEFAULT_LOBBY = "0.0.0.0:50505"


class CannotRun(Exception):
    """The tournament cannot begin; the text is one sentence with the remedy."""


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """How a tournament is run.

    Attributes:
        key: the secret tournament key, 32 bytes.
        concurrency: how many tables are played at once.
        logs: the folder that keeps what local bots print.
        lobby: where bots dial in, `host:port`.
        workers: in how many processes besides this one tables are played; None
            to leave that to `workers_for`.
        tls: how bots that dial in are answered, which have to speak TLS then; its
            certificate is shown to dialled ones that ask who dials. None for no certificate.
        require_tls: whether nothing may leave this machine but over TLS.
        one_time: whether the tokens that are made open their seats a single time.
        contributions: whether bots are asked to put bytes of their own into the
            deals of a tournament that begins.
        cluster: other machines that play as well; None for this one alone.
        keeper: makes the keepers of bots that are started or dialled from this machine.
        watch_delay: how many seconds late running tables are shown to onlookers.
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


def require_secrecy(entrant: Entrant, settings: Settings) -> None:
    """Raises CannotRun if others could read what is said to a bot, and must not."""
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
            f"{entrant.name} would be dialled without TLS: have its bot listen with TLS and give the address "
            f"that ends in its fingerprint, {address}/sha256:..., or leave out --require-tls"
        )


class Invitation(NamedTuple):
    """Where and how bots dial in.

    Attributes:
        address: where the lobby listens, and what certificate it shows.
        tokens: of each entrant that is to dial in its token; empty if only its author knows it.
        asks_certificate: whether bots have to show a certificate.
    """

    address: Address
    tokens: Mapping[str, str]
    asks_certificate: bool


class Watcher:
    """Is told how a tournament goes, in the referee's own thread; must not block.

    This one does nothing with it: the command line, the benchmark and tests have subclasses.
    """

    def say(self, text: str) -> None:
        """A line for people, such as that a bot is being built."""

    def bots_came(self, here: int, bots: int) -> None:
        """So many of the bots are there that the referee starts or dials."""

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
