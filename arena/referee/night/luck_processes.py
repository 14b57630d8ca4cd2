"""Computes the luck of finished games in processes of its own, while the referee goes on.

The luck of a game takes up to .3 s of a processor. The processes have a low priority, so that bots, whose
clocks run, come first.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from typing import TypeAlias

import trio

from arena.league.stored import luck_in
from arena.loading import await_end, program_of
from arena.process import usable_processors
from arena.referee.rooms.rooms import WorkerDied
from arena.results import GameKey

_END_LIMIT = 5.0  # seconds in which a process has to end
_MOST = 8  # processes
_PRIORITY = 10  # niceness

Game: TypeAlias = tuple[GameKey, bytes]
"""A finished game: its key, and its encoded record."""


class LuckProcesses:
    """The processes, which start when they are needed first."""

    def __init__(self) -> None:
        self._processors = sorted(usable_processors())  # before the referee keeps itself on one
        self._processes: list[_Process] = []

    async def lucks(self, games: Sequence[Game]) -> list[float]:
        """The luck of the match's first entrant in each game.

        If it is cancelled, the processes end. Raises WorkerDied if one has ended by itself.
        """
        if not self._processes:
            self._processes = [_Process(self._processors) for _ in self._processors[:_MOST]]
        found = [0.0] * len(games)
        left = iter([*enumerate(games)])
        try:
            async with trio.open_nursery() as nursery:
                for process in self._processes[: len(games)]:
                    nursery.start_soon(_ask, process, left, found)
        except BaseException:
            self.close()
            raise
        return found

    def close(self) -> None:
        """Ends the processes."""
        for process in self._processes:
            process.end()
        self._processes = []


async def _ask(process: _Process, games: Iterator[tuple[int, Game]], found: list[float]) -> None:
    """Asks a process for the luck of games as long as there are some."""
    for number, game in games:
        found[number] = await trio.to_thread.run_sync(process.luck, game, abandon_on_cancel=True)


class _Process:
    """A process, and this end of the connection to it."""

    def __init__(self, processors: Sequence[int]) -> None:
        self._socket, there = socket.socketpair()
        with there:
            self._process = subprocess.Popen(
                program_of("arena.referee.night.luck_processes", there.fileno(), processors),
                pass_fds=[there.fileno()],
                start_new_session=True,  # Ctrl-C is for the referee
            )
        self._connection = Connection(self._socket.dup().detach())

    def luck(self, game: Game) -> float:
        """The luck in a game; waits for it."""
        try:
            self._connection.send(game)
            luck = self._connection.recv()
        except (EOFError, OSError):
            raise WorkerDied("a process that computes luck was ended: see that nothing kills it") from None
        assert isinstance(luck, float)
        return luck

    def end(self) -> None:
        """Ends the process; a thread that waits for it gets WorkerDied."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        await_end(self._process, _END_LIMIT)


def main(descriptor: int, processors: Sequence[int]) -> None:
    """Answers games with their luck, until the referee hangs up.

    Args:
        descriptor: that of the socket to the referee.
        processors: the numbers of the processors that it may use.
    """
    os.nice(_PRIORITY)
    if hasattr(os, "sched_setaffinity"):  # the referee may keep itself on one
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, processors)
    referee = Connection(descriptor)
    with contextlib.suppress(EOFError, OSError):
        while True:
            referee.send(luck_in(*referee.recv()))
