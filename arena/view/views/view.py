"""A view of the page: its address, its template and its values. The template escapes all text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

import jinja2

from arena.games import GAMES
from arena.report.standings_text import BESIDE_BOUNDS
from arena.report.tables import games_a_pair, interval, percent, rating_text, season_score, whole_percent
from arena.text import clock_text, counted, one_line, ordinal, size_text
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Snapshot, isolated
from arena.view.pictures.how_to import how_to
from arena.view.views.history import run_drawing

Values = dict[str, Any]
"""The values that fill a template."""


class Missing(LookupError):
    """The wanted thing does not exist; the text is one sentence."""


class Ask(NamedTuple):
    """A request for a view: the league, the snapshot, and the query of the address."""

    reader: LeagueReader
    snapshot: Snapshot
    query: Mapping[str, str]


class View(NamedTuple):
    """A view of a tournament.

    Attributes:
        path: its address; a part in braces is an argument of `values`.
        name: its template without `.html`, and its name in the navigation of `base.html`.
        values: gives the values of the template, besides `tournament_values`. Raises Missing.
        tells_analyses: whether it changes when an analysis is kept beside the league.
    """

    path: str
    name: str
    values: Callable[..., Values]
    tells_analyses: bool = False


def entrant_of(snapshot: Snapshot, number: str) -> int:
    """The entrant with a number, from 1, as addresses have it. Raises Missing."""
    if not number.isdecimal() or len(number) > 6 or not 1 <= int(number) <= len(snapshot.names):
        raise Missing("There is no such bot.")
    return int(number) - 1


def rendered(template: str, values: Mapping[str, Any], packages: Sequence[str] = ()) -> str:
    """A template filled with values; a name without a dot is that of an HTML page.

    Args:
        template: its name.
        values: the values.
        packages: those of extensions, whose templates stand in the place of others (`arena.view.extension`).
    """
    name = template if "." in template else f"{template}.html"
    return _environment(tuple(packages)).get_template(name).render(values)


@cache
def _environment(packages: tuple[str, ...]) -> jinja2.Environment:
    """The environment of the templates, with their filters and functions."""
    loaders = {
        package.rpartition(".")[2]: jinja2.PackageLoader(package) for package in (*packages, "arena.view")
    }
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader([*loaders.values(), jinja2.PrefixLoader(loaders)]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        percent=percent,
        one_line=one_line,
        whole=whole_percent,
        games_a_pair=games_a_pair,
        season_score=season_score,
        words=lambda text: str(text).replace("_", " "),
        clock=lambda moment: f"{moment.astimezone():%H:%M}",
        day=day_text,
        when=lambda moment: when_text(moment, datetime.now(UTC)),
        played=played_text,
        zone=lambda moment: f"{moment.astimezone():%Z}",
        offset=lambda moment: (moment.astimezone().utcoffset() or timedelta()) // timedelta(minutes=1),
        moment=lambda moment: moment.isoformat(timespec="seconds"),
        isolated=isolated,
        span=clock_text,
    )
    made.globals.update(
        counted=counted,
        one_line=one_line,
        ordinal=ordinal,
        how_to=how_to,
        size_text=size_text,
        title_of=lambda game: GAMES[game].title,
        beside_bounds=BESIDE_BOUNDS,
        rating_text=rating_text,
        interval=interval,
        run_drawing=run_drawing,
    )
    return made


def day_text(moment: datetime) -> str:
    """The local day of a moment: `Friday 4 December 2026`."""
    local = moment.astimezone()
    return f"{local:%A} {local.day} {local:%B %Y}"


def when_text(moment: datetime, now: datetime) -> str:
    """A moment to come in local time: `Friday 19:22`; from six days on `Friday 4 December 2026, 19:22`."""
    local = moment.astimezone()
    soon = timedelta() <= local.date() - now.astimezone().date() < timedelta(days=6)
    return _told(local, soon)


def was_text(moment: datetime, now: datetime) -> str:
    """A moment that has passed, in local time: `Friday 19:22`, or from six days on as `when_text`."""
    local = moment.astimezone()
    lately = timedelta() <= now.astimezone().date() - local.date() < timedelta(days=6)
    return _told(local, lately)


def _told(local: datetime, near: bool) -> str:
    return f"{local:%A %H:%M}" if near else f"{day_text(local)}, {local:%H:%M}"


def played_text(moment: datetime) -> str:
    """A moment of a season in local time: `4 December, 19:22`. It stays true, so pages may be kept."""
    local = moment.astimezone()
    return f"{local.day} {local:%B, %H:%M}"
