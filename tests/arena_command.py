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

from click.testing import CliRunner

from arena.cli.commands import arena as command
from tests.patience import PATIENCE

ARENA = [sys.executable, "-m", "arena.cli"]
"""The command as a process of its own, for what is sent signals, killed, or has surroundings of its own."""


def arena(
    *arguments: object, cwd: Path, code: int = 0, own_process: bool = False
) -> subprocess.CompletedProcess[str]:
    """Runs the command in a folder and expects an exit code; bots and workers have their processes anyway."""
    words = [str(argument) for argument in arguments]
    if own_process:
        done = subprocess.run([*ARENA, *words], cwd=cwd, capture_output=True, text=True, timeout=PATIENCE)
    else:
        done = _in_this_process(words, cwd)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def _in_this_process(words: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    with contextlib.chdir(cwd), _deadline():
        done = CliRunner().invoke(command, words, prog_name="arena", env={"COLUMNS": "80"})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


@contextlib.contextmanager
def _deadline() -> Iterator[None]:
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
