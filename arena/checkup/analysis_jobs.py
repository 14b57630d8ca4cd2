"""Analyses stored games by a pool of workers, one part of a game in each job."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterable
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import trio

from arena.checkup.analysis.game import (
    CannotAnalyse,
    SearcherOf,
    house_of,
    judged,
    require_analysable,
    sources_of,
)
from arena.checkup.analysis.turns import Turn, setup_of, turns_of
from arena.checkup.session_file import Script, setup_in, turns_in
from arena.link.streams.trio_thread import unwrapped
from arena.link.wire.messages import decode_record
from arena.processes.pool import Pool, Tell, do_jobs, told
from arena.processes.worker import HungUp
from arena.table.record import BrokenRecord

if TYPE_CHECKING:  # gRPC takes long to load
    from arena.checkup.analysis_bot import AnalysisBot

_ERRORS = CannotAnalyse, BrokenRecord


PARTS: Final = 4
"""The parts of the turns of a seat, for as many processors."""
DEEPER: Final = 8
"""How many times as much a deeper analysis tries."""


class Effort(NamedTuple):
    """How much is tried, and in which worlds.

    Attributes:
        worlds: the most fresh worlds for a decision; None for as many as the work allows.
        seed: what the worlds follow from besides.
        times: how many times as much is tried as usually.
    """

    worlds: int | None = None
    seed: str = ""
    times: int = 1


USUAL: Final = Effort()
"""What is tried if nothing else is asked for."""


class Job(NamedTuple):
    """A part of a game to be analysed.

    Attributes:
        record: the encoded record.
        seat: the seat whose decisions are judged; None for what made the results of all seats.
        part: the turns whose numbers leave this rest, divided by PARTS.
        effort: how much is tried.
    """

    record: bytes
    seat: int | None
    part: int = 0
    effort: Effort = USUAL


class SessionJob(NamedTuple):
    """A part of the turns of a session to be analysed.

    Attributes:
        script: the session.
        part, effort: as for `Job`.
    """

    script: Script
    part: int
    effort: Effort = USUAL


AnalysisPool: TypeAlias = Pool[Job | SessionJob, list[Any]]
"""Finds what is in a part of a game or session, as JSON knows it.

Raises CannotAnalyse and BrokenRecord too.
"""


def analysis_pool(bot: AnalysisBot | None = None) -> AnalysisPool:
    """A pool that analyses.

    Args:
        bot: the bot that tries the actions, of which each worker starts an instance; None for the policies of
            the house.
    """
    return Pool("analyses", _by_house) if bot is None else Pool("analyses", _by_bot, bot)


def _by_house(asker: Connection) -> None:
    with told(asker, *_ERRORS):
        do_jobs(asker, partial(_found, house_of))


def _by_bot(asker: Connection, bot: AnalysisBot) -> None:
    with unwrapped(Exception):
        trio.run(_with_bot, asker, bot)


async def _with_bot(asker: Connection, bot: AnalysisBot) -> None:
    """Does jobs with an instance of a bot, which ends too if SIGTERM comes."""
    from arena.checkup.analysis_bot import channel_to_bot, searcher_of  # only here: see above

    with trio.open_signal_receiver(signal.SIGTERM) as ends:
        async with trio.open_nursery() as nursery:

            async def end_at_signal() -> None:
                await anext(ends)
                nursery.cancel_scope.cancel()

            nursery.start_soon(end_at_signal)
            with contextlib.suppress(HungUp), told(asker, *_ERRORS):
                async with channel_to_bot(bot) as channel:
                    do = partial(_found, searcher_of(channel, bot))
                    await trio.to_thread.run_sync(do_jobs, asker, do, abandon_on_cancel=True)
            nursery.cancel_scope.cancel()


def _found(searcher_of: SearcherOf, job: Job | SessionJob, tell: Tell) -> list[Any]:
    turns: Callable[[], Iterable[Turn]]
    if isinstance(job, SessionJob):
        turns, setup, plies = partial(turns_in, job.script), setup_in(job.script), len(job.script.scenes)
    else:
        record = decode_record(job.record)
        if job.seat is None:
            return [source._asdict() for source in sources_of(record)]
        require_analysable(record.game)
        turns, setup, plies = partial(turns_of, record, job.seat), setup_of(record), len(record.actions)
    worlds, seed, times = job.effort
    found = judged(
        lambda: (turn for turn in turns() if turn.number % PARTS == job.part),
        setup, plies, worlds, seed, searcher_of, times / PARTS, tell,
    )  # fmt: skip
    return [decision.as_data() for decision in found]
