"""Errors: those that users can remedy, and the report of a bug of the referee.

Importing this loads every module that has errors of its own, so import it only where an error is handled.
"""

from __future__ import annotations

import platform
import time
import traceback
from pathlib import Path

from arena.cli.process import first_error
from arena.cluster.address import Unreachable
from arena.kits import KitError
from arena.link.local.build import BuildError
from arena.link.local.sandbox import SandboxMissing
from arena.link.streams.trio_thread import RefereeBug
from arena.link.tls.identity import WrongIdentity
from arena.runner.leagues.interchange import WrongExport
from arena.runner.night.host_requests import Refused
from arena.runner.night.settings import CannotRun
from arena.store import StoreError
from arena.strict_toml import WrongFile
from arena.table.record import BrokenRecord
from arena.tournament.plan import UnknownPlan

USER_ERRORS = (
    WrongFile,
    StoreError,
    CannotRun,
    SandboxMissing,
    BrokenRecord,
    UnknownPlan,
    BuildError,
    KitError,
    WrongExport,
    Refused,
    WrongIdentity,
    Unreachable,
)
"""The text of each is one sentence."""


def crashed(problem: BaseException, league: Path) -> CannotRun:
    """The error to raise after a bug ended a tournament; writes a report beside the league file.

    Args:
        problem: the exception, or exception group, that ended the tournament.
        league: the league file.
    """
    bug = RefereeBug.of(first_error(problem))
    report = league.with_name(f"{league.stem}.crash-{time.strftime('%Y%m%d-%H%M%S')}.txt")
    try:
        report.write_text(_report_text(problem), "utf-8")
    except OSError as error:
        where = f"the report of it could not be written to {report} ({error.strerror})"
    else:
        where = f"{report} holds the report of it: send it to the arena's authors"
    return CannotRun(
        f"the referee itself went wrong ({bug.what}) and stopped: no bot is charged for it, and the finished "
        f"games are in {league}; {where}, then go on with: arena resume {league}"
    )


def _report_text(problem: BaseException) -> str:
    from importlib.metadata import version  # only here, for it loads much

    arena = version("bot-arena")
    head = f"arena {arena}, Python {platform.python_version()}, {platform.platform()}"
    now = time.strftime("%Y-%m-%d %H:%M:%S %z")
    return "\n".join((head, now, "", *traceback.format_exception(problem)))
