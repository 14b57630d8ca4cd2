"""Two bots of a tournament against each other: all their boards, who leads where, and two games to see."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import groupby
from statistics import fmean
from typing import Final

from arena.league.store.reading import Wanted
from arena.league.stored import record_of
from arena.report.game_log import ONLOOKER
from arena.results import GameResult, seat_scores
from arena.table.record import BrokenRecord
from arena.view.pictures.moments import ending
from arena.view.views.view import Ask, Missing, Values, entrant_of

_GAMES: Final = 2000  # the last ones of the two that are read
_BOARDS: Final = 100  # that are listed
_LOOKED: Final = 40  # games in which the lead is followed


def rivals(ask: Ask, one: str, other: str) -> Values:
    """How two bots stand against each other, at all tables at which both sat. Raises Missing."""
    snapshot, pair = ask.snapshot, (entrant_of(ask.snapshot, one), entrant_of(ask.snapshot, other))
    if pair[0] == pair[1]:
        raise Missing("A bot is no rival of itself.")
    wanted = Wanted(entrant=pair[0], against=pair[1])
    newest = ask.reader.ask(lambda league: league.newest_games(snapshot.tournament.id, wanted, _GAMES))
    games = [(number, result) for number, result in newest if not snapshot.void.has_game(result.key)]
    kinds: dict[str, list[GameResult]] = {}
    boards: dict[str, list[GameResult]] = {}
    for _, result in games:
        kinds.setdefault(result.key.game, []).append(result)
        boards.setdefault(str(result.key).rpartition(".")[0], []).append(result)
    usual = {kind: fmean(_lead(each, pair) for each in found) or 1.0 for kind, found in kinds.items()}
    closest = min(
        (each for _, each in games), key=lambda each: _lead(each, pair) / usual[each.key.game], default=None
    )
    changes = [(_changes(ask, number, result, pair), result) for number, result in games[:_LOOKED]]
    most, wildest = max(changes, key=lambda each: each[0], default=(0, None))
    return {
        "pair": pair,
        "read": len(newest) == _GAMES,
        "labels": {(each.stage, each.number): each.label for each in snapshot.rounds},
        "total": _line((result for _, result in games), pair) if games else None,
        "kinds": [{"game": kind, **_line(found, pair)} for kind, found in kinds.items()],
        "boards": [
            {"key": key, "of": found[0].key, **_line(found, pair)}
            for key, found in [*boards.items()][:_BOARDS]
        ],
        "earlier": max(0, len(boards) - _BOARDS),
        "closest": closest and {"of": closest, "lead": _lead(closest, pair)},
        "wildest": {"of": wildest, "changes": most} if most else None,
    }


def _line(results: Iterable[GameResult], pair: tuple[int, int]) -> Values:
    """The number of some games, the score of the first bot against the second, and who is ahead."""
    taken = [
        seat_scores([result.seats[seat].place for seat in _seats(result, pair)])[0] for result in results
    ]
    score = sum(taken, Fraction(0)) / len(taken)
    ahead = None if score == Fraction(1, 2) else pair[score < Fraction(1, 2)]
    return {"games": len(taken), "score": score, "ahead": ahead}


def _seats(result: GameResult, pair: tuple[int, int]) -> tuple[int, int]:
    return result.seat_of(pair[0]), result.seat_of(pair[1])


def _lead(result: GameResult, pair: tuple[int, int]) -> int:
    """By how many points the one bot was ahead of the other at the end of a game."""
    first, second = _seats(result, pair)
    return abs(result.seats[first].points - result.seats[second].points)


def _changes(ask: Ask, number: int, result: GameResult, pair: tuple[int, int]) -> int:
    """How often the lead between the two changed in a game; 0 if its scores are hidden or damaged."""
    view = None if ask.snapshot.shows_hands(result.key) else ONLOOKER
    try:
        scores = ending(record_of(ask.reader.ask(lambda league: league.game(number))), view).scores
    except BrokenRecord:
        return 0
    if not scores:
        return 0
    first, second = (scores[seat] for seat in _seats(result, pair))
    ahead = [a > b for a, b in zip(first, second, strict=True) if a != b]
    return max(0, sum(1 for _ in groupby(ahead)) - 1)
