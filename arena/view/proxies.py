"""The proxies in front of the page: which are trusted, and who asks according to them."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from typing import Final

HERE: Final = ("127.0.0.0/8", "::1")
"""The proxies that are trusted unless the host names others: those on this machine."""

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_SITE: Final = 64  # the bits of an IPv6 address that one customer's addresses share


class Proxies:
    """The trusted proxies. What another address tells of a request is not believed.

    Args:
        words: their addresses, such as `10.88.0.1`, or networks, such as `10.88.0.0/16`.

    Raises ValueError, with a sentence, for a word that is neither.
    """

    def __init__(self, words: Iterable[str] = HERE) -> None:
        self._networks: list[_Network] = []
        for word in words:
            try:
                self._networks.append(ipaddress.ip_network(word.strip()))
            except ValueError:
                example = "an address such as 10.88.0.1, or a network such as 10.88.0.0/16"
                raise ValueError(f"a proxy is {example}, not {word!r}") from None

    def trusts(self, address: str) -> bool:
        """Whether this is the address of a trusted proxy."""
        try:
            found = _plain(address)
        except ValueError:
            return False
        return any(found in network for network in self._networks)

    def asker(self, peer: str, forwarded: Sequence[str]) -> str:
        """The address that a request comes from.

        Args:
            peer: the address at the other end of the connection.
            forwarded: the values of the headers `X-Forwarded-For`. Each proxy adds the address that asked
                it, so they are read from the last one back, as long as a trusted proxy tells them.
        """
        asker = peer
        for told in reversed(",".join(forwarded).split(",")):
            if not self.trusts(asker):
                break
            try:
                asker = str(_plain(told.strip()))
            except ValueError:
                break
        return asker


def _plain(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    found = ipaddress.ip_address(address)
    return getattr(found, "ipv4_mapped", None) or found


def site_of(address: str) -> str:
    """What is counted as one asker: an IPv4 address, or the network that one customer has with IPv6."""
    try:
        found = _plain(address)
    except ValueError:
        return address
    return str(found) if found.version == 4 else str(ipaddress.ip_network((int(found), _SITE), strict=False))
