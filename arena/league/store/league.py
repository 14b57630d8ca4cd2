"""Opens, checks and writes a league file: one writer, any number of readers, durable transactions.

When a method that writes has returned, its data survives a crash of the process
or of the machine. If it does not return, all of its data is stored, or none. A
game is finished if and only if its row is there.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Self

import apsw

from arena.face import Face
from arena.league.store import chain, opening, schema, soundness
from arena.league.store.errors import (
    AlreadyRecorded,
    Contradiction,
    EmptyLeague,
    LeagueBusy,
    OldLeague,
    StoreError,
    TournamentFinished,
    UnknownTournament,
    WrongLeagueVersion,
    clear_errors,
    damaged,
)
from arena.league.store.locking import DatabaseLock, FileLock, take_lock
from arena.league.store.places import kept_bot, kept_file, kept_ruling, latecomer_of, require_utf8
from arena.league.store.reading import SEAT, LeagueReader
from arena.league.store.values import (
    Begun,
    Ended,
    Event,
    Faces,
    FinishedGame,
    Lucks,
    StoredRuling,
    TournamentInfo,
)
from arena.results import FAULT_REASONS, SeatResult, StoredGame

_ADD_SEAT = (
    f"INSERT INTO seat (game, seat, tournament, match_entrant, {SEAT}) "
    f"VALUES (?, ?, ?, ?, ?, ?, ?, ?, {', '.join('?' * len(FAULT_REASONS))}, ?, ?)"
)

_RETRY_AFTER = 200
"""How long SQLite waits for another process before `on_wait` is called, in milliseconds."""

_PATIENCE = 5.0
"""How long a writer waits, in seconds, if `on_wait` is not set."""

_CHECKPOINT_EVERY = 1.0
_CHECKPOINT_SHARE = 20
"""Checkpoints come every so many seconds; if they take long, they get at most a 20th of the time."""


class League(LeagueReader):
    """An open league file, used by one thread at a time; a context manager that closes it.

    Attributes:
        on_wait: called repeatedly, in the thread that writes, while another
            process locks the file, with the seconds so far. An exception ends
            the wait, and nothing is stored. If it is None, the writer waits for
            a few seconds and then raises LeagueBusy.
    """

    def __init__(
        self,
        path: Path,
        db: apsw.Connection,
        lock: FileLock | DatabaseLock | None,
        now: Callable[[], float],
        *,
        only_shown: bool = False,
    ) -> None:
        """Made by `create_or_open` and `read`; `lock` is None for a reader."""
        super().__init__(path, db, only_shown=only_shown)
        self._clock = now
        self.on_wait: Callable[[float], None] | None = None
        self._lock = lock
        self._file_is_sound = False  # whether a check found no damage
        self._identity: opening.FileIdentity | None = None
        self._checkpoint_at = 0.0
        if lock is not None:
            self._identity = opening.FileIdentity(path)
            db.set_busy_timeout(_RETRY_AFTER)

    # --- Opening and closing ---

    @classmethod
    def create_or_open(cls, path: Path, now: Callable[[], float] = time.monotonic) -> Self:
        """Opens a league for writing, or makes a new one; migrates an older file.

        `now` tells the time in seconds, by which it is known when to settle and how long to wait.

        Raises LeagueBusy while another process, or this one, has it open for
        writing, under any name; NotALeague; WrongLeagueVersion; LeagueNotWritable.
        """
        path = Path(os.path.realpath(path))
        opening.require_file(path)
        opening.make_private(path)
        with clear_errors(path):
            lock = take_lock(path)
            try:
                opening.refuse_split(path)
                db = opening.open_writer(path)
            except BaseException:
                lock.release()
                raise
        return cls(path, db, lock, now)

    @classmethod
    def read(cls, path: Path, now: Callable[[], float] = time.monotonic, *, only_shown: bool = False) -> Self:
        """Opens a league for reading only, at any time, also while it is being written.

        With `only_shown` it is as if the games that the host has not shown yet had not been played.

        A file of an older version is migrated first; if another process
        migrates or creates the league, this one waits for it. Raises
        LeagueNotFound; NotALeague; WrongLeagueVersion, also if that cannot
        be done; LeagueBusy if another process takes too long for it, by `now`;
        LeagueNotWritable where its folder forbids even reading.
        """
        path = Path(os.path.realpath(path))
        patience = now() + _PATIENCE
        with clear_errors(path):
            while True:
                try:
                    return cls(path, opening.open_reader(path), None, now, only_shown=only_shown)
                except EmptyLeague:
                    prepare = _require_content
                except OldLeague as old:
                    prepare = partial(_bring_up_to_date, old)
                try:
                    prepare(path)
                except LeagueBusy:
                    if now() > patience:
                        raise
                    time.sleep(_RETRY_AFTER / 1000)

    def close(self) -> None:
        """Checkpoints and closes the file; may be called again.

        Raises LeagueMoved if a file that was written is not there any more.
        """
        try:
            self._require_place()
            self.checkpoint()
        finally:
            self._identity = None
            with clear_errors(self.path):
                self._db.close()
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    def checkpoint(self, seconds: float = 1.0) -> None:
        """Writes the whole log into the file itself, so that a copy of only that file is complete.

        It waits some seconds for other processes, and gives up silently. May be
        called in any thread, at any time.
        """
        # If the file was replaced, the log would go into another file.
        if self._identity is not None and self._identity.unchanged():
            opening.checkpoint(self.path, seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- Checking ---

    def file_damage(self) -> Iterator[str]:
        """Yields damage of the file itself; after any, nothing in it can be trusted (see `soundness`)."""
        with clear_errors(self.path):
            yield from soundness.file_damage(self._db)

    def misfits(self) -> Iterator[tuple[str, str]]:
        """Yields rows that do not fit each other: where, and how (see `soundness`)."""
        with clear_errors(self.path):
            yield from soundness.misfits(self._db)

    def require_sound(self, tournament: int | None = None, game: int | None = None) -> None:
        """Checks what is about to be read; raises DamagedLeague if it is not as it was stored.

        Checks the file itself and, if given, all that is stored of a tournament or
        a game (see `soundness`).
        """
        with self.snapshot(), self.shown.all() if self.shown is not None else nullcontext():
            if not self._file_is_sound:
                self._require_none(soundness.of_file(self, self._db))
                self._file_is_sound = True
            if tournament is not None:
                self._require_none(soundness.of_tournament(self, self._db, tournament))
            if game is not None:
                self._require_none(soundness.of_game(self, self._db, game))

    def require_stored(self, games: Iterable[int]) -> None:
        """Checks some games alone: the time for it does not depend on the size of the league.

        Raises DamagedLeague if one of them is not as it was stored.
        """
        with self.snapshot():
            for number in games:
                self._require_none(soundness.of_game(self, self._db, number))

    def _require_none(self, problems: Iterator[str]) -> None:
        for what in problems:
            raise damaged(self.path, what)

    # --- Writing ---

    def start_tournament(
        self, info: TournamentInfo, ruling: str = "", faces: Mapping[int, Face] | None = None
    ) -> int:
        """Adds a tournament and its entrants; returns its id.

        Args:
            info: the tournament.
            ruling: a first ruling about it, as JSON text; may be empty.
            faces: what decorates the entrants' names, by their numbers.

        Raises PathNotKept.
        """
        folder = self.path.parent
        info = info._replace(
            file_path=kept_file(info.file_path, folder),
            entrants=tuple(each._replace(bot=kept_bot(each.bot, folder)) for each in info.entrants),
        )
        require_utf8(str(info.file_path), *(each.bot for each in info.entrants))
        with self._transaction():
            now = _now()
            tournament = self._begin(info, now)
            if ruling:
                self._add_ruling(StoredRuling(tournament, ruling, "", now))
            self._add_faces(tournament, faces or {})
            return tournament

    def _begin(self, info: TournamentInfo, started: str) -> int:
        self._db.execute(
            "INSERT INTO tournament (name, file_path, file_text, key, key_commitment, started, plan) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                info.name,
                str(info.file_path),
                info.file_text,
                info.key,
                info.key_commitment,
                started,
                info.plan,
            ),
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
        self._chain("end", tournament, ("end", tournament, key, finished))

    def record_game(self, tournament: int, game: FinishedGame) -> int:
        """Records one game (see `record_games`); returns its running number."""
        return self.record_games(tournament, (game,))[0]

    def record_games(self, tournament: int, games: Iterable[FinishedGame]) -> list[int]:
        """Records finished games, all or none of them; returns their running numbers.

        Raises AlreadyRecorded if one of them is stored already; Contradiction if a
        key has no valid seating; UnknownTournament;
        TournamentFinished; DiskFull.
        """
        with self._transaction():
            self._require_running(tournament)
            return [self._add_finished(tournament, game) for game in games]

    def _add_finished(self, tournament: int, game: FinishedGame) -> int:
        number = self._add_game(StoredGame(tournament, game.result, game.record, game.times, _now()))
        if game.thoughts:
            self._db.execute(schema.KEEP_THOUGHTS)
            self._db.execute("INSERT INTO thought (game, thoughts) VALUES (?, ?)", (number, game.thoughts))
        return number

    def _add_game(self, game: StoredGame) -> int:
        tournament, result, *rest = game
        key, seats = result.key, result.seats
        if sorted(key.seating) != [*range(len(seats))]:
            raise Contradiction(
                f"{key.seating} cannot be the seating of game {key}, which has {len(seats)} seats"
            )
        try:
            self._db.execute(
                "INSERT INTO game (tournament, stage, round, match, game, board, rotation, "
                "reason, record, times, recorded) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (tournament, *key[:6], result.reason, *rest),
            )
        except apsw.ConstraintError:
            if self._find_game(tournament, key) is None:
                raise
            raise AlreadyRecorded(
                f"game {key} of tournament {tournament} is in {self.path} already; a game is recorded once"
            ) from None
        number = self._db.last_insert_rowid()
        self._db.executemany(
            _ADD_SEAT,
            [
                (number, seat, tournament, position, *_seat_row(each))
                for seat, (position, each) in enumerate(zip(key.seating, seats, strict=True))
            ],
        )
        self._chain("game", number, chain.game_fields(number, *game))
        return number

    def record_ruling(self, tournament: int, ruling: str, reason: str, request: str = "") -> None:
        """Records a ruling about a tournament.

        Args:
            tournament: its id.
            ruling: as JSON text.
            reason: why, for people.
            request: the id of the host's request, stored as `request` in the text; empty for none.

        If it admits an entrant (see `latecomer_of`), the entrant is added. Raises
        UnknownTournament; TournamentFinished; Contradiction if there is one
        with its number or name.
        """
        if request:
            ruling = json.dumps(json.loads(ruling) | {"request": request})
        ruling = kept_ruling(ruling, self.path.parent)
        with self._transaction():
            self._require_running(tournament)
            self._add_ruling(StoredRuling(tournament, ruling, reason, _now()))

    def _add_ruling(self, ruling: StoredRuling) -> None:
        self._db.execute(
            "INSERT INTO decision (tournament, decision, reason, decided) VALUES (?, ?, ?, ?)", ruling
        )
        number = self._db.last_insert_rowid()
        late = latecomer_of(ruling.ruling)
        if late is not None:
            with _no_contradiction():
                self._db.execute(
                    "INSERT INTO entrant (tournament, number, name, bot, version, author) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    (ruling.tournament, late[0], *late[1]),
                )
        self._chain("decision", number, ("decision", number, *ruling))

    def keep_faces(self, tournament: int, faces: Mapping[int, Face]) -> None:
        """Keeps what decorates the names of some entrants, by their numbers, instead of what was kept before.

        It is decoration, in no link of the hash chain, and may be kept at any time. What cannot be shown is
        left out. Raises Contradiction if there is no such entrant.
        """
        with self._transaction(), _no_contradiction():
            self._add_faces(tournament, faces)

    def _add_faces(self, tournament: int, faces: Mapping[int, Face]) -> None:
        if faces:
            self._db.execute(schema.KEEP_FACES)
            self._db.executemany(
                "INSERT OR REPLACE INTO face (tournament, entrant, language, emblem) VALUES (?, ?, ?, ?)",
                [(tournament, entrant, *face.cleaned) for entrant, face in faces.items()],
            )

    def keep_lucks(self, lucks: Mapping[tuple[int, str], float]) -> None:
        """Keeps the luck of the match's first entrant in games, by their running numbers and the baseline.

        It follows from the games' records, is in no link of the hash chain, and may be kept at any time.
        Raises Contradiction if there is no such game.
        """
        if lucks:
            with self._transaction(), _no_contradiction():
                self._add_lucks(lucks)

    def _add_lucks(self, lucks: Mapping[tuple[int, str], float]) -> None:
        for baseline, table in schema.LUCK_TABLES.items():
            if found := [(number, luck) for (number, by), luck in lucks.items() if by == baseline]:
                self._db.execute(schema.KEEP_LUCKS.format(table=table))
                self._db.executemany(f"INSERT OR REPLACE INTO {table} (game, luck) VALUES (?, ?)", found)

    def append(self, history: Iterable[Event]) -> list[int]:
        """Adds the history of another league (see `history`), all of it or nothing.

        Tournaments and games get the next numbers of this league, and links of
        its hash chain; an empty league becomes equal to the other. Returns the
        ids of the tournaments. Raises AlreadyRecorded if one of them is here
        already; UnknownTournament if a game comes before its tournament;
        Contradiction if, for example, an entrant is not in the tournament.
        """
        begun: list[int] = []
        running: dict[int, int] = {}  # their ids here, by their ids in the other league
        with self._transaction(), _no_contradiction():
            for event in history:
                if isinstance(event, Begun):
                    self._refuse_known(event)
                    running[event.id] = self._begin(event.info, event.started)
                    begun.append(running[event.id])
                    continue
                theirs = event.id if isinstance(event, Ended) else event.tournament
                if theirs not in running:
                    raise UnknownTournament(
                        f"something of tournament {theirs} is before its beginning or after its end"
                    )
                if isinstance(event, Ended):
                    self._end(running.pop(theirs), event.finished)
                elif isinstance(event, StoredRuling):
                    self._add_ruling(event._replace(tournament=running[theirs]))
                elif isinstance(event, Faces):
                    self._add_faces(running[theirs], dict(event.faces))
                elif isinstance(event, Lucks):
                    found = [
                        (self._find_game(running[theirs], key), by, luck) for key, by, luck in event.lucks
                    ]
                    self._add_lucks({(number, by): luck for number, by, luck in found if number is not None})
                else:
                    self._add_game(event._replace(tournament=running[theirs]))
        return begun

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
        """Adds the link of what was just stored."""
        previous = self._db.execute("SELECT link FROM chain ORDER BY position DESC LIMIT 1").get
        link = chain.link(chain.FIRST if previous is None else previous, fields)
        self._db.execute("INSERT INTO chain (thing, id, link) VALUES (?, ?, ?)", (thing, number, link))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Stores everything inside at the end, or nothing of it after an exception."""
        with clear_errors(self.path):
            self._begin_writing()
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk may have ended it already
                    self._db.execute("ROLLBACK")
                raise
        self._require_place()
        self._checkpoint_now_and_then()

    def _begin_writing(self) -> None:
        """Begins a transaction; waits while another process locks the file (see `on_wait`)."""
        began = self._clock()
        while True:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                return
            except apsw.BusyError:
                waited = self._clock() - began
                if self.on_wait is not None:
                    self.on_wait(waited)
                elif waited >= _PATIENCE:
                    raise

    def _require_place(self) -> None:
        """If the file was moved or deleted, copies everything and raises LeagueMoved."""
        if self._identity is not None and not self._identity.unchanged():
            self._identity = None  # told once
            raise opening.keep_copy(self.path, self.backup)

    def _checkpoint_now_and_then(self) -> None:
        """Makes a checkpoint from time to time, so that a copy of only the file is never far behind."""
        began = self._clock()
        if began < self._checkpoint_at:
            return
        with suppress(apsw.Error):  # nothing is lost: the data is in the log beside the file
            self._db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        ended = self._clock()
        self._checkpoint_at = ended + max(_CHECKPOINT_EVERY, _CHECKPOINT_SHARE * (ended - began))

    def _require_running(self, tournament: int) -> None:
        rows = self._db.execute("SELECT finished FROM tournament WHERE id = ?", (tournament,)).fetchall()
        if not rows:
            raise self._unknown_tournament(tournament)
        if rows[0][0] is not None:
            raise TournamentFinished(
                f"tournament {tournament} of {self.path} is finished, so nothing can be added; start another"
            )


def _require_content(path: Path) -> None:
    """Raises EmptyLeague if the file is empty and no process writes it, LeagueBusy if one does."""
    lock = take_lock(path)
    try:
        opening.open_reader(path).close()
    finally:
        lock.release()


def _bring_up_to_date(old: OldLeague, path: Path) -> None:
    """Raises WrongLeagueVersion if that cannot be done, LeagueBusy while another process writes it."""
    try:
        League.create_or_open(path).close()
    except LeagueBusy as busy:
        raise LeagueBusy(f"{old}, and must be brought up to date: {busy}") from None
    except StoreError as problem:
        raise WrongLeagueVersion(f"{old}, and must be brought up to date: {problem}") from None


@contextmanager
def _no_contradiction() -> Iterator[None]:
    try:
        yield
    except (apsw.ConstraintError, OverflowError) as problem:
        raise Contradiction(f"what is to be stored contradicts itself ({problem})") from None


def _now() -> str:
    return datetime.now(UTC).isoformat()  # reading and writing it again does not change it


def _seat_row(result: SeatResult) -> tuple[int, ...]:
    """The values of the columns `SEAT`."""
    return (
        result.entrant,
        result.place,
        result.points,
        int(result.forfeit),
        *result.faults,
        result.decisions,
        result.time,
    )
