"""One bot for every fault: `python faulty.py WAY`, under a referee.

Whatever is not wrong on purpose is right: turns are answered with action 0.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc

from arena.v1 import bot_pb2, bot_pb2_grpc

ALL_GAMES = bot_pb2.Game.keys()[1:]


class FaultyBot(bot_pb2_grpc.BotServicer):
    """Goes wrong in one way."""

    def __init__(self, way: str) -> None:
        self.way = way
        self.turns = 0

    def Describe(self, request, context):
        if self.way == "slow-describe":
            wait_for_ever()
        return bot_pb2.DescribeResponse(
            protocol_version=99 if self.way == "wrong-version" else 1,
            name="bad\x1b[31mname" if self.way == "wild-name" else self.way,
            games=ALL_GAMES[:1] if self.way == "one-game" else ALL_GAMES,
        )

    def Play(self, requests, context) -> Iterator[bot_pb2.PlayResponse]:
        for request in requests:
            decisions = []
            for turn in request.turns:
                self.turns += 1
                decisions += self.decide(turn, context)
            yield bot_pb2.PlayResponse(decisions=decisions)
            if self.way == "babbles":
                while True:
                    yield bot_pb2.PlayResponse(decisions=[bot_pb2.Decision(table=1, turn=999, action=0)])

    def decide(self, turn, context) -> list[bot_pb2.Decision]:
        """The decisions for one turn."""
        right = bot_pb2.Decision(table=turn.table, turn=turn.turn, action=0)
        match self.way:
            case "crashes" if self.turns == 3:
                os._exit(7)
            case "raises" if self.turns == 3:
                raise RuntimeError("a slip in the bot")
            case "ends-stream" if self.turns == 3:
                context.abort(grpc.StatusCode.CANCELLED, "enough")
            case "silent":
                return []
            case "hangs":
                threading.Event().wait()
            case "out-of-range":
                return [bot_pb2.Decision(table=turn.table, turn=turn.turn, action=4_000_000)]
            case "twice":
                return [right, right]
            case "unknown-table":
                return [right, bot_pb2.Decision(table=4_000_000, turn=1, action=0)]
            case "wrong-tables" if turn.turn == 1:
                return [bot_pb2.Decision(table=0, turn=turn.turn, action=0)] * 3 + [right]
            case "oversized":
                return [right] * 200_000
        return [right]


def wait_for_ever() -> None:
    """Leaves a file that says so."""
    Path("waits").touch()
    threading.Event().wait()


def main() -> None:
    way = sys.argv[1]
    if way == "exits":
        sys.exit("no licence key")
    if way == "never-listens":
        wait_for_ever()
    if way == "ignores-sigterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if way == "leaves-a-daemon":
        # Detached twice: in a session of its own, and its parent ends at once.
        subprocess.run(["sh", "-c", "setsid sleep 1000 & echo $! > daemon.pid"], check=True)
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    bot_pb2_grpc.add_BotServicer_to_server(FaultyBot(way), server)
    server.add_insecure_port(os.environ["ARENA_LISTEN"])
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main()
