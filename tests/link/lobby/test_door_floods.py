"""Guests that flood a lobby's door with nearly empty TLS records are cut off."""

from __future__ import annotations

import ctypes
import ctypes.util
import queue
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.link.lobby.door import MOST, MOST_PORTIONS
from arena.link.lobby.door_process import DoorProcess
from arena.link.lobby.tickets import token_digest
from arena.link.local.process import GUARDED
from arena.link.tls.identity import Serving, kept
from tests.patience import PATIENCE
from tests.referee.crowd import ACKNOWLEDGEMENT, PREFACE, SETTINGS, headers, hello

TOKEN = "token"
SAID = PREFACE + SETTINGS + ACKNOWLEDGEMENT + headers(1) + hello(TOKEN)
COME_IN = b"come in"
UNKNOWN_FRAME = b"\x3f\xff\xff\xfa\x00\x00\x00\x00\x00"
"""The head of an unknown, long frame."""

SMALLEST_RECORD = 22
"""Bytes of a record of TLS 1.3 without content: its head, its kind and its tag."""


@contextmanager
def door(folder: Path) -> Iterator[tuple[int, queue.SimpleQueue[int]]]:
    """A door with TLS before a lobby that takes all and says one thing; its port, and the floods."""
    floods: queue.SimpleQueue[int] = queue.SimpleQueue()
    place = folder / "lobby"
    place.mkdir()
    with socket.socket(socket.AF_UNIX) as lobby:
        lobby.bind(str(place / "lobby.sock"))
        lobby.listen()
        door = DoorProcess(
            str(place / "lobby.sock"), [token_digest(TOKEN)], lambda _: None, lambda _, size: floods.put(size)
        )
        port = door.open("127.0.0.1:0", Serving(kept(folder / "tls", [])))
        taking = threading.Thread(target=take, args=(lobby,), daemon=True)
        taking.start()
        try:
            yield port, floods
        finally:
            door.close()


def take(lobby: socket.socket) -> None:
    with suppress(OSError):
        guest, _ = lobby.accept()
        with guest:
            guest.sendall(COME_IN)
            while guest.recv(1 << 16):
                pass


def gather(line: socket.socket) -> None:
    """Has the system send what is written in pieces that are as large as can be."""
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)


def single_bytes(port: int, begun: Callable[[socket.socket], None]) -> None:
    """Each in a record of its own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port)) as line, context.wrap_socket(line) as guest:
        guest.sendall(SAID + UNKNOWN_FRAME)
        heard = b""
        while not heard.endswith(COME_IN):
            part = guest.recv(1 << 12)
            assert part
            heard += part
        begun(guest)
        while True:
            guest.sendall(b"x")


def new_keys(port: int, begun: Callable[[socket.socket], None]) -> None:
    """Asks for new keys all the time; as many in a row as are taken, with a byte between them."""
    tls = ctypes.CDLL(ctypes.util.find_library("ssl"))
    for name in ("TLS_client_method", "SSL_CTX_new", "SSL_new"):
        getattr(tls, name).restype = ctypes.c_void_p
    context = ctypes.c_void_p(tls.SSL_CTX_new(ctypes.c_void_p(tls.TLS_client_method())))
    session = ctypes.c_void_p(tls.SSL_new(context))
    try:
        with socket.create_connection(("127.0.0.1", port)) as line:
            tls.SSL_set_fd(session, line.fileno())
            assert tls.SSL_connect(session) == 1
            data = SAID + UNKNOWN_FRAME
            assert tls.SSL_write(session, data, len(data)) > 0
            heard, part = b"", ctypes.create_string_buffer(1 << 12)
            while not heard.endswith(COME_IN):
                size = tls.SSL_read(session, part, len(part))
                assert size > 0
                heard += part.raw[:size]
            begun(line)
            while tls.SSL_write(session, b"x", 1) > 0:
                for _ in range(20):
                    tls.SSL_key_update(session, 0)
                    tls.SSL_do_handshake(session)
    finally:
        tls.SSL_free(session)
        tls.SSL_CTX_free(context)


Flood = Callable[[int, Callable[[socket.socket], None]], None]


@pytest.mark.skipif(not GUARDED, reason="there is no door on this system")
@pytest.mark.parametrize("flood", [single_bytes, new_keys])
class TestRecordsThatHoldNextToNothingAreCountedAsTheyCome:
    def test_by_the_byte(self, tmp_path, flood: Flood):
        """If so many arrive together that a portion has many of them."""
        assert MOST < cut(tmp_path, flood, gather) < 1 << 20

    def test_by_the_byte_or_by_the_portion(self, tmp_path, flood: Flood):
        """If they arrive by chance: on some machines nearly each by itself."""
        assert MOST_PORTIONS * SMALLEST_RECORD < cut(tmp_path, flood, lambda _: None) < 1 << 20


def cut(folder: Path, flood: Flood, begun: Callable[[socket.socket], None]) -> int:
    """After how many bytes such a guest is hung up on, which is told once."""
    if flood is new_keys and ctypes.util.find_library("ssl") is None:
        pytest.skip("OpenSSL's library is not found here")
    with door(folder) as (port, floods):
        guest = threading.Thread(target=lambda: suppressed(flood, port, begun))
        guest.start()
        size = floods.get(timeout=PATIENCE)
        guest.join(PATIENCE)
        assert not guest.is_alive()  # it was hung up on
    assert floods.empty()
    return size


def suppressed(flood: Flood, port: int, begun: Callable[[socket.socket], None]) -> None:
    with suppress(OSError):
        flood(port, begun)
