"""Bots that the referee starts and stops itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from arena.link import GRPC_SETTINGS, guard
from arena.link.bot_manifest import BotManifest

LISTEN = "ARENA_LISTEN"
"""The environment variable that tells a bot where to listen: `unix:PATH`."""

JOIN, TOKEN = "ARENA_JOIN", "ARENA_TOKEN"
"""The environment variables that tell a bot at which lobby to dial in, `host:port`, and its token."""

# A bot may use all that we may, also where the referee keeps to one of them while it plays.
_PROCESSORS = ",".join(map(str, os.sched_getaffinity(0))) if sys.platform == "linux" else ""
_STOP_TIMEOUT = guard.GRACE + 3
_LOG_TAIL = 2000


class BotProcess:
    """A running local bot.

    Attributes:
        address: where it is to listen, as gRPC writes it.
        log: the file that keeps what it prints.
    """

    def __init__(self, process: trio.Process, socket: Path, log: Path) -> None:
        self._process = process
        self.socket = socket
        self.address = f"unix:{socket}"
        self.log = log

    async def wait(self) -> int:
        """Waits until the bot has ended, and returns its exit code."""
        return await self._process.wait()

    @property
    def exit_code(self) -> int | None:
        """The exit code, None while the bot runs."""
        return self._process.returncode

    async def wait_listening(self) -> bool:
        """Waits until the bot's socket is there; False where the bot ended instead."""
        while self.exit_code is None:
            if self.socket.exists():
                return True
            await trio.sleep(0.01)
        return False

    def log_tail(self) -> str:
        """The last lines of what the bot printed."""
        try:
            return self.log.read_bytes()[-_LOG_TAIL:].decode(errors="replace").strip()
        except OSError:
            return ""

    def crash(self) -> None:
        """Kills the bot, once it listens, as `kill -9` would: a crash to see it come back from."""
        self._process.send_signal(signal.SIGUSR1)

    async def stop(self) -> None:
        """Ends the bot and everything it started; returns when nothing is left."""
        if self._process.stdin is not None:
            await self._process.stdin.aclose()
        with trio.move_on_after(_STOP_TIMEOUT):
            await self._process.wait()
        if self._process.returncode is None:
            self._process.kill()  # the guard itself hangs; the bot dies with it
            await self._process.wait()


@asynccontextmanager
async def running_bot(
    manifest: BotManifest, log: Path, lobby: tuple[str, str] | None = None
) -> AsyncIterator[BotProcess]:
    """Starts a bot, and ends it for good when the context is left, however that happens.

    Args:
        manifest: the bot's bot.toml.
        log: the file to which what the bot prints is appended.
        lobby: where the bot is to dial in and its token; None for a bot that is to listen.
    """
    with tempfile.TemporaryDirectory(prefix="arena-", ignore_cleanup_errors=True) as private:  # mode 0700
        socket = Path(private, "bot.sock")
        process = await trio.lowlevel.open_process(
            [
                *(sys.executable, "-I", "-S", guard.__file__),
                *(str(log.resolve()), private, _PROCESSORS),
                *manifest.command,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=manifest.folder,
            env=joining(*lobby) if lobby else {**environment(), LISTEN: f"unix:{socket}"},
            start_new_session=True,  # a Ctrl-C at the terminal is for the referee alone
        )
        bot = BotProcess(process, socket, log)
        try:
            yield bot
        finally:
            with trio.CancelScope(shield=True):
                await bot.stop()


def environment() -> dict[str, str]:
    """The environment of a bot's commands: the user's, with our Python, which has `arena`, first in PATH."""
    users = {name: value for name, value in os.environ.items() if GRPC_SETTINGS.get(name) != value}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    return {**users, "PATH": path, "PYTHONUNBUFFERED": "1"}


def joining(address: str, token: str) -> dict[str, str]:
    """The environment of a bot that is to dial in at a lobby's `host:port`, and not to listen."""
    surroundings = {**environment(), JOIN: address, TOKEN: token}
    surroundings.pop(LISTEN, None)
    return surroundings
