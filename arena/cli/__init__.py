"""The command line: `arena` and its subcommands."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys

from arena.cli.output import use_closed_streams
from arena.cli.process import SIGNALS, loading
from arena.link import use_library_settings


def main() -> None:
    """The `arena` command, with gRPC set up for a referee before anything imports it."""
    use_library_settings()
    use_closed_streams()
    atexit.register(_leave)
    with loading():
        from arena.cli.commands import arena

    arena(prog_name="arena")


def _leave() -> None:
    """Ends the process quickly, with the exit code of the command, whatever signal comes meanwhile."""
    gc.freeze()  # otherwise Python searches all that was loaded for garbage
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # the terminal is gone; Python would exit with 120 for the output that is left
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
