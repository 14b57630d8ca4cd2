"""The options of the league-night page, and `--serve`: the page beside a tournament that is played."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import click

from arena.cli.output import echo
from arena.cli.parameters import in_one, require_port
from arena.link.tls.identity import Serving
from arena.processes.loading import await_end, command_of
from arena.referee.night.settings import CannotRun
from arena.text import shell_word
from arena.view.listening import DEFAULT_LISTEN, listening, new_token
from arena.view.proxies import HERE, Proxies

_PATIENCE = 5.0  # seconds for the page to end by itself
_SHORT = 10.0  # a page that ends sooner, in seconds, had a short life
_MOST_SHORT = 10  # short lives in a row after which the page is not started again


class Page(NamedTuple):
    """The options of the league-night page.

    Attributes:
        listen: where browsers find it, `host:port`; None for no page.
        watch_delay: how many seconds late it shows running tables.
        no_host: whether it has no forms for the host.
        proxies: the proxies in front of it that are trusted, as `arena.view.proxies.Proxies` takes them.
    """

    listen: str | None = None
    watch_delay: float = 0.0
    no_host: bool = False
    proxies: tuple[str, ...] = HERE


def _address(ctx: click.Context, parameter: click.Parameter, address: str | None) -> str | None:
    if address is not None:
        require_port(address, parameter.opts[0])
    return address


def _serve_address(ctx: click.Context, parameter: click.Parameter, address: str | None) -> str | None:
    if address is not None and ":" not in address:  # the option has taken the next word
        raise click.BadParameter(f"{address!r} is no HOST:PORT; write --serve behind the other words")
    return _address(ctx, parameter, address)


def _proxies(ctx: click.Context, parameter: click.Parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    try:
        Proxies(words)
    except ValueError as problem:
        raise click.BadParameter(str(problem)) from None
    return words or HERE


def serve_option(text: str) -> Callable[[Any], Any]:
    """The option `--serve`, which may have an address, as `--listen` has; `text` is its help."""
    return click.option(
        "--serve",
        is_flag=False,
        flag_value=DEFAULT_LISTEN,
        metavar=" ",
        is_eager=True,
        callback=_serve_address,
        help=text,
    )


listen_option = click.option(
    "--listen",
    metavar="HOST:PORT",
    callback=_address,
    help="Where browsers find the page: 0.0.0.0:8000 for the whole network, port 0 for any port "
    f"(default: {DEFAULT_LISTEN}).",
)
_OF_EVERY_PAGE = (
    listen_option,
    click.option(
        "--watch-delay",
        type=click.FloatRange(0, 3600),
        metavar="SECONDS",
        default=0.0,
        help="Show running tables so many seconds late, on every page (default: at once).",
    ),
    click.option("--no-host", is_flag=True, help="The page has no forms for the host."),
    click.option(
        "--proxy",
        "proxies",
        metavar="ADDRESS",
        multiple=True,
        callback=_proxies,
        help="A proxy in front of the page that is trusted, an address or a network such as 10.88.0.0/16; "
        "it may be given several times (default: this machine).",
    ),
)
page_options = in_one(
    "page",
    lambda listen, watch_delay, no_host, proxies: Page(
        listen or DEFAULT_LISTEN, watch_delay, no_host, proxies
    ),
    _OF_EVERY_PAGE,
)
"""Adds the options of `arena serve`; the command takes them as `page`."""

page_beside_options = in_one(
    "page",
    lambda serve, listen, watch_delay, no_host, proxies: Page(listen or serve, watch_delay, no_host, proxies),
    (serve_option("Serve the league-night page beside it, in a process of its own."), *_OF_EVERY_PAGE),
)
"""Adds `--serve`, and the options of `arena serve`, to a command that plays; it takes them as `page`."""


@contextmanager
def page_beside(league: Path, page: Page, own: Serving | None) -> Iterator[str | None]:
    """Serves the page of a league while the context is entered, if that is wanted; yields its address.

    A page that ends by itself is started again, at the same address and with the same token of the host. At
    a terminal the page stays after a tournament that ended in order, until the host ends it. However this
    process ends, the page ends with it. Raises CannotRun if the page cannot be served.

    Args:
        league: the league file.
        page: its options.
        own: the tournament's certificate, which the page shows to the lobby; None without TLS.
    """
    if page.listen is None:
        yield None
        return
    options: list[str | Path] = ["--no-host"] if page.no_host else []
    for proxy in page.proxies:
        options += ["--proxy", proxy]
    if own is not None:
        options += ["--tls-certificate", own.identity.certificate, "--tls-key", own.identity.key]
    with listening(page.listen) as listener:
        beside = ["--beside", str(listener.fileno())]
        command = command_of("arena.cli", "serve", league, *beside, *options)
        after = f"the games go on without it; arena serve {shell_word(league)} shows them"
        served = PageProcess(command, listener, 1 if page.no_host else 2, after)
        try:
            told = served.begin()
            for line in told:
                echo(line, err=True)
            address = told[0].rpartition(" ")[2]
            yield address
            if sys.stdin.isatty() and sys.stderr.isatty():
                echo(f"The page stays at {address} until Ctrl-C, or Enter.", err=True)
                try:
                    sys.stdin.readline()
                except KeyboardInterrupt:
                    echo("", err=True)
        finally:
            served.end()


def _warn(line: str) -> None:
    echo(line, err=True)


class PageProcess:
    """The process of the page. If it ends too early, another one follows at the same socket.

    Args:
        command: its command. It reads the host's token, a line, and ends when its input does.
        listener: where it listens. It stays open between two processes, so browsers wait meanwhile.
        lines: how many lines it prints when it is served.
        after: what is true, and what helps, when no other process follows.
        warn: tells the host a line.
        now: tells the time, in seconds.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        listener: socket.socket,
        lines: int,
        after: str,
        warn: Callable[[str], None] = _warn,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._command = command
        self._listener = listener
        self._lines = lines
        self._after = after
        self._warn = warn
        self._now = now
        self._token = new_token()
        self._lock = threading.Lock()
        self._over = False
        self._process: subprocess.Popen[str]
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def begin(self) -> list[str]:
        """Starts the page; returns its address and the host's token. Raises CannotRun."""
        self._start()
        told = self._told()
        if not all(told):
            raise CannotRun("the page cannot be served, so nothing is played; go on without --serve")
        self._watcher.start()
        return told

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=[self._listener.fileno()],
            start_new_session=True,  # Ctrl-C is for the tournament
        )  # fmt: skip

    def _told(self) -> list[str]:
        """Sends the token to the page, and waits for its lines; they are empty if it ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):  # the page is gone, or is about to end
            self._process.stdin.write(f"{self._token}\n")
            self._process.stdin.flush()
        return [self._process.stdout.readline().rstrip("\n") for _ in range(self._lines)]

    def _watch(self) -> None:
        """Starts the page again whenever it ends, until `end` is called, or it ended too often."""
        short = 0
        while True:
            begun = self._now()
            code = self._process.wait()
            short = short + 1 if self._now() - begun < _SHORT else 0
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            often = short == _MOST_SHORT
            up = False
            with suppress(OSError):  # too little memory, or too many processes
                with self._lock:
                    if self._over:
                        return
                    self._close_pipes()
                    if not often:
                        self._start()
                up = not often and all(self._told())
            if self._over:
                continue  # `end` was called; a new process ends too
            if not up:
                break
            self._warn(f"the page ended ({how}) and was started again")
        self._listener.close()
        why = "it did so too often" if often else "it does not come up"
        self._warn(f"the page ended ({how}), and {why}: {self._after}")

    def _close_pipes(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):  # it did not read everything that was written
            self._process.stdin.close()
        self._process.stdout.close()

    def end(self) -> None:
        """Ends the page, and waits for its end."""
        with self._lock:
            self._over = True
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()  # which ends it
        await_end(self._process, _PATIENCE)
        if self._watcher.is_alive():
            self._watcher.join()
        self._close_pipes()
