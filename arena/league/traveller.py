"""What all tables of a round made of one board, from the league file."""

from __future__ import annotations

from typing import NamedTuple

from arena.league.store import League, StoredTournament, UnknownGame
from arena.league.stored import plan_of
from arena.link.wire.messages import decode_record
from arena.results import GameKey, GameResult, seat_scores
from arena.table.record import Record
from arena.table.traveller import Parted, parted


class AtTable(NamedTuple):
    """What one table made of a board.

    Attributes:
        number: the running number of the game in the league.
        result: its key and the result of each seat.
        record: the game.
        parted: where it left the common line of play; None if it followed that to the end.
    """

    number: int
    result: GameResult
    record: Record
    parted: Parted | None


def traveller(league: League, tournament: StoredTournament, key: GameKey) -> list[AtTable]:
    """What all tables that had the cards of a game made of them: the best result for seat 0 comes first.

    Args:
        league: the league.
        tournament: one of its tournaments.
        key: a game of it, or at least the stage, round, match, game and board of one.

    Raises UnknownGame if no table has played this board; BrokenRecord.
    """
    plan = plan_of(tournament)
    board = plan.board_name(key)
    found = [
        (number, result, decode_record(record))
        for number, result, record in league.games_of_board(tournament.id, key)
        if plan.board_name(result.key) == board
    ]
    if not found:
        raise UnknownGame(f"{league.path} has no game of board {key} of tournament {tournament.id}")
    of_key = [record for _, result, record in found if result.key.match_key == key.match_key]
    like = (of_key or [found[0][2]])[0]
    found = [each for each in found if (each[2].seats, each[2].starter) == (like.seats, like.starter)]
    lines = parted([record for _, _, record in found])
    tables = [AtTable(*each, line) for each, line in zip(found, lines, strict=True)]
    return sorted(tables, key=lambda table: _of_seat_0(table.result), reverse=True)


def _of_seat_0(result: GameResult) -> tuple[float, int]:
    """The result of seat 0: its score, and by how many points it is ahead of the best of the others."""
    score = seat_scores([seat.place for seat in result.seats])[0]
    first, *others = (seat.points for seat in result.seats)
    return float(score), first - max(others)
