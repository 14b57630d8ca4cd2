"""Webhooks: sends notices to the addresses that authors and hosts have set, each as one signed POST.

An address is whatever an author types. So only public addresses are dialled, the very ones that were checked;
the certificate must be valid for the name; nothing is followed; and only the status of the answer is told.
"""

from __future__ import annotations

import hmac
import json
import re
import socket
import ssl
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import apsw
import trio

from arena.hosting.database import DISK_ERRORS, Database, Notice, Receiver
from arena.hosting.rates import Rates
from arena.hosting.settings import Settings
from arena.link.tls.elsewhere import is_elsewhere
from arena.names import is_host

SIGNATURE: Final = "X-Arena-Signature"
"""The header with `sha256=` and the HMAC-SHA-256 of the body, in hex, by the webhook's secret."""

PAUSES: Final = (10, 60, 600, 3600, 6 * 3600)
"""The seconds between two attempts; after the last of them the webhook is removed."""

_EVERY = 1.0  # seconds between two looks
_AT_ONCE, _PER_SECOND = 20, 1 / 600  # attempts for an account: in a row, and in the long run
_PATIENCE = 10.0  # seconds for an attempt, from dialling to the answer's status
_RESOLVERS = 8  # names that are looked up at once
_TRIED = 3  # addresses of a name
_LONGEST_URL = 500
_HEAD = 4096  # bytes of an answer that are read
_DISCORD: Final = ("discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com")
_SLACK: Final = ("hooks.slack.com", "hooks.slack-gov.com")
_NOWHERE: Final = "has no public address"  # the same of all names, so that nobody asks for those of a network
_MARKDOWN: Final = re.compile(r"([\\*_~`|<>\[\]()#@:])")
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([0-9]{3})[ \r]")


class Undelivered(Exception):
    """A notice was not delivered; the text says why, after the name of the receiver."""


def url_problem(url: str) -> str | None:
    """Why an address cannot be that of a webhook; None if it can, as far as it says itself."""
    try:
        parts = urlsplit(url)
        host, usable = parts.hostname or "", parts.port != 0
    except ValueError:
        return "is no address"
    if not (url.isascii() and url.isprintable() and " " not in url and len(url) <= _LONGEST_URL):
        return f"has more than {_LONGEST_URL} characters, or some that no address has"
    if parts.scheme != "https" or not usable or parts.username is not None or parts.fragment:
        return "does not begin with https:// and the name of a host"
    if not is_host(host):
        return "does not name a host"
    try:
        return None if is_public(host) else "is not public"
    except ValueError:  # a name, whose addresses are checked each time
        return None


def is_public(address: str) -> bool:
    """Whether an address may be dialled for an author. Raises ValueError if it is none."""
    return ip_address(address).is_global and is_elsewhere(address)


def body_of(host: str, notice: Notice, settings: Settings, sent: datetime) -> bytes:
    """What a webhook at a host gets for a notice: the form of Discord or Slack, or all that is known."""
    url = f"{settings.url}{notice.path}"
    said: dict[str, object]
    if host in _DISCORD:
        words = _MARKDOWN.sub(r"\\\1", f"{settings.name}: {notice.text}")
        said = {"content": f"{words[:1500]}\n<{url}>", "allowed_mentions": {"parse": []}}
    elif host in _SLACK:
        words = f"{settings.name}: {notice.text}\n{url}"
        said = {"text": words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")}
    else:
        about = {"id": notice.id, "kind": notice.kind, "text": notice.text, "url": url, "at": notice.at}
        said = {"league": settings.name, **about, "sent": sent.isoformat(timespec="seconds")}
    return json.dumps(said).encode()


class Webhooks:
    """Sends notices; those of an account one after the other, and no account waits for another.

    Args:
        database: a connection that may write.
        settings: the settings of the league.
        say: told what happens, a line for people.
        allowed: whether an address may be dialled.
        tls: which certificates are trusted; by default those that the system trusts.
        now: the moment.
        patience: seconds for an attempt.
        look_up: finds the addresses of a name; it may block.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        say: Callable[[str], None],
        allowed: Callable[[str], bool] = is_public,
        tls: ssl.SSLContext | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        patience: float = _PATIENCE,
        look_up: Callable[..., Sequence[tuple[Any, ...]]] = socket.getaddrinfo,
    ) -> None:
        self._database, self._settings, self._say, self._allowed = database, settings, say, allowed
        self._tls, self._now, self._patience = tls or ssl.create_default_context(), now, patience
        self._look_up = look_up
        self._rates = Rates(_AT_ONCE, _PER_SECOND)
        self._resolvers = trio.CapacityLimiter(_RESOLVERS)
        self._busy: set[int] = set()

    async def run(self) -> None:
        """Sends what is due, until it is cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                self.send_due(nursery)
                await trio.sleep(_EVERY)

    def send_due(self, nursery: trio.Nursery) -> None:
        """Begins to send the next notice of each webhook that has one and has not to wait."""
        for receiver in self._database.receiving():
            if receiver.account in self._busy or receiver.again > self._at(0):
                continue
            waiting = self._database.notices(receiver.account, receiver.sent)
            if waiting and self._rates.take(receiver.account):
                self._busy.add(receiver.account)
                nursery.start_soon(self._send, receiver, waiting[-1])

    def _at(self, seconds: int) -> str:
        """The moment so many seconds from now, as it is stored."""
        return (self._now() + timedelta(seconds=seconds)).isoformat(timespec="seconds")

    async def _send(self, receiver: Receiver, notice: Notice) -> None:
        """Sends a notice, and stores whether it came."""
        host = urlsplit(receiver.url).hostname or ""
        try:
            await self._post(receiver, host, body_of(host, notice, self._settings, self._now()))
            told: dict[str, str | int] = {"sent": notice.id, "tries": 0, "again": "", "problem": ""}
        except Undelivered as why:
            told = {"tries": receiver.tries + 1, "problem": f"{host} {why}"}
            if receiver.tries < len(PAUSES):
                told["again"] = self._at(PAUSES[receiver.tries])
            else:
                told |= {"url": "", "secret": "", "problem": f"{host} {why}, so the webhook was removed"}
        try:
            with self._database.transaction():
                if self._database.receiver(receiver.account).secret == receiver.secret:
                    self._database.change_receiver(receiver.account, **told)
        except (*DISK_ERRORS, apsw.BusyError) as error:
            self._say(f"a webhook is put off: {error}")
            await trio.sleep(PAUSES[1])
        finally:
            self._busy.discard(receiver.account)

    async def _post(self, receiver: Receiver, host: str, body: bytes) -> None:
        """Posts a body. Raises Undelivered."""
        parts = urlsplit(receiver.url)
        signed = hmac.new(receiver.secret.encode(), body, "sha256").hexdigest()
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        head = (
            f"POST {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n{SIGNATURE}: sha256={signed}\r\n"
            "User-Agent: bot-arena\r\nConnection: close\r\n\r\n"
        )
        port = parts.port or 443
        addresses = await self._addresses(host, port)
        with trio.move_on_after(self._patience):
            stream = await self._connected(host, addresses, port)
            try:
                await stream.send_all(head.encode() + body)
                status = await _status(stream)
            except trio.BrokenResourceError:
                raise Undelivered("ends the connection without an answer") from None
            finally:
                await trio.aclose_forcefully(stream)
            if not 200 <= status < 300:
                raise Undelivered(f"answers {status}" if status else "does not answer as a web server does")
            return
        raise Undelivered(f"does not answer within {self._patience:g} s")

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        """The addresses of a host, which were checked. Raises Undelivered.

        The system's resolver has its own patience. Waiting for a name is not charged: the names of other
        authors, which may be slow on purpose, are looked up before it.
        """
        look_up = partial(self._look_up, host, port, type=socket.SOCK_STREAM)
        try:
            found = await trio.to_thread.run_sync(look_up, abandon_on_cancel=True, limiter=self._resolvers)
        except (OSError, UnicodeError):
            raise Undelivered(_NOWHERE) from None
        addresses = [str(address[0]) for *_, address in found]
        if not all(map(self._allowed, addresses)):
            raise Undelivered(_NOWHERE)
        return addresses

    async def _connected(
        self, host: str, addresses: Sequence[str], port: int
    ) -> trio.SSLStream[trio.SocketStream]:
        """A connection to one of the first addresses of a host. Raises Undelivered."""
        for address in addresses[:_TRIED]:
            try:
                plain = await trio.open_tcp_stream(address, port)
            except OSError:
                continue
            stream = trio.SSLStream(plain, self._tls, server_hostname=host)
            try:
                await stream.do_handshake()
            except BaseException as error:
                await trio.aclose_forcefully(stream)
                if isinstance(error, trio.BrokenResourceError):
                    raise Undelivered("does not show a valid certificate of its name") from None
                raise
            return stream
        raise Undelivered("cannot be reached")


async def _status(stream: trio.SSLStream[trio.SocketStream]) -> int:
    """The status of the answer, of which no more is read; 0 if it is none of HTTP."""
    head = b""
    while b"\n" not in head and len(head) < _HEAD:
        data = await stream.receive_some(_HEAD - len(head))
        if not data:
            break
        head += data
    found = _STATUS.match(head)
    return int(found[1]) if found else 0
