"""Guests that flood the door of a lobby with TLS, in records that hold next to nothing."""

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

from arena.link.lobby.doorway import Doorway
from arena.link.lobby.tickets import token_digest
from arena.link.local.process import GUARDED
from arena.link.tls.identity import Serving, kept
from tests.patience import PATIENCE
from tests.runner.crowd import ACKNOWLEDGEMENT, PREFACE, SETTINGS, headers, hello

TOKEN = "token"
SAID = PREFACE + SETTINGS + ACKNOWLEDGEMENT + headers(1) + hello(TOKEN)
UNKNOWN_FRAME = b"\x3f\xff\xff\xfa\x00\x00\x00\x00\x00"
"""The head of one that nobody knows, and which is long."""


@contextmanager
def door(folder: Path) -> Iterator[tuple[int, queue.SimpleQueue[int]]]:
    """A door with TLS before a lobby that takes all and says nothing; its port, and the floods."""
    floods: queue.SimpleQueue[int] = queue.SimpleQueue()
    place = folder / "lobby"
    place.mkdir()
    with socket.socket(socket.AF_UNIX) as lobby:
        lobby.bind(str(place / "lobby.sock"))
        lobby.listen()
        doorway = Doorway(
            str(place / "lobby.sock"), [token_digest(TOKEN)], lambda _: None, lambda _, size: floods.put(size)
        )
        port = doorway.open("127.0.0.1:0", Serving(kept(folder / "tls", [])))
        taking = threading.Thread(target=take, args=(lobby,), daemon=True)
        taking.start()
        try:
            yield port, floods
        finally:
            doorway.close()


def take(lobby: socket.socket) -> None:
    with suppress(OSError):
        guest, _ = lobby.accept()
        with guest:
            while guest.recv(1 << 16):
                pass


def single_bytes(port: int) -> None:
    """Each in a record of its own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port)) as line, context.wrap_socket(line) as guest:
        guest.sendall(SAID + UNKNOWN_FRAME)
        while True:
            guest.sendall(b"x")


def new_keys(port: int) -> None:
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
            while tls.SSL_write(session, data, len(data)) > 0:
                for _ in range(20):
                    tls.SSL_key_update(session, 0)
                    tls.SSL_do_handshake(session)
                data = b"x"
    finally:
        tls.SSL_free(session)
        tls.SSL_CTX_free(context)


@pytest.mark.skipif(not GUARDED, reason="there is no door on this system")
@pytest.mark.parametrize("flood", [single_bytes, new_keys])
def test_records_that_hold_next_to_nothing_are_counted_as_they_come(tmp_path, flood: Callable[[int], None]):
    if flood is new_keys and ctypes.util.find_library("ssl") is None:
        pytest.skip("OpenSSL's library is not found here")
    with door(tmp_path) as (port, floods):
        guest = threading.Thread(target=lambda: suppressed(flood, port))
        guest.start()
        size = floods.get(timeout=PATIENCE)
        guest.join(PATIENCE)
        assert not guest.is_alive()  # it was hung up on
    assert 1 << 18 < size < 1 << 20
    assert floods.empty()


def suppressed(flood: Callable[[int], None], port: int) -> None:
    with suppress(OSError):
        flood(port)
