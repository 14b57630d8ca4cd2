"""Analyses stored games in processes of its own, one part of a game in each, at low priority."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import trio

from arena.analysis.game import CannotAnalyse, SearcherOf, decisions_of, house_of, sources_of
from arena.link.wire.messages import decode_record
from arena.loading import await_end, program_of
from arena.process import usable_processors
from arena.table.record import BrokenRecord

if TYPE_CHECKING:  # gRPC takes long to load
    from arena.checkup.analysis_bot import AnalysisBot

_END_LIMIT = 5.0  # seconds in which a process has to end
_MOST = 8  # processes
_PRIORITY = 10  # niceness


class Job(NamedTuple):
    """A part of a game to be analysed.

    Attributes:
        record: the encoded record.
        seat: the seat whose decisions are judged; None for what made the results of all seats.
        worlds: the most fresh worlds for a decision; None for the usual number.
        seed: what the worlds follow from besides.
    """

    record: bytes
    seat: int | None
    worlds: int | None = None
    seed: str = ""


def analyse(
    jobs: Sequence[Job], tell: Callable[[int, float], None], bot: AnalysisBot | None = None
) -> Iterator[tuple[int, list[Any]]]:
    """Does jobs, and gives the number of each with what was found, as JSON knows it, in any order.

    What is found depends on the job alone. If the caller ends early, the processes end.

    Args:
        jobs: the jobs.
        tell: called with the number of a job and the share of it that is done.
        bot: the bot that tries the actions, of which each process starts an instance; None for the policies
            of the house.

    Raises CannotAnalyse, BrokenRecord, and ProcessLost.
    """
    processes = [_Process(bot) for _ in range(min(len(jobs), len(usable_processors()), _MOST))]
    try:
        left = iter(enumerate(jobs))
        busy: dict[Connection, int] = {}

        def begin(connection: Connection) -> None:
            number, job = next(left, (0, None))
            if job is not None:
                connection.send(job)
                busy[connection] = number

        for process in processes:
            begin(process.connection)
        while busy:
            for ready in wait([*busy]):
                assert isinstance(ready, Connection)
                what, value = ready.recv()
                if what == "wrong":
                    raise value
                if what == "share":
                    tell(busy[ready], value)
                    continue
                number = busy.pop(ready)
                begin(ready)
                tell(number, 1.0)
                yield number, value
    except (EOFError, OSError):
        raise ProcessLost("a process that analyses was ended: see that nothing kills it") from None
    finally:
        for process in processes:
            process.end()


class ProcessLost(Exception):
    """A process ended by itself."""


class _Process:
    """A process, and this end of the connection to it."""

    def __init__(self, bot: AnalysisBot | None) -> None:
        self._socket, there = socket.socketpair()
        with there:
            self._process = subprocess.Popen(
                program_of("arena.checkup.analysis_processes", there.fileno()),
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,  # the command's output ends with it
                start_new_session=True,  # Ctrl-C is for the command
            )  # fmt: skip
        self.connection = Connection(self._socket.dup().detach())
        self.connection.send(bot)

    def end(self) -> None:
        self.connection.close()
        self._socket.close()
        self._process.terminate()
        await_end(self._process, _END_LIMIT)


def main(descriptor: int) -> None:
    """Does jobs until the other end hangs up; `descriptor` is that of the socket."""
    os.nice(_PRIORITY)
    with contextlib.suppress(OSError):  # Linux weighs sessions first; elsewhere there is no such file
        Path("/proc/self/autogroup").write_text(str(_PRIORITY))
    asker = Connection(descriptor)
    with contextlib.suppress(EOFError, OSError):
        bot = asker.recv()
        if bot is None:
            try:
                _do_jobs(asker, house_of)
            except CannotAnalyse as problem:
                asker.send(("wrong", problem))
        else:
            trio.run(_do_jobs_with, asker, bot)


async def _do_jobs_with(asker: Connection, bot: AnalysisBot) -> None:
    """Does jobs with an instance of a bot, which ends too if SIGTERM comes."""
    from arena.checkup.analysis_bot import channel_to_bot, searcher_of  # only here: see above

    with trio.open_signal_receiver(signal.SIGTERM) as ends:
        async with trio.open_nursery() as nursery:

            async def end_at_signal() -> None:
                await anext(ends)
                nursery.cancel_scope.cancel()

            nursery.start_soon(end_at_signal)
            with contextlib.suppress(EOFError, OSError):  # nobody asks any more
                try:
                    async with channel_to_bot(bot) as channel:
                        searchers = searcher_of(channel, bot)
                        await trio.to_thread.run_sync(_do_jobs, asker, searchers, abandon_on_cancel=True)
                except CannotAnalyse as problem:
                    asker.send(("wrong", problem))
            nursery.cancel_scope.cancel()


def _do_jobs(asker: Connection, searcher_of: SearcherOf) -> None:
    """Does jobs until the other end hangs up. Raises EOFError or OSError then, and CannotAnalyse."""
    while True:
        job = asker.recv()
        try:
            asker.send(("found", _found(job, searcher_of, lambda share: asker.send(("share", share)))))
        except BrokenRecord as problem:
            asker.send(("wrong", problem))
        except (CannotAnalyse, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the one who asks tells it in words
            fault = f"a process that analyses has a fault ({type(error).__name__}: {error}): report it"
            asker.send(("wrong", ProcessLost(fault)))


def _found(job: Job, searcher_of: SearcherOf, tell: Callable[[float], None]) -> list[Any]:
    record = decode_record(job.record)
    if job.seat is None:
        return [source._asdict() for source in sources_of(record)]
    decisions = []
    for decision in decisions_of(record, job.seat, job.worlds, job.seed, searcher_of=searcher_of):
        decisions.append(decision.as_data())
        tell(decision.ply / len(record.actions))
    return decisions
