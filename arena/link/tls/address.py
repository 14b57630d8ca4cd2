"""Parses addresses of bots and lobbies, which also say which TLS certificate is trusted there.

`HOST:PORT` is without TLS. `HOST:PORT/sha256:HEX` is TLS with the one certificate
whose SHA-256 is HEX, no matter who signed it. `HOST:PORT/tls` is TLS with any certificate
for HOST from an authority that the system trusts. So one word is enough
to dial.
"""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

from arena.link.tls.proxy import Proxy
from arena.names import HOST_NAME, IPV6

AUTHORITIES = "tls"
"""After the slash: the certificate must come from an authority that the system trusts."""

_FINGERPRINT = "sha256:"
_ADDRESS = re.compile(
    r"(?P<plain>unix:/\S+)"
    rf"|(?P<host>\[{IPV6}\]|{HOST_NAME}):(?P<port>[0-9]{{1,5}})"
    r"(?:/(?P<trust>tls|sha256:[0-9A-Fa-f]{64}))?"
)


class Address(NamedTuple):
    """Where to dial, and which certificate to trust there.

    Attributes:
        plain: `host:port` or `unix:/path`.
        trust: empty without TLS, else `AUTHORITIES`, or the certificate's
            fingerprint as `fingerprint_of` writes it.
        proxy: the HTTP proxy through which it is dialled; None to dial it directly. No text has it.
    """

    plain: str
    trust: str = ""
    proxy: Proxy | None = None

    @property
    def host(self) -> str:
        """The host, an IPv6 address without its brackets."""
        return self.plain.rpartition(":")[0].strip("[]")

    @property
    def port(self) -> int:
        """The port."""
        return int(self.plain.rpartition(":")[2])

    def at(self, host: str) -> Address:
        """The same address at another host."""
        return self._replace(plain=f"{host}:{self.plain.rpartition(':')[2]}")

    @property
    def in_the_clear(self) -> bool:
        """Whether a connection can be read on its way."""
        return not self.trust and not self.plain.startswith("unix:") and not is_loopback(self.host)

    def __str__(self) -> str:
        return f"{self.plain}/{self.trust}" if self.trust else self.plain


def read_address(text: str) -> Address | None:
    """Parses an address; None if the text is none."""
    match = _ADDRESS.fullmatch(text)
    if match is None:
        return None
    if match["plain"]:
        return Address(text)
    if not 1 <= int(match["port"]) <= 65535:
        return None
    return Address(f"{match['host']}:{match['port']}", (match["trust"] or "").lower())


def fingerprint_of(digest: bytes) -> str:
    """The SHA-256 of a certificate as a fingerprint in an address."""
    return _FINGERPRINT + digest.hex()


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, so that the connection does not leave it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
