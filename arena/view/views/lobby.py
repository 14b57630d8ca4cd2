"""The view before the first game: who is expected, who is here, and when the tournament begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import segno

from arena.referee.night.night_now import BotNow, NightNow
from arena.text import counted, one_line
from arena.view.league.snapshot import isolated
from arena.view.pictures.emblem import Emblem
from arena.view.pictures.language import mark_of
from arena.view.views.faces import emblems_now
from arena.view.views.view import Values

_LONGEST: Final = (10, 15, 20)
_WORDS: Final = {
    "here": "here",
    "building": "being built",
    "coming": "expected",
    "lost": "lost the connection",
    "gone": "not coming",
}


def lobby(night: NightNow, url: str) -> Values:
    """The values of the view.

    Args:
        night: the state of the run.
        url: where phones find the page; empty if they cannot.
    """
    bots = [_bot(each, emblem) for each, emblem in zip(night.bots, emblems_now(night.bots), strict=True)]
    missing = [bot["name"] for bot in bots if bot["state"] != "here"]
    return {
        "headline": _headline(night, len(missing)),
        "brand": one_line(night.title),
        "about": night.about,
        "begins_in": round(night.begins_in) if night.begins_in >= 0 else None,
        "bots": bots,
        "longest": longest_word([bot["name"] for bot in bots]),
        "missing": missing,
        "dials_in": any(each.dials_in for each in night.bots),
        "url": url,
        "qr": _qr_code(url) if url else None,
    }


def longest_word(names: Sequence[str]) -> int:
    """About how many letters the longest word of some names has, as `screen.css` has sizes for them."""
    longest = max((len(word) for name in names for word in name.replace("-", "- ").split()), default=0)
    return next((size for size in _LONGEST if longest <= size), _LONGEST[-1])


def _bot(bot: BotNow, emblem: Emblem) -> Values:
    return {
        "name": one_line(bot.name),
        "emblem": emblem,
        "mark": mark_of(bot.face.cleaned.language),
        "state": bot.state,
        "word": _WORDS[bot.state],
        "since": round(bot.seconds) if bot.state == "building" else None,
    }


def _headline(night: NightNow, missing: int) -> str:
    bots = len(night.bots)
    if night.building:
        return f"Building {isolated(one_line(night.building))}."
    if missing:
        return f"{bots - missing} of {counted(bots, 'bot')} {'is' if bots - missing == 1 else 'are'} here."
    return f"All {counted(bots, 'bot')} are here{', waiting for the time' if night.begins_in >= 0 else ''}."


def _qr_code(text: str) -> Values:
    """A QR code as the path of an SVG image, and the number of its squares in a row."""
    rows = [*segno.make(text, micro=False).matrix]
    dark = (f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, filled in enumerate(row) if filled)
    return {"path": "".join(dark), "size": len(rows)}
