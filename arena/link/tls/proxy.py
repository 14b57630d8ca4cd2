"""HTTP proxies: when one is used, and how to connect through it.

A page of the internet is asked for through the proxy that the environment names, as browsers do it. A page of
this machine or its network is asked for directly. A bot or a lobby is dialled directly too, unless its author
names a proxy for it.
"""

from __future__ import annotations

import base64
import ipaddress
import socket
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_MOST = 1 << 14  # bytes of a proxy's answer
_PORT = 80  # of a proxy that is named without one


class Proxy(NamedTuple):
    """An HTTP proxy.

    Attributes:
        host, port: where it listens.
        authorization: the value of the header Proxy-Authorization; empty for none.
    """

    host: str
    port: int
    authorization: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """The headers with which it is asked."""
        return {"Proxy-Authorization": self.authorization} if self.authorization else {}

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def read_proxy(text: str) -> Proxy | None:
    """The proxy of `HOST:PORT` or `http://USER:PASSWORD@HOST:PORT`; None if the text names no HTTP proxy."""
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme != "http" or not host or not text.isprintable():
        return None
    authorization = ""
    if parts.username is not None:
        secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = f"Basic {base64.b64encode(secret.encode()).decode()}"
    return Proxy(host, port or _PORT, authorization)


def proxy_for(scheme: str, host: str) -> str:
    """The proxy that the environment names for the pages at a host; empty to dial it directly.

    The variables are `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, in either case.

    Args:
        scheme: `https` or `http`.
        host: the name or address of the host.
    """
    import urllib.request  # only here: it loads much, and bots never need it

    if _is_near(host) or urllib.request.proxy_bypass(host):
        return ""
    named = urllib.request.getproxies_environment()
    return named.get(scheme) or named.get("all") or ""


def _is_near(host: str) -> bool:
    """Whether a host is this machine or in its network, as far as its name or address tells."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost"))


def connect(host: str, port: int, patience: float, proxy: Proxy | None = None) -> socket.socket:
    """Connects to a host by TCP, through a proxy if one is given.

    Raises OSError: ConnectionError for what another attempt may mend, PermissionError if the proxy refuses.

    `patience`: how long each step may take, in seconds; it stays the connection's timeout.
    """
    if proxy is None:
        return socket.create_connection((host, port), patience)
    line = socket.create_connection((proxy.host, proxy.port), patience)
    try:
        where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        lines = [f"CONNECT {where} HTTP/1.1", f"Host: {where}"]
        lines += [f"{name}: {value}" for name, value in proxy.headers.items()]
        line.sendall("\r\n".join((*lines, "", "")).encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            byte = line.recv(1)  # one by one: what follows is for others
            if not byte or len(answer) > _MOST:
                raise ConnectionError("it hangs up")
            answer += byte
        status = answer.partition(b"\r\n")[0].decode("latin-1").split(" ", 1)[-1]
        if not status.startswith("2"):
            raise (ConnectionError if status.startswith("5") else PermissionError)(f"it answers {status}")
    except BaseException:
        line.close()
        raise
    return line
