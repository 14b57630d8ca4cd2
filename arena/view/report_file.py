"""A tournament as one HTML file that needs no server: a report of everything, or a recap of one page.

Its Content-Security-Policy allows only its one style and its one script, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from arena.league.store import League
from arena.league.store.reading import Wanted
from arena.report.game_log import ONLOOKER
from arena.results import GameKey, GameResult
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Snapshot, isolated
from arena.view.pictures.moments import in_words
from arena.view.views import standings
from arena.view.views import tournament as tournament_view
from arena.view.views.faces import picture_of
from arena.view.views.view import Ask, Values, rendered
from arena.view.worth_seeing import still, worth_seeing

_STYLES = ("page.css", "bracket.css", "stage.css", "replay.css", "lines.css")
_SCRIPTS = ("replay.js", "lines.js")
_STILLS = 3
_IMPORT = re.compile(r'^import .* from "\./(.+)";$\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async|class|function|const)", re.MULTILINE)


class Report(NamedTuple):
    """A tournament as one HTML page, and the number of games to watch in it."""

    html: str
    games: int


class Recap(NamedTuple):
    """A night as one HTML page, and its picture for link previews, a PNG."""

    html: str
    picture: bytes


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


def recap_of(
    league: Path, tournament: int, address: str = "", tell: Callable[[float], None] = lambda share: None
) -> Recap:
    """A night on one page: podium, the curve of the night, and the games that are worth seeing.

    Args:
        league: the league file.
        tournament: a tournament of it, not a comparison.
        address: the address that the page will have, for programs that show links to it with a picture.
        tell: called with the share of the work that is done.

    Raises StoreError, UnknownPlan, BrokenRecord.
    """
    reader = LeagueReader(league)
    try:
        return recap_from(reader, reader.snapshot(tournament), address, tell)
    finally:
        reader.close()


def recap_from(
    reader: LeagueReader,
    snapshot: Snapshot,
    address: str = "",
    tell: Callable[[float], None] = lambda share: None,
) -> Recap:
    """The same of a snapshot that its reader has read. Raises DamagedLeague, BrokenRecord."""
    shown = [
        {
            **_game_values(snapshot, seen.result),
            "number": number,
            "why": in_words(seen.told.why, names),
            "sentence": in_words(seen.told.sentence, names),
            "json": _embedded(still(reader, snapshot, seen)),
        }
        for number, seen in enumerate(worth_seeing(reader, snapshot, _STILLS, tell), 1)
        if (names := [isolated(snapshot.names[seat.entrant]) for seat in seen.result.seats])
    ]
    ask = Ask(reader, snapshot, {})
    values = tournament_view.tournament_values(snapshot) | tournament_view.home(ask)
    values |= tournament_view.bracket(ask)
    values |= {
        "curve": standings.curve(snapshot, values["tables"]),
        "shown": shown,
        "address": address,
        "picture": picture_address(address),
        "faults": sum(sum(row.faults) for row in snapshot.summary.rows) if snapshot.summary else 0,
    }
    return Recap(_document("recap", values, (*_STYLES, "recap.css"), ("still.js",)), picture_of(snapshot))


def picture_address(address: str) -> str:
    """Where the picture of a recap lies: beside it, with the ending .png."""
    return re.sub(r"(\.html?)?$", ".png", address, count=1) if address else ""


def _html(reader: LeagueReader, snapshot: Snapshot, replays: Sequence[dict[str, Any]]) -> str:
    ask = Ask(reader, snapshot, {})
    values = tournament_view.tournament_values(snapshot) | tournament_view.home(ask)
    values |= tournament_view.bracket(ask) | tournament_view.decisions(ask)
    values |= standings.crosstable(ask) | standings.standings(ask)
    parts = [("standings", "Standings")]
    if values["brackets"]:
        parts.append(("bracket", "Bracket"))
    if snapshot.summary is not None:
        parts += [("ratings", "Ratings"), ("bots", "Bots")]
    else:
        values["played"] = reader.ask(lambda league: league.count_games(snapshot.tournament.id, Wanted()))
    if replays:
        parts.append(("replays", "Games"))
    return _document("report", values | {"parts": parts, "replays": replays}, _STYLES, _SCRIPTS)


def _document(template: str, values: Values, styles: Sequence[str], scripts: Sequence[str]) -> str:
    """A template filled with values, one style and one script."""
    style, script = "".join(map(_asset, styles)), script_of(scripts)
    return rendered(
        template,
        values
        | {
            "base": "",
            "links": False,
            "style": Markup(style),
            "script": Markup(script),
            "style_hash": _hash(style),
            "script_hash": _hash(script),
        },
    )


def _replay(reader: LeagueReader, snapshot: Snapshot, key: GameKey, number: int) -> dict[str, Any]:
    found = reader.game(snapshot.tournament.id, key)
    shown = snapshot.shows_hands(key)
    result = reader.ask(lambda league: league.game(found)).result
    return {
        **_game_values(snapshot, result),
        "id": f"game-{number}",
        "open": shown,
        "result": result,
        "json": _embedded(reader.pictures(found, None if shown else ONLOOKER)),
    }


def _game_values(snapshot: Snapshot, result: GameResult) -> Values:
    """What every template says of a game."""
    return {
        "key": str(result.key),
        "game": result.key.game,
        "label": snapshot.match_label(result.key.match_key),
        "words": snapshot.deal_words(result.key, len(result.seats)),
    }


def _embedded(data: Mapping[str, Any]) -> Markup:
    """Data as JSON for a script element, which no text of it can end."""
    return Markup(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"))


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
