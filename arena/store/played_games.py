"""Reading a league file: the games that were played, and what came out of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Any

from arena.results import FAULT_REASONS, BoardResult, Conduct, GameKey, GameResult, SeatResult
from arena.store.errors import UnknownGame, clear_errors, damaged
from arena.store.tournaments import Tournaments
from arena.store.values import StoredGame

KEY = "stage, round, match, game.game, board, rotation"
SEAT = f"entrant, place, points, forfeit, {', '.join(FAULT_REASONS)}, decisions, time"
"""The columns of a game's key but for its seating, which is that of its seats, and of a seat's result."""


class PlayedGames(Tournaments):
    """What can be read of the games of an open league file."""

    def forfeits_in_a_row(self, tournament: int) -> dict[int, int]:
        """How many games each entrant has forfeited since the last one that it did not; without zeros."""
        self._require_known(tournament)
        with clear_errors(self.path):
            rows = self._db.execute(
                "WITH last AS (SELECT entrant, max(game) FILTER (WHERE forfeit = 0) AS fair FROM seat "
                "WHERE tournament = ?1 GROUP BY entrant) "
                "SELECT entrant, count(*) FROM seat JOIN last USING (entrant) "
                "WHERE tournament = ?1 AND forfeit = 1 AND game > coalesce(fair, 0) GROUP BY entrant",
                (tournament,),
            )
            return dict(rows)

    def finished_games(self, tournament: int) -> set[GameKey]:
        """The keys of the finished games of a tournament; raises UnknownTournament."""
        self._require_known(tournament)
        with clear_errors(self.path):
            return {result.key for _, result in self._select("game.tournament = ?", tournament)}

    def results(self, tournament: int, at: datetime | None = None) -> Iterator[GameResult]:
        """The results of a tournament's finished games, in the order of their keys.

        They are read as they are asked for, as they were when the first was.
        Where a moment `at` is given, only of the games recorded until then.
        Raises UnknownTournament.
        """
        condition, values = self._until(tournament, at)
        return (result for _, result in self._select(condition, *values))

    def boards(self, tournament: int, at: datetime | None = None) -> Iterator[BoardResult]:
        """What came out of each board that was played, in the order of the games' keys.

        Says of the games what `results` does but for the entrants' conduct, some
        times faster. Raises UnknownTournament, and DamagedLeague where it is
        contradictory who sat where.
        """
        condition, values = self._until(tournament, at)
        with clear_errors(self.path):
            rows = self._db.execute(
                "SELECT stage, round, match, game.game, board, "
                "group_concat((rotation << 8) | (match_entrant << 4) | place), "
                "group_concat(entrant, ' ') "
                "FROM game JOIN seat ON seat.game = game.number "
                f"WHERE {condition} GROUP BY stage, round, match, game.game, board",
                values,
            )
            for stage, round_, match, game, board, seated, entrants in rows:
                positions, places = _board_places(seated)
                players = _in_match_order(entrants, positions)
                if players is None:
                    name = GameKey(stage, round_, match, game, board, 0)
                    raise damaged(self.path, f"who sat where in {name}")
                yield BoardResult(stage, round_, match, game, board, players, places)

    def conducts(self, tournament: int, at: datetime | None = None) -> Iterator[Conduct]:
        """What each entrant did in each stage, but for how its games ended. Raises UnknownTournament."""
        condition, values = self._until(tournament, at)
        sums = ", ".join(f"sum({column})" for column in ("forfeit", *FAULT_REASONS, "decisions", "time"))
        within = "" if at is None else f"AND game IN (SELECT number FROM game WHERE {condition})"
        sql = (
            f"SELECT entrant, count(*), {sums} FROM seat "
            f"WHERE tournament = ? AND game BETWEEN ? AND ? {within} GROUP BY entrant"
        )
        with clear_errors(self.path):
            for stage, first, last in self._stages(tournament):
                bounds = (tournament, first, last, *(values if within else ()))
                for entrant, games, forfeits, *faults, decisions, time in self._db.execute(sql, bounds):
                    yield Conduct(stage, entrant, games, forfeits, tuple(faults), decisions, time)

    def _stages(self, tournament: int) -> list[tuple[int, int, int]]:
        """The stages with the numbers of their first and last games: one follows the other."""
        sql = "SELECT stage, min(number), max(number) FROM game WHERE tournament = ? GROUP BY stage"
        stages: list[Any] = self._db.execute(sql, (tournament,)).fetchall()
        if any(last >= first for (_, _, last), (_, first, _) in pairwise(stages)):
            raise damaged(self.path, "stages overlap")
        return stages

    def games(self, tournament: int, at: datetime | None = None) -> Iterator[tuple[int, GameResult]]:
        """The results as `results` gives them, each with the game's running number."""
        condition, values = self._until(tournament, at)
        return self._select(condition, *values)

    def game(self, number: int) -> StoredGame:
        """A game by its running number; raises UnknownGame."""
        with self.snapshot():
            row = self._db.execute(
                "SELECT tournament, record, times, recorded FROM game WHERE number = ?", (number,)
            ).fetchone()
            if row is None:
                count = self._db.execute("SELECT count(*) FROM game").get
                has = {0: "no games yet", 1: "only game 1"}.get(count, f"games 1 to {count}")
                raise UnknownGame(f"{self.path} has no game {number}; it has {has}")
            ((_, result),) = self._select("game.number = ?", number)
        tournament, record, times, recorded = row
        return StoredGame(number, tournament, result, record, times, self._moment(recorded))

    def game_number(self, tournament: int, key: GameKey) -> int:
        """The running number of a finished game; raises UnknownTournament, UnknownGame."""
        self._require_known(tournament)
        with clear_errors(self.path):
            number = self._find_game(tournament, key)
        if number is None:
            raise UnknownGame(f"{self.path} has no game {key} of tournament {tournament}; list its games")
        return number

    def _find_game(self, tournament: int, key: GameKey) -> int | None:
        row = self._db.execute(
            "SELECT number FROM game WHERE tournament = ? AND "
            "stage = ? AND round = ? AND match = ? AND game = ? AND board = ? AND rotation = ?",
            (tournament, *key[:6]),
        ).fetchone()
        return None if row is None else int(row[0])

    def _until(self, tournament: int, at: datetime | None) -> tuple[str, tuple[int | str, ...]]:
        """The SQL condition, and its values, of a tournament's games, or of those until a moment."""
        self._require_known(tournament)
        if at is None:
            return "game.tournament = ?", (tournament,)
        until = at.astimezone(UTC).isoformat()  # times are stored in this form, which sorts as they do
        return "game.tournament = ? AND game.recorded <= ?", (tournament, until)

    def _select(self, condition: str, *values: int | str) -> Iterator[tuple[int, GameResult]]:
        """The results, with running numbers, of the games that meet an SQL condition on the values."""
        with clear_errors(self.path):
            rows = self._db.execute(
                f"SELECT number, {KEY}, reason, match_entrant, {SEAT} "
                "FROM game JOIN seat ON seat.game = game.number "
                f"WHERE {condition} ORDER BY {KEY}, seat",
                values,
            )
            for (number, *key, reason), group in groupby(rows, key=lambda row: row[:8]):
                seats = [row[8:] for row in group]
                yield number, GameResult(game_key(key, seats), tuple(map(seat_result, seats)), reason)


def game_key(columns: Sequence[Any], seats: Iterable[Sequence[Any]]) -> GameKey:
    """The key of a game from the columns `KEY` and its seats' rows, which begin with `match_entrant`."""
    return GameKey._make((*columns, tuple([seat[0] for seat in seats])))


def seat_result(row: Sequence[Any]) -> SeatResult:
    """The seat's result from `match_entrant` and the columns `SEAT`."""
    _, entrant, place, points, forfeit, *faults, decisions, time = row
    return SeatResult(entrant, place, points, bool(forfeit), tuple(faults), decisions, time)


@lru_cache(1 << 16)
def _board_places(seated: str) -> tuple[tuple[int, ...], tuple[tuple[int, tuple[int, ...]], ...]]:
    """Reads `rotation * 256 + match_entrant * 16 + place` of each seat of a board, with commas between.

    Returns the position in the match of who sat at each of these seats, and the
    board's places as in a BoardResult.
    """
    rows = [(code >> 8, code >> 4 & 15, code & 15) for code in map(int, seated.split(","))]
    places = [
        (rotation, tuple([place for *_, place in group]))
        for rotation, group in groupby(sorted(rows), key=lambda row: row[0])
    ]
    return tuple([position for _, position, _ in rows]), tuple(places)


@lru_cache(1 << 12)
def _in_match_order(entrants: str, positions: tuple[int, ...]) -> tuple[int, ...] | None:
    """The entrants of a match from those of each seat of a board; None where they contradict each other."""
    found = set(zip(positions, map(int, entrants.split()), strict=True))
    return tuple([entrant for _, entrant in sorted(found)]) if len(found) == max(positions) + 1 else None
