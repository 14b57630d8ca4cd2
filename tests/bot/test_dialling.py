"""A Python bot dials a lobby directly, whatever proxy the environment names, and says when nobody answers."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import NamedTuple

import grpc
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.bot.answering import Introduction, description_of, new_tables
from arena.bot.join import GIVE_UP_AFTER, join
from arena.bot.player import Bot
from arena.link.tls.address import Address
from arena.link.tls.proxy import read_proxy
from arena.link.tls.relay import Tunnel
from arena.link.tls.trust import awaited
from arena.v1 import lobby_pb2
from tests.examples import examples
from tests.patience import PATIENCE
from tests.proxies import proxy_of_the_environment


class First(Bot):
    name = "first"

    def choose(self, turn):
        return turn.actions[0]


class Visit(NamedTuple):
    """One connection to a lobby, which then breaks.

    Attributes:
        away: the seconds before it.
        quiet: the seconds between the welcome and the end; None if the bot is not let in.
    """

    away: float = 0.0
    quiet: float | None = None


class Clock:
    """A clock that stands until somebody moves it."""

    time = 0.0

    def now(self) -> float:
        """The time in seconds."""
        return self.time


@contextmanager
def lobby(visits: Sequence[Visit] = (), clock: Clock | None = None) -> Iterator[str]:
    """A lobby that ends its tournament at once, after some visits that move the clock. Yields its address."""
    coming, clock = iter(visits), clock or Clock()

    def welcome(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        next(requests)
        visit = next(coming, None)
        if visit is not None:
            clock.time += visit.away
        if visit is None or visit.quiet is not None:
            yield lobby_pb2.JoinResponse(
                welcome=lobby_pb2.JoinWelcome(entrant="me", tournament="night")
            ).SerializeToString()
        if visit is not None:
            clock.time += visit.quiet or 0.0
            context.abort(grpc.StatusCode.UNAVAILABLE, "not now")

    join_method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(welcome)
    server = grpc.server(ThreadPoolExecutor(max_workers=2))
    handlers = grpc.method_handlers_generic_handler("arena.v1.Lobby", {"Join": join_method})
    server.add_generic_rpc_handlers([handlers])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(0)


def plays_at(address: str, clock: Clock | None = None) -> None:
    introduction, tables = Introduction(description_of(First)), partial(new_tables, First)
    join(Address(address), "token", introduction, tables, pause=0, now=(clock or Clock()).now)


def test_no_proxy_of_the_environment_is_dialled(monkeypatch, capsys):
    with proxy_of_the_environment(monkeypatch) as proxy, lobby() as address:
        plays_at(address)
        assert proxy.asked == []
    assert capsys.readouterr().err == "playing as me in night\n"


def test_a_proxy_that_the_author_names_leads_to_the_lobby(monkeypatch, capsys):
    with lobby() as address, proxy_of_the_environment(monkeypatch, address) as proxy:
        through = read_proxy(proxy.address)
        way = Tunnel(Address("lobby.example.org:50050", proxy=through), None)
        plays_at(way.entrance)
        assert proxy.asked == ["CONNECT lobby.example.org:50050 HTTP/1.1"]
    assert capsys.readouterr().err == "playing as me in night\n"


@pytest.mark.parametrize("lost", [1, 3])
def test_the_first_dial_that_fails_is_told_once(lost, capsys):
    with lobby([Visit()] * lost) as address:
        plays_at(address)
    assert capsys.readouterr().err.splitlines() == [
        f"no connection to a referee at {address}; dialling again for 60 s",
        "playing as me in night",
    ]


MOMENTS = st.sampled_from([0.0, GIVE_UP_AFTER / 3, GIVE_UP_AFTER, 1.0 + GIVE_UP_AFTER])


@examples(10)
@given(st.lists(st.builds(Visit, MOMENTS, st.none() | MOMENTS), max_size=6))
@example([Visit(0.0, 2 * GIVE_UP_AFTER)])
def test_a_minute_without_a_connection_ends_the_bot_and_no_minute_with_one(visits):
    """The time counts from the loss of the connection, or from the start, not from the last message."""
    clock, since, gives_up = Clock(), 0.0, False
    for away, quiet in visits:
        since = since + away if quiet is None else 0.0
        gives_up = gives_up or since > GIVE_UP_AFTER
    with lobby(visits, clock) as address, pytest.raises(SystemExit) if gives_up else nullcontext():
        plays_at(address, clock)


def test_it_is_told_too_where_the_lobby_would_speak_tls():
    class Told(Exception):
        pass

    def tell() -> None:
        raise Told

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        address = Address(f"127.0.0.1:{taken.getsockname()[1]}", "sha256:" + "ab" * 32)
        with pytest.raises(Told):
            awaited(address, None, PATIENCE, tell)
