"""What is new on the ladder of a standing league: which bots rise, and the newest versions. For threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from arena.hosting.database import Bot, Database, NewerDatabase, Version
from arena.hosting.pages.season_bots import Season, looks, season_of
from arena.hosting.place import Place
from arena.league.store import StoreError
from arena.standings.values import Rating
from arena.view.league.reader import LeagueReader
from arena.view.views.view import was_text

_AGO = timedelta(days=3)  # so long ago are the ratings with which those of now are compared
_MOST = 3
_AGAIN = 10.0  # seconds: to find the versions of all bots among all entrants takes long

NOTHING_NEW: Final[dict[str, Any]] = {"risen_since": "", "risen": (), "newest": ()}
"""What `LadderNews` tells where nothing is known."""


class Risen(NamedTuple):
    """A bot that has risen: its name, the version that plays, and by how many points."""

    bot: str
    version: int
    points: float


class Newest(NamedTuple):
    """A version that was accepted: the bot's name, its number, and when that was, in words."""

    bot: str
    version: int
    accepted: str


class LadderNews:
    """Tells the news of a ladder, `risen_since`, `risen` and `newest`, and looks again after some seconds.

    Args:
        reader: reads the league.
        place: its folder.
        now: returns the present time, in seconds.
    """

    def __init__(self, reader: LeagueReader, place: Place, now: Callable[[], float] = time.monotonic) -> None:
        self._reader, self._place, self._now = reader, place, now
        self._told, self._due = NOTHING_NEW, 0.0

    def __call__(self) -> dict[str, Any]:
        """The news, as far as they are known."""
        if self._now() >= self._due:
            self._told = _news(self._reader, self._place)
            self._due = self._now() + _AGAIN
        return self._told


def _news(reader: LeagueReader, place: Place) -> dict[str, Any]:
    with suppress(FileNotFoundError, NewerDatabase, StoreError):  # the views show the problem
        with Database(place.database) as database:
            bots, versions = database.bots(), database.versions_by_bot()
        accepted = [
            (bot, [each for each in versions.get(bot.id, ()) if each.state == "accepted"]) for bot in bots
        ]
        news: dict[str, Any] = {**NOTHING_NEW, "newest": _newest(accepted)}
        with reader.work.spending():
            season = season_of(reader, place)
        since = _compared_with(season) if season and not season.snapshot.tournament.finished else None
        if season and since:
            told = was_text(since, datetime.now(UTC))
            news |= {"risen_since": told, "risen": _risen(season, since, accepted)}
        return news
    return NOTHING_NEW


def _newest(accepted: list[tuple[Bot, list[Version]]]) -> list[Newest]:
    """The versions that were accepted last, the newest first."""
    every = [
        (datetime.fromisoformat(each.decided), bot.name, each.number)
        for bot, versions in accepted
        for each in versions
        if each.decided
    ]
    now = datetime.now(UTC)
    return [Newest(bot, number, was_text(at, now)) for at, bot, number in sorted(every)[: -_MOST - 1 : -1]]


def _compared_with(season: Season) -> datetime | None:
    """The last moment that is long enough ago and whose ratings are known, else the first with ratings."""
    known = [
        at
        for at in looks(season.snapshot.tournament)
        if season.reader.ratings_at(season.id, at, compute=False)
    ]
    before = [at for at in known if at <= datetime.now(UTC) - _AGO]
    return before[-1] if before else known[0] if known else None


def points_risen(now: Rating, then: Rating) -> float | None:
    """By how many points a rating has risen; None unless it is above the interval that it had then."""
    if now.rating is None or then.rating is None or then.high is None or now.rating <= then.high:
        return None
    return now.rating - then.rating


def _risen(season: Season, since: datetime, accepted: list[tuple[Bot, list[Version]]]) -> list[Risen]:
    """The bots whose ratings have risen, those that rose most first."""
    found = []
    for bot, versions in accepted:
        active = next((each for each in versions if each.id == bot.active), None)
        entry = season.entry(active) if active else None
        then = season.rating_at(season.entries(versions), since)
        if active is None or entry is None or entry.provisional or entry.rating is None or then is None:
            continue
        if (points := points_risen(entry.rating, then[1])) is not None:
            found.append(Risen(bot.name, active.number, points))
    return sorted(found, key=lambda each: -each.points)[:_MOST]
