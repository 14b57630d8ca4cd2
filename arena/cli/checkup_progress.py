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
from arena.text import counted, estimate_text, one_line

_EVERY = 10.0  # seconds between two plain lines


@contextlib.contextmanager
def checkup_progress(
    quiet: bool,
    verbose: bool = False,
) -> Iterator[
    tuple[Callable[[Check], None], Callable[[str], None], Callable[[Progress], None], Callable[[str], None]]
]:
    """Shows how a checkup goes.

    The checks are lines on standard output. How far it is goes to standard error.

    Args:
        quiet: whether the checks are not printed.
        verbose: whether each line of a build is printed; else a terminal shows the last one.

    Gives four functions: for each check, for a line for people, for the progress, and for a line of a build.
    """

    def say(text: str) -> None:
        echo(text, err=True)

    def tell(check: Check) -> None:
        if not quiet:
            echo(check_text(check))

    def quote(line: str) -> None:
        say(f"  | {one_line(line)}")

    plain = _PlainLines(say)
    if not sys.stderr.isatty():
        yield tell, say, plain.show, quote if verbose else lambda line: None
        return
    from rich.console import Console  # only here, because it loads much
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    spinner = Spinner("dots")
    both = sys.stdout.isatty()  # then checks are printed above the line
    with Live(spinner, console=Console(stderr=True), transient=True, redirect_stdout=both):

        def show(progress: Progress) -> None:
            plain.begin(progress)
            spinner.update(text=progress_text(progress))

        def hear(line: str) -> None:
            spinner.update(text=Text(f"builds: {one_line(line)}", no_wrap=True, overflow="ellipsis"))

        yield tell, say, show, quote if verbose else hear


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
