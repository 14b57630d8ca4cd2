"""Thousands of changed messages in each direction: none causes a crash, a hang or a leak."""

from __future__ import annotations

import json
import os
import queue
import random
import socket
import ssl
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
import trio
from google.protobuf import json_format
from google.protobuf.message import DecodeError

from arena.bot.answering import Introduction, description_of, reporting
from arena.bot.answering import answers as answers_of
from arena.bot.join import join as dial_in
from arena.bot.player import Bot, Turn
from arena.games.game import Action
from arena.link.lobby.lobby import Guest, Lobby
from arena.link.lobby.tickets import Ticket, token_digest
from arena.link.streams.dial import MAX_MESSAGE, BotFault, describe, open_channel
from arena.link.streams.moments import Moment
from arena.link.streams.stream import PlayStream, dial
from arena.link.streams.trio_thread import RefereeBug
from arena.link.tls.address import Address
from arena.link.tls.identity import kept as kept_in
from arena.link.tls.identity import server_context
from arena.link.tls.relay import Session
from arena.link.tls.trust import Untrusted, examine
from arena.v1 import bot_pb2, lobby_pb2
from tests.bot.serving import ends_on_sigterm, memory
from tests.examples import tried
from tests.patience import PATIENCE

VECTORS = Path(__file__).parents[3] / "proto" / "vectors"
COUNT = tried(10_000, deep=40_000)
LATER = "two bots with this token are here already: try again later"
GROWTH = 16 << 20
"""How much more memory may be held after these messages, in bytes."""


def mutated(chance: random.Random, data: bytes) -> bytes:
    """A message that was changed in one to three ways."""
    for _ in range(chance.randint(1, 3)):
        data = chance.choice(WAYS)(chance, data)
    return data


def flip(chance: random.Random, data: bytes) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def cut(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randint(0, len(data))]


def insert(chance: random.Random, data: bytes) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + chance.randbytes(chance.randint(1, 12)) + data[at:]


def repeat(chance: random.Random, data: bytes) -> bytes:
    begin = chance.randint(0, len(data))
    return data + data[begin:] * chance.randint(1, 4)


def renumber(chance: random.Random, data: bytes) -> bytes:
    """Another field, or another type, in front."""
    return bytes([chance.randrange(256)]) + data[1:]


def enumerate_wrongly(chance: random.Random, data: bytes) -> bytes:
    """A varint of the largest kind, somewhere."""
    at = chance.randint(0, len(data))
    return data[:at] + b"\xff" * chance.randint(1, 10) + b"\x01" + data[at + 1 :]


def nest(chance: random.Random, data: bytes) -> bytes:
    """The message in itself, deep."""
    for _ in range(chance.choice((3, 30, 120))):
        data = bytes([chance.choice((0x0A, 0x12, 0x1A))]) + varint(len(data)) + data
        if len(data) > 2000:
            break
    return data


def lie(chance: random.Random, data: bytes) -> bytes:
    """A field that is longer than the message."""
    return data + b"\x0a" + varint(chance.choice((1 << 14, 1 << 31, (1 << 64) - 1)))


def swell(chance: random.Random, data: bytes) -> bytes:
    """Too large, or nearly: seldom, for it takes long."""
    size = chance.choice((100, 100, 100, 5000, 5000, MAX_MESSAGE + 1)) if chance.random() < 0.1 else 10
    return data + b"\x7a" + varint(size) + bytes(size)


WAYS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    flip, flip, cut, insert, repeat, renumber, enumerate_wrongly, nest, lie, swell,
)  # fmt: skip


def varint(number: int) -> bytes:
    digits = []
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*digits, number])


def own_memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Cache:
    """Memory that may not grow, from when some of the messages have gone through."""

    def __init__(self, read: Callable[[], int]) -> None:
        self._read = read
        self._before: int | None = None

    def after(self, count: int) -> None:
        if self._before is None and count >= COUNT // 4:
            self._before = self._read()

    def has_not_grown(self) -> None:
        assert self._before is not None
        assert self._read() - self._before < GROWTH


def moment() -> Moment:
    return Moment(0, 0)


def requests() -> list[bot_pb2.PlayRequest]:
    """A referee's requests, of all games."""
    found = []
    for path in sorted(VECTORS.glob("*.json")):
        for case in json.loads(path.read_text("utf-8"))[:5]:
            turn = json_format.ParseDict(case["turn"], bot_pb2.Turn())
            start = bot_pb2.TableStart(table=turn.table, seats=2, seed=bytes(16))
            found.append(bot_pb2.PlayRequest(starts=[start], turns=[turn]))
    return found


def answers(chance: random.Random) -> bot_pb2.PlayResponse:
    """A bot's answers."""
    return bot_pb2.PlayResponse(
        decisions=[
            bot_pb2.Decision(table=chance.randint(1, 300), turn=chance.randint(1, 300), action=number)
            for number in range(chance.randint(1, 4))
        ]
    )


DESCRIPTION = bot_pb2.DescribeResponse(
    protocol_version=1, name="a bot", version="1", author="somebody", games=bot_pb2.Game.keys()[1:]
)


class Player:
    """The referee's end of streams."""

    def __init__(self) -> None:
        self.faults: list[BotFault] = []
        self._over: trio.Event

    async def plays(self, connect: Callable[[PlayStream], None]) -> None:
        """Plays over one connection to its end."""
        self._over = trio.Event()
        stream = PlayStream(lambda decisions, read: None, self._ended, moment)
        connect(stream)
        stream.send(b"", 10_000)
        with trio.fail_after(PATIENCE):
            await self._over.wait()

    def _ended(self, fault: BotFault | RefereeBug | None) -> None:
        assert isinstance(fault, BotFault), fault
        self.faults.append(fault)
        self._over.set()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_from_a_bot_to_the_referee(tmp_path, caplog):
    chance = random.Random(1)
    sent = 0

    def describes(data: bytes, context: grpc.ServicerContext) -> bytes:
        return mutated(chance, DESCRIPTION.SerializeToString())

    def plays(asked: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        nonlocal sent
        right = not sent  # the first stream is without fault until it ends
        for _ in range(5):
            sent += 1
            answer = answers(chance).SerializeToString()
            yield answer if right else mutated(chance, answer)

    async def referee() -> None:
        channel = open_channel(address)
        player, kept = Player(), Cache(own_memory)
        while sent < COUNT:
            await player.plays(lambda stream: dial(channel, stream))
            kept.after(sent)
        assert {fault.reason for fault in player.faults} == {"protocol", "disconnect"}
        for _ in range(1000):
            with suppress(BotFault):
                await trio.to_thread.run_sync(describe, channel, PATIENCE)
        kept.has_not_grown()
        channel.close()

    address = f"unix:{tmp_path}/bot.sock"
    server = grpc.server(ThreadPoolExecutor(4))
    handlers: dict[str, Any] = {
        "Describe": grpc.unary_unary_rpc_method_handler(describes),
        "Play": grpc.stream_stream_rpc_method_handler(plays),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("arena.v1.Bot", handlers),))
    server.add_insecure_port(address)
    server.start()
    try:
        trio.run(referee)
    finally:
        server.stop(0).wait()
    assert not caplog.records  # a referee would print them


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_from_the_referee_to_a_python_bot(bot: tuple[subprocess.Popen[bytes], grpc.Channel]):
    process, channel = bot
    chance = random.Random(2)
    asked = requests()
    play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/arena.v1.Bot/Play")
    kept = Cache(lambda: memory(process))
    codes = set()
    for sent in range(0, COUNT, 5):
        right = chance.choice(asked).SerializeToString()
        changed = [mutated(chance, right) for _ in range(5)]
        call = play(iter([bot_pb2.PlayRequest(starts=asked[0].starts).SerializeToString(), *changed]))
        with suppress(grpc.RpcError):
            list(call)
        codes.add(call.code())
        kept.after(sent)
    assert codes <= {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNKNOWN}
    kept.has_not_grown()
    describes: grpc.UnaryUnaryMultiCallable[bytes, bytes]
    describes = channel.unary_unary("/arena.v1.Bot/Describe")
    assert bot_pb2.DescribeResponse.FromString(describes(b"", timeout=PATIENCE)).name == "random"
    ends_on_sigterm(process)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_from_a_guest_to_the_lobby():
    chance = random.Random(3)
    tokens = [f"token{number}" for number in range(8)]

    async def referee() -> None:
        guests, visits = trio.open_memory_channel[Guest](100)
        player, kept = Player(), Cache(own_memory)
        lobby = Lobby(
            "a night",
            ["nyuri"],
            {token_digest(token): Ticket(number, token) for number, token in enumerate(tokens)},
            lambda number: None,
            lambda number, guest: guests.send_nowait(guest),
            lambda sentence: None,
            lambda sentence: None,
        )
        port = await trio.to_thread.run_sync(lobby.start, "127.0.0.1:0")

        async def play() -> None:
            async for guest in visits:
                await player.plays(guest.take_up)

        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(play)
                for sent in range(0, COUNT, 25):
                    messages = [mutated(chance, join(play=answers(chance))) for _ in range(25)]
                    hello = join(hello={"token": tokens[sent // 25 % 8], "description": DESCRIPTION})
                    if chance.random() < 0.3:
                        hello = mutated(chance, hello)
                    await trio.to_thread.run_sync(visit, port, [hello, *messages])
                    kept.after(sent)
                hello = join(hello={"token": tokens[0], "description": DESCRIPTION})
                with trio.fail_after(PATIENCE):
                    while refusal := await trio.to_thread.run_sync(visit, port, [hello]):
                        assert refusal == LATER  # as long as its token's earlier guests are being seen off
                nursery.cancel_scope.cancel()
            assert len(player.faults) > COUNT // 25 // 2
            kept.has_not_grown()
        finally:
            await trio.to_thread.run_sync(lobby.stop, 0)

    trio.run(referee)


class First(Bot):
    name = "first"

    def choose(self, turn: Turn) -> Action:
        return turn.actions[0]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_from_a_lobby_to_a_python_bot_that_joins(caplog, capsys):
    chance, asked = random.Random(4), requests()
    sent = 0

    def joins(hellos: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        """Some end in order, some break off, some wait for what the bot says."""
        nonlocal sent
        hello = lobby_pb2.JoinRequest.FromString(next(hellos)).hello
        assert hello.token in tokens
        for said in changed(welcome()) if chance.random() < 0.2 else [welcome()]:
            with suppress(DecodeError):
                tokens.add(lobby_pb2.JoinResponse.FromString(said).welcome.return_token)
            yield said
        for _ in range(25):
            sent += 1
            if chance.random() < 0.1:
                describe = bot_pb2.DescribeRequest(commitment=bytes(32), pledges=chance.randbytes(32))
                yield from changed(lobby_pb2.JoinResponse(describe=describe).SerializeToString())
            else:
                play = lobby_pb2.JoinResponse(play=chance.choice(asked))
                yield from changed(play.SerializeToString())
        if chance.random() < 0.2:
            context.abort(grpc.StatusCode.UNAVAILABLE, "\x1b[2Jtry again")

    def changed(message: bytes) -> list[bytes]:
        return [message if chance.random() < 0.3 else mutated(chance, message)]

    tokens = {"t"}

    def welcome() -> bytes:
        token = f"return{chance.randrange(10)}"
        answer = lobby_pb2.JoinWelcome(
            protocol_version=1, tournament="\x1b[2Jnight", entrant="you\x07", return_token=token
        )
        return lobby_pb2.JoinResponse(welcome=answer).SerializeToString()

    ends: Counter[str] = Counter()
    kept = Cache(own_memory)
    with lobby_that(joins) as address:
        while sent < COUNT:
            try:
                dial_in(
                    address,
                    "t",
                    Introduction(description_of(First)),
                    lambda: reporting(partial(answers_of, First, {})),
                    pause=0.0,
                )
                ends["in order"] += 1
            except SystemExit as end:
                ends[str(end.code)] += 1
            kept.after(sent)
    kept.has_not_grown()
    assert ends["in order"]
    assert len(ends) > 1
    assert all(end.isprintable() for end in ends), ends
    assert not caplog.records  # the author would see them
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert "\x07" not in said


@contextmanager
def lobby_that(
    joins: Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[bytes]],
) -> Iterator[Address]:
    """A lobby whose connections are as said."""
    server = grpc.server(ThreadPoolExecutor(4))
    handlers: dict[str, Any] = {"Join": grpc.stream_stream_rpc_method_handler(joins)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("arena.v1.Lobby", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield Address(f"127.0.0.1:{port}")
    finally:
        server.stop(0).wait()


def test_from_who_answers_over_tls_to_who_dials(tmp_path):
    """A server's first bytes, changed a thousand times: the client reports it, or that none answers."""
    chance = random.Random(5)
    identity = kept_in(tmp_path, [])
    context = server_context(identity.certificate, identity.key)
    told = Counter[str]()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = Address(f"127.0.0.1:{listener.getsockname()[1]}", identity.fingerprint)
        serving = threading.Thread(target=answer_wrongly, args=(listener, context, chance), daemon=True)
        serving.start()
        for _ in range(1000):
            try:
                examine(address)
                told["well"] += 1
            except Untrusted as problem:
                told[str(problem).partition("(")[0]] += 1
            except OSError as problem:
                told[type(problem).__name__] += 1
        listener.shutdown(socket.SHUT_RDWR)
        serving.join(PATIENCE)
    assert told["does not speak TLS: ask for the present address"]
    assert told["ConnectionError"]


def answer_wrongly(listener: socket.socket, context: ssl.SSLContext, chance: random.Random) -> None:
    """Begins to agree on keys with each client, and changes what it says."""
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            with client, suppress(OSError):
                session = Session(context)
                session.arrived(client.recv(1 << 16))
                session.begin()
                client.sendall(mutated(chance, session.to_send()))
                client.shutdown(socket.SHUT_WR)
                while client.recv(1 << 16):
                    pass


def join(**kind: object) -> bytes:
    return lobby_pb2.JoinRequest(**kind).SerializeToString()  # type: ignore[arg-type]


def visit(port: int, messages: list[bytes]) -> str:
    """Dials in and sends all messages; returns why it was refused, empty if it was welcome."""
    outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    for message in messages:
        outbox.put(message)
    with grpc.insecure_channel(
        f"127.0.0.1:{port}", options=[("grpc.use_local_subchannel_pool", 1)]
    ) as channel:
        stream: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/arena.v1.Lobby/Join")
        call = stream(iter(outbox.get, None), timeout=PATIENCE)
        welcome = False
        try:
            welcome = lobby_pb2.JoinResponse.FromString(next(call)).HasField("welcome")
            outbox.put(None)
            for _ in call:
                pass
        except (grpc.RpcError, StopIteration):
            outbox.put(None)
        assert call.code() is not grpc.StatusCode.DEADLINE_EXCEEDED
    return "" if welcome else f"{call.details()}"
