"""Dials a referee's lobby with a token, plays, and dials again after a lost connection."""

from __future__ import annotations

import queue
import sys
import time
from collections.abc import Callable, Iterator

import grpc
from google.protobuf.message import DecodeError

from arena.bot.answering import Answer, Crash, Introduction, responses
from arena.link.streams.waits import wait_long
from arena.link.tls.address import Address
from arena.link.tls.channel import channel_to
from arena.link.tls.trust import OwnCertificate, Trusted, Untrusted, awaited
from arena.text import one_line
from arena.v1 import bot_pb2, lobby_pb2

GIVE_UP_AFTER = 60.0
"""How long a bot tries to reach the referee again, in seconds."""

_CROWDED = (grpc.StatusCode.CANCELLED, grpc.StatusCode.RESOURCE_EXHAUSTED)
_PAUSE = 1.0  # seconds from the beginning of an attempt to the next
_LONGEST_WAIT = 1.0  # seconds until a signal is heard that comes just before the main thread waits
_KEEPALIVE = 5000  # milliseconds between pings, and for their answer
_OPTIONS = (
    ("grpc.max_receive_message_length", 1 << 26),
    ("grpc.keepalive_time_ms", _KEEPALIVE),
    ("grpc.keepalive_timeout_ms", _KEEPALIVE),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)


def _tell(line: str) -> None:
    print(one_line(line), file=sys.stderr)  # noqa: T201 - for a person


def _say(entrant: str, tournament: str) -> None:
    _tell(f"playing as {entrant} in {tournament}")


def join(
    address: Address,
    token: str,
    introduction: Introduction,
    new_tables: Callable[[], Answer],
    shown: OwnCertificate | None = None,
    welcomed: Callable[[str, str], None] = _say,
    pause: float = _PAUSE,
    now: Callable[[], float] = time.monotonic,
) -> None:
    """Plays a tournament at the lobby of a referee, to its end.

    Args:
        address: the lobby's address, which says whether to use TLS and which certificate to trust.
        token: the token of the bot's entrant.
        introduction: answers Describe.
        new_tables: called for every connection; returns the function that answers its batches.
        shown: the certificate for a lobby that asks for one, over TLS.
        welcomed: called with the entrant and the tournament when the referee lets the bot in.
        pause: the least time from the beginning of an attempt to the next, in seconds.
        now: returns the present time, in seconds.

    The first dial that fails is told on stderr, and the first after each loss of the connection.
    Exits with one sentence and code 1 if the referee refuses the bot, is not
    trusted, or cannot be reached for a minute: from the start, or from the loss of the connection, however
    long that was quiet before.
    """
    wait_long(_LONGEST_WAIT)
    trusted = _trusted(address, shown) if address.trust else None
    lost, told = now(), False  # since when there is no connection, and whether that was told
    while True:
        is_in, dialled = False, now()
        with channel_to(address, _OPTIONS, shown, trusted) as channel:
            try:
                for welcome in _play(channel, token, introduction, new_tables()):
                    is_in = True
                    if welcome:
                        token = welcome.return_token or token
                        welcomed(welcome.entrant, welcome.tournament)
            except Crash:
                lost, told = now(), False  # dial again, as the referee dials a bot that serves
            except grpc.RpcError as error:
                if is_in:
                    lost, told = now(), False
                if not _may_try_again(error, is_in):
                    says = (
                        error.details() or error.code().name if isinstance(error, grpc.Call) else str(error)
                    )
                    sys.exit(f"the referee says: {one_line(says)}")
                if now() - lost > GIVE_UP_AFTER:
                    sys.exit(_nobody_at(address))
                if not told:
                    told = True
                    _tell(_dialling_again(address))
            except DecodeError:
                sys.exit(f"the lobby at {address.plain} sends no valid message: ask the host what runs there")
            else:
                return
        time.sleep(max(0.0, dialled + pause - now()))


def _trusted(address: Address, shown: OwnCertificate | None) -> Trusted:
    """Examines a lobby's certificate. Exits if it is not trusted, or no server answers."""
    try:
        return awaited(address, shown, GIVE_UP_AFTER, lambda: _tell(_dialling_again(address)))
    except Untrusted as problem:
        sys.exit(f"the lobby at {address.plain} {problem}")
    except OSError:
        sys.exit(_nobody_at(address))


def _dialling_again(address: Address) -> str:
    return f"no connection to a referee at {address.plain}; dialling again for {GIVE_UP_AFTER:.0f} s"


def _nobody_at(address: Address) -> str:
    return f"no referee at {address.plain} for {GIVE_UP_AFTER:.0f} s: check the address"


def _may_try_again(error: grpc.RpcError, welcomed: bool) -> bool:
    """Whether to dial again: the connection broke, or the lobby is full at the moment."""
    if not isinstance(error, grpc.Call):
        return False
    return error.code() == grpc.StatusCode.UNAVAILABLE or (not welcomed and error.code() in _CROWDED)


def _play(
    channel: grpc.Channel, token: str, introduction: Introduction, answer: Answer
) -> Iterator[lobby_pb2.JoinWelcome | None]:
    """Plays over one connection; yields after each message: the referee's welcome, else None.

    Raises RpcError, DecodeError, Crash.
    """
    outbox: queue.SimpleQueue[lobby_pb2.JoinRequest | None] = queue.SimpleQueue()
    description = introduction.answer(bot_pb2.DescribeRequest())
    hello = lobby_pb2.JoinHello(token=token, description=description)
    outbox.put(lobby_pb2.JoinRequest(hello=hello))
    dial: grpc.StreamStreamMultiCallable[lobby_pb2.JoinRequest, bytes]
    dial = channel.stream_stream(  # plain bytes back: gRPC prints what it cannot decode
        "/arena.v1.Lobby/Join", request_serializer=lobby_pb2.JoinRequest.SerializeToString
    )
    stream = dial(iter(outbox.get, None))
    try:
        for data in stream:
            response = lobby_pb2.JoinResponse.FromString(data)
            if response.HasField("describe"):
                description = introduction.answer(response.describe)
                outbox.put(lobby_pb2.JoinRequest(description=description))
            elif response.HasField("play"):
                for play in responses(answer(response.play)):
                    outbox.put(lobby_pb2.JoinRequest(play=play))
            yield response.welcome if response.HasField("welcome") else None
    except Crash as crash:
        failure = lobby_pb2.JoinFailure(message=str(crash))
        outbox.put(lobby_pb2.JoinRequest(failure=failure))
        outbox.put(None)
        try:
            for _ in stream:
                pass  # until the referee has read it and hangs up; after status OK all is over
        except grpc.RpcError:
            raise crash from None
    finally:
        outbox.put(None)
