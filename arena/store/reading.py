"""Reading a league file: everything that can be asked of an open one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import apsw

from arena.results import GameResult
from arena.store import damage, soundness
from arena.store.chain import Field, decision_fields, end_fields, game_fields, tournament_fields
from arena.store.errors import LeagueNotWritable, UnknownTournament, clear_errors, damaged
from arena.store.lists import Lists
from arena.store.opening import make_private
from arena.store.played_games import KEY, SEAT, game_key, seat_result
from arena.store.values import (
    Begun,
    ChainedGame,
    ChainEntry,
    Ended,
    Event,
    FinishedGame,
    Recorded,
    StoredDecision,
    StoredTournament,
)


class Reading(Lists):
    """All that can be read of an open league file, by its reader or its writer: also its chain."""

    def __init__(self, path: Path, db: apsw.Connection) -> None:
        super().__init__(path, db)
        self._file_is_sound = False  # as far as is known

    def backup(self, copy: Path) -> None:
        """Writes a consistent copy of the league to a new file, also while another process writes it.

        The copy is as the league was at one moment. Raises LeagueNotWritable
        where there is such a file already or it cannot be made; DiskFull.
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
        """What is in the hash chain, in its order, with the games (see `chain`).

        All of it, or what is at the positions from `first` to `last`.
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
                    there = [seat[15:] for seat in seats if seat[15] is not None]
                    key, (reason, record, times, recorded) = game_key(rest[:6], there), rest[6:10]
                    results = tuple(map(seat_result, there))
                    game = ChainedGame(tournament, GameResult(key, results, reason), record, times, recorded)
                decision = self._decision(number) if thing == "decision" else None
                yield ChainEntry(position, thing, number, link, game, decision)

    def fields(self, entry: ChainEntry) -> Iterator[Field] | None:
        """What the link of a chain's entry covers; None where that is not there. Raises UnknownTournament."""
        if entry.thing == "game":
            return None if entry.game is None else game_fields(entry.id, *entry.game)
        if entry.thing == "decision":
            return None if entry.decision is None else decision_fields(entry.id, *entry.decision)
        stored, key = self.tournament(entry.id), self.tournament_key(entry.id)
        if entry.thing == "tournament":
            return tournament_fields(entry.id, stored.info(key), stored.started.isoformat())
        return end_fields(entry.id, key, stored.finished.isoformat() if stored.finished else "")

    def _decision(self, number: int) -> StoredDecision | None:
        row = self._db.execute(
            "SELECT tournament, decision, reason, decided FROM decision WHERE number = ?", (number,)
        ).fetchone()
        return None if row is None else StoredDecision(*row)

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
            elif entry.decision is not None and entry.decision.tournament in finished:
                yield entry.decision
            elif entry.thing in ("tournament", "end") and entry.id in finished:
                yield _beginning_or_end(entry.thing, finished[entry.id])

    def counts(self) -> dict[str, int]:
        """How many rows there are of each kind of thing in the chain."""
        with self.snapshot():
            return {
                "tournament": self._db.execute("SELECT count(*) FROM tournament").get,
                "game": self._db.execute("SELECT count(*) FROM game").get,
                "decision": self._db.execute("SELECT count(*) FROM decision").get,
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

    def require_sound(self, tournament: int | None = None, game: int | None = None) -> None:
        """Checks what is about to be read; raises DamagedLeague where it is not as it was stored.

        The file itself is checked, and, where they are given, all that is stored
        of a tournament or of a game (see `soundness`).
        """
        with self.snapshot():
            if not self._file_is_sound:
                self._require_none(soundness.of_file(self._db))
                self._file_is_sound = True
            if tournament is not None:
                self._require_none(soundness.of_tournament(self, self._db, tournament))
            if game is not None:
                self._require_none(soundness.of_game(self, self._db, game))

    def _require_none(self, problems: Iterator[str]) -> None:
        for what in problems:
            raise damaged(self.path, what)


def _beginning_or_end(thing: str, stored: StoredTournament) -> Begun | Ended:
    """The event of a finished tournament that the chain calls `thing`."""
    assert stored.key is not None
    assert stored.finished is not None
    if thing == "end":
        return Ended(stored.id, stored.finished.isoformat())
    return Begun(stored.id, stored.info(stored.key), stored.started.isoformat())
