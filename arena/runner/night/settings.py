"""How a tournament is run, besides what its file says."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from arena.link.tls.address import Address, read_address
from arena.link.tls.identity import Serving
from arena.runner.entrants import Entrant
from arena.runner.sitting.elsewhere import Elsewhere

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
        elsewhere: other machines that play as well; None for this one alone.
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
    elsewhere: Elsewhere | None = None
    watch_delay: float = 0.0

    def lobby_at(self, port: int) -> Address:
        """Where bots dial in, for a lobby that listens at a port."""
        host = self.lobby.rpartition(":")[0]
        return Address(f"{host}:{port}", self.tls.identity.fingerprint if self.tls else "")


def require_secrecy(entrant: Entrant, settings: Settings) -> None:
    """Raises CannotRun where others could read what is said to a bot, and must not."""
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
