"""A tournament as one HTML file: standings, bracket, ratings, and games to watch. It needs no server.

Its Content-Security-Policy allows only its one style and its one script, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from arena.league.store import League
from arena.league.store.reading import Wanted
from arena.report.game_log import ONLOOKER
from arena.results import GameKey
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Snapshot
from arena.view.views import standings, tournament
from arena.view.views.view import Ask, rendered

_STYLES = ("page.css", "bracket.css", "stage.css", "lines.css")
_SCRIPTS = ("replay.js", "lines.js")
_IMPORT = re.compile(r'^import .* from "\./(.+)";$\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async|class|function|const)", re.MULTILINE)


class Report(NamedTuple):
    """A tournament as one HTML page, and the number of games to watch in it."""

    html: str
    games: int


def report_of(league: Path, tournament: int, replays: Sequence[GameKey], most: int | None = None) -> Report:
    """A tournament as one HTML page.

    Args:
        league: the league file.
        tournament: a tournament of it.
        replays: the games to watch; with hands if nobody will play their deals again, else as an onlooker
            sees them.
        most: the bytes that these may take together: the last games that fit are kept; None for all.

    Raises StoreError, UnknownPlan, BrokenRecord.
    """
    reader = LeagueReader(league)
    try:
        reader.snapshot(tournament)
        reader.refine(tournament)
        snapshot = reader.snapshot(tournament)
        shown = _replays(reader, snapshot, replays, most)
        return Report(_html(reader, snapshot, shown), len(shown))
    finally:
        reader.close()


def last_games(league: League, tournament: int) -> list[GameKey]:
    """The games of the last round, such as the final."""
    newest = league.newest_games(tournament, Wanted(), 1)
    if not newest:
        return []
    stage, round_ = newest[0][1].key[:2]
    return all_games(league, tournament, Wanted(stage=stage, round=round_))


def all_games(league: League, tournament: int, wanted: Wanted | None = None) -> list[GameKey]:
    """The games of a tournament, all or the wanted ones."""
    wanted = wanted or Wanted()
    return [result.key for _, result in league.newest_games(tournament, wanted, -1)][::-1]


def _replays(
    reader: LeagueReader, snapshot: Snapshot, keys: Sequence[GameKey], most: int | None
) -> list[dict[str, Any]]:
    """The pictures of these games, as many as fit, in their order."""
    shown: list[dict[str, Any]] = []
    size = 0
    for number, key in reversed([*enumerate(dict.fromkeys(keys))]):
        shown.append(_replay(reader, snapshot, key, number))
        size += len(shown[-1]["json"].encode())
        if most is not None and size > most:
            shown.pop()
            break
    return shown[::-1]


def _html(reader: LeagueReader, snapshot: Snapshot, replays: Sequence[dict[str, Any]]) -> str:
    ask = Ask(reader, snapshot, {})
    values = tournament.tournament_values(snapshot) | tournament.home(ask) | tournament.bracket(ask)
    values |= standings.crosstable(ask) | standings.standings(ask) | tournament.decisions(ask)
    style = "".join(map(_asset, _STYLES))
    script = script_of(_SCRIPTS)
    parts = [("standings", "Standings")]
    if values["brackets"]:
        parts.append(("bracket", "Bracket"))
    if snapshot.summary is not None:
        parts += [("ratings", "Ratings"), ("bots", "Bots")]
    else:
        values["played"] = reader.ask(lambda league: league.count_games(snapshot.tournament.id, Wanted()))
    if replays:
        parts.append(("replays", "Games"))
    values |= {
        "base": "",
        "links": False,
        "parts": parts,
        "style": Markup(style),
        "script": Markup(script),
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        "replays": replays,
    }
    return rendered("report", values)


def _replay(reader: LeagueReader, snapshot: Snapshot, key: GameKey, number: int) -> dict[str, Any]:
    found = reader.game(snapshot.tournament.id, key)
    shown = snapshot.shows_hands(key)
    result = reader.ask(lambda league: league.game(found)).result
    pictures = json.dumps(reader.pictures(found, None if shown else ONLOOKER), separators=(",", ":"))
    return {
        "id": f"game-{number}",
        "key": str(key),
        "game": key.game,
        "open": shown,
        "label": snapshot.match_label(key.match_key),
        "words": snapshot.deal_words(key, len(result.seats)),
        "result": result,
        "json": Markup(pictures.replace("<", "\\u003c")),  # so that no text can end the script element
    }


def script_of(names: Sequence[str]) -> str:
    """Some scripts and all that they import, as one script; each stands after those that it imports."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name in parts:
            return
        text = _asset(name)
        for other in _IMPORT.findall(text):
            add(other)
        parts[name] = _EXPORT.sub("", _IMPORT.sub("", text))

    for name in names:
        add(name)
    return "".join(parts.values())


def _asset(name: str) -> str:
    return (resources.files("arena.view") / "assets" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
