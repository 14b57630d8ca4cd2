"""Lobbies with TLS and tokens that can be used once: whole tournaments, with guests and strangers."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import grpc
import pytest

from arena.cli.tls import Security
from arena.league.store import League
from arena.link.lobby.tickets import first_token
from arena.link.tls.address import read_address
from arena.link.tls.channel import channel_to
from arena.link.tls.identity import kept
from arena.referee.night.control import ask_to_start
from arena.v1 import lobby_pb2, lobby_pb2_grpc
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import FIRST, UNHURRIED, bot_folder, good_bot
from tests.certificates import Authority
from tests.patience import PATIENCE
from tests.referee.crowds import children_with, crowd
from tests.referee.floods import Slowness
from tests.referee.guests import describe, faults, guest, referee
from tests.referee.hosting import HEAD, standings
from tests.referee.night_here import Night
from tests.referee.nights import wait_for

PLAIN = Security()

SOON = 5.0
"""How long a guest may take to be let in, in seconds of a machine that nobody else uses."""


def last_words(bot: subprocess.Popen[str], code: int = 1) -> str:
    """What a bot says that ends with a code."""
    _, errors = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == code, errors
    assert "Traceback" not in errors
    return errors


@contextmanager
def overheard(address: str) -> Iterator[tuple[str, bytearray]]:
    """An address on the way to another one, and all that is said there by who dials."""
    host, _, port = address.rpartition(":")
    listener = socket.create_server(("127.0.0.1", 0))
    heard = bytearray()

    def copy(source: socket.socket, sink: socket.socket, note: bool) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if note:
                    heard.extend(data)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def lead(caller: socket.socket) -> None:
        with caller, suppress(OSError), socket.create_connection((host, int(port))) as far:
            back = threading.Thread(target=copy, args=(far, caller, False))
            back.start()
            copy(caller, far, True)
            back.join()

    def serve() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=lead, args=listener.accept()[:1]).start()

    listening = threading.Thread(target=serve)
    listening.start()
    with listener:
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}", heard
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            listening.join()


def command_lines() -> bytes:
    """Those of all processes."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            lines.append(path.read_bytes())
    return b"\n".join(lines)


def written(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """All files below a folder."""
    for path in folder.rglob("*"):
        with suppress(OSError):
            if path.is_file():
                yield path, path.read_bytes()


@pytest.mark.campaign
def test_a_night_with_tls_and_a_pinned_guest(tmp_path):
    with referee(tmp_path, 1, "--tls", "--require-tls") as host:
        plain, _, fingerprint = host.address.partition("/")
        (token,) = host.tokens
        assert re.fullmatch(r"sha256:[0-9a-f]{64}", fingerprint)
        assert "no TLS" not in host.said
        key = Path(f"{host.league}-tls", "key.pem")
        assert stat.S_IMODE(key.stat().st_mode) == 0o600

        other = kept(tmp_path / "other", []).fingerprint
        with guest(tmp_path, f"{plain}/{other}", token) as wrong:
            assert "shows another certificate" in last_words(wrong)
        with overheard(plain) as (way, heard), guest(tmp_path, way, token) as careless:
            assert "this lobby speaks TLS" in last_words(careless)
            assert b"arena.v1.Lobby" in heard  # it would have said more
            assert token.encode() not in heard
        host.wait_to_say("refused: a client without TLS")

        script = tmp_path / "guest.py"
        script.write_text(UNHURRIED)
        with overheard(plain) as (way, heard):
            bot = subprocess.Popen(
                [sys.executable, script],
                env={**os.environ, "ARENA_JOIN": f"{way}/{fingerprint}", "ARENA_TOKEN": token},
                stderr=subprocess.DEVNULL,
            )
            try:
                host.wait_to_say("guest 0 is in")
                assert token.encode() not in command_lines()
                summary = host.end()
                assert bot.wait(PATIENCE) == 0
            finally:
                bot.kill()
                bot.wait()
            assert token.encode() not in heard
            assert len(heard) > 1000
    assert [faults(row) for row in summary["standings"]] == [{}, {}]
    assert [path for path, data in written(tmp_path) if token.encode() in data] == []


def test_a_guest_that_expects_tls_where_there_is_none_is_told(tmp_path):
    with lobby(tmp_path, 1) as night:
        where = f"{night.address}/{kept(tmp_path / 'other', []).fingerprint}"
        with guest(tmp_path, where, night.tokens["guest 0"]) as bot:
            assert "does not speak TLS: ask for the present address" in last_words(bot)
        told = arena("join", where, good_bot(tmp_path, "joiner"), "--token", "x", cwd=tmp_path, code=1).stderr
        assert "does not speak TLS" in told


@contextmanager
def lobby(
    folder: Path,
    guests: int,
    security: Security = PLAIN,
    text: str = HEAD,
    at: str = "127.0.0.1:0",
    **settings: Any,
) -> Iterator[Night]:
    """A night with two bots and such guests, whose lobby is open, with what the options for TLS ask for."""
    names = [f"guest {number}" for number in range(guests)]
    serving = security.serving(folder / "tournament.league", at)
    with Night(folder, ["local", "other"], text, guests=names, lobby=at, tls=serving, **settings) as night:
        night.open_lobby()
        yield night


@contextmanager
def resumed(folder: Path, address: str) -> Iterator[Night]:
    """The same night, which goes on at the same address, perhaps with a certificate that it has kept."""
    at = address.partition("/")[0]
    serving = PLAIN.serving(folder / "tournament.league", at)
    with Night(folder, None, lobby=at, tls=serving) as night:
        night.open_lobby()
        yield night


def begin(night: Night) -> None:
    """Begins without the guests, and has some games played."""
    wait_for(lambda: ask_to_start(night.league))
    night.play(2)


def test_any_bot_joins_over_tls_by_arena_join_and_loses_its_seat_with_its_token(tmp_path, capfd):
    program = "import os, sys; print(os.environ['ARENA_JOIN'], file=sys.stderr); exec(open('bot.py').read())"
    folder = bot_folder(tmp_path, "joiner", [sys.executable, "-c", program])
    (folder / "bot.py").write_text(UNHURRIED)
    with lobby(tmp_path, 1, Security(tls=True)) as night:
        address, old = night.address, night.tokens["guest 0"]
        other = f"{address.partition('/')[0]}/{kept(tmp_path / 'other', []).fingerprint}"
        wrong = arena("join", other, folder, "--token", old, cwd=tmp_path, code=1)
        assert "shows another certificate" in wrong.stderr
        with joined(address, folder, old) as first:
            night.wait(lambda: "guest 0 is in" in night.told)
            night.play()
            night.wait_for(3)
            refused = arena("host", "token", night.league, "local", cwd=tmp_path, code=2).stderr
            assert "local does not dial in, so it has no token" in refused
            printed = arena("host", "token", night.league, "GUEST 0", cwd=tmp_path).stdout
            token, there = re.findall(r"ARENA_TOKEN=(\w+) arena join (\S+)", printed)[0]
            assert there == address
            errors = last_words(first)
            assert "127.0.0.1:" in errors  # where the bot was told to dial: no TLS for it
            assert "the token was replaced" in errors or "unknown token" in errors
        arena("join", address, folder, "--token", old, cwd=tmp_path, code=1)
        assert "unknown token" in capfd.readouterr().err  # the bot's own words
        with joined(address, folder, token) as new:
            night.wait(lambda: re.search(r"guest 0 was lost(?:.|\n)*guest 0 is in again", night.told))
            arena("host", "end", night.league, cwd=tmp_path)
            night.end()
            assert last_words(new, 0)
    assert [path for path, data in written(tmp_path) if token.encode() in data] == []


@contextmanager
def joined(address: str, folder: Path, token: str) -> Iterator[subprocess.Popen[str]]:
    bot = subprocess.Popen(
        [*ARENA, "join", address, str(folder)],
        env={**os.environ, "ARENA_TOKEN": token}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield bot
    finally:
        bot.kill()
        bot.communicate()


def test_tokens_and_the_certificate_outlive_a_run(tmp_path):
    with lobby(tmp_path, 2, Security(tls=True)) as night:
        begin(night)
        address, first, second = night.address, *night.tokens.values()
    tokens = Path(f"{night.league}-tokens")
    assert stat.S_IMODE(tokens.stat().st_mode) == 0o600
    printed = arena("host", "token", night.league, "guest 1", cwd=tmp_path).stdout
    (new,) = re.findall(r"its token is (\w+)", printed)
    with resumed(tmp_path, address) as again:
        assert again.address == address
        for token, welcome in ((first, True), (second, False), (new, True)):
            assert is_welcome(address, token) == welcome
        again.play(2)  # without the guests, who were there
        arena("host", "end", night.league, cwd=tmp_path)
        again.end()
    assert not tokens.exists()


def is_welcome(address: str, token: str) -> bool:
    return isinstance(greeted(address, token), lobby_pb2.JoinWelcome)


def greeted(address: str, token: str) -> lobby_pb2.JoinWelcome | str:
    """The welcome of a guest that leaves again, or why it is refused."""
    hello = lobby_pb2.JoinHello(token=token, description=describe())
    deadline = time.monotonic() + PATIENCE
    while True:
        outbox: SimpleQueue[lobby_pb2.JoinRequest | None] = SimpleQueue()  # whoever closes it has left
        outbox.put(lobby_pb2.JoinRequest(hello=hello))
        try:
            where = read_address(address)
            assert where is not None
            with channel_to(where, [("grpc.use_local_subchannel_pool", 1)]) as channel:
                call = lobby_pb2_grpc.LobbyStub(channel).Join(iter(outbox.get, None))
                welcome: lobby_pb2.JoinWelcome = next(call).welcome
                call.cancel()
                return welcome
        except grpc.RpcError as error:
            if not _not_yet(error) or time.monotonic() > deadline:
                return str(error)
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        finally:
            outbox.put(None)


def _not_yet(error: grpc.RpcError) -> bool:
    return isinstance(error, grpc.Call) and error.code() is grpc.StatusCode.UNAVAILABLE


def test_a_league_of_before_goes_on_with_the_tokens_that_followed_from_its_key(tmp_path):
    with lobby(tmp_path, 1) as night:
        begin(night)
    Path(f"{night.league}-tokens").unlink()
    with League.read(night.league) as store:
        token = first_token(store.tournament_key(1), "guest 0")
    with resumed(tmp_path, night.address) as again:
        assert is_welcome(again.address, token)
        assert not is_welcome(again.address, night.tokens["guest 0"])


@pytest.mark.campaign
def test_a_one_time_token_opens_its_seat_once(tmp_path):
    with lobby(tmp_path, 2, one_time=True) as night:
        first, second = night.tokens.values()
        welcome = greeted(night.address, first)
        assert isinstance(welcome, lobby_pb2.JoinWelcome)
        assert "unknown token: ask the host" in str(greeted(night.address, first))
        again = greeted(night.address, welcome.return_token)
        assert isinstance(again, lobby_pb2.JoinWelcome)
        assert again.return_token == ""
        assert is_welcome(night.address, welcome.return_token)
        # A kit comes back with what it was given, here after the lobby has lost it.
        with overheard(night.address) as (way, heard), guest(tmp_path, way, second) as kit:
            assert kit.stderr is not None
            assert "playing as guest 1" in kit.stderr.readline()
            (door,) = children_with(os.getpid(), "arena.link.lobby.door")
            os.kill(door, signal.SIGKILL)
            night.wait(lambda: re.search(r"guest 1 was lost(?:.|\n)*guest 1 is in again", night.told))
            assert heard.count(second.encode()) == 1


@pytest.mark.campaign
def test_a_lobby_that_asks_for_certificates_lets_in_who_has_one(tmp_path):
    authority = Authority(tmp_path)
    own = authority.signed("guest")
    shown = ["--tls-certificate", str(own.certificate), "--tls-key", str(own.key)]
    text = 'games = ["hyrule"]\n'
    with lobby(tmp_path, 2, Security(tls_client_ca=authority.path), text) as night:
        assert "bots have to show a certificate" in night.told
        first, second = night.tokens.values()
        with guest(tmp_path, night.address, first) as nobody:
            assert "accepts only certificates" in last_words(nobody)
        join = ("join", night.address, good_bot(tmp_path, "joiner"), "--token", second)
        assert "accepts only certificates" in arena(*join, cwd=tmp_path, code=1).stderr
        script = tmp_path / "guest.py"
        script.write_text(FIRST)
        night.play()
        one = subprocess.Popen(
            [sys.executable, script, "--join", night.address, "--token", first, *shown],
            stderr=subprocess.DEVNULL,
        )
        try:
            arena(*join, *shown, cwd=tmp_path)  # until the tournament is over
            assert one.wait(PATIENCE) == 0
        finally:
            one.kill()
            one.wait()
        night.end()
    assert [faults(row) for row in standings(night.league)["standings"]] == [{}] * 4


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[str]:
    """A bot that listens with TLS, and its address as it tells it."""
    script = folder / "server.py"
    script.write_text(FIRST)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    bot = subprocess.Popen(
        [sys.executable, script, "--listen", f"127.0.0.1:{port}", "--tls", *arguments],
        cwd=folder, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert bot.stderr is not None
        told = re.search(r"listens on (\S+);", bot.stderr.readline())
        assert told
        yield told[1]
    finally:
        bot.kill()
        bot.communicate()


def entrants(folder: Path, address: str) -> Path:
    path = folder / "dialled.toml"
    path.write_text(
        f'name = "dialled"\ngames = ["hyrule"]\n[[entrant]]\nbot = "{good_bot(folder, "local")}"\n'
        f'[[entrant]]\nname = "far"\naddress = "{address}"\n'
    )
    return path


def test_a_bot_is_dialled_over_tls_and_each_shows_who_it_is(tmp_path):
    ours = kept(tmp_path / "night.league-tls", [])  # as a run before would have made it
    with serving(tmp_path, "--tls-client-ca", str(ours.certificate)) as address:
        path = entrants(tmp_path, address)
        refused = arena("run", path, "--no-tls", "--league", "other.league", cwd=tmp_path, code=2).stderr
        assert "far hangs up at once, perhaps because it accepts only certificates" in refused
        arena("run", path, "--require-tls", "--league", "night.league", cwd=tmp_path)
        check = arena("rehearse", "night.league", "1.1.1/hyrule/1.1", address, "--seat", "0", cwd=tmp_path)
        assert "turns, " in check.stdout
        path.write_text(path.read_text().replace(address, f"{address.partition('/')[0]}/{ours.fingerprint}"))
        told = arena("run", path, "--league", "wrong.league", cwd=tmp_path, code=2).stderr
        assert "far shows another certificate" in told
    rows = standings(tmp_path / "night.league")["standings"]
    assert [faults(row) for row in rows] == [{}, {}]


@pytest.mark.parametrize(
    ("entrant", "arguments", "complaint"),
    [
        ("join = true", (), "guest would dial in without TLS"),
        ('address = "192.0.2.1:5"', (), "guest would be dialled without TLS"),
        ('address = "192.0.2.1:5"', ("--tls",), "guest would be dialled without TLS"),
    ],
)
def test_what_must_be_secret_and_is_not_is_refused(tmp_path, entrant, arguments, complaint):
    path = tmp_path / "t.toml"
    path.write_text(
        f'name = "t"\n[[entrant]]\nbot = "{good_bot(tmp_path, "local")}"\n'
        f'[[entrant]]\nname = "guest"\n{entrant}\n'
    )
    told = arena("run", path, "--require-tls", *arguments, cwd=tmp_path, code=2).stderr
    assert complaint in told
    assert told.count("\n") == 1


def test_without_tls_one_line_says_that_tokens_can_be_read(tmp_path):
    with lobby(tmp_path, 1, at="0.0.0.0:0") as night:
        assert night.told.count("others on the network can read the tokens") == 1
    (tmp_path / "here").mkdir()
    with lobby(tmp_path / "here", 1) as night:
        assert "TLS" not in night.told


@pytest.mark.parametrize("arguments", [("--tls-key", "k.pem"), ("--no-tls", "--tls-client-ca", "k.pem")])
def test_options_that_do_not_fit_are_wrong_use(tmp_path, arguments):
    path = entrants(tmp_path, "127.0.0.1:9")
    assert "--tls" in arena("run", path, *arguments, cwd=tmp_path, code=2).stderr


def test_an_expired_certificate_is_not_used(tmp_path):
    own = Authority(tmp_path).signed("localhost", age=40)
    path = entrants(tmp_path, "127.0.0.1:9")
    given = ("--tls-certificate", own.certificate, "--tls-key", own.key)
    assert "expired on" in arena("run", path, *given, cwd=tmp_path, code=2).stderr


OTHER_KINDS = [("bare", 500), ("silent", 200), ("loris", 100), ("garbage", 8)]


@pytest.mark.parametrize(
    ("kind", "count"),
    [("handshakes", 8), *(pytest.param(*each, marks=pytest.mark.campaign) for each in OTHER_KINDS)],
)
def test_a_guest_comes_in_over_tls_whoever_else_is_at_the_door(tmp_path, kind, count):
    with (
        lobby(tmp_path, 3, Security(tls=True)) as night,
        crowd(kind, night.address.partition("/")[0], count),
        Slowness() as slowness,
    ):
        took: list[float] = []
        for token in [*night.tokens.values()][:2]:
            began = time.monotonic()
            assert not isinstance(said := greeted(night.address, token), str), said
            took.append(time.monotonic() - began)
        assert night.told.count("refused") < 20
        assert min(took) < SOON * slowness.factor
