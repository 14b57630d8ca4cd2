"""The options for TLS, for bots that dial in and for bots that the arena dials."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import click

from arena.cli.parameters import in_one
from arena.link.tls.identity import Serving, kept, kept_in, load, server_context
from arena.link.tls.trust import OwnCertificate
from arena.view.listening import own_host

_FILE = click.Path(path_type=Path, dir_okay=False)


class Security(NamedTuple):
    """The security options of a command that listens.

    Attributes:
        tls: whether bots that dial in use TLS; None if the command line does not say.
        tls_certificate, tls_key: PEM files, if given.
        tls_client_ca: a PEM file with the authorities that sign the certificates of bots that dial in.
        require_tls: whether all traffic to other machines must use TLS.
        one_time_tokens: whether a token opens its seat only once.
    """

    tls: bool | None = None
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    require_tls: bool = False
    one_time_tokens: bool = False

    def serving(self, league: Path, lobby: str) -> Serving | None:
        """The TLS settings of the lobby; None for no TLS. Raises UsageError, WrongIdentity.

        Args:
            league: the league file; a new certificate is kept beside it.
            lobby: the address at which bots dial in, `host:port`.
        """
        given = _pair(self.tls_certificate, self.tls_key)
        folder = identity_folder(league)
        if self.tls is False and (given or self.tls_client_ca):
            raise click.UsageError("--no-tls cannot go with another --tls-... option: leave out one of them")
        if self.tls is False or not (self.tls or given or self.tls_client_ca or kept_in(folder)):
            return None
        identity = load(*given) if given else kept(folder, [own_host(lobby)])
        if self.tls_client_ca is not None:
            server_context(identity.certificate, identity.key, self.tls_client_ca)
        return Serving(identity, self.tls_client_ca)


def identity_folder(league: Path) -> Path:
    """The folder of a league's own certificate."""
    return Path(f"{league.resolve()}-tls")


def _pair(certificate: Path | None, key: Path | None) -> tuple[Path, Path] | None:
    """The two files, or None if neither was given. Raises UsageError."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise click.UsageError("--tls-certificate and --tls-key go together: give both")
    return certificate, key


def _shown(tls_certificate: Path | None, tls_key: Path | None) -> OwnCertificate | None:
    """The certificate that the arena shows to bots that it dials. Raises UsageError, WrongIdentity."""
    given = _pair(tls_certificate, tls_key)
    return load(*given).shown if given else None


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


security_options = in_one("security", Security, _LISTENING)
"""Adds the options of a command that listens; the command takes them as `security`."""

shown_options = in_one("shown", _shown, _SHOWN)
"""Adds the options of a command that dials; it takes them as `shown`: an OwnCertificate or None."""


def shown_by(league: Path, given: OwnCertificate | None) -> OwnCertificate | None:
    """The certificate shown to bots that a league dials: the one given, or else the league's own."""
    folder = identity_folder(league)
    return kept(folder, ()).shown if given is None and kept_in(folder) else given
