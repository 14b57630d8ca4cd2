"""The results of `arena check-bot` as text, check by check, and as plain data for JSON."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

from arena.checkup.pace import Progress
from arena.checkup.values import FAILED, NOTED, PASSED, SKIPPED, Check
from arena.text import counted, estimate_text, one_line

_SIGNS = {PASSED: "✓", FAILED: "✗", SKIPPED: "-", NOTED: "!"}
_NAME_WIDTH = 34


def check_text(check: Check, *, sign: bool = True) -> str:
    """A check as a line; if it failed, also the expected result, the actual one, and a remedy.

    `sign`: whether a sign says what came of it.
    """
    head = f"{check.number:2} {f'{_SIGNS[check.status]} ' if sign else ''}{check.name:{_NAME_WIDTH}}"
    if check.status != FAILED:
        return f"{head} {one_line(check.text)}".rstrip()
    lines = [
        head.rstrip(),
        f"     expected: {one_line(check.expected)}",
        f"     came:     {one_line(check.came)}",
        f"     fix:      {f'as for {check.same_as}' if check.same_as else one_line(check.fix)}",
    ]
    if check.output and not check.same_as:
        lines.append("     last lines of output:")
        lines += [f"       | {one_line(line)}" for line in check.output.split("\n")]
    return "\n".join(lines)


def checkup_text(checks: Sequence[Check]) -> str:
    """The last line: the number of checks with each outcome."""
    count = Counter(check.status for check in checks)
    parts = [f"{count[status]} {status}" for status in _SIGNS if count[status]]
    verdict = "not ready" if count[FAILED] else "ready for league night"
    return f"{verdict}: {counted(len(checks), 'check')}, {', '.join(parts)}"


def checkup_json(bot: str, checks: Sequence[Check]) -> dict[str, Any]:
    """The whole checkup of a bot as plain data; `bot` is the author's name for it."""
    return {
        "bot": bot,
        "ready": all(check.status != FAILED for check in checks),
        "checks": [dataclasses.asdict(check) for check in checks],
    }


def progress_text(progress: Progress) -> str:
    """What runs, how far it is, and how long everything will still take."""
    games = f": {progress.played} of {counted(progress.games, 'game')}" if progress.games else ""
    left = f", {estimate_text(progress.left)} left" if progress.left is not None else ""
    return f"{progress.number} of {progress.checks}: {progress.name}{games}{left}"
