"""What all tables of a round made of one board, from the league file."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import Final, NamedTuple

from arena.league.store import League, StoredTournament, UnknownGame
from arena.league.store.reading import Swing
from arena.league.stored import plan_of
from arena.link.wire.messages import decode_record
from arena.results import GameKey, GameResult, seat_scores
from arena.table.record import Record
from arena.table.traveller import Parted, parted
from arena.tournament.effects import VoidBoards

SWING_GAMES: Final = 4000
"""In so many of the last games `swung` looks for boards."""


class AtTable(NamedTuple):
    """What one table made of a board.

    Attributes:
        number: the running number of the game in the league.
        result: its key and the result of each seat.
        record: the game.
        serialized: the same as it is stored.
        parted: where it left the common line of play; None if it followed that to the end.
    """

    number: int
    result: GameResult
    record: Record
    serialized: bytes
    parted: Parted | None

    @property
    def score(self) -> float:
        """The score of seat 0, from 0 to 1."""
        return float(seat_scores([seat.place for seat in self.result.seats])[0])


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
        (number, result, decode_record(record), record)
        for number, result, record in league.games_of_board(tournament.id, key)
        if plan.board_name(result.key) == board
    ]
    if not found:
        raise UnknownGame(
            f"{league.path} has no game of board {key} of tournament {tournament.id}; list its games"
        )
    of_key = [record for _, result, record, _ in found if result.key.match_key == key.match_key]
    like = (of_key or [found[0][2]])[0]
    found = [each for each in found if (each[2].seats, each[2].starter) == (like.seats, like.starter)]
    lines = parted([record for _, _, record, _ in found])
    tables = [AtTable(*each, line) for each, line in zip(found, lines, strict=True)]
    return sorted(tables, key=_of_seat_0, reverse=True)


def swung(
    league: League,
    tournament: StoredTournament,
    void: VoidBoards,
    most: int,
    *,
    entrant: int | None = None,
) -> list[Swing]:
    """The boards whose tables differ most, against what is usual in their game; the widest first.

    Args:
        league: the league.
        tournament: one of its tournaments; its last `SWING_GAMES` games are looked at.
        void: its annulled boards, which are left out even if only one table's games were annulled.
        most: how many boards are wanted at most.
        entrant: if given, only boards that this entrant has played.

    Raises UnknownTournament, UnknownPlan.
    """
    shared = plan_of(tournament).shared_cards
    if shared == "none":
        return []
    by_match = shared == "match"
    swings = league.swings(tournament.id, SWING_GAMES, by_match=by_match, entrant=entrant)
    found = [each for each in swings if not void.has_at_a_table(each.key)]
    widths = defaultdict(list)
    for each in found:
        widths[each.key.game].append(each.width)
    usual = {game: fmean(each) or 1.0 for game, each in widths.items()}
    found.sort(key=lambda each: (-each.width / usual[each.key.game], each.key))
    return [each for each in found[:most] if each.width]


def _of_seat_0(table: AtTable) -> tuple[float, int]:
    """The result of seat 0: its score, and by how many points it is ahead of the best of the others."""
    first, *others = (seat.points for seat in table.result.seats)
    return table.score, first - max(others)
