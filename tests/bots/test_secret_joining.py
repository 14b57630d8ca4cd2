"""The example bots dial in at lobbies with TLS by themselves: each believes whom its address says."""

from __future__ import annotations

import hashlib
import json
import socket
import ssl
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from arena.link.local.bot_manifest import BotManifest, read_bot_manifest
from arena.link.local.process import joining
from arena.link.tls.address import fingerprint_of
from arena.link.tls.channel import add_port
from arena.link.tls.identity import Identity, Serving, kept, load
from arena.v1 import lobby_pb2_grpc
from tests.bots.languages import PATIENCE, ScriptedLobby
from tests.bots_for_tests import good_bot
from tests.certificates import Authority
from tests.installed import TOOLS, checkup, require
from tests.referee.guests import faults, referee

KITS = ["python", *TOOLS]


@pytest.fixture
def manifest(installed, language) -> BotManifest:
    """The bot of a language, ready to start; skips the test where that cannot be built here."""
    require(*({language} & TOOLS.keys()))
    folder = installed.bot(language)
    assert checkup(installed, folder)["ready"]
    return read_bot_manifest(folder)


def ended(
    manifest: BotManifest,
    address: str,
    token: str = "t",
    authorities: Path | None = None,
    codes: tuple[int, ...] = (1,),
) -> str:
    """What a bot says that is to end, with one of these codes."""
    surroundings = joining(address, token)
    if authorities is not None:
        surroundings["SSL_CERT_FILE"] = str(authorities)
    done = subprocess.run(
        manifest.command, cwd=manifest.folder, env=surroundings,
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode in codes, done.stderr
    return done.stderr


def one_sentence(text: str) -> str:
    assert len(text.splitlines()) == 1, text
    return text


@contextmanager
def lobby_over_tls(identity: Identity | None, host: str = "127.0.0.1") -> Iterator[tuple[ScriptedLobby, str]]:
    """A lobby whose tournament is over at once, without TLS where there is no identity; and where it is."""
    lobby = ScriptedLobby([grpc.StatusCode.OK])
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    lobby_pb2_grpc.add_LobbyServicer_to_server(lobby, server)
    port = add_port(server, f"{host}:0", Serving(identity) if identity else None)
    server.start()
    try:
        yield lobby, f"{host}:{port}"
    finally:
        server.stop(None).wait()


def out_of_date(folder: Path) -> Identity:
    certificate, key = Authority(folder).signed("localhost", age=40)
    shown = ssl.PEM_cert_to_DER_cert(certificate.read_text())
    return Identity(certificate, key, fingerprint_of(hashlib.sha256(shown).digest()))


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.parametrize("language", KITS)
def test_a_night_over_tls(manifest, tmp_path):
    here = "[::1]" if has_ipv6() else "127.0.0.1"
    local = good_bot(tmp_path, "local")
    with referee(tmp_path, 1, "--tls", "--lobby", f"{here}:0", local=local) as host:
        plain, _, _ = host.address.partition("/")
        assert plain.startswith(here)
        other = kept(tmp_path / "other", []).fingerprint
        told = one_sentence(ended(manifest, f"{plain}/{other}", host.tokens[0]))
        assert f"the lobby at {plain} shows another certificate" in told
        bot = subprocess.Popen(
            manifest.command, cwd=manifest.folder, env=joining(host.address, host.tokens[0])
        )
        try:
            summary = host.end()
            assert bot.wait(PATIENCE) == 0
        finally:
            bot.kill()
            bot.wait()
    assert [faults(row) for row in summary["standings"]] == [{}, {}], json.dumps(summary)


@pytest.mark.parametrize("language", KITS)
def test_a_fingerprint_is_that_of_one_certificate_whoever_signed_it_and_for_whomever(manifest, tmp_path):
    authority = Authority(tmp_path)
    signed = load(*authority.signed("localhost"))
    with lobby_over_tls(signed) as (lobby, address):
        ended(manifest, f"{address}/{signed.fingerprint.upper().replace('SHA', 'sha')}", codes=(0,))
        assert lobby.calls == 1


@pytest.mark.parametrize("language", KITS)
def test_authorities_of_the_system_are_believed_for_their_hosts(manifest, tmp_path):
    authority = Authority(tmp_path)
    with lobby_over_tls(load(*authority.signed("localhost"))) as (lobby, address):
        by_name = f"localhost:{address.rpartition(':')[2]}/tls"
        ended(manifest, by_name, authorities=authority.path, codes=(0,))
        assert lobby.calls == 1
        for where, authorities in ((by_name, None), (f"{address}/tls", authority.path)):
            told = one_sentence(ended(manifest, where, authorities=authorities))
            assert "shows a certificate that cannot be trusted" in told
            assert "dial it by the address that ends in its fingerprint" in told
        assert lobby.calls == 1


@pytest.mark.parametrize("language", KITS)
def test_what_else_is_wrong_with_a_lobby_is_told_by_a_sentence(manifest, tmp_path):
    expired = out_of_date(tmp_path)
    with lobby_over_tls(expired) as (lobby, address):
        told = one_sentence(ended(manifest, f"{address}/{expired.fingerprint}"))
        assert "shows a certificate that has expired" in told
        assert lobby.calls == 0
    with lobby_over_tls(None) as (lobby, address):
        told = one_sentence(ended(manifest, f"{address}/{expired.fingerprint}"))
        assert f"the lobby at {address} does not speak TLS" in told
    for nonsense in ("localhost", "localhost:5/ssl", "localhost:5/sha256:12"):
        assert nonsense in one_sentence(ended(manifest, nonsense, codes=(1, 2)))
