"""Composes the page of a league: the views, and what is mounted beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from arena.checkup.analysis_jobs import AnalysisPool, analysis_pool
from arena.hosting.pages.mounted import Mounted, mounted, site_of
from arena.hosting.place import Place
from arena.seat.seats import EXTENSION as SEAT
from arena.seat.seats import SeatProgram, Seats
from arena.steer.host import AdmitAt, HostPages
from arena.steer.host import extension as control_room
from arena.view.league.events import LeagueEvents
from arena.view.league.reader import LeagueReader
from arena.view.league.tables import Tables
from arena.view.listening import url_for_phones
from arena.view.proxies import Proxies
from arena.view.serving.app import routes_of
from arena.view.serving.downloads import Downloads
from arena.view.serving.explaining import Explanations
from arena.view.serving.games import ReplayPages
from arena.view.serving.llms_txt import LlmsTxt
from arena.view.serving.server import ComposedPage, Start, composed
from arena.view.serving.site import Site
from arena.view.serving.tables import TablePages


class Settings(NamedTuple):
    """The settings of the page of a league.

    Attributes:
        league: the league file.
        program: how people sit down.
        token: the host's token; None if nobody can be the host.
        admit: admits a bot at an address; None for a page without a host.
        delay: how many seconds late running tables are shown, at least.
        llms_txt: makes the text of `llms-full.txt`.
        standing: the folder of the standing league; None for another league.
        analysis: makes the pool that analyses a game.
        proxies: the proxies in front of the page that are trusted; a standing league names its own.
    """

    league: Path
    program: SeatProgram
    token: str | None = None
    admit: AdmitAt | None = None
    delay: float = 0.0
    llms_txt: Callable[[], str] = str
    standing: Path | None = None
    analysis: Callable[[], AnalysisPool] = analysis_pool
    proxies: Proxies = Proxies()


def compose(settings: Settings, start: Start) -> ComposedPage:
    """Composes the page of a league; a standing league mounts what only it has."""
    extensions = (SEAT, control_room(possible=settings.token is not None))
    tables = Tables(settings.delay)
    if settings.standing is None:
        reader, url = LeagueReader(settings.league, say=start.say), url_for_phones(start.listener)
        site = Site(
            reader,
            extensions,
            url=url,
            most_streams=start.most_streams,
            running=lambda: len(tables.running()),
        )
        return _composed(settings, start, site, tables, Mounted(settings.proxies))
    place = Place(settings.standing)
    site = site_of(place, start, extensions, lambda: len(tables.running()))
    return _composed(settings, start, site, tables, mounted(site, place, start, settings.proxies))


def _composed(settings: Settings, start: Start, site: Site, tables: Tables, more: Mounted) -> ComposedPage:
    """The page of a league from its views, the seats, the control room, and what is mounted besides."""
    seats = Seats(site, settings.program)
    host = HostPages(site, settings.token, settings.admit, seats.people, more.is_host)
    explanations = Explanations(site, seats.role, host.role, settings.analysis)
    events = LeagueEvents(site.reader, tables)
    table_pages = TablePages(site, tables, events, lambda: seats.watch(tables))
    replays = ReplayPages(site, explanations, more.own_seats)
    downloads = Downloads(site)
    own = routes_of(site, events, table_pages, replays, downloads, LlmsTxt(site, settings.llms_txt))
    background = [
        ("the event stream", events.follow_league),
        ("running tables", table_pages.follow),
        ("the seats", seats.run),
        ("explanations", explanations.run),
        ("downloads", downloads.run),
        *more.background,
    ]
    routes = [*more.routes, *seats.routes(), *host.routes(), *own]
    return composed(start, site, tables, routes, background, more.proxies, more.outside)
