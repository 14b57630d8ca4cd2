"""The progress of `arena check-bot`: a line at the bottom of a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from arena.checkup.pace import Progress
from arena.checkup.values import Check
from arena.cli.output import echo
from arena.report.checkup_text import check_text, progress_text
from arena.text import counted, estimate_text

_EVERY = 10.0  # seconds between two plain lines


@contextlib.contextmanager
def checkup_progress(
    quiet: bool,
) -> Iterator[tuple[Callable[[Check], None], Callable[[str], None], Callable[[Progress], None]]]:
    """Shows how a checkup goes.

    The checks are lines on standard output. How far it is goes to standard error.

    Args:
        quiet: whether the checks are not printed.

    Gives three functions: one takes each check, one a line for people, one the progress.
    """

    def say(text: str) -> None:
        echo(text, err=True)

    def tell(check: Check) -> None:
        if not quiet:
            echo(check_text(check))

    plain = _PlainLines(say)
    if not sys.stderr.isatty():
        yield tell, say, plain.show
        return
    from rich.console import Console  # only here, because it loads much
    from rich.live import Live
    from rich.spinner import Spinner

    spinner = Spinner("dots")
    both = sys.stdout.isatty()  # then checks are printed above the line
    with Live(spinner, console=Console(stderr=True), transient=True, redirect_stdout=both):

        def show(progress: Progress) -> None:
            plain.begin(progress)
            spinner.update(text=progress_text(progress))

        yield tell, say, show


class _PlainLines:
    """Prints a line at the beginning, one for the first estimate, and then one now and then."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._games = 0  # that were announced
        self._estimated = False
        self._due = time.monotonic() + _EVERY

    def begin(self, progress: Progress) -> None:
        """Says how much there is to do, once it is known and when it changes."""
        if progress.all_games != self._games:
            self._games = progress.all_games
            self._say(f"{counted(progress.checks, 'check')} with {counted(progress.all_games, 'game')}")

    def show(self, progress: Progress) -> None:
        """Prints a line if one is due."""
        self.begin(progress)
        now = time.monotonic()
        if progress.left is not None and not self._estimated:
            self._estimated = True
            self._due = now + _EVERY
            self._say(f"{estimate_text(progress.left)} left")
        elif now >= self._due:
            self._due = now + _EVERY
            self._say(progress_text(progress))
