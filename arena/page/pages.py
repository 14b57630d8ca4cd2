"""The views as HTML: each a template and what it is filled with. Every text is escaped there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from arena.cards import SUIT_SYMBOLS
from arena.games import GAMES
from arena.page.snapshot import Snapshot
from arena.report.tables import interval, percent, points, rating_text, short, whole_percent
from arena.text import counted

_SUIT_CLASSES = dict(zip(SUIT_SYMBOLS, ("clubs", "diamonds", "hearts", "spades"), strict=True))


@cache
def environment() -> jinja2.Environment:
    """The templates, with what all of them use."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("arena.page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        percent=percent,
        whole=whole_percent,
        points=points,
        short=short,
        words=lambda text: str(text).replace("_", " "),
        clock=_clock,
        day=_day,
        suits=suits,
    )
    made.globals.update(
        counted=counted,
        title_of=lambda game: GAMES[game].title,
        rating_text=rating_text,
        interval=interval,
    )
    return made


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """A template filled with values."""
    return environment().get_template(template).render(values)


def suits(text: str) -> Markup:
    """A text in which each suit has its colour."""
    return Markup("").join(
        Markup('<span class="{}">{}</span>').format(_SUIT_CLASSES[each], each)
        if each in _SUIT_CLASSES
        else escape(each)
        for each in text
    )


def _clock(moment: datetime) -> str:
    return f"{moment.astimezone():%H:%M}"


def _day(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d}"


def joined(texts: Sequence[str]) -> str:
    """Texts as a list in a sentence."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


Html = Callable[[Request, str, Snapshot | None, Mapping[str, Any], str], Response]
"""Makes a page: asked for so, by this template, of a tournament as it stands, filled with these values, and
belonging to the view of this name."""
