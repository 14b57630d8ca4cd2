"""The bot of the benchmark: it plays a random legal action at once, and notes when each turn came.

Run it as `python -m arena.bench.bot`. If the environment variable ARENA_BENCH_TIMES names a folder, the bot
writes the times to a file in it at the end: machine-wide nanoseconds, 8 bytes each.
"""

from __future__ import annotations

import os
import time
from array import array
from pathlib import Path

from arena.bot.command import serve
from arena.bot.player import Bot, Turn
from arena.games.game import Action

TIMES = "ARENA_BENCH_TIMES"

_arrivals = array("q")


class BenchBot(Bot):
    """Chooses at random."""

    name = "bench"

    def choose(self, turn: Turn) -> Action:
        _arrivals.append(time.perf_counter_ns())
        return turn.actions[int(self.rng.random() * len(turn.actions))]


if __name__ == "__main__":
    serve(BenchBot)
    if TIMES in os.environ:
        Path(os.environ[TIMES], f"{os.getpid()}.times").write_bytes(_arrivals.tobytes())
