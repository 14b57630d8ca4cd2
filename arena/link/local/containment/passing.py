"""Refuses a bot to pass open files to itself through its sockets, where deleted files could hide.

No filter of system calls sees what a message holds, and every runtime sends messages. But the system counts
the open files of a user that were sent and not yet received, and refuses to send more when there are more
than the sender may have open (`ETOOMANYREFS`, in unix(7)). So the bot's user always has as many under way:
the same harmless file, again and again, in a socket that this process never reads.
"""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import struct

_AT_ONCE = 16  # open files in a message
_HARMLESS = "/dev/null"


class NoPassing:
    """The system refuses a user's programs to pass open files, as long as this is kept and renewed.

    This process may have no more files open than the bots from then on.

    Args:
        uid: the user; 0 for the user of this process. Other programs of that user go on: they may have more
            files open than the bot's, as a rule twice as many.
        open_files: how many files the user's bots may have open.
    """

    def __init__(self, uid: int, open_files: int) -> None:
        self._uid = uid
        self._sent, self._kept = socket.socketpair()
        self._sent.setblocking(False)
        file = os.open(_HARMLESS, os.O_RDONLY)
        self._message = (socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", file) * _AT_ONCE)
        self._messages = open_files // _AT_ONCE + 1
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(open_files, most), most))
        if uid:
            child = os.fork()  # safe: a supervisor has no threads
            if not child:
                try:
                    os.setresuid(uid, uid, uid)
                    self._send()  # all that it needs is loaded: this user may read no library
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
        else:
            self.renew()

    def renew(self) -> None:
        """Sends as many as others of the same user have ceased to keep; a bot's own user has no others."""
        if not self._uid:
            self._send()

    def _send(self) -> None:
        with contextlib.suppress(OSError):  # more are refused
            for _ in range(self._messages):
                self._sent.sendmsg([b"x"], [self._message])
