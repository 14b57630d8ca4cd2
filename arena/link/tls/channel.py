"""Opens gRPC channels and ports, with TLS if the address asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpc

from arena.link.tls.address import Address
from arena.link.tls.identity import Serving
from arena.link.tls.trust import OwnCertificate, Trusted, examine

# A proxy of the environment is for web pages: it would not lead to this machine or its network, or not to
# the port of a bot or a lobby. Nothing tells that: gRPC would only wait.
_NO_PROXY = ("grpc.enable_http_proxy", 0)


def channel_to(
    address: Address,
    options: Sequence[tuple[str, Any]],
    own: OwnCertificate | None = None,
    trusted: Trusted | None = None,
) -> grpc.Channel:
    """Opens a channel to an address. Blocks for a moment if it must examine the server's certificate first.

    It ignores the proxies that the environment names.

    Args:
        address: where to dial.
        options: gRPC's.
        own: the certificate for servers that ask for one; None for none.
        trusted: the result of an earlier `examine`.

    Raises Untrusted, and OSError if no server answers over TLS.
    """
    if not address.trust:
        return grpc.insecure_channel(address.plain, options=[*options, _NO_PROXY])
    trusted = trusted or examine(address, own)
    credentials = grpc.ssl_channel_credentials(
        trusted.roots,
        own.key.read_bytes() if own else None,
        own.certificate.read_bytes() if own else None,
    )
    named = ("grpc.ssl_target_name_override", trusted.name)
    return grpc.secure_channel(address.plain, credentials, options=[*options, _NO_PROXY, named])


def add_port(server: grpc.Server, address: str, tls: Serving | None) -> int:
    """Has a server listen at `host:port` or `unix:/path`; returns the port. Raises RuntimeError.

    Args:
        server: the server, before its start.
        address: where.
        tls: the server's TLS settings, with which all clients must speak TLS; None for no TLS.
    """
    if tls is None:
        return server.add_insecure_port(address)
    credentials = grpc.ssl_server_credentials(
        [(tls.identity.key.read_bytes(), tls.identity.certificate.read_bytes())],
        tls.client_ca.read_bytes() if tls.client_ca else None,
        require_client_auth=tls.client_ca is not None,
    )
    return server.add_secure_port(address, credentials)
