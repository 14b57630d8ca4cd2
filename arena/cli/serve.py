"""`arena serve`: the league-night page of a league."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from functools import partial
from pathlib import Path

import click

from arena.cli.composed import Settings, compose
from arena.cli.options import league_argument
from arena.cli.output import echo
from arena.cli.page_beside import Page, page_options
from arena.cli.tls import shown_options
from arena.league.store import League
from arena.link.tls.trust import OwnCertificate
from arena.processes.loading import program_of
from arena.seat.seats import SeatProgram
from arena.view.listening import listening, new_token, url_of
from arena.view.proxies import Proxies
from arena.view.serving.server import serve


@click.command("serve")
@league_argument
@page_options
@shown_options
@click.option(
    "--beside", type=int, hidden=True
)  # used by `arena run --serve`: the socket at which the page listens
@click.option(
    "--standing", type=click.Path(path_type=Path, file_okay=False), hidden=True
)  # used by `arena club up`: the folder of the standing league
def serve_page(
    league: Path, page: Page, beside: int | None, shown: OwnCertificate | None, standing: Path | None
) -> None:
    """Serves the league-night page of a league to browsers.

    The page shows standings, bracket, schedule and replays. It reads the league file, in a process of
    its own, and follows it while games are played; it does not disturb them. The terminal prints a
    token. With it the host can start, pause, withdraw, admit, annul, extend and end on the page. At
    /seat a person with the token of an entrant plays. If the lobby demands client certificates, the
    page shows --tls-certificate for these people. Ctrl-C ends it.
    """
    if standing is None or league.exists():  # the league of a standing one comes with its first game
        with League.read(league) as store:
            store.require_sound()
    assert page.listen is not None
    listener = listening(page.listen) if beside is None else socket.socket(fileno=beside)
    url = url_of(listener)
    echo(f"the page of {league}: {url}")
    token = None
    if not page.no_host:
        token = new_token() if beside is None else sys.stdin.readline().strip()
        echo(f"the host's token, to be entered at {url}host: {token}")
    settings = settings_of(league, page, token, shown, standing)
    with contextlib.suppress(KeyboardInterrupt):
        serve(listener, partial(compose, settings), None if beside is None else _wait)


def settings_of(
    league: Path, page: Page, token: str | None, shown: OwnCertificate | None, standing: Path | None
) -> Settings:
    """The settings of the page of a league.

    Args:
        league: the league file.
        page: the options of the page.
        token: the host's token; None for a page without a host.
        shown: the certificate that the page shows to the lobby.
        standing: the folder of the standing league; None for another league.
    """
    words = (str(league.resolve()), *(str(each.resolve()) for each in shown or ()))
    program = SeatProgram(program_of("arena.seat.person", *words))
    admit = partial(_admit, league, shown)
    proxies = Proxies(page.proxies)
    return Settings(league, program, token, admit, page.watch_delay, _llms_txt, standing, proxies=proxies)


def _admit(league: Path, shown: OwnCertificate | None, name: str, address: str, reason: str) -> str:
    from arena.cli.host import admit_at  # only here: few pages need it

    return admit_at(league, shown, name, address, reason).name


def _llms_txt() -> str:
    from arena.cli.llms_txt import llms_txt  # only here: it loads the games and their values

    return llms_txt()


def _wait() -> None:
    """Waits until the process that started this one is gone."""
    while os.read(sys.stdin.fileno(), 1024):  # a buffered read would stop Python from ending meanwhile
        pass
