"""Serves a Python bot to a referee: the gRPC service, both ways to meet a referee, and the signals."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import grpc
from google.protobuf.message import DecodeError

from arena.bot.answering import (
    Answer,
    Crash,
    Introduction,
    Stopped,
    WrongRequest,
    description_of,
    reporting,
    responses,
)
from arena.bot.answering import new_tables as tables_of
from arena.bot.join import join
from arena.bot.player import Bot, tried_actions
from arena.link.streams.waits import wait_long
from arena.link.tls.address import Address
from arena.link.tls.channel import add_port
from arena.link.tls.identity import Serving
from arena.v1 import analysis_pb2, bot_pb2

_OPTIONS = (
    ("grpc.max_receive_message_length", 1 << 26),
    ("grpc.so_reuseport", 0),  # a second bot on a taken port must fail, not share it
)
_STOP_GRACE = 0.5  # seconds for the last answers after SIGTERM
_STOP_LIMIT = 1.0  # seconds after SIGTERM until a bot that still thinks or waits is ended

_Request = TypeVar("_Request", analysis_pb2.TryActionsRequest, bot_pb2.DescribeRequest, bot_pb2.PlayRequest)


class BotService:
    """The protocol's service Bot, and Analysis if the bot defines `try_actions`.

    It takes plain bytes and decodes them itself: a message that gRPC's
    server cannot decode keeps that server from stopping.

    Args:
        bot_class: the bot.
        new_tables: as for `serve`.

    Attributes:
        busy: the threads that answer: they run the bot's own code, or send what it decided.
    """

    def __init__(self, bot_class: type[Bot], new_tables: Callable[[], Answer] | None = None) -> None:
        self._bot_class = bot_class
        self._new_tables = new_tables or partial(tables_of, bot_class)
        self._introduction = Introduction(description_of(bot_class))
        self.busy: set[int] = set()

    def handlers(self) -> list[grpc.GenericRpcHandler]:
        """The handlers for a gRPC server."""
        describe: grpc.RpcMethodHandler[bytes, bytes]
        play: grpc.RpcMethodHandler[bytes, bytes]
        describe = grpc.unary_unary_rpc_method_handler(self._describe)
        play = grpc.stream_stream_rpc_method_handler(self._play)
        found = [grpc.method_handlers_generic_handler("arena.v1.Bot", {"Describe": describe, "Play": play})]
        if self._bot_class.try_actions is not Bot.try_actions:
            tries: grpc.RpcMethodHandler[bytes, bytes]
            tries = grpc.unary_unary_rpc_method_handler(self._try_actions)
            found.append(grpc.method_handlers_generic_handler("arena.v1.Analysis", {"TryActions": tries}))
        return found

    def _describe(self, data: bytes, context: grpc.ServicerContext) -> bytes:
        """Describes the bot."""
        request = _decoded(bot_pb2.DescribeRequest, data, context)
        return self._introduction.answer(request).SerializeToString()

    def _play(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        """Plays all tables of one stream."""
        answer = self._new_tables()
        try:
            for data in requests:
                request = _decoded(bot_pb2.PlayRequest, data, context)
                self.busy.add(threading.get_ident())
                for response in responses(answer(request)):
                    yield response.SerializeToString()  # it is sent when the next is asked for
                self.busy.discard(threading.get_ident())
        except grpc.RpcError:
            return  # the referee is gone
        except WrongRequest as wrong:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(wrong))
        except Crash as crash:
            context.abort(grpc.StatusCode.UNKNOWN, str(crash))
        finally:
            self.busy.discard(threading.get_ident())

    def _try_actions(self, data: bytes, context: grpc.ServicerContext) -> bytes:
        """Tries actions of a turn."""
        request = _decoded(analysis_pb2.TryActionsRequest, data, context)
        self.busy.add(threading.get_ident())
        try:
            scores = reporting(partial(tried_actions, self._bot_class))(request)
        except Crash as crash:
            context.abort(grpc.StatusCode.UNKNOWN, str(crash))
        finally:
            self.busy.discard(threading.get_ident())
        return analysis_pb2.TryActionsResponse(scores=scores).SerializeToString()


def _decoded(kind: type[_Request], data: bytes, context: grpc.ServicerContext) -> _Request:
    """Decodes a message; ends the call if the bytes hold none."""
    try:
        return kind.FromString(data)
    except DecodeError:
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"a message is not a {kind.__name__}")
        raise AssertionError("abort raises") from None


def dial(
    bot_class: type[Bot],
    new_tables: Callable[[], Answer] | None,
    address: Address,
    token: str,
    tls: Serving | None,
) -> None:
    """Plays at the lobby of a referee until SIGTERM or Ctrl-C, or to its tournament's end; see `join`."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    shown = tls.identity.shown if tls else None
    with contextlib.suppress(Stopped):
        introduction = Introduction(description_of(bot_class))
        join(address, token, introduction, new_tables or partial(tables_of, bot_class), shown)


def _stop(*_: object) -> None:
    if sys.platform != "win32":  # gRPC may wait for a lock that it was about to let go of
        signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
        signal.setitimer(signal.ITIMER_REAL, _STOP_LIMIT)
    raise Stopped


def listen(
    bot_class: type[Bot], new_tables: Callable[[], Answer] | None, address: str, tls: Serving | None
) -> None:
    """Serves a bot at an address until SIGTERM or Ctrl-C. Exits with one sentence if that is taken."""
    server = grpc.server(ThreadPoolExecutor(max_workers=8), options=_OPTIONS)
    wait_long()
    service = BotService(bot_class, new_tables)
    server.add_generic_rpc_handlers(service.handlers())
    try:
        add_port(server, address, tls)
    except RuntimeError:
        sys.exit(f"{bot_class.name} cannot listen on {address}: give another address with --listen HOST:PORT")
    stop = threading.Event()
    woken, wakes = socket.socketpair()
    wakes.setblocking(False)
    signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    server.start()
    if not address.startswith("unix:"):
        where = f"{address}/{tls.identity.fingerprint}" if tls else address
        print(f"{bot_class.name} listens on {where}; end it with Ctrl-C", file=sys.stderr)  # noqa: T201 - for a person
    while not stop.is_set():
        woken.recv(1)  # each signal sends a byte, also one that comes just before the thread waits
    server.stop(_STOP_GRACE if service.busy else 0).wait(_STOP_LIMIT)
    if service.busy:
        os._exit(0)  # no thread can be ended, and an orderly exit would wait for it
