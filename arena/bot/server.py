"""Serving a Python bot: everything between its `choose` and the referee."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc

from arena.bot.join import join
from arena.bot.player import Bot, LazyActions, Turn, outcome_of, table_info
from arena.link.convert import WIRES
from arena.link.messages import PROTOCOL_VERSION
from arena.v1 import bot_pb2, bot_pb2_grpc

LISTEN = "ARENA_LISTEN"
"""The environment variable in which a referee says where to listen."""

JOIN, TOKEN = "ARENA_JOIN", "ARENA_TOKEN"
"""The environment variables that say where to dial in, and with which token."""

DEFAULT_ADDRESS = "127.0.0.1:50051"

_OPTIONS = (
    ("grpc.max_receive_message_length", 1 << 26),
    ("grpc.so_reuseport", 0),  # a second bot on a taken port must fail, not share it
)
_STOP_GRACE = 0.5  # seconds for the last answers after SIGTERM


class BotService(bot_pb2_grpc.BotServicer):
    """The protocol's service Bot, around a bot class."""

    def __init__(self, bot_class: type[Bot]) -> None:
        self._bot_class = bot_class

    def Describe(
        self, request: bot_pb2.DescribeRequest, context: grpc.ServicerContext
    ) -> bot_pb2.DescribeResponse:
        """Says what the bot is."""
        return description_of(self._bot_class)

    def Play(
        self, requests: Iterator[bot_pb2.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[bot_pb2.PlayResponse]:
        """Plays all tables of one stream."""
        answer = _new_tables(self._bot_class)
        try:
            for request in requests:
                decisions = answer(request)
                if decisions:
                    yield bot_pb2.PlayResponse(decisions=decisions)
        except grpc.RpcError:
            return  # the referee is gone
        except Exception as error:  # noqa: BLE001 - whatever the bot's own code raises ends in its log
            traceback.print_exc()
            context.abort(grpc.StatusCode.UNKNOWN, f"{type(error).__name__}: {error}")


def description_of(bot: type[Bot]) -> bot_pb2.DescribeResponse:
    """What a bot says it is."""
    return bot_pb2.DescribeResponse(
        protocol_version=PROTOCOL_VERSION,
        name=bot.name,
        version=bot.version,
        author=bot.author,
        games=[bot_pb2.Game.Name(WIRES[game].enum) for game in bot.games],
        max_tables=bot.max_tables,
    )


def answers(
    bot_class: type[Bot], tables: dict[int, Bot], request: bot_pb2.PlayRequest
) -> list[bot_pb2.Decision]:
    """Answers a batch; `tables` holds the bot of each table that is being played and is kept up to date."""
    for start in request.starts:
        tables[start.table] = bot_class(table_info(start))
    decisions = [_decide(tables[turn.table], turn) for turn in request.turns]
    for end in request.ends:
        bot = tables.pop(end.table, None)
        if bot is not None:
            bot.ended(outcome_of(end))
    return decisions


def _decide(bot: Bot, message: bot_pb2.Turn) -> bot_pb2.Decision:
    turn = Turn(message)
    actions = turn.actions
    assert isinstance(actions, LazyActions)
    action = bot.choose(turn)
    index = actions.find(action)
    if index is None:
        print(f"{bot.name} chose {action!r}, which is not one of turn.actions", file=sys.stderr)  # noqa: T201 - the bot's log
        index = len(actions)  # out of range: the referee counts it as an illegal action
    return bot_pb2.Decision(table=message.table, turn=message.turn, action=index)


def serve(bot_class: type[Bot]) -> None:
    """Runs a bot until SIGTERM or Ctrl-C, or until the tournament that it joined is over.

    Started by a referee, it listens where that says. Stand-alone it listens on
    a port (`--listen`), or dials in at a referee's lobby (`--join`, `--token`).
    The command line comes before the environment, and there LISTEN before JOIN.
    Exits with code 1 and one sentence where it cannot.
    """
    parser = argparse.ArgumentParser(description=f"The bot {bot_class.name}, for the arena.")
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help=f"where to listen (default: ${LISTEN}, or {DEFAULT_ADDRESS})",
    )
    parser.add_argument(
        "--join",
        metavar="HOST:PORT",
        help=f"the lobby of a referee to dial in at (default: ${JOIN})",
    )
    parser.add_argument(
        "--token", default=os.environ.get(TOKEN, ""), help=f"the token to join with (default: ${TOKEN})"
    )
    arguments = parser.parse_args()
    listen, lobby = arguments.listen, arguments.join
    if not listen and not lobby:
        listen = os.environ.get(LISTEN)  # first, for it is the referee that sets it
        lobby = None if listen else os.environ.get(JOIN)
    if lobby:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        with contextlib.suppress(KeyboardInterrupt):
            join(lobby, arguments.token, description_of(bot_class), lambda: _new_tables(bot_class))
    else:
        _listen(bot_class, listen or DEFAULT_ADDRESS)


def _new_tables(bot_class: type[Bot]) -> Callable[[bot_pb2.PlayRequest], list[bot_pb2.Decision]]:
    """What answers the batches of one connection."""
    tables: dict[int, Bot] = {}
    return lambda request: answers(bot_class, tables, request)


def _listen(bot_class: type[Bot], address: str) -> None:
    server = grpc.server(ThreadPoolExecutor(max_workers=8), options=_OPTIONS)
    bot_pb2_grpc.add_BotServicer_to_server(BotService(bot_class), server)  # type: ignore[no-untyped-call]  # generated
    try:
        server.add_insecure_port(address)
    except RuntimeError:
        sys.exit(f"{bot_class.name} cannot listen on {address}: give another address with --listen HOST:PORT")
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    server.start()
    if not address.startswith("unix:"):
        print(f"{bot_class.name} listens on {address}; end it with Ctrl-C", file=sys.stderr)  # noqa: T201 - for a person
    stop.wait()
    server.stop(_STOP_GRACE).wait()
