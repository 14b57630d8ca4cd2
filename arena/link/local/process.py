"""Bots that the referee starts and stops itself.

Each has a supervisor and a Unix socket of its own, where the system has what that
takes (Linux and macOS do); elsewhere see `arena.link.local.unsupervised`.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import trio

from arena.link import GRPC_SETTINGS
from arena.link.local import supervisor, unsupervised
from arena.link.local.bot_manifest import BotManifest
from arena.link.local.own_socket import OwnSocket, take
from arena.link.local.sandbox import TRUSTED, Sandbox
from arena.link.local.supervisor import Order, supervisor_command

LISTEN = "ARENA_LISTEN"
"""The environment variable that tells a bot where to listen: `unix:PATH`, or `host:port`."""

JOIN, TOKEN = "ARENA_JOIN", "ARENA_TOKEN"
"""The environment variables that tell a bot at which lobby to dial in, `host:port`, and its token."""

GUARDED = hasattr(os, "killpg") and hasattr(signal, "SIGUSR1") and hasattr(socket, "AF_UNIX")
"""Whether the system has what a supervisor and a bot's own socket take."""

_STOP_TIMEOUT = supervisor.GRACE + 3
_LOG_TAIL = 2000
_GLANCE = 0.01  # seconds between looks whether a bot listens


class BotProcess:
    """A running local bot.

    Attributes:
        log: the file that keeps what it prints.
    """

    def __init__(self, process: trio.Process, log: Path, socket_path: Path = Path()) -> None:
        self._process = process
        self._socket = socket_path
        self._own: OwnSocket | None = None
        self.log = log

    @property
    def address(self) -> str:
        """Where to dial it, as gRPC writes it; once `wait_listening` has found it there."""
        assert self._own is not None
        return self._own.address

    @property
    def place(self) -> str:
        """Where it listens as its own sockets tell it, which need not be where it is dialled."""
        return f"unix:{self._socket}"

    async def wait(self) -> int:
        """Waits until the bot has ended, and returns its exit code."""
        return await self._process.wait()

    @property
    def exit_code(self) -> int | None:
        """The exit code, None while the bot runs."""
        return self._process.returncode

    async def wait_listening(self) -> bool:
        """Waits until the bot listens at its socket; False where it ended instead.

        Raises BotFault where what is there is not the bot's own socket.
        """
        while self._own is None:
            if self.exit_code is not None:
                return False
            self._own = take(self._socket, self._process.pid)
            if self._own is None:
                await trio.sleep(_GLANCE)
        return True

    def starved(self) -> float:
        """How long the bot has waited for a processor so far, in seconds; 0 where no system tells.

        (Linux does.) It is what the thread has waited that waited longest.
        """
        waited = [0]
        for pid in {self._process.pid, *supervisor.descendants(self._process.pid)}:
            for schedule in Path(f"/proc/{pid}/task").glob("*/schedstat"):
                with suppress(OSError, LookupError, ValueError):  # it has ended, or the system counts nothing
                    waited.append(int(schedule.read_text().split()[1]))
        return max(waited) / 1e9

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
        await stop(self._process)
        if self._own is not None:
            self._own.close()


class UnsupervisedBot(BotProcess):
    """A running local bot where the system knows no supervisor.

    Args:
        process: the bot itself.
        log: the file that keeps what it prints.
        address: where it was told to listen, `host:port`.
    """

    def __init__(self, process: trio.Process, log: Path, address: str) -> None:
        super().__init__(process, log)
        self._address = address

    @property
    def address(self) -> str:
        """Where to dial it, as gRPC writes it."""
        return self._address

    @property
    def place(self) -> str:
        """Where it listens."""
        return self._address

    async def wait_listening(self) -> bool:
        """Waits until the bot listens; False where it ended instead."""
        return await unsupervised.listens(self._process, self._address)

    def crash(self) -> None:
        """Kills the bot."""
        self._process.kill()

    async def stop(self) -> None:
        """Ends the bot and, as far as the system tells, what it started."""
        await unsupervised.end(self._process)


@asynccontextmanager
async def running_bot(
    manifest: BotManifest,
    log: Path,
    lobby: tuple[str, str] | None = None,
    processors: Iterable[int] = (),
    sandbox: Sandbox = TRUSTED,
) -> AsyncIterator[BotProcess]:
    """Starts a bot, and ends it for good when the context is left, however that happens.

    Args:
        manifest: the bot's bot.toml.
        log: the file to which what the bot prints is appended.
        lobby: where the bot is to dial in and its token; None for a bot that is to listen.
        processors: the numbers of those that the bot may use; none for those that this thread may.
        sandbox: how far it is contained.

    Raises BotFault where there is no supervisor and the bot cannot be started.
    """
    if not GUARDED:
        address = unsupervised.free_address()
        surroundings = joining(*lobby) if lobby else {**environment(), LISTEN: address}
        started = await unsupervised.start(manifest.command, manifest.folder, log, surroundings)
        async with _ended(UnsupervisedBot(started, log, address)) as bot:
            yield bot
        return
    with tempfile.TemporaryDirectory(prefix="arena-", ignore_cleanup_errors=True) as private:  # mode 0700
        path = Path(private, "bot.sock")
        told = {JOIN: lobby[0], TOKEN: lobby[1]} if lobby else {LISTEN: f"unix:{path}"}
        order = sandbox.playing(manifest.command, manifest.folder, Path(private), {**environment(), **told})
        order = order._replace(log=str(log.resolve()), processors=tuple(processors))
        async with _ended(BotProcess(await supervised(order, subprocess.DEVNULL), log, path)) as bot:
            yield bot


async def stop(process: trio.Process) -> None:
    """Has a supervisor end what it runs; returns when nothing is left."""
    if process.stdin is not None:
        await process.stdin.aclose()
    with trio.move_on_after(_STOP_TIMEOUT):
        await process.wait()
    if process.returncode is None:
        below = supervisor.descendants(process.pid)
        process.kill()  # the supervisor itself hangs
        for pid in below:
            with suppress(OSError), trio.move_on_after(_STOP_TIMEOUT):
                await _killed(pid)
        await process.wait()


async def _killed(pid: int) -> None:
    """Kills a process, and waits until it is gone. Raises OSError where there is none; Linux only."""
    if sys.platform == "linux":
        descriptor = os.pidfd_open(pid)
        try:
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            await trio.lowlevel.wait_readable(descriptor)
        finally:
            os.close(descriptor)


async def supervised(order: Order, output: int) -> trio.Process:
    """Starts a supervisor that carries out an order; the order ends when its standard input is closed.

    Args:
        order: what it is to run.
        output: where its own output goes, as for `subprocess`.
    """
    process = await trio.lowlevel.open_process(
        supervisor_command(),
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.DEVNULL,
        env={},
        start_new_session=True,  # a Ctrl-C at the terminal is for the referee alone
    )
    assert process.stdin is not None
    try:
        with suppress(trio.BrokenResourceError):  # it has ended already: its exit code says so
            await process.stdin.send_all(order.line())
    except trio.Cancelled:
        with trio.CancelScope(shield=True):
            await stop(process)
        raise
    return process


@asynccontextmanager
async def _ended(bot: BotProcess) -> AsyncIterator[BotProcess]:
    """Stops a bot when the context is left, however that happens."""
    try:
        yield bot
    finally:
        with trio.CancelScope(shield=True):
            await bot.stop()


def environment() -> dict[str, str]:
    """The environment of a bot's commands: the user's, with our Python, which has `arena`, first in PATH."""
    users = {
        name: value
        for name, value in os.environ.items()
        if GRPC_SETTINGS.get(name) != value and name not in (LISTEN, JOIN, TOKEN)
    }
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    return {**users, "PATH": path, "PYTHONUNBUFFERED": "1"}


def joining(address: str, token: str) -> dict[str, str]:
    """The environment of a bot that is to dial in at a lobby's `host:port`, and not to listen."""
    return {**environment(), JOIN: address, TOKEN: token}
