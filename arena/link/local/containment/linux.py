"""System calls of Linux for which Python has no functions."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import NoReturn

_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

NO_NEW_PRIVS = 38
"""The `prctl` option that lets no later program gain what this process has not."""

MACHINE = os.uname().machine if sys.platform == "linux" else ""
"""The processor's family, such as x86_64."""


def prctl(option: int, *values: int) -> None:
    """A setting of this process. Raises OSError."""
    arguments = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    if _LIBC is None or _LIBC.prctl(option, *arguments) != 0:
        fail(f"prctl {option}")


def syscall(number: int, *arguments: object) -> int:
    """A system call; -1 where it fails."""
    if _LIBC is None:
        return -1
    _LIBC.syscall.restype = ctypes.c_long
    return int(_LIBC.syscall(ctypes.c_long(number), *arguments))


def fail(what: str) -> NoReturn:
    """Raises the OSError of the last call."""
    number = ctypes.get_errno()
    raise OSError(number, f"{what}: {os.strerror(number)}")
