"""The options that say how bots are answered, and dialled, over TLS."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click

from arena.cli.addresses import own_host
from arena.link.tls.identity import Serving, kept, kept_in, load, server_context
from arena.link.tls.trust import OwnCertificate

_FILE = click.Path(path_type=Path, dir_okay=False)


class Security(NamedTuple):
    """What was said on the command line.

    Attributes:
        tls: whether with TLS; None where that was not said.
        certificate, key: PEM files, where they were given.
        client_ca: a PEM file with those who may vouch for bots that dial in.
        require_tls: whether nothing may leave this machine but over TLS.
        one_time: whether tokens open their seats a single time.
    """

    tls: bool | None
    certificate: Path | None
    key: Path | None
    client_ca: Path | None
    require_tls: bool
    one_time: bool

    def serving(self, league: Path, lobby: str) -> Serving | None:
        """How bots are answered that dial in; None for no TLS. Raises UsageError, WrongIdentity.

        Args:
            league: the league file, beside which a certificate is kept that is made here.
            lobby: where they dial in, `host:port`.
        """
        given = _pair(self.certificate, self.key)
        folder = identity_folder(league)
        if self.tls is False and (given or self.client_ca):
            raise click.UsageError("--no-tls goes with none of the --tls-... options: leave it out, or them")
        if self.tls is False or not (self.tls or given or self.client_ca or kept_in(folder)):
            return None
        identity = load(*given) if given else kept(folder, [own_host(lobby)])
        if self.client_ca is not None:
            server_context(identity.certificate, identity.key, self.client_ca)
        return Serving(identity, self.client_ca)


def identity_folder(league: Path) -> Path:
    """Where a league's own certificate is kept."""
    return Path(f"{league.resolve()}-tls")


_SHOWN = (
    click.option(
        "--tls-certificate",
        type=_FILE,
        help="A PEM file with the certificate to show; needs --tls-key.",
    ),
    click.option("--tls-key", type=_FILE, help="A PEM file with the certificate's key."),
)
_LISTENING = (
    click.option(
        "--tls/--no-tls",
        default=None,
        help=(
            "Bots that dial in must use TLS. A certificate is made and kept beside the league, "
            "unless you give one (default: if the league has one)."
        ),
    ),
    *_SHOWN,
    click.option(
        "--tls-client-ca",
        type=_FILE,
        help=("A PEM file: bots that dial in must show a certificate from one of the authorities in it."),
    ),
    click.option(
        "--require-tls",
        is_flag=True,
        help="Refuse to run if the arena would talk to a bot over a network without TLS.",
    ),
    click.option(
        "--one-time-tokens",
        is_flag=True,
        help=(
            "A token opens its seat once; the bot gets a secret to come back with after a lost connection."
        ),
    ),
)


def security_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of a command that listens; the command takes them as `security`."""

    @wraps(command)
    def with_security(
        *arguments: Any,
        tls: bool | None,
        tls_certificate: Path | None,
        tls_key: Path | None,
        tls_client_ca: Path | None,
        require_tls: bool,
        one_time_tokens: bool,
        **others: Any,
    ) -> Any:
        security = Security(tls, tls_certificate, tls_key, tls_client_ca, require_tls, one_time_tokens)
        return command(*arguments, security=security, **others)

    for option in reversed(_LISTENING):
        with_security = option(with_security)
    return with_security


def shown_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of a command that dials; it takes them as `shown`: an OwnCertificate or None."""

    @wraps(command)
    def with_certificate(
        *arguments: Any, tls_certificate: Path | None, tls_key: Path | None, **others: Any
    ) -> Any:
        given = _pair(tls_certificate, tls_key)
        shown = load(*given).shown if given else None
        return command(*arguments, shown=shown, **others)

    for option in reversed(_SHOWN):
        with_certificate = option(with_certificate)
    return with_certificate


def shown_by(league: Path, given: OwnCertificate | None) -> OwnCertificate | None:
    """What is shown to bots that are dialled for a league: what was given, or else the league's own."""
    folder = identity_folder(league)
    return kept(folder, ()).shown if given is None and kept_in(folder) else given


def _pair(certificate: Path | None, key: Path | None) -> tuple[Path, Path] | None:
    """The two files, None where neither was given. Raises UsageError."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise click.UsageError("--tls-certificate and --tls-key go together: give both")
    return certificate, key
