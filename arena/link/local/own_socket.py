"""A bot's socket: held as soon as somebody listens there, if that is the bot itself.

A path says little about who listens behind it: a bot could put a link to
another bot's socket there, and play with its opponent's brain. So on Linux the
file itself is taken, whatever becomes of its path: it must be a socket, at
which a process of this bot listens; and the path is removed, so that nobody
else dials it. gRPC dials the file that is held, also should it dial again.

Elsewhere no system call says all this: there the file must be a socket and no
link when it is found, and gRPC dials its path.
"""

from __future__ import annotations

import os
import socket
import stat
import struct
import sys
from pathlib import Path

from arena.link.local import supervisor
from arena.link.streams.bot_fault import BotFault

_CREDENTIALS = struct.Struct("3i")  # what SO_PEERCRED gives: process, user and group


class OwnSocket:
    """The socket of a bot that listens.

    Args:
        address: where gRPC dials it, as long as this is not closed.
        file: the descriptor that holds it, if one does.
    """

    def __init__(self, address: str, file: int | None = None) -> None:
        self.address = address
        self._file = file

    def close(self) -> None:
        """Lets it go."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def take(path: Path, ancestor: int) -> OwnSocket | None:
    """The socket at a path, None as long as nobody listens there.

    Args:
        path: where the bot is to listen.
        ancestor: the id of the process under which all the bot's processes are.

    Raises BotFault where something else is there, or somebody else listens.
    """
    if sys.platform != "linux":
        return _found(path)
    try:
        file = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    own = OwnSocket(f"unix:/proc/self/fd/{file}", file)
    try:
        _check_kind(os.fstat(file).st_mode)
        listener = _listener(f"/proc/self/fd/{file}")
        if listener is None:
            own.close()
            return None
        if not _descends(listener, ancestor):
            raise BotFault(
                "protocol", "does not listen itself at its socket: a process of somebody else does"
            )
        path.unlink(missing_ok=True)
    except BaseException:
        own.close()
        raise
    return own


def _found(path: Path) -> OwnSocket | None:
    try:
        _check_kind(path.lstat().st_mode)
    except FileNotFoundError:
        return None
    return OwnSocket(f"unix:{path}")


def _check_kind(mode: int) -> None:
    if not stat.S_ISSOCK(mode):
        what = "a link" if stat.S_ISLNK(mode) else "something else"
        raise BotFault(
            "protocol", f"has no socket where it was to listen, but {what}: it must listen there itself"
        )


def _listener(path: str) -> int | None:
    """The id of the process that listens at a socket, None as long as none does. Raises BotFault."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(path)
        except (ConnectionRefusedError, BlockingIOError):
            return None  # it is bound, and listens soon; or those that dialled it wait to be let in
        except OSError as error:
            raise BotFault("protocol", f"has a socket that cannot be dialled: {error.strerror}") from None
        credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    process: int = _CREDENTIALS.unpack(credentials)[0]
    return process


def _descends(process: int, ancestor: int) -> bool:
    """Whether a process is below another one."""
    at = process
    while at > 1 and at != ancestor:
        try:
            at = supervisor.parent_of(at)
        except OSError:
            if at == process:
                return False  # it has ended
            at = process  # one above it has ended, and those below got another parent
    return at == ancestor
