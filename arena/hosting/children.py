"""Starts the processes of a standing league so that they end with the host process, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from io import FileIO
from pathlib import Path

import trio

from arena.checkup.bot_time import Used, used_below
from arena.processes.loading import command_of

_PATIENCE = 60.0  # seconds for a process to end after SIGTERM
LOG_LIMIT = 4 << 20
"""The bytes of a log after which it becomes the old one, and the most of the old one."""

# The system sends the process SIGTERM when its parent is gone (PR_SET_PDEATHSIG is 1), also after exec.
_PROGRAM = (
    "import ctypes, os, resource, sys; ctypes.CDLL(None).prctl(1, 15); "
    "os.getppid() == int(sys.argv[1]) or sys.exit(1); os.nice(int(sys.argv[2])); "
    "most = resource.getrlimit(resource.RLIMIT_DATA)[1]; "
    "int(sys.argv[3]) and resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[3]), most)); "
    "os.execv(sys.argv[4], sys.argv[4:])"
)


def rotate(log: Path) -> None:
    """Keeps the end of a log that has become long as the old one, and empties it.

    A process may be writing to it: that goes on at the beginning.
    """
    if log.exists() and (size := log.stat().st_size) > LOG_LIMIT:
        with suppress(OSError), log.open("rb") as file:  # a full disk is not made fuller
            file.seek(size - LOG_LIMIT)
            log.with_suffix(".old.log").write_bytes(file.read())
        os.truncate(log, 0)


class Child:
    """A running process, whose output goes to a log file.

    Args:
        words: the module to run, and its words.
        log: the file.
        files: the descriptors that it inherits.
        pipe: whether its standard input is a pipe, which ends with this process.
        niceness: by how much its priority is lower.
        memory: the most bytes of memory that it takes, without the bots that it starts; 0 for no limit.
        tells: whether it tells the host lines, on the descriptor that its option `--tell` names.

    It must be made in the main thread, because the system tells it when the thread that started it ends.
    """

    def __init__(
        self,
        words: Sequence[str],
        log: Path,
        files: Sequence[int] = (),
        pipe: bool = False,
        niceness: int = 0,
        memory: int = 0,
        tells: bool = False,
    ) -> None:
        rotate(log)
        self._told: FileIO | None = None
        self._rest = b""  # the beginning of a line that it tells
        with log.open("ab") as output, ExitStack() as pipes:
            if tells:
                ours, its = os.pipe()
                os.set_blocking(ours, False)
                self._told = pipes.enter_context(FileIO(ours))
                pipes.callback(os.close, its)
                words, files = (*words, "--tell", str(its)), (*files, its)
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-c", _PROGRAM, str(os.getpid()), str(niceness), str(memory)),
                    *command_of(*words),
                ],
                stdin=subprocess.PIPE if pipe else subprocess.DEVNULL,
                stdout=output, stderr=output, pass_fds=files, start_new_session=True,
            )  # fmt: skip
            if tells:
                pipes.pop_all()
                os.close(its)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def used(self) -> Mapping[str, Used]:
        """What its threads and those of its descendants have used so far; see `BotTime`."""
        return used_below(self.pid)

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

    def heard(self) -> list[str]:
        """The lines that it told the host since the last call."""
        lines: list[str] = []
        while self._told is not None and (data := self._told.read(1 << 16)) is not None:
            if not data:  # it has ended
                self._hear_no_more()
            *whole, self._rest = (self._rest + data).split(b"\n")
            lines += [line.decode(errors="replace") for line in whole]
        return lines

    def _hear_no_more(self) -> None:
        if self._told is not None:
            self._told.close()
            self._told = None

    async def wait(self) -> int:
        """Waits for its end; returns the exit code."""
        return await trio.to_thread.run_sync(self._process.wait, abandon_on_cancel=True)

    async def end(self) -> None:
        """Asks it to end, and kills it if it does not. What it tells from now on is not heard."""
        self._hear_no_more()
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        with trio.CancelScope(shield=True):
            with trio.move_on_after(_PATIENCE):
                await self.wait()
                return
            self._process.kill()
            await self.wait()
