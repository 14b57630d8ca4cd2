"""The build proxy: a process outside of a build's network namespace, the build's only way to the network.

The proxy gets its listening socket from inside. It dials public addresses, or certain domains only. It dials
neither this machine nor the machine's networks nor any other private address, but for the proxies and
registries that the host's toolchains are configured for.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from functools import cache
from http.server import BaseHTTPRequestHandler

from arena.link.local.containment.kernel import MACHINE, fail, prctl, syscall
from arena.link.tls.elsewhere import is_elsewhere
from arena.names import is_host
from arena.processes.loading import program_of

_ADDRESS = ("127.0.0.1", 3128)  # in the build's own network, which has no other listener
_UNSHARE = {"x86_64": 272, "aarch64": 97}
_NEW_USER, _NEW_NETWORK = 1 << 28, 1 << 30
_SET_FLAGS, _UP = 0x8914, 1  # an ioctl for network devices
_PR_SET_PDEATHSIG = 1
_TRY = "try"
_TRIED_FOR = 60.0  # seconds; on a busy, slow machine it takes more than ten

_AT_ONCE = 200  # connections
_DIAL_LIMIT, _IDLE_LIMIT = 30.0, 600.0  # seconds
_CHUNK = 1 << 16

# The files with the toolchains' proxies and registries, for all users of a machine.
_CONFIGURATION = ("/etc/pip.conf", "/etc/npmrc", "/usr/etc/npmrc", "/etc/maven/settings.xml")
_PLACE = re.compile(r"https?://[^\s\"'<>,|]+")
_REACH = "ARENA_REACH"  # the variable with the only domains that it dials
_PORTS = {"http": 80, "https": 443}  # the only ones that it dials, but for configured registries


class _Refused(Exception):
    """An address that the proxy does not dial; the text says which ones it dials."""


@cache
def missing() -> str | None:
    """Why builds use this machine's own network here, for people; None if they do not."""
    if sys.platform != "linux" or MACHINE not in _UNSHARE:
        return "only Linux has network namespaces"
    try:
        tried = subprocess.run(
            program_of(__name__, _TRY), capture_output=True, text=True, errors="replace", timeout=_TRIED_FOR
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no network namespace can be made ({error})"
    said = tried.stderr.strip().rpartition("\n")[2]
    return None if tried.returncode == 0 else f"no network namespace can be made ({said})"


def told(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a build's toolchain, with the variables that name the proxy.

    Args:
        environment: the environment of the host's toolchains.
    """
    url = "http://{}:{}".format(*_ADDRESS)
    variables = {f"{scheme}_proxy": url for scheme in ("http", "https", "all")}
    java = " ".join(
        f"-D{scheme}.proxyHost={_ADDRESS[0]} -D{scheme}.proxyPort={_ADDRESS[1]}" for scheme in _PORTS
    )
    return {
        **environment,
        **variables,
        **{name.upper(): url for name in variables},
        "no_proxy": "localhost,127.0.0.1,::1",
        "NO_PROXY": "localhost,127.0.0.1,::1",
        "GRADLE_OPTS": java,
        "MAVEN_OPTS": f"{environment.get('MAVEN_OPTS', '')} {java}".strip(),
    }


def proxied(environment: Mapping[str, str], reach: Sequence[str]) -> dict[str, str]:
    """The environment of the proxy.

    Args:
        environment: the environment of the host's toolchains.
        reach: the domains that it dials, besides configured registries; empty for all.
    """
    return {**environment, _REACH: " ".join(reach)}


def open_for(environment: Mapping[str, str]) -> socket.socket:
    """Starts the proxy; returns the channel through which it must be sent its socket.

    The proxy ends with this process, however that ends.

    Args:
        environment: what `proxied` gives.
    """
    near, far = socket.socketpair()
    with far:
        subprocess.Popen(
            program_of(__name__, str(os.getpid())),
            stdin=far.fileno(),
            stdout=subprocess.DEVNULL,
            env={**environment},
        )
    return near


def enter_network(channel: int, isolated: bool) -> None:
    """Moves this process, which has no threads, into its own network with the proxy. Raises OSError.

    Args:
        channel: the number of the channel to the proxy, which is closed.
        isolated: whether its network is its own already.
    """
    if not isolated:
        _leave_network()
    with socket.socket(fileno=channel) as proxy, socket.create_server(_ADDRESS, backlog=_AT_ONCE) as listener:
        socket.send_fds(proxy, [b"\n"], [listener.fileno()])


def _leave_network() -> None:
    import fcntl  # here: some systems do not have it

    uid, gid = os.geteuid(), os.getegid()
    if syscall(_UNSHARE[MACHINE], _NEW_NETWORK | (_NEW_USER if uid else 0)) != 0:
        fail("unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        if uid:
            with open(f"/proc/self/{name}", "w", encoding="utf-8") as file:
                file.write(text)
    with socket.socket(type=socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))


class _Destinations:
    """The addresses that may be dialled, and through which proxy.

    Args:
        environment: the environment of the host's toolchains.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._proxies = urllib.request.getproxies_environment()
        self._reach = environment.get(_REACH, "").split()
        texts = list(environment.values())
        for path in _CONFIGURATION:
            with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
                texts.append(file.read())
        self._configured = {_place(url) for text in texts for url in _PLACE.findall(text)}

    def proxy_for(self, scheme: str, host: str) -> urllib.parse.SplitResult | None:
        """The host's own proxy for an address, None for none."""
        url = urllib.parse.urlsplit(self._proxies.get(scheme, ""))
        if url.scheme != "http" or urllib.request.proxy_bypass(host):
            return None
        return url

    def dial(self, scheme: str, host: str, port: int) -> socket.socket:
        """Connects to an address, or to the host's own proxy for it. Raises _Refused, OSError.

        What is judged is dialled: the addresses that a name has now, or a place that is configured.
        """
        if not is_host(host):
            raise _Refused("addresses, and names of letters, digits, dots and hyphens,")
        proxy = self.proxy_for(scheme, host)
        allowed = [(host, port)]
        if (host, port) not in self._configured:
            if port not in _PORTS.values() or not self._reaches(host):
                raise _Refused(f"the ports 80 and 443 of {', '.join(self._reach) or 'public addresses'}")
            try:
                found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            except socket.gaierror:
                if proxy is None:
                    raise
                found = []  # only the host's proxy can resolve it
            allowed = [(str(address[0]), port) for *_, address in found]
            if not all(is_elsewhere(address) for address, _ in allowed):
                raise _Refused("public addresses")
        if proxy is not None:
            allowed = [_place(proxy.geturl())]
        for place in allowed[:-1]:
            with contextlib.suppress(OSError):
                return socket.create_connection(place, _DIAL_LIMIT)
        return socket.create_connection(allowed[-1], _DIAL_LIMIT)

    def _reaches(self, host: str) -> bool:
        return not self._reach or any(host == name or host.endswith(f".{name}") for name in self._reach)


def _place(url: str) -> tuple[str, int]:
    parts = urllib.parse.urlsplit(url)
    try:
        return parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        return "", 0


class _Connection(BaseHTTPRequestHandler):
    """One connection from the build."""

    rbufsize = 0  # the bytes after the head are copied from the socket
    timeout = _DIAL_LIMIT
    destinations: _Destinations

    def do_CONNECT(self) -> None:
        """Opens a tunnel to an address, for TLS."""
        url = urllib.parse.urlsplit(f"https://{self.path}")
        if (place := self._dialled(url)) is None:
            return
        with place:
            proxy = self.destinations.proxy_for("https", url.hostname or "")
            if proxy is None:
                self.send_response(200)
                self.end_headers()
            else:
                asked = _judged(url, _PORTS["https"])
                place.sendall(f"CONNECT {asked} HTTP/1.1\r\nHost: {asked}\r\n{_login(proxy)}\r\n".encode())
            _copy(self.connection, place)

    def _pass_on(self) -> None:
        """Forwards one request without TLS."""
        url = urllib.parse.urlsplit(self.path)
        if (place := self._dialled(url)) is None:
            return
        with place:
            proxy = self.destinations.proxy_for("http", url.hostname or "")
            path = urllib.parse.urlunsplit(("", "", url.path or "/", url.query, ""))
            host = _judged(url, None)
            asked = f"{url.scheme}://{host}{path}" if proxy else path
            head = f"{self.command} {asked} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
            for name, value in self.headers.items():
                if name.lower() not in ("host", "connection", "proxy-connection", "proxy-authorization"):
                    head += f"{name}: {value}\r\n"
            place.sendall(f"{head}{_login(proxy) if proxy else ''}\r\n".encode("latin-1"))
            _copy(self.connection, place)

    do_GET = do_HEAD = do_POST = do_PUT = _pass_on

    def _dialled(self, url: urllib.parse.SplitResult) -> socket.socket | None:
        self.close_connection = True
        try:
            port = url.port or _PORTS[url.scheme]
            return self.destinations.dial(url.scheme, url.hostname or "", port)
        except _Refused as refused:
            self.send_error(403, f"a build reaches {refused} alone")
        except (OSError, ValueError, LookupError) as problem:
            self.send_error(502, f"cannot be reached: {type(problem).__name__}")
        return None

    def log_message(self, format: str, *arguments: object) -> None:
        """Logs nothing."""


def _judged(url: urllib.parse.SplitResult, usual: int | None) -> str:
    """The host and port that were judged, and nothing else that the build asked for; `usual` is its port."""
    host = f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname or ""
    port = url.port or usual
    return f"{host}:{port}" if port else host


def _login(proxy: urllib.parse.SplitResult) -> str:
    """The header with the host's login at a proxy."""
    if proxy.username is None:
        return ""
    name, word = (urllib.parse.unquote(part or "") for part in (proxy.username, proxy.password))
    return f"Proxy-Authorization: Basic {base64.b64encode(f'{name}:{word}'.encode()).decode()}\r\n"


def _copy(near: socket.socket, far: socket.socket) -> None:
    """Copies both ways until both have ended, or nothing has come for long."""
    other = {near: far, far: near}
    with contextlib.suppress(OSError):
        for each in other:
            each.settimeout(_IDLE_LIMIT)
        while other and (ready := select.select(list(other), [], [], _IDLE_LIMIT)[0]):
            for source in ready:
                if data := source.recv(_CHUNK):
                    other[source].sendall(data)
                else:
                    other.pop(source).shutdown(socket.SHUT_WR)


def _serve(listener: socket.socket) -> None:
    _Connection.destinations = _Destinations(os.environ)
    places = threading.BoundedSemaphore(_AT_ONCE)

    def serve(line: socket.socket, address: tuple[str, int]) -> None:
        with places, line, contextlib.suppress(OSError):
            _Connection(line, address, None)  # type: ignore[arg-type]  # it needs no server

    while True:
        line, address = listener.accept()
        threading.Thread(target=serve, args=(line, address), daemon=True).start()


def main(parent: str) -> None:
    """Serves a build while the process with this id, its parent, lives.

    For `_TRY` it only tries whether a process can leave the machine's network.
    """
    if parent == _TRY:
        try:
            _leave_network()
        except OSError as error:
            sys.exit(str(error))
        return
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):  # it ended before
        return
    with socket.socket(fileno=0) as channel:
        descriptors = socket.recv_fds(channel, 1, 1)[1]
    if descriptors:
        with socket.socket(fileno=descriptors[0]) as listener:
            _serve(listener)
