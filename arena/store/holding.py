"""Files that say, by a lock, that a process is there: the lock falls with it, however it ends."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

with suppress(ImportError):  # not everywhere; without it what is there is held
    import fcntl


class Held:
    """A file that this process holds, together with whoever else does; made where it is not there.

    Only its owner can open it. Raises OSError where it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with suppress(NameError):
            fcntl.flock(self._handle, fcntl.LOCK_SH)

    def release(self) -> None:
        """Holds it no more, and removes it where nobody else does; may be called again."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
            if not is_held(self._path):
                self._path.unlink(missing_ok=True)


def is_held(path: Path) -> bool:
    """Whether any process holds this file."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except NameError:
        return True
    finally:
        os.close(handle)
    return False
