"""Runs the process of a Python bot: its command line, its environment, and the settings of gRPC."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

from arena.bot.answering import Answer
from arena.bot.classes import problem_of
from arena.bot.player import Bot
from arena.link import BOT_SETTINGS, use_library_settings
from arena.link.tls.address import read_address
from arena.link.tls.identity import Serving, WrongIdentity, kept, load, server_context
from arena.processes.loading import uncollected

LISTEN = "ARENA_LISTEN"
"""The environment variable with the address to listen at, set by a referee."""

JOIN, TOKEN = "ARENA_JOIN", "ARENA_TOKEN"
"""The environment variables with the lobby's address and the token."""

CERTIFICATE, KEY, CLIENT_CA = "ARENA_TLS_CERTIFICATE", "ARENA_TLS_KEY", "ARENA_TLS_CLIENT_CA"
"""The environment variables that name PEM files for TLS: see `serve`."""

DEFAULT_ADDRESS = "127.0.0.1:50051"

_KEPT = Path("tls")  # the folder for a new certificate


def serve(bot_class: type[Bot], new_tables: Callable[[], Answer] | None = None) -> None:
    """Runs a bot until SIGTERM or Ctrl-C, or until the tournament that it joined is over.

    Started by a referee, it listens at the address that the referee sets. Started by hand, it listens on
    a port (`--listen`), or dials a referee's lobby (`--join`, `--token`).
    The command line has priority over the environment, and LISTEN over JOIN.
    With a certificate (`--tls` and its options, or CERTIFICATE and KEY), clients of
    its port have to speak TLS, and with CLIENT_CA to show a certificate that is
    in that file or signed by one in it. The bot shows its certificate to a lobby that asks for one.
    Exits with code 1 and one sentence if it cannot run.

    It sets `arena.link.BOT_SETTINGS` for this process, unless the user has set them. A program that has
    imported gRPC before keeps gRPC's own settings.

    Args:
        bot_class: the bot.
        new_tables: called for every connection; returns what answers its batches in place of objects
            of the bot's class.
    """
    problem = problem_of(bot_class)
    if problem is not None:
        sys.exit(problem)
    parser = argparse.ArgumentParser(description=f"The bot {bot_class.name}, for the arena.")
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help=f"where to listen (default: ${LISTEN}, or {DEFAULT_ADDRESS})",
    )
    parser.add_argument(
        "--join",
        metavar="HOST:PORT",
        help=f"the lobby of a referee to dial in at (default: ${JOIN})",
    )
    parser.add_argument(
        "--token", default=os.environ.get(TOKEN, ""), help=f"the token to join with (default: ${TOKEN})"
    )
    parser.add_argument(
        "--tls", action="store_true", help=f"listen with TLS; a certificate is made and kept in {_KEPT}/"
    )
    for option, variable, what in (
        ("--tls-certificate", CERTIFICATE, "the certificate for TLS"),
        ("--tls-key", KEY, "its key"),
        ("--tls-client-ca", CLIENT_CA, "the certificates of clients, or of their authorities"),
    ):
        parser.add_argument(
            option,
            metavar="FILE",
            type=Path,
            default=os.environ.get(variable) or None,
            help=f"{what}, a PEM file (default: ${variable})",
        )
    arguments = parser.parse_args()
    listen, lobby = arguments.listen, arguments.join
    if not listen and not lobby:
        listen = os.environ.get(LISTEN)  # first, because the referee sets it
        lobby = None if listen else os.environ.get(JOIN)
    _require_port(bot_class, lobby.partition("/")[0] if lobby else listen or DEFAULT_ADDRESS)
    try:
        tls = _tls(arguments) if lobby or not (listen or "").startswith("unix:") else None
    except WrongIdentity as problem:
        sys.exit(f"{bot_class.name}: {problem}")
    address = read_address(lobby) if lobby else None
    if lobby and address is None:
        sys.exit(
            f"{bot_class.name}: {lobby} is no HOST:PORT, such as {DEFAULT_ADDRESS}, and no "
            "HOST:PORT/sha256:FINGERPRINT"
        )
    use_library_settings(BOT_SETTINGS)
    with uncollected():
        from arena.bot import server  # only here, because gRPC reads its settings when it is imported
    gc.freeze()  # loaded modules stay; searching them for garbage took long at the bot's end
    if address:
        server.dial(bot_class, new_tables, address, arguments.token, tls)
    else:
        server.listen(bot_class, new_tables, listen or DEFAULT_ADDRESS, tls)


def _tls(arguments: argparse.Namespace) -> Serving | None:
    """The bot's TLS settings; None for no TLS. Raises WrongIdentity."""
    certificate, key, client_ca = arguments.tls_certificate, arguments.tls_key, arguments.tls_client_ca
    if certificate is None and key is None and client_ca is None and not arguments.tls:
        return None
    if (certificate is None) != (key is None):
        raise WrongIdentity(f"${CERTIFICATE} and ${KEY} go together: give both, or neither")
    identity = load(certificate, key) if certificate else kept(_KEPT, ())
    if client_ca is not None:
        server_context(identity.certificate, identity.key, client_ca)
    return Serving(identity, client_ca)


def _require_port(bot_class: type[Bot], address: str) -> None:
    """Exits with one sentence if an address has no port."""
    port = address.rpartition(":")[2] if ":" in address else ""
    if not address.startswith("unix:") and not (port.isascii() and port.isdecimal() and int(port) <= 65535):
        sys.exit(f"{bot_class.name}: {address} is no HOST:PORT, such as {DEFAULT_ADDRESS}")
