"""Reads a league file: its tournaments, games, rulings and hash chain."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from arena.face import NO_FACE, Face
from arena.league.store.chain import Field, game_fields, tournament_fields
from arena.league.store.errors import LeagueNotWritable, UnknownGame, UnknownTournament, clear_errors, damaged
from arena.league.store.opening import make_private
from arena.league.store.places import found_bot, found_file, found_ruling, latecomer_of
from arena.league.store.schema import LUCK_TABLES
from arena.league.store.staged import Shown
from arena.league.store.values import (
    Begun,
    ChainEntry,
    Ended,
    EntrantInfo,
    Event,
    Faces,
    Lucks,
    StoredRuling,
    StoredTournament,
)
from arena.results import (
    FAULT_REASONS,
    BoardResult,
    Conduct,
    GameKey,
    GameResult,
    MatchKey,
    Results,
    SeatResult,
    StoredGame,
)

KEY = "stage, round, match, game.game, board, rotation"
SEAT = f"entrant, place, points, forfeit, {', '.join(FAULT_REASONS)}, decisions, time"
"""The columns of a game's key but for its seating, which is that of its seats, and of a seat's result."""

_ENTRANTS = 1 << 16
"""More entrants than a tournament has."""

_FAULTY = f"(forfeit OR {' OR '.join(FAULT_REASONS)})"


class Wanted(NamedTuple):
    """A filter of games; None stands for any.

    Attributes:
        entrant: an entrant that played.
        game: the game's id.
        stage, round, match: the stage, the round in it, and the match in that, from 0.
        faults: whether only games with a fault or forfeit are listed, of `entrant` if one is given.
        against: another entrant that played.
    """

    entrant: int | None = None
    game: str | None = None
    stage: int | None = None
    round: int | None = None
    faults: bool = False
    match: int | None = None
    against: int | None = None


class Swing(NamedTuple):
    """How far the results of tables with the same board differ.

    Attributes:
        key: one of its games, as far as its board goes.
        tables: how many tables played it to the end.
        low: by how many points seat 0 was ahead of the best other seat where it did worst; below 0 if behind.
        worst: the entrant that sat there.
        high, best: the same where it did best.
        last: the running number of the one of these games that was over last.
    """

    key: GameKey
    tables: int
    low: int
    worst: int
    high: int
    best: int
    last: int

    @property
    def width(self) -> int:
        """How many points lie between the worst and the best result."""
        return self.high - self.low


class LeagueReader:
    """Reads an open league file; the writer is a subclass.

    Attributes:
        path: the file.
        shown: keeps back what the host has not shown yet; None if everything is read.
    """

    def __init__(self, path: Path, db: apsw.Connection, *, only_shown: bool = False) -> None:
        self.path = path
        self._db = db
        self.shown = Shown(db) if only_shown else None

    def tournament_key(self, tournament: int) -> bytes:
        """The key of a tournament, even while it is secret: for the referee that goes on with it."""
        with clear_errors(self.path):
            key = self._db.execute("SELECT key FROM tournament WHERE id = ?", (tournament,)).get
        if not isinstance(key, bytes):
            raise self._unknown_tournament(tournament)
        return key

    def tournaments(self) -> list[StoredTournament]:
        """All tournaments, oldest first."""
        with self.snapshot():
            ids = [row[0] for row in self._db.execute("SELECT id FROM tournament ORDER BY id")]
            return [self.tournament(number) for number in ids]

    def tournament(self, tournament: int) -> StoredTournament:
        """A tournament by its id; raises UnknownTournament."""
        kept, folder = self._tournament(tournament), self.path.parent
        return kept._replace(
            file_path=found_file(kept.file_path, folder),
            entrants=tuple(each._replace(bot=found_bot(each.bot, folder)) for each in kept.entrants),
        )

    def _tournament(self, tournament: int) -> StoredTournament:
        """A tournament with its paths as they are kept, which the hash chain covers."""
        with self.snapshot():
            row = self._db.execute(
                "SELECT id, name, file_path, file_text, iif(finished IS NULL, NULL, key), key_commitment, "
                "started, finished, plan FROM tournament WHERE id = ?",
                (tournament,),
            ).fetchone()
            entrants = self._db.execute(
                "SELECT name, bot, version, author FROM entrant WHERE tournament = ? ORDER BY number",
                (tournament,),
            ).fetchall()
            decisions = self._db.execute("SELECT decision FROM decision WHERE tournament = ?", (tournament,))
            late = sum(latecomer_of(decision) is not None for (decision,) in decisions)
            faces = self._faces(tournament)
        if row is None:
            raise self._unknown_tournament(tournament)
        number, name, file_path, file_text, key, commitment, started, finished, plan = row
        return StoredTournament(
            number,
            name,
            Path(file_path),
            file_text,
            key,
            commitment,
            self._moment(started),
            None if finished is None else self._moment(finished),
            tuple(EntrantInfo(*map(str, entrant)) for entrant in entrants),
            plan,
            late,
            tuple(faces.get(entrant, NO_FACE) for entrant in range(len(entrants))),
        )

    def _faces(self, tournament: int) -> dict[int, Face]:
        """The faces that are kept, by the entrants' numbers, as far as they can be shown."""
        try:
            rows: list[Any] = self._db.execute(
                "SELECT entrant, language, emblem FROM face WHERE tournament = ?", (tournament,)
            ).fetchall()
        except apsw.SQLError:  # no face was ever kept in this league
            return {}
        return {int(entrant): Face(str(language), str(emblem)).cleaned for entrant, language, emblem in rows}

    def rulings(self, tournament: int, at: datetime | None = None) -> list[StoredRuling]:
        """The rulings about a tournament, or those until a moment `at`, oldest first."""
        self._require_known(tournament)
        until = "9999" if at is None else at.astimezone(UTC).isoformat()  # text that sorts as times do
        with clear_errors(self.path):
            rows = self._db.execute(
                "SELECT tournament, decision, reason, decided FROM decision "
                "WHERE tournament = ? AND decided <= ? ORDER BY number",
                (tournament, until),
            )
            rulings = [StoredRuling(*row) for row in rows]
        return [each._replace(ruling=found_ruling(each.ruling, self.path.parent)) for each in rulings]

    def has_decided(self, tournament: int, request: str) -> bool:
        """Whether a request about a tournament was decided (see `League.record_ruling`)."""
        with clear_errors(self.path):
            found = self._db.execute(
                "SELECT 1 FROM decision WHERE tournament = ? AND json_valid(decision) "
                "AND json_extract(decision, '$.request') = ?",
                (tournament, request),
            ).get
        return found is not None

    def length(self) -> int:
        """The length of the hash chain: it grows with each tournament, game, ruling and end."""
        with clear_errors(self.path):
            if self.shown is not None:
                return self.shown.length()
            return int(self._db.execute("SELECT coalesce(max(position), 0) FROM chain").get)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Makes all reads inside see the league at one moment, even while another process writes."""
        with clear_errors(self.path), self._db:
            yield

    def _moment(self, text: str) -> datetime:
        try:
            return datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError):
            raise damaged(self.path, f"{text!r} is not a time") from None

    def _require_known(self, tournament: int) -> None:
        with clear_errors(self.path):
            if self._db.execute("SELECT 1 FROM tournament WHERE id = ?", (tournament,)).get is None:
                raise self._unknown_tournament(tournament)

    def _unknown_tournament(self, tournament: int) -> UnknownTournament:
        count = self._db.execute("SELECT count(*) FROM tournament").get
        has = {0: "none yet", 1: "only tournament 1"}.get(count, f"tournaments 1 to {count}")
        return UnknownTournament(f"{self.path} has no tournament {tournament}; it has {has}")

    def forfeits_in_a_row(self, tournament: int) -> dict[int, int]:
        """How many games in a row each entrant has forfeited up to now; without zeros."""
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

    def results(self, tournament: int, at: datetime | None = None, *, by_match: bool = False) -> Results:
        """The results of a tournament as standings count them, each read as it is asked for.

        If a moment `at` is given, only games recorded until then are included. `by_match`: see `conducts`.
        Raises as `boards`.
        """
        lucks = ((key, baseline, luck) for _, key, baseline, luck in self.lucks(tournament, at))
        conducts = self.conducts(tournament, at, by_match=by_match)
        return Results(self.boards(tournament, at), conducts, lucks)

    def boards(
        self, tournament: int, at: datetime | None = None, game: str | None = None, last: int | None = None
    ) -> Iterator[BoardResult]:
        """The results of the played boards, of all games or of one, in the order of the games' keys.

        With `last`, only games up to this running number are included.

        They are those of `games` without the entrants' conduct, and are read some
        times faster. Raises UnknownTournament, and DamagedLeague if the seats of a
        board contradict each other.
        """
        condition, values = self._until(tournament, at)
        if game is not None:
            condition, values = f"{condition} AND game.game = ?", (*values, game)
        if last is not None:
            condition, values = f"{condition} AND game.number <= ?", (*values, last)
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

    def forfeited_boards(
        self, tournament: int, at: datetime | None = None
    ) -> set[tuple[int, int, int, str, int]]:
        """The boards with a forfeited game: stage, round, match, game, board. Raises UnknownTournament."""
        condition, values = self._until(tournament, at)
        with clear_errors(self.path):
            return set(
                self._db.execute(
                    "SELECT DISTINCT stage, round, match, game.game, board FROM game "
                    f"JOIN seat ON seat.game = game.number WHERE {condition} AND forfeit = 1",
                    values,
                )
            )

    def lucks(self, tournament: int, at: datetime | None = None) -> Iterator[tuple[int, GameKey, str, float]]:
        """The lucks that are kept of a tournament (see `League.keep_lucks`).

        Each comes with the running number of its game, its key, without the seating, and its baseline.
        Raises UnknownTournament.
        """
        condition, values = self._until(tournament, at)
        with clear_errors(self.path):
            for baseline, table in self._luck_tables().items():
                rows = self._db.execute(
                    f"SELECT number, {KEY}, luck FROM {table} AS kept JOIN game ON kept.game = number "
                    f"WHERE {condition} ORDER BY number",
                    values,
                )
                for number, *key, luck in rows:
                    yield number, GameKey(*key), baseline, luck

    def _luck_tables(self) -> dict[str, str]:
        """The tables of lucks that this league has, by their baselines."""
        there = {name for (name,) in self._db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        return {baseline: table for baseline, table in LUCK_TABLES.items() if table in there}

    def conducts(
        self, tournament: int, at: datetime | None = None, *, by_match: bool = False
    ) -> Iterator[Conduct]:
        """The conduct of each entrant in each stage, or in each match. Raises UnknownTournament."""
        condition, values = self._until(tournament, at)
        sums = ", ".join(f"sum({column})" for column in ("forfeit", *FAULT_REASONS, "decisions", "time"))
        if by_match:
            with clear_errors(self.path):
                rows = self._db.execute(
                    f"SELECT stage, round, match, entrant, count(*), {sums} FROM game "
                    f"JOIN seat ON seat.game = game.number WHERE {condition} "
                    "GROUP BY stage, round, match, entrant",
                    values,
                )
                for stage, round_, match, *row in rows:
                    yield _conduct(stage, row, MatchKey(stage, round_, match))
            return
        sql = f"SELECT entrant, count(*), {sums} FROM seat WHERE tournament = ? AND game BETWEEN ? AND ?"
        with clear_errors(self.path):
            for stage, first, last, alone in self._stages(tournament):
                within = ""
                more: tuple[int | str, ...] = ()
                if at is not None or not alone:
                    within = f"AND game IN (SELECT number FROM game WHERE {condition} AND stage = ?)"
                    more = (*values, stage)
                rows = self._db.execute(f"{sql} {within} GROUP BY entrant", (tournament, first, last, *more))
                for row in rows:
                    yield _conduct(stage, row)

    def _stages(self, tournament: int) -> list[tuple[int, int, int, bool]]:
        """The stages, with the numbers of their first and last games.

        The last value says whether all games between these two are of the stage. They are not where a board
        was annulled after a later stage had begun.
        """
        sql = "SELECT stage, min(number), max(number) FROM game WHERE tournament = ? GROUP BY stage"
        stages: list[Any] = self._db.execute(sql, (tournament,)).fetchall()
        apart = all(last < first for (_, _, last), (_, first, _) in pairwise(stages))
        return [(*stage, apart) for stage in stages]

    def games(self, tournament: int, at: datetime | None = None) -> Iterator[tuple[int, GameResult]]:
        """The results of a tournament, in the order of their keys, with the running numbers of the games.

        The iterator reads as it goes, from a snapshot of its beginning. If a
        moment `at` is given, only games recorded until then are included.
        Raises UnknownTournament.
        """
        condition, values = self._until(tournament, at)
        return self._select(condition, *values)

    def last_game(self) -> int:
        """The running number of the last game of the league; 0 if there is none."""
        with clear_errors(self.path):
            return int(self._db.execute("SELECT coalesce(max(number), 0) FROM game").get)

    def results_after(self, tournament: int, number: int) -> Iterator[GameResult]:
        """The results of a tournament whose running numbers are larger than this one, as `games`."""
        # The plus keeps SQLite from reading all games of the tournament.
        found = self._select("+game.tournament = ? AND number > ?", tournament, number)
        return (result for _, result in found)

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
        self._moment(recorded)  # raises DamagedLeague if it is no time
        return StoredGame(tournament, result, record, times, recorded)

    def thoughts(self, number: int) -> bytes:
        """What the bots of a game thought, serialized; empty if nothing is kept of it."""
        with clear_errors(self.path):
            if not self._db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'thought'").get:
                return b""
            found: bytes | None = self._db.execute(
                "SELECT thoughts FROM thought WHERE game = ?", (number,)
            ).get
            return found or b""

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
        """The SQL condition and its values for the games of a tournament, or for those until a moment."""
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
                yield number, _game_result(key, reason, [row[8:] for row in group])

    def count_games(self, tournament: int, wanted: Wanted) -> int:
        """How many games of a tournament pass a filter."""
        passing, values = _passing(tournament, wanted)
        with clear_errors(self.path):
            return int(self._db.execute(f"SELECT count(*) {passing}", values).get)

    def count_matches(self, tournament: int, wanted: Wanted) -> int:
        """How many matches of a tournament have a game that passes a filter."""
        passing, values = _passing(tournament, wanted)
        matches = f"SELECT DISTINCT stage, round, match {passing}"
        with clear_errors(self.path):
            return int(self._db.execute(f"SELECT count(*) FROM ({matches})", values).get)

    def newest_matches(
        self, tournament: int, wanted: Wanted, most: int, skipped: int = 0
    ) -> list[tuple[MatchKey, int]]:
        """Up to `most` matches with games that pass a filter, and how many these are; newest game first.

        The first `skipped` matches are left out.
        """
        passing, values = _passing(tournament, wanted)
        with clear_errors(self.path):
            rows = self._db.execute(
                f"SELECT stage, round, match, count(*) {passing} "
                "GROUP BY stage, round, match ORDER BY max(number) DESC LIMIT ? OFFSET ?",
                (*values, most, skipped),
            )
            return [(MatchKey(*key), count) for *key, count in rows]

    def recorded_at(self, numbers: Collection[int]) -> dict[int, datetime]:
        """When these games were recorded, in UTC; by their running numbers."""
        marks = ", ".join("?" * len(numbers))
        with clear_errors(self.path):
            rows = self._db.execute(
                f"SELECT number, recorded FROM game WHERE number IN ({marks})", tuple(numbers)
            )
            return {number: self._moment(recorded) for number, recorded in rows}

    def newest_games(
        self, tournament: int, wanted: Wanted, most: int, skipped: int = 0
    ) -> list[tuple[int, GameResult]]:
        """Up to `most` games of a tournament that pass a filter, with running numbers, newest first.

        The first `skipped` games are left out.
        """
        passing, values = _passing(tournament, wanted)
        by = "number" if wanted.entrant is None else "seat.game"  # as they are found: no sorting
        with self.snapshot():
            numbers = [
                row[0]
                for row in self._db.execute(
                    f"SELECT number {passing} ORDER BY {by} DESC LIMIT ? OFFSET ?",
                    (*values, most, skipped),
                )
            ]
            if not numbers:
                return []
            marks = ", ".join("?" * len(numbers))
            found = dict(self._select(f"game.number IN ({marks})", *numbers))
        return [(number, found[number]) for number in numbers]

    def games_of_board(self, tournament: int, key: GameKey) -> list[tuple[int, GameResult, bytes]]:
        """The games of a round that have the number of a board, by their keys: in all matches and rotations.

        Each comes with its running number and its serialized record. Raises UnknownTournament.
        """
        self._require_known(tournament)
        with self.snapshot():
            condition = "game.tournament = ? AND stage = ? AND round = ? AND game.game = ? AND board = ?"
            values = (tournament, key.stage, key.round, key.game, key.board)
            records = dict(self._db.execute(f"SELECT number, record FROM game WHERE {condition}", values))
            return [(number, result, records[number]) for number, result in self._select(condition, *values)]

    def luck_in_games(self, numbers: Collection[int]) -> dict[int, float]:
        """The luck of the match's first entrant in those of some games of which it is kept (see `lucks`).

        If it is kept by several baselines, that by the last of them.
        """
        marks = ", ".join("?" * len(numbers))
        found: dict[int, float] = {}
        with clear_errors(self.path):
            for table in self._luck_tables().values():
                found.update(
                    self._db.execute(
                        f"SELECT game, luck FROM {table} WHERE game IN ({marks})", tuple(numbers)
                    )
                )
        return found

    def swings(
        self, tournament: int, last: int, *, by_match: bool, entrant: int | None = None
    ) -> list[Swing]:
        """How far the results of the boards differ that several tables had, without forfeited games.

        Only the last games of the league up to the end of the tournament are looked at, so the time for it
        does not depend on how many there are. Raises UnknownTournament.

        Args:
            tournament: the tournament's id.
            last: how many games are looked at.
            by_match: whether each match has boards of its own.
            entrant: if given, only boards that this entrant has played.
        """
        self._require_known(tournament)
        points = "max(points) FILTER (WHERE seat {} 0)"
        with clear_errors(self.path):
            ended = self._db.execute(
                "SELECT position FROM chain WHERE thing = 'end' AND id = ?", (tournament,)
            ).get
            until = self._db.execute(
                # The plus keeps the database from an index by which it would sort all games.
                "SELECT id FROM chain WHERE +thing = 'game' AND position < ? ORDER BY position DESC LIMIT 1",
                (ended or 2**63 - 1,),
            ).get
            rows = self._db.execute(
                "SELECT stage, round, min(match), game.game, board, count(*), min(lead), max(lead), "
                "max(number) FROM ("
                f"SELECT game AS number, count(*) AS seats, max(entrant = ?2) AS mine, ({points.format('=')} "
                f"- {points.format('>')}) * {_ENTRANTS} + max(entrant) FILTER (WHERE seat = 0) AS lead "
                "FROM seat WHERE game > ?3 - ?4 AND game <= ?3 AND tournament = ?1 "
                "GROUP BY game HAVING NOT max(forfeit)) "
                "JOIN game USING (number) "
                f"GROUP BY stage, round, game.game, board, seats{', match' if by_match else ''} "
                "HAVING count(*) > 1 AND (?2 IS NULL OR max(mine))",
                (tournament, entrant, until or 0, last),
            )
            return [
                Swing(GameKey._make((*key, 0, ())), tables, low, worst, high, best, last)
                for *key, tables, lowest, highest, last in rows
                for (low, worst), (high, best) in [(divmod(lowest, _ENTRANTS), divmod(highest, _ENTRANTS))]
            ]

    def times_by_game(self, tournament: int, entrant: int) -> Iterator[tuple[str, int, int, int]]:
        """For each kind of game: its id, and the games, decisions and microseconds of an entrant in it."""
        with clear_errors(self.path):
            yield from self._db.execute(
                "SELECT game.game, count(*), sum(decisions), sum(time) FROM seat "
                "JOIN game ON game.number = seat.game "
                "WHERE seat.tournament = ? AND entrant = ? GROUP BY game.game",
                (tournament, entrant),
            )

    def backup(self, copy: Path) -> None:
        """Writes a consistent copy of the league to a new file, even while another process writes it.

        The copy is a snapshot of one moment. Raises LeagueNotWritable if the file
        exists or cannot be made; DiskFull.
        """
        if copy.exists():
            raise LeagueNotWritable(f"{copy} exists already; give the name of a new file")
        make_private(copy)
        with clear_errors(copy):
            only_reads = self._db.pragma("query_only")
            self._db.pragma("query_only", False)  # the copy is written through the same connection
            try:
                self._db.execute("VACUUM INTO ?", (str(copy),))
            except BaseException:
                copy.unlink()
                raise
            finally:
                self._db.pragma("query_only", only_reads)

    def chain(self, first: int = 1, last: int = 2**63 - 1) -> Iterator[ChainEntry]:
        """The entries of the hash chain in their order, with the games (see `chain`).

        `first` and `last` are positions, from 1.
        """
        with clear_errors(self.path):
            rows = self._db.execute(
                f"SELECT position, thing, id, link, game.tournament, {KEY}, game.reason, record, times, "
                f"recorded, match_entrant, {SEAT} FROM chain "
                "LEFT JOIN game ON thing = 'game' AND game.number = chain.id "
                "LEFT JOIN seat ON seat.game = game.number "
                "WHERE position BETWEEN ? AND ? ORDER BY position, seat",
                (first, last),
            )
            for (position, thing, number, link), group in groupby(rows, key=lambda row: row[:4]):
                seats = list(group)
                tournament, *rest = seats[0][4:]
                game = None
                if thing == "game" and tournament is not None:
                    key, (reason, record, times, recorded) = rest[:6], rest[6:10]
                    there = [seat[15:] for seat in seats if seat[15] is not None]
                    game = StoredGame(tournament, _game_result(key, reason, there), record, times, recorded)
                decision = self._ruling(number) if thing == "decision" else None
                yield ChainEntry(position, thing, number, link, game, decision)

    def fields(self, entry: ChainEntry) -> Iterable[Field] | None:
        """The fields under the link of an entry; None if they are missing. Raises UnknownTournament."""
        if entry.thing == "game":
            return None if entry.game is None else game_fields(entry.id, *entry.game)
        if entry.thing == "decision":
            return None if entry.ruling is None else ("decision", entry.id, *entry.ruling)
        stored, key = self._tournament(entry.id), self.tournament_key(entry.id)
        if entry.thing == "tournament":
            return tournament_fields(entry.id, stored.info(key), stored.started.isoformat())
        return "end", entry.id, key, stored.finished.isoformat() if stored.finished else ""

    def _ruling(self, number: int) -> StoredRuling | None:
        row = self._db.execute(
            "SELECT tournament, decision, reason, decided FROM decision WHERE number = ?", (number,)
        ).fetchone()
        return None if row is None else StoredRuling(*row)

    def history(self, tournament: int | None = None) -> Iterator[Event]:
        """The events of all finished tournaments, or of one, in their order, with paths as they are kept.

        Raises UnknownTournament, also for one whose key is still secret.
        """
        finished = {
            item.id: self._tournament(item.id) for item in self.tournaments() if item.finished is not None
        }
        if tournament is not None:
            if tournament not in finished:
                self._require_known(tournament)
                raise UnknownTournament(
                    f"tournament {tournament} of {self.path} is not finished: its key is secret until then"
                )
            finished = {tournament: finished[tournament]}
        for entry in self.chain():
            if entry.game is not None and entry.game.tournament in finished:
                yield entry.game
            elif entry.ruling is not None and entry.ruling.tournament in finished:
                yield entry.ruling
            elif entry.thing in ("tournament", "end") and entry.id in finished:
                stored = finished[entry.id]
                assert stored.key is not None
                assert stored.finished is not None
                if entry.thing == "end":
                    faces = tuple((entrant, face) for entrant, face in enumerate(stored.faces) if any(face))
                    if faces:
                        yield Faces(stored.id, faces)
                    lucks = tuple((key, by, luck) for _, key, by, luck in self.lucks(stored.id))
                    if lucks:
                        yield Lucks(stored.id, lucks)
                    yield Ended(stored.id, stored.finished.isoformat())
                else:
                    yield Begun(stored.id, stored.info(stored.key), stored.started.isoformat())

    def counts(self) -> dict[str, int]:
        """The number of rows of each kind of thing in the chain."""
        with self.snapshot():
            tables = {"tournament": "tournament", "game": "game", "decision": "decision"}
            tables["end"] = "tournament WHERE finished IS NOT NULL"
            return {
                thing: self._db.execute(f"SELECT count(*) FROM {rows}").get for thing, rows in tables.items()
            }


def _game_result(key: Sequence[Any], reason: str, seats: Sequence[Sequence[Any]]) -> GameResult:
    """A result from the columns `KEY`, and for each seat `match_entrant` and the columns `SEAT`."""
    seating = tuple([seat[0] for seat in seats])
    return GameResult(GameKey._make((*key, seating)), tuple(map(_seat_result, seats)), reason)


def _conduct(stage: int, row: Sequence[Any], match: MatchKey | None = None) -> Conduct:
    """A conduct from an entrant, the number of its games, and the sums of its seats."""
    entrant, games, forfeits, *faults, decisions, time = row
    return Conduct(stage, entrant, games, forfeits, tuple(faults), decisions, time, match)


def _seat_result(row: Sequence[Any]) -> SeatResult:
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
    """The entrants of a match, from the seats of a board; None if the seats contradict each other."""
    found = set(zip(positions, map(int, entrants.split()), strict=True))
    return tuple([entrant for _, entrant in sorted(found)]) if len(found) == max(positions) + 1 else None


def _passing(tournament: int, wanted: Wanted) -> tuple[str, tuple[int | str, ...]]:
    """The games that pass a filter, as the end of a query from FROM on, and its values.

    The games of an entrant are found by its seats: all seats are looked at, but few games.
    """
    source, parts, values = "game", ["game.tournament = ?"], [tournament]
    if wanted.entrant is not None:
        source = "seat CROSS JOIN game ON number = seat.game"  # which joins them in this order
        parts = ["seat.tournament = ?", "entrant = ?", *[_FAULTY] * wanted.faults]
        values.append(wanted.entrant)
    elif wanted.faults:
        parts.append(f"number IN (SELECT game FROM seat WHERE {_FAULTY})")
    for column in ("game", "stage", "round", "match"):
        value = getattr(wanted, column)
        if value is not None:
            parts.append(f"game.{column} = ?")
            values.append(value)
    if wanted.against is not None:
        parts.append("EXISTS (SELECT 1 FROM seat WHERE seat.game = game.number AND entrant = ?)")
        values.append(wanted.against)
    return f"FROM {source} WHERE {' AND '.join(parts)}", tuple(values)
