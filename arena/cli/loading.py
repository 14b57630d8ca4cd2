"""While the command loads what it needs: Ctrl-C, and no search for garbage."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import threading
from collections.abc import Iterator

from arena.cli.exit_codes import INTERRUPTED


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Lets Ctrl-C end the process silently and at once, for as long as there is nothing to put in order.

    An exception would do it with a traceback, or be lost in what the import
    system calls.

    What is loaded stays: Python does not look for garbage in it, neither
    meanwhile nor later. That took a fifth of a short command's time, most of it
    as the process ended.
    """
    gc.disable()
    try:
        with _interruptible():
            yield
    finally:
        gc.freeze()
        gc.enable()


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Lets Ctrl-C end the process, where it is Ctrl-C's to do that."""
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not heard or threading.current_thread() is not threading.main_thread():
        yield  # whoever started the command lets it ignore Ctrl-C, or hears it itself
        return
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
