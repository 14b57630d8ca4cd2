"""Ctrl-C while the command loads what it needs."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator

from arena.cli.exit_codes import INTERRUPTED
from arena.loading import uncollected


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Lets Ctrl-C end the process silently and at once, for as long as there is nothing to put in order.

    An exception would do it with a traceback, or be lost in what the import
    system calls.
    """
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not heard or threading.current_thread() is not threading.main_thread():
        with uncollected():
            yield  # whoever started the command lets it ignore Ctrl-C, or hears it itself
        return
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        with uncollected():
            yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
