"""For people who follow a night elsewhere: a feed, an event for calendars, link previews, and the recap."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.league.store.reading import Wanted
from arena.text import one_line
from arena.view.league.snapshot import RoundView, Snapshot, headline
from arena.view.report_file import recap_from
from arena.view.serving.site import HTML, Site, origin_of
from arena.view.views.faces import picture_of
from arena.view.views.view import rendered

_ROUNDS = 30  # how many rounds the feed tells of
_LEAST = timedelta(hours=1)  # the length of a night in calendars while it is not over
_FOLDED_AT: Final = 73  # bytes of a line of a calendar, with a space before those that go on (RFC 5545, 3.1)


class FollowPages:
    """The files about a tournament for feed readers, calendars and link previews, and its recap.

    Args:
        site: the pages of the league.
    """

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self) -> list[BaseRoute]:
        """Their addresses."""
        return [
            Route("/feed.atom", self._feed),
            Route("/night.ics", self._calendar),
            Route("/picture.png", self._picture),
            Route("/recap.html", self._recap),
        ]

    async def _feed(self, request: Request) -> Response:
        """An Atom feed (RFC 4287): the result at the end, and the results of each round that is over."""
        origin, base = origin_of(request), request.url.path.removesuffix("/feed.atom")

        def make(snapshot: Snapshot) -> bytes:
            rounds = snapshot.rounds_over[: -_ROUNDS - 1 : -1]
            over = [(each, self._last_game(snapshot, each)) for each in rounds]
            started, finished = snapshot.tournament.started, snapshot.tournament.finished
            values = {
                "snapshot": snapshot,
                "names": snapshot.names,
                "headline": _said(snapshot),
                "rounds": over,
                "updated": finished or max((at for _, at in over), default=started),
                "url": origin + base,
            }
            return rendered("feed.xml", values).encode("utf-8", "replace")

        return await self._site.made_of(request, "application/atom+xml", make)

    def _last_game(self, snapshot: Snapshot, round_: RoundView) -> datetime:
        """When the last game of a round was recorded; when the tournament began if none was played."""
        tournament, wanted = snapshot.tournament, Wanted(stage=round_.stage, round=round_.number)
        ask = self._site.reader.ask
        last = [number for number, _ in ask(lambda league: league.newest_games(tournament.id, wanted, 1))]
        return next(iter(ask(lambda league: league.recorded_at(last)).values()), tournament.started)

    async def _calendar(self, request: Request) -> Response:
        """An event for calendars (RFC 5545): the night, with the address of the page."""
        url = origin_of(request) + request.url.path.removesuffix("night.ics")

        def make(snapshot: Snapshot) -> bytes:
            tournament = snapshot.tournament
            begin = tournament.started
            left = snapshot.summary.time_left if snapshot.summary else None
            end = tournament.finished or max(begin + _LEAST, begin + timedelta(seconds=left or 0))
            lines = [
                "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//bot arena//league night//EN", "BEGIN:VEVENT",
                f"UID:{tournament.key_commitment}@bot-arena", f"DTSTAMP:{_moment(begin)}",
                f"DTSTART:{_moment(begin)}", f"DTEND:{_moment(end)}", f"SUMMARY:{_text(tournament.name)}",
                f"DESCRIPTION:{_text(_said(snapshot))}", f"URL:{url}", "END:VEVENT", "END:VCALENDAR",
            ]  # fmt: skip
            return b"".join(map(_folded, lines))

        return await self._site.made_of(request, "text/calendar; charset=utf-8", make)

    async def _picture(self, request: Request) -> Response:
        """The picture of the night for link previews."""
        return await self._site.made_of(request, "image/png", picture_of)

    async def _recap(self, request: Request) -> Response:
        """A night that is over on one page, as a file: here the policy would forbid its style and script."""

        def make(snapshot: Snapshot) -> bytes:
            if not snapshot.has_recap:
                raise HTTPException(404, "There is a recap when a night is over.")
            return recap_from(self._site.reader, snapshot).html.encode("utf-8", "replace")

        response = await self._site.made_of(request, HTML, make)
        response.headers["Content-Disposition"] = 'attachment; filename="recap.html"'
        return response


def _said(snapshot: Snapshot) -> str:
    """The headline without the marks that isolate names (`isolated`): readers of feeds may show them."""
    return headline(snapshot).translate({0x2068: None, 0x2069: None})


def _moment(at: datetime) -> str:
    return at.strftime("%Y%m%dT%H%M%SZ")


def _text(text: str) -> str:
    """A text as a value in a calendar (RFC 5545, 3.3.11)."""
    text = one_line(text).replace("\\", "\\\\")
    return text.replace(";", "\\;").replace(",", "\\,")


def _folded(line: str) -> bytes:
    """A line of a calendar, folded so that no part is longer than 75 bytes, and no letter is cut."""
    parts, part = [], b""
    for letter in line:
        encoded = letter.encode("utf-8", "replace")
        if len(part) + len(encoded) > _FOLDED_AT:
            parts.append(part)
            part = b""
        part += encoded
    return b"\r\n ".join([*parts, part]) + b"\r\n"
