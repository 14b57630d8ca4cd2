"""`--serve`: the league-night page beside a tournament that is played."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from arena.cli.addresses import require_port
from arena.cli.output import echo
from arena.link.tls.identity import Serving
from arena.page.feed import Feed
from arena.page.listening import DEFAULT_LISTEN
from arena.runner.night.settings import CannotRun, Showing

_END = "The page stays until Ctrl-C, or Enter."
_PATIENCE = 5.0  # seconds for the page to end by itself

serve_option = click.option(
    "--serve",
    "listen",
    is_flag=False,
    flag_value=DEFAULT_LISTEN,
    metavar="[HOST:PORT]",
    help=f"Serve the league-night page beside it, in a process of its own (default: {DEFAULT_LISTEN}).",
)


delay_option = click.option(
    "--watch-delay",
    type=click.FloatRange(0, 3600),
    metavar="SECONDS",
    default=0.0,
    help="Show what happens at running tables so many seconds late, on any page (default: at once).",
)


def showing_of(league: Path, delay: float) -> Showing:
    """How the running tables of a league are shown on its page, so many seconds late."""
    feed = Feed.of(league)
    return Showing(feed.asked, feed.command(delay))


@contextmanager
def page_beside(league: Path, listen: str | None, own: Serving | None) -> Iterator[str | None]:
    """Serves the page of a league while the context is entered, where that is asked for; gives its address.

    At a terminal it stays, after an end in order, until its host is done with
    it. However this process ends, the page ends with it. Raises CannotRun where
    it cannot be served.

    Args:
        league: the league file.
        listen: where browsers find it, `host:port`; None for no page.
        own: how the tournament answers over TLS: the page shows the same certificate to who asks for one.
    """
    if listen is None:
        yield None
        return
    require_port(listen, "--serve")
    shown: list[str | Path] = []
    if own is not None:
        shown = ["--tls-certificate", own.identity.certificate, "--tls-key", own.identity.key]
    page = subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "serve", league, "--listen", listen, "--until-closed", *shown],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        start_new_session=True,  # Ctrl-C is for the tournament
    )  # fmt: skip
    assert page.stdin is not None
    assert page.stdout is not None
    try:
        told = [page.stdout.readline().rstrip("\n") for _ in range(2)]  # the address, and the host's token
        if not all(told):
            raise CannotRun("the page cannot be served, so nothing is played; go on without --serve")
        for line in told:
            echo(line, err=True)
        yield told[0].rpartition(" ")[2]
        if sys.stdin.isatty() and sys.stderr.isatty():
            echo(_END, err=True)
            try:
                sys.stdin.readline()
            except KeyboardInterrupt:
                echo("", err=True)
    finally:
        page.stdin.close()  # which ends it
        try:
            page.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            page.kill()
            page.wait()
        page.stdout.close()
