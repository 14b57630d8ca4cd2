"""The view before the first game: who is expected, who is here, and when the tournament begins."""

from __future__ import annotations

from typing import Final

import segno

from arena.names import NAME_LIMIT
from arena.referee.night.night_now import BotNow, NightNow
from arena.text import counted, one_line
from arena.view.league.snapshot import isolated
from arena.view.pictures.emblem import Emblem
from arena.view.pictures.language import mark_of
from arena.view.views.faces import emblems_now
from arena.view.views.view import Values

_LINES: Final = (10, 15, 20, 26, 32, NAME_LIMIT)
_USUAL: Final = 26  # a longer line is smaller, and the sizes of other names do not follow it
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
        "letters": min(_USUAL, max((bot["letters"] for bot in bots), default=_USUAL)),
        "missing": missing,
        "dials_in": any(each.dials_in for each in night.bots),
        "url": url,
        "qr": _qr_code(url) if url else None,
    }


def line_of(name: str) -> int:
    """About how many letters a line needs for a name in two lines at most, never broken inside a word.

    It is one of the numbers that `lobby.css` has sizes for.
    """
    breaks = (at for at in range(1, len(name)) if name[at] == " " or name[at - 1] == "-")
    longer = min((max(at, len(name[at:].lstrip())) for at in breaks), default=len(name))
    return next(size for size in _LINES if longer <= size)


def _bot(bot: BotNow, emblem: Emblem) -> Values:
    name = one_line(bot.name)
    return {
        "name": name,
        "letters": line_of(name),
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
