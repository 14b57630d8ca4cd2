"""Starts the processes of a standing league so that they end with the host process, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import trio

_PATIENCE = 60.0  # seconds for a process to end after SIGTERM
_LOG_LIMIT = 4 << 20  # bytes of a log after which it becomes the old one

# The system sends the process SIGTERM when its parent is gone (PR_SET_PDEATHSIG is 1), also after exec.
_PROGRAM = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 15); "
    "os.getppid() == int(sys.argv[1]) or sys.exit(1); os.nice(int(sys.argv[2])); "
    "os.execv(sys.argv[3], sys.argv[3:])"
)


def rotate(log: Path) -> None:
    """Makes a log that has become long the old one, so that a new one begins."""
    if log.exists() and log.stat().st_size > _LOG_LIMIT:
        log.replace(log.with_suffix(".old.log"))


class Child:
    """A running process, whose output goes to a log file.

    Args:
        words: the words after `python -m`.
        log: the file.
        files: the descriptors that it inherits.
        pipe: whether its standard input is a pipe, which ends with this process.
        niceness: by how much its priority is lower.

    It must be made in the main thread, because the system tells it when the thread that started it ends.
    """

    def __init__(
        self,
        words: Sequence[str],
        log: Path,
        files: Sequence[int] = (),
        pipe: bool = False,
        niceness: int = 0,
    ) -> None:
        rotate(log)
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-c", _PROGRAM, str(os.getpid()), str(niceness)),
                    *(sys.executable, "-m", *words),
                ],
                stdin=subprocess.PIPE if pipe else subprocess.DEVNULL,
                stdout=output, stderr=output, pass_fds=files, start_new_session=True,
            )  # fmt: skip

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def send(self, line: str) -> None:
        """Writes a line to its standard input."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()

    async def wait(self) -> int:
        """Waits for its end; returns the exit code."""
        return await trio.to_thread.run_sync(self._process.wait, abandon_on_cancel=True)

    async def end(self) -> None:
        """Asks it to end, and kills it if it does not."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        with trio.CancelScope(shield=True):
            with trio.move_on_after(_PATIENCE):
                await self.wait()
                return
            self._process.kill()
            await self.wait()
