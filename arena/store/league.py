"""The league file: one writer, any number of readers, one transaction for what belongs together.

Once a method that writes has returned, what it wrote survives a crash of the
process or of the machine. Whatever did not return is stored whole or not at all.
A game is finished when and only when its row is there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Self

import apsw

from arena.results import FAULT_REASONS, GameKey, GameResult, MatchKey, SeatResult
from arena.store import chain, damage
from arena.store.errors import (
    AlreadyRecorded,
    Contradiction,
    DamagedLeague,
    LeagueNotWritable,
    OldLeague,
    StoreError,
    TournamentFinished,
    UnknownGame,
    UnknownTournament,
    WrongLeagueVersion,
    clear_errors,
)
from arena.store.opening import open_reader, open_writer, take_lock
from arena.store.values import (
    Begun,
    ChainedGame,
    ChainEntry,
    Ended,
    EntrantInfo,
    Event,
    FinishedGame,
    Recorded,
    StoredGame,
    StoredTournament,
    TournamentInfo,
)

_KEY = "stage, round, match, game.game, board, rotation"
_FAULTS = ", ".join(FAULT_REASONS)
_SEAT = f"entrant, place, points, forfeit, {_FAULTS}, decisions, time"
_ADD_SEAT = (
    f"INSERT INTO seat (game, seat, tournament, {_SEAT}) "
    f"VALUES (?, ?, ?, ?, ?, ?, ?, {', '.join('?' * len(FAULT_REASONS))}, ?, ?)"
)


class League:
    """An open league file, used by one thread at a time; a context manager that closes it.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, db: apsw.Connection, lock: apsw.Connection | None) -> None:
        """Made by `create_or_open` and `read`; `lock` is None for a reader."""
        self.path = path
        self._db = db
        self._lock = lock

    # --- Opening and closing ---

    @classmethod
    def create_or_open(cls, path: Path) -> Self:
        """Opens a league for writing, or makes a new one; brings an older file up to date.

        Raises LeagueBusy while another process, or this one, has it open for
        writing; NotALeague; WrongLeagueVersion; LeagueNotWritable.
        """
        path = Path(os.path.realpath(path))  # so that the lock is the same whatever the file is called by
        with clear_errors(path):
            lock = take_lock(path)
            try:
                db = open_writer(path)
            except BaseException:
                lock.close()
                raise
        return cls(path, db, lock)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Opens a league for reading only: at any time, also while it is being written.

        One of an older version is brought up to date first. Raises
        LeagueNotFound; NotALeague; WrongLeagueVersion, also where that cannot
        be done; LeagueNotWritable where its folder forbids even reading.
        """
        path = Path(os.path.realpath(path))
        with clear_errors(path):
            try:
                db = open_reader(path)
            except OldLeague as old:
                try:
                    cls.create_or_open(path).close()
                except StoreError as problem:
                    raise WrongLeagueVersion(f"{old}, and must be brought up to date: {problem}") from None
                db = open_reader(path)
        return cls(path, db, None)

    def close(self) -> None:
        """Closes the file; may be called again."""
        with clear_errors(self.path):
            self._db.close()
            if self._lock is not None:
                self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- Writing ---

    def start_tournament(self, info: TournamentInfo) -> int:
        """Adds a tournament and its entrants; returns its id."""
        with self._transaction():
            return self._begin(info, _now())

    def _begin(self, info: TournamentInfo, started: str) -> int:
        self._db.execute(
            "INSERT INTO tournament (name, file_path, file_text, key, key_commitment, started) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (info.name, str(info.file_path), info.file_text, info.key, info.key_commitment, started),
        )
        tournament = self._db.last_insert_rowid()
        self._db.executemany(
            "INSERT INTO entrant (tournament, number, name, bot, version, author) VALUES (?, ?, ?, ?, ?, ?)",
            [(tournament, number, *entrant) for number, entrant in enumerate(info.entrants)],
        )
        self._chain("tournament", tournament, chain.tournament_fields(tournament, info, started))
        return tournament

    def finish_tournament(self, tournament: int) -> None:
        """Marks a tournament as finished, which reveals its key.

        Raises UnknownTournament; TournamentFinished.
        """
        with self._transaction():
            self._require_running(tournament)
            self._end(tournament, _now())

    def _end(self, tournament: int, finished: str) -> None:
        self._db.execute("UPDATE tournament SET finished = ? WHERE id = ?", (finished, tournament))
        key = self.tournament_key(tournament)
        self._chain("end", tournament, chain.end_fields(tournament, key, finished))

    def tournament_key(self, tournament: int) -> bytes:
        """The key of a tournament, secret or not, for the referee that goes on with it."""
        with clear_errors(self.path):
            key = self._db.execute("SELECT key FROM tournament WHERE id = ?", (tournament,)).get
        if not isinstance(key, bytes):
            raise self._unknown_tournament(tournament)
        return key

    def record_game(self, tournament: int, game: FinishedGame) -> int:
        """Records one game (see `record_games`); returns its running number."""
        return self.record_games(tournament, (game,))[0]

    def record_games(self, tournament: int, games: Iterable[FinishedGame]) -> list[int]:
        """Records finished games, all or none of them; returns their running numbers.

        Raises AlreadyRecorded where one of them is there; UnknownTournament;
        TournamentFinished; DiskFull.
        """
        with self._transaction():
            self._require_running(tournament)
            return [self._add_game(tournament, game, _now()) for game in games]

    def _add_game(self, tournament: int, game: FinishedGame, recorded: str) -> int:
        key = game.result.key
        if self._find_game(tournament, key) is not None:
            raise AlreadyRecorded(
                f"game {key} of tournament {tournament} is in {self.path} already; a game is recorded once"
            )
        self._db.execute(
            "INSERT INTO game (tournament, stage, round, match, game, board, rotation, "
            "reason, record, times, recorded) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (tournament, *key, game.result.reason, game.record, game.times, recorded),
        )
        number = self._db.last_insert_rowid()
        self._db.executemany(
            _ADD_SEAT,
            [(number, seat, tournament, *_seat_row(result)) for seat, result in enumerate(game.result.seats)],
        )
        fields = chain.game_fields(number, tournament, game.result, game.record, game.times, recorded)
        self._chain("game", number, fields)
        return number

    def append(self, history: Iterable[Event]) -> list[int]:
        """Adds what happened in another league (see `history`), all of it or nothing.

        Tournaments and games get the next numbers of this league, and links of
        its hash chain; an empty league becomes the same as the other. Returns
        the ids of the tournaments. Raises AlreadyRecorded where one of them is
        here already; UnknownTournament where a game comes before its tournament;
        Contradiction where an entrant is not of the tournament, or the like.
        """
        ids: dict[int, int] = {}
        with self._transaction(), _no_contradiction():
            for event in history:
                if isinstance(event, Begun):
                    self._refuse_known(event)
                    ids[event.id] = self._begin(event.info, event.started)
                    continue
                theirs = event.id if isinstance(event, Ended) else event.tournament
                if theirs not in ids:
                    raise UnknownTournament(f"something of tournament {theirs} comes before its beginning")
                self._require_running(ids[theirs])
                if isinstance(event, Ended):
                    self._end(ids[theirs], event.finished)
                else:
                    self._add_game(ids[theirs], event.game, event.recorded)
        return list(ids.values())

    def _refuse_known(self, event: Begun) -> None:
        known = self._db.execute(
            "SELECT id FROM tournament WHERE key_commitment = ? AND started = ?",
            (event.info.key_commitment, event.started),
        ).get
        if known is not None:
            raise AlreadyRecorded(
                f"{event.info.name}, begun {event.started}, is in {self.path} already, as tournament {known}"
            )

    def _chain(self, thing: str, number: int, fields: Iterable[chain.Field]) -> None:
        """Adds the link of something that was just stored."""
        previous = self._db.execute("SELECT link FROM chain ORDER BY position DESC LIMIT 1").get
        link = chain.link(chain.FIRST if previous is None else previous, fields)
        self._db.execute("INSERT INTO chain (thing, id, link) VALUES (?, ?, ?)", (thing, number, link))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Everything inside is stored together at its end, or nothing of it where anything is raised."""
        with clear_errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk may have ended it already
                    self._db.execute("ROLLBACK")
                raise

    def _require_running(self, tournament: int) -> None:
        rows = self._db.execute("SELECT finished FROM tournament WHERE id = ?", (tournament,)).fetchall()
        if not rows:
            raise self._unknown_tournament(tournament)
        if rows[0][0] is not None:
            raise TournamentFinished(
                f"tournament {tournament} of {self.path} is finished, so nothing can be added; start another"
            )

    # --- Reading ---

    def backup(self, copy: Path) -> None:
        """Writes a consistent copy of the league to a new file, also while another process writes it.

        The copy is as the league was at one moment. Raises LeagueNotWritable
        where there is such a file already or it cannot be made; DiskFull.
        """
        if copy.exists():
            raise LeagueNotWritable(f"{copy} exists already; give the name of a new file")
        with clear_errors(copy):
            self._db.execute("VACUUM INTO ?", (str(copy),))

    def tournaments(self) -> list[StoredTournament]:
        """All tournaments, oldest first."""
        with self.snapshot():
            ids = [row[0] for row in self._db.execute("SELECT id FROM tournament ORDER BY id")]
            return [self.tournament(number) for number in ids]

    def tournament(self, tournament: int) -> StoredTournament:
        """A tournament by its id; raises UnknownTournament."""
        with self.snapshot():
            row = self._db.execute(
                "SELECT id, name, file_path, file_text, iif(finished IS NULL, NULL, key), key_commitment, "
                "started, finished FROM tournament WHERE id = ?",
                (tournament,),
            ).fetchone()
            entrants = self._db.execute(
                "SELECT name, bot, version, author FROM entrant WHERE tournament = ? ORDER BY number",
                (tournament,),
            ).fetchall()
        if row is None:
            raise self._unknown_tournament(tournament)
        number, name, file_path, file_text, key, commitment, started, finished = row
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
        )

    def finished_games(self, tournament: int) -> set[GameKey]:
        """The keys of the finished games of a tournament; raises UnknownTournament."""
        self._require_known(tournament)
        with clear_errors(self.path):
            rows = self._db.execute(f"SELECT {_KEY} FROM game WHERE tournament = ?", (tournament,))
            return {GameKey(*row) for row in rows}

    def results(self, tournament: int, at: datetime | None = None) -> Iterator[GameResult]:
        """The results of a tournament's finished games, in the order of their keys.

        They are read as they are asked for, as they were when the first was.
        Where a moment `at` is given, only of the games recorded until then.
        Raises UnknownTournament.
        """
        if at is None:
            return (result for _, result in self.games(tournament))
        self._require_known(tournament)
        until = at.astimezone(UTC).isoformat()  # times are stored in this form, which sorts as they do
        condition = "game.tournament = ? AND game.recorded <= ?"
        return (result for _, result in self._select(condition, tournament, until))

    def match_results(self, tournament: int, match: MatchKey) -> Iterator[GameResult]:
        """The results of the finished games of one match, in the order of their keys."""
        self._require_known(tournament)
        condition = "game.tournament = ? AND stage = ? AND round = ? AND match = ?"
        return (result for _, result in self._select(condition, tournament, *match))

    def games(self, tournament: int) -> Iterator[tuple[int, GameResult]]:
        """The results as `results` gives them, each with the game's running number."""
        self._require_known(tournament)
        return self._select("game.tournament = ?", tournament)

    def game(self, number: int) -> StoredGame:
        """A game by its running number; raises UnknownGame."""
        with self.snapshot():
            row = self._db.execute(
                "SELECT tournament, record, times, recorded FROM game WHERE number = ?", (number,)
            ).fetchone()
            if row is None:
                count = self._db.execute("SELECT count(*) FROM game").get
                has = f"games 1 to {count}" if count else "no games yet"
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
            (tournament, *key),
        ).fetchone()
        return None if row is None else int(row[0])

    def chain(self) -> Iterator[ChainEntry]:
        """Everything in the hash chain, in its order, with the games; for verification (see `chain`)."""
        with clear_errors(self.path):
            rows = self._db.execute(
                f"SELECT position, thing, id, link, game.tournament, {_KEY}, reason, record, times, "
                f"recorded, {_SEAT} FROM chain LEFT JOIN game ON thing = 'game' AND game.number = chain.id "
                "LEFT JOIN seat ON seat.game = game.number ORDER BY position, seat"
            )
            for (position, thing, number, link), group in groupby(rows, key=lambda row: row[:4]):
                seats = list(group)
                tournament, *rest = seats[0][4:]
                game = None
                if thing == "game" and tournament is not None:
                    key, (reason, record, times, recorded) = GameKey(*rest[:6]), rest[6:10]
                    results = tuple(_seat_result(seat[15:]) for seat in seats if seat[15] is not None)
                    game = ChainedGame(tournament, GameResult(key, results, reason), record, times, recorded)
                yield ChainEntry(position, thing, number, link, game)

    def history(self, tournament: int | None = None) -> Iterator[Event]:
        """What happened in the finished tournaments, or in one of them, in its order.

        Raises UnknownTournament, also for one whose key is a secret still.
        """
        finished = {item.id: item for item in self.tournaments() if item.finished is not None}
        if tournament is not None:
            if tournament not in finished:
                self._require_known(tournament)
                raise UnknownTournament(
                    f"tournament {tournament} of {self.path} is not finished: its key is secret until then"
                )
            finished = {tournament: finished[tournament]}
        for entry in self.chain():
            if entry.game is not None and entry.game.tournament in finished:
                number, result, record, times, recorded = entry.game
                yield Recorded(number, FinishedGame(result, record, times), recorded)
            elif entry.thing != "game" and entry.id in finished:
                yield _beginning_or_end(entry.thing, finished[entry.id])

    def counts(self) -> dict[str, int]:
        """How many rows there are of each kind of thing in the chain."""
        with self.snapshot():
            return {
                "tournament": self._db.execute("SELECT count(*) FROM tournament").get,
                "game": self._db.execute("SELECT count(*) FROM game").get,
                "end": self._db.execute("SELECT count(*) FROM tournament WHERE finished IS NOT NULL").get,
            }

    def file_damage(self) -> Iterator[str]:
        """What is wrong with the file itself, so that nothing read from it can be trusted (see `damage`)."""
        with clear_errors(self.path):
            yield from damage.file_damage(self._db)

    def misfits(self) -> Iterator[tuple[str, str]]:
        """Where rows do not fit each other, and how (see `damage`)."""
        with clear_errors(self.path):
            yield from damage.misfits(self._db)

    def _moment(self, text: str) -> datetime:
        try:
            return datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError):
            raise DamagedLeague(
                f"{self.path} is damaged ({text!r} is not a time); go back to a copy of it"
            ) from None

    def _select(self, condition: str, *values: int | str) -> Iterator[tuple[int, GameResult]]:
        """The results, with running numbers, of the games that meet an SQL condition on the values."""
        with clear_errors(self.path):
            rows = self._db.execute(
                f"SELECT number, {_KEY}, reason, {_SEAT} FROM game JOIN seat ON seat.game = game.number "
                f"WHERE {condition} ORDER BY {_KEY}, seat",
                values,
            )
            for (number, *key, reason), seats in groupby(rows, key=lambda row: row[:8]):
                results = tuple(_seat_result(seat[8:]) for seat in seats)
                yield number, GameResult(GameKey(*key), results, reason)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is read inside is of one moment, also while another process writes."""
        with clear_errors(self.path), self._db:
            yield

    def _require_known(self, tournament: int) -> None:
        with clear_errors(self.path):
            if self._db.execute("SELECT 1 FROM tournament WHERE id = ?", (tournament,)).get is None:
                raise self._unknown_tournament(tournament)

    def _unknown_tournament(self, tournament: int) -> UnknownTournament:
        count = self._db.execute("SELECT count(*) FROM tournament").get
        has = f"tournaments 1 to {count}" if count else "none yet"
        return UnknownTournament(f"{self.path} has no tournament {tournament}; it has {has}")


@contextmanager
def _no_contradiction() -> Iterator[None]:
    try:
        yield
    except (apsw.ConstraintError, OverflowError) as problem:
        raise Contradiction(f"what is to be stored contradicts itself ({problem})") from None


def _beginning_or_end(thing: str, stored: StoredTournament) -> Begun | Ended:
    """The event of a finished tournament that the chain calls `thing`."""
    assert stored.key is not None
    assert stored.finished is not None
    if thing == "end":
        return Ended(stored.id, stored.finished.isoformat())
    info = TournamentInfo(
        stored.name, stored.file_path, stored.file_text, stored.key, stored.key_commitment, stored.entrants
    )
    return Begun(stored.id, info, stored.started.isoformat())


def _now() -> str:
    return datetime.now(UTC).isoformat()  # which reading and writing again leaves as it is


def _seat_row(result: SeatResult) -> tuple[int, ...]:
    """The values of the columns `_SEAT`."""
    return (
        result.entrant,
        result.place,
        result.points,
        int(result.forfeit),
        *result.faults,
        result.decisions,
        result.time,
    )


def _seat_result(row: Sequence[Any]) -> SeatResult:
    """The seat's result from the columns `_SEAT`."""
    entrant, place, points, forfeit, *faults, decisions, time = row
    return SeatResult(entrant, place, points, bool(forfeit), tuple(faults), decisions, time)
