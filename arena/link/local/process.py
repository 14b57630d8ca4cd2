"""Starts and stops local bots.

On Linux and macOS each bot has a supervisor and a Unix socket of its own.

A path does not say which process listens behind it: a bot could put a link to another bot's socket there, and
let its opponent decide for it. So on Linux the arena opens the socket's file as soon as a process listens
there, and checks that it is a socket at which a process of this bot listens. It removes the path,
so that nobody else dials it. gRPC dials the open file, also if it dials again. On other systems
no system call tells all this: there the file must be a socket and no link when it is found, and gRPC dials
its path.

On systems without POSIX processes and sockets (Windows), a bot is started without a supervisor. It
listens on a port of this machine that was free a moment ago, which anybody on the machine may dial. Nothing
ends it if the arena is killed, and all that it prints is kept. That is enough for an author's own bots, not
for strangers' bots.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import trio

from arena.bounded_log import end_of, require_writable
from arena.link import LIBRARY_SETTINGS
from arena.link.local import supervisor
from arena.link.local.bot_manifest import BotManifest
from arena.link.local.containment.starting import why_not
from arena.link.local.sandbox import TRUSTED, Level, Sandbox
from arena.link.local.supervisor import Order, supervisor_command
from arena.link.streams.bot_fault import BotFault
from arena.processes.loading import compile_package
from arena.temporary import NoRoom, temporary_folder

LISTEN = "ARENA_LISTEN"
"""The environment variable with the address at which a bot listens: `unix:PATH`, or `host:port`."""

JOIN, TOKEN = "ARENA_JOIN", "ARENA_TOKEN"
"""The environment variables that tell a bot the lobby's address, `host:port`, and its token."""

_NO_PROXY = ("no_proxy", "NO_PROXY", "no_grpc_proxy")  # the last is gRPC's own

GUARDED = hasattr(os, "killpg") and hasattr(signal, "SIGUSR1") and hasattr(socket, "AF_UNIX")
"""Whether the system allows supervisors, and a socket for each bot."""

ROOM = 10.0
"""How long the referee waits for room on a full disk, or for a process to end, if it can start no more; in
seconds. A bot that has taken the room is ended sooner."""

_STOP_TIMEOUT = supervisor.PATIENCE + 3
_LOG_TAIL = 2000
_POLL = 0.01  # seconds between checks whether a bot listens
_CREDENTIALS = struct.Struct("3i")  # the result of SO_PEERCRED: process, user and group
_HERE = "127.0.0.1"
_ZOMBIE = "Z"


class BotProcess:
    """A running local bot.

    Attributes:
        log: the file with its output.
    """

    def __init__(self, process: trio.Process, log: Path, socket_path: Path = Path()) -> None:
        self._process = process
        self._socket = socket_path
        self._own: _Socket | None = None
        self.log = log

    @property
    def address(self) -> str:
        """Its address for gRPC, known after `wait_listening`."""
        assert self._own is not None
        return self._own.address

    @property
    def place(self) -> str:
        """The address at which it listens itself, which may differ from the one that is dialled."""
        return f"unix:{self._socket}"

    async def wait(self) -> int:
        """Waits until the bot has ended, and returns its exit code."""
        return await self._process.wait()

    @property
    def exit_code(self) -> int | None:
        """The exit code, None while the bot runs."""
        return self._process.returncode

    async def wait_listening(self) -> bool:
        """Waits until the bot listens at its socket; False if it ended instead.

        Raises BotFault if the file there is not the bot's own socket.
        """
        while self._own is None:
            if self.exit_code is not None:
                return False
            self._own = _take(self._socket, self._process.pid)
            if self._own is None:
                await trio.sleep(_POLL)
        return True

    def waited(self) -> dict[str, float]:
        """How long each thread of the bot and its supervisor has waited for a processor so far, in seconds.

        Empty on other systems than Linux.
        """
        waited: dict[str, float] = {}
        for pid in {self._process.pid, *supervisor.descendants(self._process.pid)}:
            threads = Path(f"/proc/{pid}/task")
            with suppress(OSError):  # it has ended, perhaps only now
                for thread in os.listdir(threads):
                    with suppress(OSError, LookupError, ValueError):  # or the system counts nothing
                        waited[thread] = int((threads / thread / "schedstat").read_text().split()[1]) / 1e9
        return waited

    def starved(self, since: Mapping[str, float] | None = None) -> float:
        """How long the thread that has waited longest for a processor has done so, in seconds.

        Args:
            since: what `waited` returned at the beginning of the time that counts; by default all counts.
        """
        before = since or {}
        return max(
            (waited - before.get(thread, 0.0) for thread, waited in self.waited().items()), default=0.0
        )

    def log_tail(self) -> str:
        """The last lines of what the bot printed."""
        return end_of(self.log, _LOG_TAIL).strip()

    def crash(self) -> None:
        """Kills the bot, once it listens, like `kill -9`, to test whether it comes back."""
        self._process.send_signal(signal.SIGUSR1)

    def ask_to_end(self) -> None:
        """Sends the bot SIGTERM, and leaves it as much time as it takes."""
        self._process.send_signal(signal.SIGUSR2)

    async def stop(self) -> None:
        """Ends the bot and everything it started; returns when nothing is left."""
        await stop(self._process)
        if self._own is not None:
            self._own.close()


class UnsupervisedBot(BotProcess):
    """A running local bot on a system without supervisors.

    Args:
        process: the bot itself.
        log: the file that keeps what it prints.
        address: the address that it was given to listen at, `host:port`.
    """

    def __init__(self, process: trio.Process, log: Path, address: str) -> None:
        super().__init__(process, log)
        self._address = address

    @property
    def address(self) -> str:
        """Its address for gRPC."""
        return self._address

    @property
    def place(self) -> str:
        """The address at which it listens."""
        return self._address

    async def wait_listening(self) -> bool:
        """Waits until the bot listens; False if it ended instead."""
        host, _, port = self._address.rpartition(":")
        while self._process.returncode is None:
            with suppress(OSError):
                await trio.aclose_forcefully(await trio.open_tcp_stream(host, int(port)))
                return True
            await trio.sleep(_POLL)
        return False

    def crash(self) -> None:
        """Kills the bot."""
        self._process.kill()

    def ask_to_end(self) -> None:
        """Sends the bot SIGTERM."""
        self._process.terminate()

    async def stop(self) -> None:
        """Ends the bot and, as far as the system tells, the processes that it started."""
        await end_unsupervised(self._process)


@asynccontextmanager
async def running_bot(
    manifest: BotManifest,
    log: Path,
    lobby: tuple[str, str] | None = None,
    processors: Iterable[int] = (),
    sandbox: Sandbox = TRUSTED,
) -> AsyncIterator[BotProcess]:
    """Starts a bot, and ends it when the context is left, however that happens.

    Args:
        manifest: the bot's bot.toml.
        log: the file to which the bot's output is appended.
        lobby: the lobby's address and the bot's token; None for a bot that listens.
        processors: the numbers of the processors that the bot may use; empty for those of this thread.
        sandbox: how the bot is contained.

    Raises BotFault if the bot cannot be started without a supervisor, or no supervisor can be started;
    LogNotWritable, and NoFolder.
    """
    require_writable(log)
    if not GUARDED:
        with socket.socket() as probe:
            probe.bind((_HERE, 0))
            address = f"{_HERE}:{probe.getsockname()[1]}"
        surroundings = joining(*lobby) if lobby else {**environment(), LISTEN: address}
        started = await _start_unsupervised(manifest.command, manifest.folder, log, surroundings)
        async with _ended(UnsupervisedBot(started, log, address)) as bot:
            yield bot
        return
    if sandbox.level is not Level.NONE:
        compile_package()
    with await _own_folder() as private:
        path = Path(private, "bot.sock")
        surroundings = joining(*lobby) if lobby else {**environment(), LISTEN: f"unix:{path}"}
        order = sandbox.playing(manifest.command, manifest.folder, Path(private), surroundings)
        order = order._replace(log=str(log.resolve()), processors=tuple(processors))
        async with _ended(BotProcess(await _supervisor(order), log, path)) as bot:
            yield bot


async def run_beside(manifest: BotManifest, sandbox: Sandbox, command: Sequence[str]) -> int:
    """Runs another command where a bot runs: in its sandbox, with its folder, environment and limits.

    The command has the standard input and output of this process. Returns its exit code, 128 + N if signal N
    ended it. Raises OSError if no process can be started.
    """
    with temporary_folder() as private, os.fdopen(os.dup(sys.stdin.fileno())) as typed:
        surroundings = {**environment(), LISTEN: f"unix:{Path(private, 'bot.sock')}"}
        order = sandbox.playing(manifest.command, manifest.folder, Path(private), surroundings)
        process = await supervised(order._replace(command=tuple(command), input=typed.fileno()), None)
        try:
            return await process.wait()
        finally:
            with trio.CancelScope(shield=True):
                await stop(process)


async def _own_folder(room: float = ROOM) -> TemporaryDirectory[str]:
    """A temporary folder; waits `room` seconds for room if the disk is full. Raises NoFolder."""
    until = trio.current_time() + room
    while True:
        try:
            return temporary_folder()
        except NoRoom:
            if trio.current_time() >= until:
                raise
        await trio.sleep(_POLL)


async def _supervisor(order: Order, room: float = ROOM) -> trio.Process:
    """Starts a bot's supervisor; waits `room` seconds if there are too many processes. Raises BotFault."""
    until = trio.current_time() + room
    while True:
        try:
            return await supervised(order, subprocess.DEVNULL)
        except OSError as error:
            if trio.current_time() >= until:
                raise BotFault("crash", f"cannot be started: {error.strerror}") from None
        await trio.sleep(_POLL)


async def stop(process: trio.Process, patience: float = _STOP_TIMEOUT) -> None:
    """Has a supervisor end its command; returns when nothing is left.

    `patience`: how long the supervisor may take, in seconds, before everything is killed.
    """
    if process.stdin is not None:
        await process.stdin.aclose()
    with trio.move_on_after(patience):
        await process.wait()
    # The supervisor itself hangs, or has no turn. It stays the reaper of them all until it is the last.
    while process.returncode is None:
        left = False
        for pid in supervisor.descendants(process.pid):
            with suppress(OSError):  # it is gone
                os.kill(pid, signal.SIGKILL)
                left = left or supervisor.state_of(pid) != _ZOMBIE
        if not left:
            process.kill()
        with trio.move_on_after(_POLL):
            await process.wait()


async def supervised(order: Order, output: int | None) -> trio.Process:
    """Starts a supervisor that carries out an order; the order ends when its standard input is closed.

    Args:
        order: the supervisor's order.
        output: where its own output goes, as for `subprocess`; None for that of this process.
    """
    process = await trio.lowlevel.open_process(
        supervisor_command(),
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.DEVNULL,
        env={},
        pass_fds=() if order.input < 0 else (order.input,),
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
    """The environment of a bot's commands: the user's, with this Python, which has `arena`, first in PATH.

    It has no PYTHONSAFEPATH, which would hide the modules in a bot's folder from `python -m`.
    """
    users = {
        name: value
        for name, value in os.environ.items()
        if LIBRARY_SETTINGS.get(name) != value and name not in (LISTEN, JOIN, TOKEN, "PYTHONSAFEPATH")
    }
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    return {**users, "PATH": path, "PYTHONUNBUFFERED": "1"}


def joining(address: str, token: str) -> dict[str, str]:
    """The environment of a bot that dials a lobby's `host:port`, and does not listen.

    Programs that use the proxies of the environment are told not to use them for the lobby.
    """
    told = environment()
    host = address.rpartition(":")[0].strip("[]")
    excepted = ",".join(dict.fromkeys([*(told[name] for name in _NO_PROXY if told.get(name)), host]))
    return {**told, **dict.fromkeys(_NO_PROXY, excepted), JOIN: address, TOKEN: token}


# --- A bot's socket ---


class _Socket:
    """The socket of a bot that listens.

    Args:
        address: its address for gRPC, until this is closed.
        file: the open file of the socket, if there is one.
    """

    def __init__(self, address: str, file: int | None = None) -> None:
        self.address = address
        self._file = file

    def close(self) -> None:
        """Lets it go."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _take(path: Path, ancestor: int) -> _Socket | None:
    """The socket at a path, None until a process listens there.

    Args:
        path: where the bot must listen.
        ancestor: the id of the process from which all the bot's processes descend.

    Raises BotFault if something else is there, or another program listens.
    """
    if sys.platform != "linux":
        return _found(path)
    try:
        file = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    own = _Socket(f"unix:/proc/self/fd/{file}", file)
    try:
        _check_kind(os.fstat(file).st_mode)
        listener = _listener(f"/proc/self/fd/{file}")
        if listener is None:
            own.close()
            return None
        if not _descends(listener, ancestor):
            raise BotFault("protocol", "does not listen at its socket itself: another program does")
        path.unlink(missing_ok=True)
    except BaseException:
        own.close()
        raise
    return own


def _found(path: Path) -> _Socket | None:
    try:
        _check_kind(path.lstat().st_mode)
    except FileNotFoundError:
        return None
    return _Socket(f"unix:{path}")


def _check_kind(mode: int) -> None:
    if not stat.S_ISSOCK(mode):
        what = "a link" if stat.S_ISLNK(mode) else "something else"
        raise BotFault(
            "protocol", f"has no socket where it was to listen, but {what}: it must listen there itself"
        )


def _listener(path: str) -> int | None:
    """The id of the process that listens at a socket, None until one does. Raises BotFault."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(path)
        except (ConnectionRefusedError, BlockingIOError):
            return None  # it is bound, and listens soon; or its queue is full
        except OSError as error:
            raise BotFault("protocol", f"has a socket that cannot be dialled: {error.strerror}") from None
        credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    process: int = _CREDENTIALS.unpack(credentials)[0]
    return process


def _descends(process: int, ancestor: int) -> bool:
    """Whether a process descends from another one."""
    at = process
    while at > 1 and at != ancestor:
        try:
            at = supervisor.parent_of(at)
        except OSError:
            if at == process:
                return False  # it has ended
            at = process  # an ancestor has ended, and its children got another parent
    return at == ancestor


# --- Without a supervisor ---


def found(command: Sequence[str], folder: Path, surroundings: Mapping[str, str]) -> list[str]:
    """A command with the path of its program, which is searched in the bot's folder and on the bot's PATH.

    Systems without POSIX would search in the folder and on the PATH of the process that starts it.
    """
    program, *arguments = command
    if os.path.dirname(program):
        return [str(folder / program), *arguments]
    return [shutil.which(program, path=surroundings["PATH"]) or program, *arguments]


async def _start_unsupervised(
    command: Sequence[str], folder: Path, log: Path, surroundings: Mapping[str, str]
) -> trio.Process:
    """Starts a bot. Raises BotFault if there is no such program."""
    own_group: dict[str, Any] = {
        "start_new_session": True
    }  # a Ctrl-C at the terminal is for the referee alone
    if sys.platform == "win32":
        own_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    with log.open("ab") as output:
        try:
            return await trio.lowlevel.open_process(
                found(command, folder, surroundings),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=surroundings,
                **own_group,
            )
        except OSError as error:
            why = why_not(command, str(folder), surroundings["PATH"], error, contained=False)
            raise BotFault("crash", f"cannot be started: {command[0]}: {why}") from None


async def end_unsupervised(process: trio.Process) -> None:
    """Asks a bot to end if the system can, then ends it and its children, as far as the system tells."""
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
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
    if process.returncode is None:
        process.kill()
    await process.wait()
