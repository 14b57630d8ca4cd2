"""Reading a league file: its newest games, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arena.results import FAULT_REASONS, GameResult
from arena.store.errors import clear_errors
from arena.store.played_games import PlayedGames

_FAULTY = f"(forfeit OR {' OR '.join(FAULT_REASONS)})"


class Wanted(NamedTuple):
    """Which games are listed; None where that does not matter.

    Attributes:
        entrant: one that sat at the table.
        game: the game's id.
        stage, round: in which stage, and in which of its rounds, from 0.
        faults: whether only games with a fault or a forfeit are listed; of `entrant` where one is given.
    """

    entrant: int | None = None
    game: str | None = None
    stage: int | None = None
    round: int | None = None
    faults: bool = False


class Lists(PlayedGames):
    """What can be read of the games of an open league file without reading all of them."""

    def count_games(self, tournament: int, wanted: Wanted) -> int:
        """How many games of a tournament are as wanted."""
        condition, values = _condition(tournament, wanted)
        with clear_errors(self.path):
            return int(self._db.execute(f"SELECT count(*) FROM game WHERE {condition}", values).get)

    def newest_games(
        self, tournament: int, wanted: Wanted, most: int, skipped: int = 0
    ) -> list[tuple[int, GameResult]]:
        """At most so many games of a tournament with their running numbers, newest first.

        `skipped` are passed over. Games that are over at once are in the order of their keys.
        """
        condition, values = _condition(tournament, wanted)
        with self.snapshot():
            numbers = [
                row[0]
                for row in self._db.execute(
                    f"SELECT number FROM game WHERE {condition} ORDER BY number DESC LIMIT ? OFFSET ?",
                    (*values, most, skipped),
                )
            ]
            if not numbers:
                return []
            marks = ", ".join("?" * len(numbers))
            found = dict(self._select(f"game.number IN ({marks})", *numbers))
        return [(number, found[number]) for number in numbers]

    def times_by_game(self, tournament: int, entrant: int) -> Iterator[tuple[str, int, int, int]]:
        """For each kind of game its id, and an entrant's games, decisions and microseconds in it."""
        with clear_errors(self.path):
            yield from self._db.execute(
                "SELECT game.game, count(*), sum(decisions), sum(time) FROM seat "
                "JOIN game ON game.number = seat.game "
                "WHERE seat.tournament = ? AND entrant = ? GROUP BY game.game",
                (tournament, entrant),
            )


def _condition(tournament: int, wanted: Wanted) -> tuple[str, tuple[int | str, ...]]:
    """The condition in SQL, and its values."""
    parts, values = ["game.tournament = ?"], [tournament]
    for column in ("game", "stage", "round"):
        value = getattr(wanted, column)
        if value is not None:
            parts.append(f"game.{column} = ?")
            values.append(value)
    seat = []
    if wanted.entrant is not None:
        seat.append("entrant = ?")
        values.append(wanted.entrant)
    if wanted.faults:
        seat.append(_FAULTY)
    if seat:
        parts.append(f"number IN (SELECT game FROM seat WHERE {' AND '.join(seat)})")
    return " AND ".join(parts), tuple(values)
