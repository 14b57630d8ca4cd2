"""Which addresses belong to the internet, and not to this machine, its networks or private networks."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Iterator

# Not addresses of the internet, as IANA says, but without those for examples, which some networks use.
_PRIVATE = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.168.0.0/16", "224.0.0.0/3", "::/96", "2001::/32", "2002::/16", "fc00::/7", "fe80::/9",
        "ff00::/8", "64:ff9b:1::/48", "5f00::/16",
    )
)  # fmt: skip
_EMBEDDING = ipaddress.IPv6Network("64:ff9b::/96")  # IPv4 addresses within IPv6, for a translator

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def is_elsewhere(text: str) -> bool:
    """Whether an address is neither this machine's, nor in its networks, nor private."""
    address: _Address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        within = address in _EMBEDDING or address.ipv4_mapped is not None
        address = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if within else address
    near = (*_PRIVATE, *_attached_networks())
    return not any(address in network for network in near) and not _is_own(address)


def _is_own(address: _Address) -> bool:
    """Whether an address is this machine's: only those can be bound."""
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as any_socket:
        try:
            any_socket.bind((str(address), 0))
        except OSError:
            return False
        return True


def _attached_networks() -> Iterator[_Network]:
    """The networks that this machine reaches without a gateway."""
    with contextlib.suppress(OSError), open("/proc/net/route", encoding="utf-8") as routes:
        for line in routes.readlines()[1:]:
            _, network, gateway, _, _, _, _, mask, *_ = line.split()
            if int(gateway, 16) == 0 != int(mask, 16):
                first, bits = (int.from_bytes(bytes.fromhex(each)[::-1]) for each in (network, mask))
                yield ipaddress.IPv4Network((first, bits.bit_count()))
    with contextlib.suppress(OSError), open("/proc/net/ipv6_route", encoding="utf-8") as routes:
        for line in routes:
            network, length, _, _, gateway, *_ = line.split()
            if int(gateway, 16) == 0 != int(length, 16):
                yield ipaddress.IPv6Network((int(network, 16), int(length, 16)))
