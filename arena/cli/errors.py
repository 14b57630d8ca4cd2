"""Errors: those that users can remedy, and the report of a bug of the referee.

This module imports every module that has errors of its own, so import it only to handle an error.
"""

from __future__ import annotations

import platform
import time
import traceback
from pathlib import Path

from arena.bounded_log import LogNotWritable
from arena.checkup.analysis.game import CannotAnalyse
from arena.cli.process import first_error
from arena.engine import NeedsEngine
from arena.hosting.client import Problem
from arena.hosting.database import NewerDatabase
from arena.hosting.requests import Busy
from arena.hosting.requests import Refused as RefusedByHost
from arena.kits import KitError
from arena.league.interchange import WrongExport
from arena.league.store import StoreError
from arena.link.local.build import BuildError
from arena.link.local.packing import CannotPack
from arena.link.local.sandbox import SandboxMissing
from arena.link.streams.trio_thread import RefereeBug
from arena.link.tls.identity import WrongIdentity
from arena.processes.worker import WorkerDied, WorkerFault
from arena.referee.cluster.address import Unreachable
from arena.referee.night.host_requests import Refused
from arena.referee.night.settings import CannotRun
from arena.strict_toml import WrongFile
from arena.table.record import BrokenRecord
from arena.temporary import NoFolder
from arena.tournament.plan import UnknownPlan

USER_ERRORS = (
    WrongFile,
    StoreError,
    CannotRun,
    NeedsEngine,
    SandboxMissing,
    BrokenRecord,
    UnknownPlan,
    BuildError,
    KitError,
    WrongExport,
    Refused,
    WrongIdentity,
    Unreachable,
    Problem,
    CannotPack,
    NewerDatabase,
    Busy,
    RefusedByHost,
    CannotAnalyse,
    WorkerDied,
    WorkerFault,
    NoFolder,
    LogNotWritable,
)
"""The text of each is one sentence."""


def crashed(problem: BaseException, league: Path, go_on: str) -> CannotRun:
    """Writes a report of a bug that ended a tournament beside the league file; returns the error to raise.

    Args:
        problem: the exception, or exception group, that ended the tournament.
        league: the league file.
        go_on: the command that goes on with the tournament.
    """
    bug = RefereeBug.of(first_error(problem))
    report = league.with_name(f"{league.stem}.crash-{time.strftime('%Y%m%d-%H%M%S')}.txt")
    try:
        report.write_text(_report_text(problem), "utf-8")
    except OSError as error:
        where = f"the report could not be written to {report} ({error.strerror})"
    else:
        where = f"send the report {report} to the arena's authors"
    return CannotRun(
        f"the referee itself went wrong ({bug.what}) and stopped: no bot is charged for it, and the finished "
        f"games are in {league}; {where}, then go on with: {go_on}"
    )


def _report_text(problem: BaseException) -> str:
    from importlib.metadata import version  # only here, because it loads much

    arena = version("bot-arena")
    head = f"arena {arena}, Python {platform.python_version()}, {platform.platform()}"
    now = time.strftime("%Y-%m-%d %H:%M:%S %z")
    return "\n".join((head, now, "", *traceback.format_exception(problem)))
