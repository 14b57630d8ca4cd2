"""The page's reader of a league file, in threads of its own, so that only the person who asked waits."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from arena.page.capacity import TokenBucket
from arena.page.pictures.replay import game_pictures
from arena.page.snapshot import Snapshot, snapshot_at
from arena.report.game_log import ONLOOKER
from arena.results import GameKey
from arena.runner.leagues.stored import record_of, season_of
from arena.runner.leagues.summary import summarize
from arena.store import League, StoredTournament, StoreError
from arena.text import one_line

_SHARE = 0.25  # of all time: for looks, and the views of them
_IN_HAND = 2.0  # seconds: as long as there are some whoever asks is told how it stands now
_INTERVALS_SHARE = 20
"""The intervals of ratings are computed anew for at most a 20th of the time."""

T = TypeVar("T")


class SnapshotFailed(Exception):
    """How a tournament stands cannot be computed, by a bug: it is the cause of this."""


class _Last(NamedTuple):
    """The id of the last tournament, in which file, and how long that was; None where there is none."""

    file: int
    length: int
    tournament: int | None


class _Failure(NamedTuple):
    """Why there was no look when the league had this length."""

    length: int
    bug: Exception


class Over(NamedTuple):
    """How a tournament ended: the place of each entrant, and its rating, None without one."""

    places: dict[int, int]
    ratings: dict[int, float | None]


class _Place(NamedTuple):
    """Which file a path named when it was opened."""

    device: int
    inode: int


class _Reader:
    """An open league, read by one thread at a time, and opened again where the file was replaced.

    Attributes:
        files: how many files it has opened so far.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._league: League | None = None
        self._place: _Place | None = None
        self.files = 0

    def read(self, ask: Callable[[League], T]) -> T:
        """What `ask` says of the league. Raises StoreError."""
        with self._lock:
            return ask(self._opened())

    def _opened(self) -> League:
        try:
            found = self._path.stat()
            place = _Place(found.st_dev, found.st_ino)
        except OSError:
            place = None
        if self._league is None or place != self._place:
            self.close()
            self._league = League.read(self._path)  # says what is wrong where it is not there
            self._place = place
            self.files += 1
        return self._league

    def close(self) -> None:
        """Closes the file."""
        if self._league is not None:
            self._league.close()
            self._league = None


class LeagueReader:
    """The tournaments of a league, read anew when the file has grown.

    Its methods wait for the disk and compute: they are for threads. Each
    raises StoreError where the league cannot be read.

    Args:
        path: the league file.

    Attributes:
        work: the time for computing how it stands, and the views of that.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.work = TokenBucket(_SHARE, _IN_HAND)
        self._last = _Last(0, -1, None)
        self._slow, self._quick = _Reader(path), _Reader(path)
        self._snapshots: dict[int, Snapshot] = {}
        self._failed: dict[int, _Failure] = {}
        self._looking = threading.Lock()
        self._before: dict[int, tuple[int, Mapping[tuple[int, int], int]]] = {}
        self._refined: dict[int, Snapshot] = {}  # with intervals
        self._refine_at: dict[int, float] = {}
        self._over: dict[int, Over] = {}
        self._known_of = 0  # of which file all that is
        self._told = ""

    @property
    def file(self) -> int:
        """Which file this is, counted from 1: it changes where the league was replaced by another."""
        return self._quick.files

    def length(self) -> int:
        """How many things the league holds."""
        return self._quick.read(lambda league: league.length())

    def ask(self, ask: Callable[[League], T]) -> T:
        """What `ask` says of the league, which takes no long time."""
        return self._quick.read(ask)

    def last(self) -> int | None:
        """The id of the last tournament; None where there is none yet."""
        length = self.length()
        if (self.file, length) != self._last[:2]:
            newest = self.newest()
            self._last = _Last(self.file, length, newest.id if newest else None)
        return self._last.tournament

    def newest(self) -> StoredTournament | None:
        """The last tournament; None where there is none yet."""
        return next(reversed(self.tournaments()), None)

    def tournaments(self) -> list[StoredTournament]:
        """All tournaments, oldest first."""
        return self._quick.read(lambda league: league.tournaments())

    def season(self) -> list[StoredTournament]:
        """Those that count in the season, oldest first."""
        return self._quick.read(season_of)

    def known(self, tournament: int | None) -> Snapshot | None:
        """How a tournament (the last one for None) stood a moment ago, where that must do; reads nothing."""
        number = self._last.tournament if tournament is None else tournament
        return None if number is None or not self.work.empty else self._snapshots.get(number)

    def snapshot(self, tournament: int) -> Snapshot:
        """How a tournament stands now, or a moment ago if much was computed lately. Raises SnapshotFailed."""
        with self._looking:
            known = self._snapshots.get(tournament)
            if known is not None and self.work.empty:
                return known
            length = self.length()
            self._forget_another_file()
            known = self._snapshots.get(tournament)
            if known is not None and (known.finished or known.length == length):
                return known
            failed = self._failed.get(tournament)
            if failed is not None and (failed.length == length or self.work.empty):
                raise SnapshotFailed from failed.bug
            with self.work.spending():
                return self._look_anew(tournament, known, length)

    def _forget_another_file(self) -> None:
        """Forgets what is known where the league was replaced."""
        if self._known_of != self.file:
            self._known_of = self.file
            for known in (self._snapshots, self._before, self._refined, self._refine_at, self._over):
                known.clear()
            self._failed.clear()

    def _look_anew(self, tournament: int, known: Snapshot | None, length: int) -> Snapshot:
        try:
            snapshot = self._computed(tournament, length, intervals=False)
        except SnapshotFailed:
            self._snapshots.pop(tournament, None)
            raise
        self._remember_ranks(tournament, known, snapshot)
        self._snapshots[tournament] = snapshot = snapshot.with_ratings_of(self._refined.get(tournament))
        return snapshot

    def _computed(self, tournament: int, length: int, *, intervals: bool) -> Snapshot:
        try:
            return self._slow.read(lambda league: snapshot_at(league, tournament, intervals=intervals))
        except StoreError:
            raise
        except Exception as bug:
            self._failed[tournament] = _Failure(length, bug)
            raise SnapshotFailed from bug

    def refine(self, tournament: int) -> bool:
        """Computes the intervals of the ratings, where they are old and that is not too much work.

        Returns whether they are new. Raises SnapshotFailed.
        """
        known, refined = self._snapshots.get(tournament), self._refined.get(tournament)
        begun = time.monotonic()
        if known is None or known.summary is None or (refined and refined.length == known.length):
            return False
        if begun < self._refine_at.get(tournament, 0.0) and not known.finished:
            return False
        if tournament in self._failed and self._failed[tournament].length == known.length:
            return False
        snapshot = self._computed(tournament, known.length, intervals=True)
        now = time.monotonic()
        self._refine_at[tournament] = now + _INTERVALS_SHARE * (now - begun)
        with self._looking:
            self._refined[tournament] = snapshot
            self._snapshots[tournament] = snapshot
        return True

    def _remember_ranks(self, tournament: int, known: Snapshot | None, snapshot: Snapshot) -> None:
        """Keeps the ranks as they were when the last round was over."""
        over = len(snapshot.rounds_over)
        if known is not None and over > len(known.rounds_over):
            self._before[tournament] = (over, known.ranks)

    def ranks_before(self, tournament: int) -> Mapping[tuple[int, int], int]:
        """`Look.ranks` as they were before the last round was over, as far as they are known."""
        return self._before.get(tournament, (0, {}))[1]

    def over(self, tournament: int) -> Over:
        """How a tournament that is finished ended."""
        with self._looking:
            known = self._over.get(tournament)
        if known is None:
            known = self._slow.read(lambda league: _over(league, tournament))
            with self._looking:
                self._over[tournament] = known
        return known

    def game(self, tournament: int, key: GameKey) -> int:
        """The running number of a game. Raises UnknownGame."""
        return self._quick.read(lambda league: league.game_number(tournament, key))

    def pictures(self, number: int, view: int | None) -> dict[str, Any]:
        """A finished game as pictures; see `game_pictures`. Raises UnknownGame, BrokenRecord, IndexError."""
        return self._quick.read(lambda league: _pictures(league, number, view))

    def told(self, problem: Exception) -> str:
        """What is wrong with the league, in words for everybody: the file is called by its name alone.

        Where it lies is for the host: the terminal is told all of it, once until something else is wrong.
        """
        said = one_line(str(problem))
        if said != self._told:
            self._told = said
            sys.stderr.write(f"page: {said}\n")
        return self.by_name(said)

    def by_name(self, said: str) -> str:
        """A text in which the league file is called by its name alone."""
        for path in (self.path, self.path.absolute(), self.path.resolve()):
            said = said.replace(str(path), self.path.name)
        return said

    def close(self) -> None:
        """Closes the file."""
        self._slow.close()
        self._quick.close()


def _over(league: League, tournament: int) -> Over:
    summary = summarize(league, tournament, intervals=False)
    return Over(
        {line.entrant: line.place for line in summary.final},
        {rating.entrant: rating.rating for rating in summary.ratings},
    )


def _pictures(league: League, number: int, view: int | None) -> dict[str, Any]:
    league.require_sound(game=number)
    stored = league.game(number)
    entrants = league.tournament(stored.tournament).entrants
    names = [entrants[seat.entrant].name for seat in stored.result.seats]
    if view is not None and view != ONLOOKER and not 0 <= view < len(names):
        raise IndexError(view)
    record = record_of(stored)
    if view == ONLOOKER:  # who is told no words of faults, for they may tell of a hand
        wordless = [(seat, step, fault._replace(message="")) for seat, step, fault in record.faults]
        record = record._replace(faults=tuple(wordless))
    return game_pictures(record, names, view)
