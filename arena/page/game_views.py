"""The list of games, with its filters."""

from __future__ import annotations

from collections.abc import Mapping

from arena.page.snapshot import Snapshot
from arena.page.view_request import Ask, Missing, Values, entrant_of
from arena.results import GameResult
from arena.store.reading import Wanted

PAGE = 50
"""How many games a page lists."""
_ROUNDS = 300  # rounds among which one may choose


def games(ask: Ask) -> Values:
    """The games that are over, newest first, with filters."""
    snapshot = ask.snapshot
    wanted = _wanted(ask)
    total = ask.reader.ask(lambda league: league.count_games(snapshot.tournament.id, wanted))
    page = _number(ask.query.get("page", "1"))
    pages = max(1, -(-total // PAGE))
    page = min(page, pages)
    kept = {key: ask.query[key] for key in ("bot", "game", "round", "faults") if ask.query.get(key)}
    return {
        "summary": snapshot.summary,
        "results": listed(ask, wanted, PAGE, (page - 1) * PAGE),
        "total": total,
        "page": page,
        "pages": pages,
        "kept": kept,
        "game_ids": _game_ids(snapshot),
        "rounds": [
            (f"{each.stage + 1}.{each.number + 1}", each.label) for each in snapshot.rounds[-_ROUNDS:]
        ],
    }


def _game_ids(snapshot: Snapshot) -> list[str]:
    return list(snapshot.summary.plan.games) if snapshot.summary else []


def _number(text: str) -> int:
    return max(1, int(text)) if text.isdecimal() and len(text) < 9 else 1


def _wanted(ask: Ask) -> Wanted:
    """Which games the address asks for. Raises Missing."""
    query, snapshot = ask.query, ask.snapshot
    entrant = None
    if query.get("bot"):
        entrant = entrant_of(snapshot, query["bot"])
    game = query.get("game") or None
    if game is not None and snapshot.summary is not None and game not in snapshot.summary.plan.games:
        raise Missing("This game is not played here.")
    stage = round_ = None
    if query.get("round"):
        numbers = query["round"].split(".")
        if len(numbers) != 2 or not all(each.isdecimal() and 0 < int(each) < 10**6 for each in numbers):
            raise Missing("There is no such round.")
        stage, round_ = (int(each) - 1 for each in numbers)
    return Wanted(entrant, game, stage, round_, bool(query.get("faults")))


def listed(ask: Ask, wanted: Wanted, most: int, skipped: int = 0) -> list[Values]:
    """The newest games that are wanted, so many of them, after those that are skipped."""
    tournament = ask.snapshot.tournament.id
    found = ask.reader.ask(lambda league: league.newest_games(tournament, wanted, most, skipped))
    labels = {(each.stage, each.number): each.label for each in ask.snapshot.rounds}
    return [_result(number, result, labels) for number, result in found]


def _result(number: int, result: GameResult, labels: Mapping[tuple[int, int], str]) -> Values:
    key = result.key
    return {
        "number": number,
        "key": str(key),
        "game": key.game,
        "label": labels.get((key.stage, key.round), f"round {key.round + 1}"),
        "reason": result.reason,
        "seats": sorted(result.seats, key=lambda seat: seat.place),
        "faults": sum(sum(seat.faults) for seat in result.seats),
    }
