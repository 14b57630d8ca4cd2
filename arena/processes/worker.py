"""A worker: a process that runs one function for this one, because Python computes on one processor.

The two exchange pickled values over a socket. However this process ends, the worker learns of it when it next
sends or receives, and ends too. Ctrl-C at the terminal reaches only this process.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from arena.processes.loading import await_end, loaded, program_of
from arena.text import one_line

_END_LIMIT = 5.0  # seconds in which a worker has to end


class HungUp(Exception):
    """The process at the other end of a connection is gone, or does not listen any more."""


class WorkerDied(Exception):
    """Something killed a worker; the text is one sentence."""


class WorkerFault(Exception):
    """An error of its own ended a worker; the text is one sentence, and a note has the worker's traceback."""


def send(connection: Connection, value: object) -> None:
    """Sends a value to the process at the other end. Raises HungUp."""
    try:
        connection.send_bytes(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    except OSError:
        raise HungUp from None


def receive(connection: Connection) -> Any:
    """Waits for a value from the process at the other end. Raises HungUp."""
    try:
        data = connection.recv_bytes()
    except (EOFError, OSError):
        raise HungUp from None
    return pickle.loads(data)


class Worker:
    """A worker, and this end of the connection to it.

    Args:
        does: what it does, in words for people, such as "plays tables".
        function: the function of a module that it runs, with the connection to this process and `arguments`.
        arguments: the other arguments.
        niceness: by how much its priority is lower than that of this process.
        processors: the numbers of the processors that it may use; empty for those of this process.

    Attributes:
        connection: the connection to the worker.
    """

    def __init__(
        self,
        does: str,
        function: Callable[..., None],
        *arguments: object,
        niceness: int = 0,
        processors: Sequence[int] = (),
    ) -> None:
        self._does = does
        self._last_words = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._reading = threading.Lock()  # held while the last words are read or closed
        self._socket, there = socket.socketpair()
        with there:
            self._process = subprocess.Popen(
                program_of(__name__, str(there.fileno()), function.__module__, function.__qualname__),
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._last_words,
                start_new_session=True,  # Ctrl-C is for this process
            )  # fmt: skip
        self.connection = Connection(self._socket.dup().detach())
        with contextlib.suppress(HungUp):  # `death` tells why
            send(self.connection, (niceness, processors))
            send(self.connection, arguments)

    def death(self) -> WorkerDied | WorkerFault:
        """Waits for its end, and returns why it ended."""
        killed = WorkerDied(f"a process that {self._does} was ended: see that nothing kills it")
        if self._process.wait() < 0:
            return killed
        with self._reading:
            if self._last_words.closed:  # `end` was called, in another thread
                return killed
            self._last_words.seek(0)
            report = self._last_words.read().decode(errors="replace").strip()
        error = one_line(report.rpartition("\n")[2])
        fault = WorkerFault(f"a process that {self._does} has a fault ({error or 'no traceback'}): report it")
        fault.add_note(report)
        return fault

    def terminate(self) -> None:
        """Asks the worker to end, whatever it does. A thread that waits for it gets HungUp."""
        with contextlib.suppress(OSError):  # `end` was called
            self._socket.shutdown(socket.SHUT_RDWR)
        self._process.terminate()

    def end(self) -> None:
        """Ends the worker."""
        self.terminate()
        await_end(self._process, _END_LIMIT)
        self._socket.close()
        with self._reading:
            self._last_words.close()


def main(descriptor: str, module: str, name: str) -> None:
    """Runs a function of a module until it returns, or the process that started this one is gone.

    Args:
        descriptor: the number of the socket to that process.
        module: the module.
        name: the name of the function.
    """
    connection = Connection(int(descriptor))
    with contextlib.suppress(HungUp):
        niceness, processors = receive(connection)
        _stand_back(niceness, processors)
        function = getattr(loaded(module), name)
        function(connection, *receive(connection))


def _stand_back(niceness: int, processors: Sequence[int]) -> None:
    """Lowers the priority of this process, and lets it use these processors; none for the present ones."""
    if niceness:
        os.nice(niceness)
        with contextlib.suppress(OSError):  # Linux weighs sessions first; elsewhere there is no such file
            Path("/proc/self/autogroup").write_text(str(niceness))
    if processors and hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, processors)
