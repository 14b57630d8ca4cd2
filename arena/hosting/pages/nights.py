"""The nights to come of a standing league, and the earlier ones."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.hosting.database import Database, Night
from arena.hosting.nights import names_of
from arena.hosting.place import Place
from arena.view.serving.site import Site

TO_COME: Final = ("awaited", "frozen", "playing")
_EARLIER = 50  # how many earlier nights are shown


class Told(NamedTuple):
    """What people are told of a night.

    Attributes:
        night: the night.
        due: when it begins.
        names: its entrants, once they are settled.
    """

    night: Night
    due: datetime
    names: tuple[str, ...] = ()


class NightPages:
    """The page `/nights-to-come` of a standing league in a folder."""

    def __init__(self, site: Site, place: Place) -> None:
        self._site, self._place = site, place

    def routes(self) -> list[BaseRoute]:
        """The address of the page."""
        return [Route("/nights-to-come", self._shown)]

    async def _shown(self, request: Request) -> Response:
        nights = await trio.to_thread.run_sync(_nights, self._place)
        coming = [_told(self._place, night) for night in nights if night.state in TO_COME]
        over = [_told(self._place, night) for night in reversed(nights) if night.state not in TO_COME]
        values = {"coming": coming, "over": over[:_EARLIER]}
        return await self._site.beside(request, "nights_to_come", repr(nights), values)


def next_night(place: Place) -> Told | None:
    """The next night that has not begun of the league in a folder; None if there is none. For threads."""
    waiting = [night for night in _nights(place) if night.state in TO_COME[:2]]
    return _told(place, waiting[0]) if waiting else None


def _nights(place: Place) -> list[Night]:
    with Database(place.database) as database:
        return database.nights()


def _told(place: Place, night: Night) -> Told:
    settled = night.state in ("frozen", "playing")
    return Told(night, datetime.fromisoformat(night.due), names_of(place, night) if settled else ())
