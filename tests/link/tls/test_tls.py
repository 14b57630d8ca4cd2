"""TLS over real connections: addresses, certificates, and which of them are trusted."""

from __future__ import annotations

import hashlib
import socket
import ssl
import stat
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc
import pytest

from arena.link.tls.address import Address, fingerprint_of, read_address
from arena.link.tls.channel import add_port, channel_to
from arena.link.tls.identity import Identity, Serving, WrongIdentity, kept, load, server_context
from arena.link.tls.relay import Session, Tunnel, relay
from arena.link.tls.trust import Untrusted, examine
from tests.certificates import Authority
from tests.patience import PATIENCE

HEX = "ab" * 32


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("localhost:5", Address("localhost:5")),
        ("[::1]:65535/tls", Address("[::1]:65535", "tls")),
        (f"10.0.0.1:50505/sha256:{HEX.upper()}", Address("10.0.0.1:50505", f"sha256:{HEX}")),
        ("unix:/tmp/a/sha256:b", Address("unix:/tmp/a/sha256:b")),
        ("localhost", None),
        ("localhost:0", None),
        ("localhost:65536/tls", None),
        ("localhost:5/", None),
        ("localhost:5/ssl", None),
        (f"localhost:5/sha256:{HEX[1:]}", None),
        (f"localhost:5/sha256:{HEX}0", None),
    ],
)
def test_an_address_says_whom_to_believe(text, address):
    assert read_address(text) == address
    if address is not None:
        assert read_address(str(address)) == address


@pytest.mark.parametrize(
    ("text", "clear"),
    [
        ("127.1.2.3:5", False), ("localhost:5", False), ("[::1]:5", False), ("unix:/a", False),
        ("0.0.0.0:5", True), ("[::]:5", True), ("host.example:5", True),
        ("host.example:5/tls", False), (f"0.0.0.0:5/sha256:{HEX}", False),
    ],
)  # fmt: skip
def test_what_leaves_the_machine_without_tls_can_be_read(text, clear):
    address = read_address(text)
    assert address is not None
    assert address.in_the_clear == clear


def test_a_certificate_is_made_once_and_its_key_is_for_its_owner_only(tmp_path):
    folder = tmp_path / "night-tls"
    made = kept(folder, ["192.168.1.17", "arena.example"])
    assert stat.S_IMODE(made.key.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert kept(folder, ["elsewhere"]) == made
    assert {path.name for path in folder.iterdir()} == {"certificate.pem", "key.pem"}
    assert kept(tmp_path / "other", []).fingerprint != made.fingerprint


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda good, other: (good.certificate, other.key), "is not the key of the certificate"),
        (lambda good, other: (good.key, good.key), "holds no certificate in PEM format"),
        (lambda good, other: (good.certificate, good.certificate), "is not the key of the certificate"),
        (lambda good, other: (good.certificate, Path("/nowhere")), "the key /nowhere cannot be read"),
    ],
)
def test_files_that_do_not_fit_are_one_sentence(tmp_path, spoil, complaint):
    good, other = kept(tmp_path / "good", []), kept(tmp_path / "other", [])
    with pytest.raises(WrongIdentity, match=complaint):
        load(*spoil(good, other))


def test_a_certificate_that_is_out_of_date_is_one_sentence(tmp_path):
    authority = Authority(tmp_path)
    with pytest.raises(WrongIdentity, match=r"expired on \d{4}-\d\d-\d\d: give one that is valid"):
        load(*authority.signed("old", age=40))
    with pytest.raises(WrongIdentity, match="is valid from"):
        load(*authority.signed("young", age=-40))


@contextmanager
def echo(identity: Identity, client_ca: Path | None = None) -> Iterator[str]:
    """The address of a server that echoes."""
    server = grpc.server(ThreadPoolExecutor(max_workers=2))
    handler: grpc.RpcMethodHandler[bytes, bytes]
    handler = grpc.unary_unary_rpc_method_handler(lambda request, _: request)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Test", {"Echo": handler}),))
    port = add_port(server, "127.0.0.1:0", Serving(identity, client_ca))
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


def said_back(channel: grpc.Channel, words: bytes = b"words") -> bytes:
    with channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/Test/Echo")
        return call(words, timeout=10)


def test_the_certificate_with_the_fingerprint_is_believed_and_no_other(tmp_path):
    ours, others = kept(tmp_path / "ours", []), kept(tmp_path / "others", [])
    with echo(ours) as where:
        assert said_back(channel_to(Address(where, ours.fingerprint), [])) == b"words"
        with pytest.raises(Untrusted, match=f"another certificate .{ours.fingerprint}. than"):
            channel_to(Address(where, others.fingerprint), [])
        with pytest.raises(Untrusted, match="cannot be trusted"):
            channel_to(Address(where, "tls"), [])


def test_what_was_believed_once_is_not_believed_of_who_comes_after(tmp_path):
    ours, others = kept(tmp_path / "ours", []), kept(tmp_path / "others", [])
    with echo(ours) as where:
        trusted = examine(Address(where, ours.fingerprint))
    with echo(others) as where:
        channel = channel_to(Address(where, ours.fingerprint), [], trusted=trusted)
        with pytest.raises(grpc.RpcError):
            said_back(channel)
        tunnel = Tunnel(Address(where, ours.fingerprint), trusted)
        with pytest.raises(grpc.RpcError):
            said_back(grpc.insecure_channel(tunnel.entrance))


def test_an_authority_that_the_system_trusts_is_believed_for_its_hosts(tmp_path, monkeypatch):
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
    with echo(load(*authority.signed("localhost"))) as where:
        port = where.rpartition(":")[2]
        assert said_back(channel_to(Address(f"localhost:{port}", "tls"), [])) == b"words"
        with pytest.raises(Untrusted, match="cannot be trusted"):
            channel_to(Address(where, "tls"), [])  # by its number, for which the certificate is not


def test_an_expired_certificate_is_told_of_by_a_sentence(tmp_path):
    own = Authority(tmp_path).signed("localhost", age=40)
    server = socket.create_server(("127.0.0.1", 0))
    context = server_context(own.certificate, own.key)

    def serve() -> None:
        for _ in range(2):
            client, _ = server.accept()
            with client, suppress(OSError):  # of which the second is that it is not believed
                context.wrap_socket(client, server_side=True).close()

    threading.Thread(target=serve, daemon=True).start()
    der = ssl.PEM_cert_to_DER_cert(own.certificate.read_text())
    address = Address(f"127.0.0.1:{server.getsockname()[1]}", fingerprint_of(hashlib.sha256(der).digest()))
    with server, pytest.raises(Untrusted, match="has expired"):
        examine(address)


def test_a_server_that_asks_who_dials_lets_in_whom_it_knows(tmp_path):
    authority = Authority(tmp_path)
    ours, stranger = kept(tmp_path / "ours", []), kept(tmp_path / "stranger", [])
    with echo(ours, authority.path) as where:
        address = Address(where, ours.fingerprint)
        assert said_back(channel_to(address, [], authority.signed("guest"))) == b"words"
        for own in (None, stranger.shown):
            with pytest.raises(Untrusted, match="accepts only certificates"):
                channel_to(address, [], own)
    with echo(ours, stranger.certificate) as where:  # no authority, but the one certificate itself
        assert said_back(channel_to(Address(where, ours.fingerprint), [], stranger.shown)) == b"words"


def test_who_does_not_speak_tls_is_told_of_by_a_sentence(tmp_path):
    server = grpc.server(ThreadPoolExecutor(max_workers=1))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with pytest.raises(Untrusted, match="does not speak TLS"):
            examine(Address(f"127.0.0.1:{port}", kept(tmp_path / "ours", []).fingerprint))
    finally:
        server.stop(None).wait()


def test_a_tunnel_brings_long_messages_through_both_ways(tmp_path):
    ours = kept(tmp_path / "ours", [])
    words = bytes(range(256)) * 8000
    with echo(ours) as where:
        address = Address(where, ours.fingerprint)
        tunnel = Tunnel(address, examine(address))
        assert said_back(grpc.insecure_channel(tunnel.entrance), words) == words


def test_a_relay_ends_when_either_side_does(tmp_path):
    ours = kept(tmp_path / "ours", [])
    context = server_context(ours.certificate, ours.key)
    for closes_first in ("line", "inside"):
        line, far_line = socket.socketpair()
        inside, far_inside = socket.socketpair()
        client, server = Session(credulous(), "h"), Session(context)
        while not (client.begin() and server.begin()):
            server.arrived(client.to_send())
            server.begin()
            client.arrived(server.to_send())
        server.arrived(client.to_send())
        relaying = threading.Thread(target=relay_and_close, args=(line, inside, server), daemon=True)
        relaying.start()
        (far_line if closes_first == "line" else far_inside).close()
        left = far_inside if closes_first == "line" else far_line
        left.settimeout(30)
        while left.recv(1 << 16):
            pass
        left.close()
        relaying.join(PATIENCE)
        assert not relaying.is_alive()


def test_both_sides_may_end_a_relay_at_once():
    for _ in range(300):
        line, far_line = socket.socketpair()
        inside, far_inside = socket.socketpair()
        together = threading.Barrier(3)
        relaying = threading.Thread(target=relay_and_close, args=(line, inside))

        def close(side: socket.socket, together: threading.Barrier = together) -> None:
            together.wait()
            side.close()

        closing = [threading.Thread(target=close, args=(side,)) for side in (far_line, far_inside)]
        for thread in (relaying, *closing):
            thread.start()
        together.wait()
        for thread in (relaying, *closing):
            thread.join(PATIENCE)
            assert not thread.is_alive()


def relay_and_close(line: socket.socket, inside: socket.socket, session: Session | None = None) -> None:
    with line, inside:
        relay(line, inside, session)


def credulous() -> ssl.SSLContext:
    """The settings of a client that trusts every server."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def test_without_cryptography_an_identity_is_refused_in_a_sentence(tmp_path, monkeypatch):
    identity = kept(tmp_path / "tls", ())
    monkeypatch.setitem(sys.modules, "cryptography", None)
    remedy = r"certificates need the library cryptography: pip install '\.\[host\]' in a clone of the arena"
    with pytest.raises(WrongIdentity, match=remedy):
        kept(tmp_path / "new", ())
    with pytest.raises(WrongIdentity, match=remedy):
        load(identity.certificate, identity.key)
    assert not (tmp_path / "new").exists()
