"""What is left of a bug of the referee: a file for its authors, and one sentence for everybody else."""

from __future__ import annotations

import platform
import time
import traceback
from pathlib import Path

from arena.cli.common import first_error
from arena.link.streams.trio_thread import RefereeBug
from arena.runner.night.settings import CannotRun


def crashed(problem: BaseException, league: Path) -> CannotRun:
    """What to raise after a bug ended a tournament; writes the report beside the league file.

    Args:
        problem: what came out of it, an exception group or not.
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
