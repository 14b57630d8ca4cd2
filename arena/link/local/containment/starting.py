"""Why a command cannot be started, in words that name the cause and the remedy.

The system says only `No such file or directory` of a script whose interpreter is missing, and `Permission
denied` of a folder, of a file that may not be executed, and of a file system that is mounted so.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Sequence

CANNOT_START = "cannot start "
"""The beginning of the message that a command cannot be started; the exit code is then `EXIT_CODE`."""

EXIT_CODE = 127

NOT_ON_PATH = "there is no such program on the PATH"
"""Why a command cannot be started that names a program without a folder."""

_NO_FILE = "there is no such file"
_BEGINNING = 1 << 16  # bytes of a script that are looked at
_SHELL = re.compile(r"(ba|da|k|z|a)?sh")
_UNIX = "save it with Unix line endings, for example by sed -i 's/\\r$//' {}"


def why_not(command: Sequence[str], folder: str, path: str, error: OSError, contained: bool) -> str:
    """Why a command could not be started, as the end of a sentence that begins with its program.

    Args:
        command: the program and its arguments.
        folder: where it runs.
        path: the search path for programs.
        error: what the system said.
        contained: whether it was to run in a sandbox.
    """
    program = command[0]
    if error.filename == folder and not os.access(folder, os.X_OK):
        return f"its folder {folder} cannot be entered: {error.strerror}"
    file = os.path.join(folder, program)
    if not os.path.dirname(program):
        on_path = shutil.which(program, path=path)
        if on_path is None and os.path.isfile(file):
            return f"{NOT_ON_PATH}: for the file in the bot's folder write ./{program}"
        if on_path is None:
            return NOT_ON_PATH if error.errno == errno.ENOENT else "no program of this name may be executed"
        file = on_path
    said = _wrong_with(file, program, error) or str(error.strerror)
    if contained and error.errno in (errno.ENOENT, errno.EACCES) and said in (_NO_FILE, error.strerror):
        return f"{said}; in the sandbox there are only the bot's folder and the system's programs"
    return said


def _wrong_with(file: str, program: str, error: OSError) -> str | None:
    """What is wrong with a program's file; None if it cannot be told."""
    try:
        status = os.stat(file)
    except OSError as problem:
        return {
            errno.ENOENT: _NO_FILE,
            errno.EACCES: "a folder on the way to it may not be entered: allow that by chmod +x",
        }.get(problem.errno or 0)
    if stat.S_ISDIR(status.st_mode):
        return "it is a folder: name the program in it"
    if error.errno == errno.EACCES and not status.st_mode & 0o111:
        return f"it may not be executed: allow that by chmod +x {program}"
    if error.errno == errno.EACCES and _is_noexec(file):
        return "it lies on a file system that is mounted with noexec: keep the bot's folder on another one"
    beginning = _beginning(file)
    interpreter = _interpreter(beginning)
    if error.errno == errno.ENOEXEC:
        if not beginning:
            return "it is empty"
        if b"\0" in beginning:
            return "it is a program for another kind of machine: build it on this one"
        return "it has no first line that names its interpreter: begin it with a line such as #!/bin/sh"
    if interpreter is None:
        if error.errno == errno.ENOENT:
            return "it needs a loader or a library that is not on this machine: build it on this one"
        return None
    if interpreter.endswith("\r"):
        return f"it has Windows line endings: {_UNIX.format(program)}"
    if not os.path.exists(interpreter):
        return f"its first line names the interpreter {interpreter}, which is not there"
    if not os.access(interpreter, os.X_OK):
        return f"its first line names the interpreter {interpreter}, which may not be executed"
    return None


def why_failed(command: Sequence[str], folder: str) -> str | None:
    """Why a command that was started may have failed: its script has Windows line endings; None if not.

    The kernel, `env` and shells take the carriage return at the end of a line for a part of the last word.
    """
    program, *words = command
    scripts = words if _SHELL.fullmatch(os.path.basename(program)) else []
    if os.path.dirname(program) and _beginning(os.path.join(folder, program)).startswith(b"#!"):
        scripts = [program]
    for script in scripts:
        if b"\r\n" in _beginning(os.path.join(folder, script)):
            return f"{script} has Windows line endings: {_UNIX.format(script)}"
    return None


def _is_noexec(file: str) -> bool:
    return hasattr(os, "statvfs") and bool(os.statvfs(file).f_flag & getattr(os, "ST_NOEXEC", 0))


def _beginning(file: str) -> bytes:
    """The beginning of a regular file; empty if it is none, or cannot be read."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return b""
    try:
        return os.read(descriptor, _BEGINNING) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _interpreter(beginning: bytes) -> str | None:
    """The interpreter that the first line of a script names; None if it is no script."""
    if not beginning.startswith(b"#!"):
        return None
    line = beginning[2:].partition(b"\n")[0]
    words = os.fsdecode(line).strip(" \t").replace("\t", " ").split(" ")
    return words[0] or None
