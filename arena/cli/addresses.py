"""Addresses at which this machine listens, and under which others reach it."""

from __future__ import annotations

import socket

import click


def require_port(address: str, option: str) -> None:
    """Raises BadParameter where an address at which to listen does not say at which port, 0 for any."""
    port = address.rpartition(":")[2] if ":" in address else ""
    if not (port.isascii() and port.isdecimal() and int(port) <= 65535):
        raise click.BadParameter(
            f"{address!r} is no HOST:PORT, such as 0.0.0.0:50050 (0 for any port)", param_hint=option
        )


def own_host(listen: str) -> str:
    """The address under which others reach what listens here on `listen` (`host:port`)."""
    host = listen.rpartition(":")[0]
    if host not in ("", "0.0.0.0", "[::]"):
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("203.0.113.1", 9))  # sends nothing: only asks which way packets would leave
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
