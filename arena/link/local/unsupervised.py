"""Local bots where the system has no POSIX processes and sockets (Windows): started without a supervisor.

The bot listens on a port of this machine that was free a moment ago, which
anybody on the machine may dial; nothing ends it should the arena be killed; and
what it prints is kept whole. It is enough for an author's own bots, not for
strangers'.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import trio

from arena.link.local import supervisor
from arena.link.streams.bot_fault import BotFault

HERE = "127.0.0.1"

_GLANCE = 0.05  # seconds between looks whether a bot listens


def free_address() -> str:
    """An address of this machine, `host:port`, at which nobody listens at the moment."""
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        return f"{HERE}:{probe.getsockname()[1]}"


def found(command: Sequence[str], folder: Path, surroundings: Mapping[str, str]) -> list[str]:
    """A command with the path of its program, searched in the bot's folder and on the bot's own PATH.

    Systems without POSIX search in the folder and on the PATH of whoever starts it.
    """
    program, *arguments = command
    if os.path.dirname(program):
        return [str(folder / program), *arguments]
    return [shutil.which(program, path=surroundings["PATH"]) or program, *arguments]


async def start(
    command: Sequence[str], folder: Path, log: Path, surroundings: Mapping[str, str]
) -> trio.Process:
    """Starts a bot. Raises BotFault where there is no such program."""
    with log.open("ab") as output:
        try:
            return await trio.lowlevel.open_process(
                found(command, folder, surroundings),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=surroundings,
                **_own_group(),
            )
        except OSError as error:
            raise BotFault("crash", f"cannot be started: {command[0]}: {error.strerror}") from None


def _own_group() -> dict[str, Any]:
    """How a process is started to which a Ctrl-C at the terminal does not go: it is for the arena alone."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


async def listens(process: trio.Process, address: str) -> bool:
    """Waits until somebody listens at the address; False where the process ended instead."""
    host, _, port = address.rpartition(":")
    while process.returncode is None:
        with contextlib.suppress(OSError):
            await trio.aclose_forcefully(await trio.open_tcp_stream(host, int(port)))
            return True
        await trio.sleep(_GLANCE)
    return False


async def end(process: trio.Process) -> None:
    """Asks a bot to end where the system can ask, then ends it and what it started, as far as it can tell."""
    if process.returncode is not None:
        return
    if sys.platform == "win32":
        tree = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        await trio.run_process(tree, check=False, capture_stdout=True, capture_stderr=True)
    else:
        children = supervisor.descendants(process.pid)
        process.terminate()
        with trio.move_on_after(supervisor.GRACE):
            await process.wait()
        for child in children:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
    if process.returncode is None:
        process.kill()
    await process.wait()
