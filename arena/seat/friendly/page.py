"""The page of a friendly game: one seat, its table, and the replays of the games that were played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Mount, Route

from arena.checkup.analysis_jobs import analysis_pool
from arena.seat.seats import EXTENSION as SEAT
from arena.seat.seats import SeatProgram, Seats
from arena.view.extension import Extension
from arena.view.league.events import LeagueEvents
from arena.view.league.reader import LeagueReader
from arena.view.league.tables import Tables
from arena.view.serving.explaining import Explanations
from arena.view.serving.games import ReplayPages, nobody
from arena.view.serving.server import ComposedPage, Start, composed
from arena.view.serving.site import Site
from arena.view.serving.tables import TablePages

_EXTENSIONS: Final = (Extension("arena.seat.friendly"), SEAT)
_FULL: Final = "Somebody sits here already."
_LOST: Final = "The game is lost because its process ended. Leave, and sit down again."


def compose(
    league: Path, title: str, command: Sequence[str], secrets: Mapping[str, str], start: Start
) -> ComposedPage:
    """Composes the page.

    Args:
        league: the league of the games that were played.
        title: the name of the page.
        command: the command of the process that plays with the person.
        secrets: words for that process alone.
        start: where the page is served.
    """
    site = Site(LeagueReader(league, say=start.say), _EXTENSIONS, name=title, most_streams=start.most_streams)
    tables = Tables(0.0)
    seats = Seats(site, SeatProgram(command, "name", 1, _FULL, _LOST, secrets))
    explanations = Explanations(site, seats.role, None, analysis_pool)
    events = LeagueEvents(site.reader, tables)
    table_pages = TablePages(site, tables, events, lambda: seats.watch(tables))
    replays = ReplayPages(site, explanations, nobody)
    routes = [
        Route("/", _to_the_seat),
        table_pages.steps(),
        table_pages.how_to(),
        *seats.routes(),
        Mount("/nights/{night:int}", routes=replays.routes()),
    ]
    background = [
        ("the event stream", events.follow_league),
        ("running tables", table_pages.follow),
        ("the seats", seats.run),
        ("explanations", explanations.run),
    ]
    return composed(start, site, tables, routes, background)


def _to_the_seat(request: Request) -> RedirectResponse:
    return RedirectResponse("/seat")
