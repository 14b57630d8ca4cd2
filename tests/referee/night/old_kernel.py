"""Runs a command as on a kernel without Landlock: `python old_kernel.py COMMAND ...`.

All that it starts gets ENOSYS for the call that asks for a ruleset.
"""

import ctypes
import errno
import os
import struct
import sys

_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_CREATE_RULESET, _ALLOW, _REFUSE = 444, 0x7FFF0000, 0x00050000
_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


STEPS = [
    (_LOAD, 0, 0, 0),
    (_IF_EQUAL, 0, 1, _CREATE_RULESET),
    (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),
    (_RETURN, 0, 0, _ALLOW),
]
if __name__ == "__main__":
    libc = ctypes.CDLL(None)
    steps = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in STEPS))
    program = _Program(len(STEPS), ctypes.cast(steps, ctypes.c_void_p))
    assert libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0) == 0
    os.execvp(sys.argv[1], sys.argv[1:])
