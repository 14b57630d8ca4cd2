"""The page's listening socket, its address for browsers, and the token of its host. It loads quickly."""

from __future__ import annotations

import ipaddress
import secrets
import socket

from arena.referee.night.settings import CannotRun

DEFAULT_LISTEN = "127.0.0.1:8000"


def listening(address: str, option: str = "--listen") -> socket.socket:
    """A socket that listens at `HOST:PORT`, port 0 for any. Raises CannotRun, which names the option."""
    host, _, port = address.rpartition(":")
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host.strip("[]") or None, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen(512)
        except BaseException:
            listener.close()
            raise
    except OSError as error:
        raise CannotRun(
            f"nothing can listen at {address} ({error.strerror}): give another {option} HOST:PORT, "
            "with port 0 for any that is free"
        ) from None
    listener.setblocking(False)
    return listener


def url_of(listener: socket.socket) -> str:
    """The address for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def url_for_phones(listener: socket.socket) -> str:
    """The address for browsers on other machines; empty if the page is for this machine alone."""
    host, port = listener.getsockname()[:2]
    if ipaddress.ip_address(host).is_loopback:
        return ""
    host = own_host(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    return f"http://{host}:{port}/"


def own_host(listen: str) -> str:
    """The host name under which other machines reach a server here that listens at `listen` (`host:port`)."""
    host = listen.rpartition(":")[0]
    if host not in ("", "0.0.0.0", "[::]"):
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("203.0.113.1", 9))  # sends nothing: it only asks for the route
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def new_token() -> str:
    """A token for the host, to be typed by hand."""
    text = secrets.token_hex(8)
    return "-".join(text[first : first + 4] for first in range(0, 16, 4))
