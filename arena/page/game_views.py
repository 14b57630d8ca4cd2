"""The list of games, with its filters."""

from __future__ import annotations

from collections.abc import Mapping

from arena.page.asking import Ask, Missing, Values, entrant_of
from arena.page.look import Look
from arena.results import GameResult
from arena.store.lists import Wanted

PAGE = 50
"""How many games a page lists."""
_ROUNDS = 300  # rounds among which one may choose


def games(ask: Ask) -> Values:
    """The games that are over, newest first, with filters."""
    look = ask.look
    wanted = _wanted(ask)
    total = ask.nights.ask(lambda league: league.count_games(look.tournament.id, wanted))
    page = _number(ask.query.get("page", "1"))
    pages = max(1, -(-total // PAGE))
    page = min(page, pages)
    kept = {key: ask.query[key] for key in ("bot", "game", "round", "faults") if ask.query.get(key)}
    return {
        "summary": look.summary,
        "results": listed(ask, wanted, PAGE, (page - 1) * PAGE),
        "total": total,
        "page": page,
        "pages": pages,
        "kept": kept,
        "game_ids": _game_ids(look),
        "rounds": [(f"{each.stage + 1}.{each.number + 1}", each.label) for each in look.rounds[-_ROUNDS:]],
    }


def _game_ids(look: Look) -> list[str]:
    return list(look.summary.plan.games) if look.summary else []


def _number(text: str) -> int:
    return max(1, int(text)) if text.isdecimal() and len(text) < 9 else 1


def _wanted(ask: Ask) -> Wanted:
    """Which games the address asks for. Raises Missing."""
    query, look = ask.query, ask.look
    entrant = None
    if query.get("bot"):
        entrant = entrant_of(look, query["bot"])
    game = query.get("game") or None
    if game is not None and look.summary is not None and game not in look.summary.plan.games:
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
    tournament = ask.look.tournament.id
    found = ask.nights.ask(lambda league: league.newest_games(tournament, wanted, most, skipped))
    labels = {(each.stage, each.number): each.label for each in ask.look.rounds}
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
