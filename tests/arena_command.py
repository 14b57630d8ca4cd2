"""The `arena` command in tests: in this process, as long as a process of its own is not the point.

To start one takes half a second of CPU time, to run a command in it often a tenth of that.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner, Result

from arena.cli.commands import arena as command
from tests.patience import PATIENCE

ARENA = [sys.executable, "-m", "arena.cli"]
"""The command as a process of its own, for what is sent signals, killed, or has surroundings of its own."""


def arena(
    *arguments: object, cwd: Path, code: int = 0, own_process: bool = False, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs the command in a folder and expects an exit code; bots and workers have their processes anyway.

    `typed`: what a person types, where it runs in this process.
    """
    words = [str(argument) for argument in arguments]
    if own_process:
        done = subprocess.run([*ARENA, *words], cwd=cwd, capture_output=True, text=True, timeout=PATIENCE)
    else:
        result = in_this_process(words, cwd, typed=typed)
        done = subprocess.CompletedProcess(words, result.exit_code, result.stdout, result.stderr)
    assert done.returncode == code, done.stderr or done.stdout
    assert "Traceback" not in done.stderr
    return done


def in_this_process(
    words: list[str], cwd: Path, encoding: str = "utf-8", typed: str = "", columns: int = 80
) -> Result:
    """Runs the command here in a folder, with such an encoding of its output, and without a terminal."""
    with contextlib.chdir(cwd), deadline():
        result = CliRunner(charset=encoding).invoke(
            command, words, input=typed, prog_name="arena", env={"COLUMNS": str(columns)}
        )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@contextlib.contextmanager
def deadline() -> Iterator[None]:
    """Ends what goes on for ever with an error."""

    def too_late(*_: object) -> None:
        raise TimeoutError(f"the command did not end within {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
