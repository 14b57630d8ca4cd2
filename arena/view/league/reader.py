"""The page's reader of a league file. It reads the disk and computes, so only threads call it."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from arena.league.store import League, StoredTournament, StoreError
from arena.league.store.analyses import analyses_path
from arena.league.stored import course_of, record_of, season_of, thoughts_of
from arena.league.summary import (
    LadderSummary,
    Summary,
    Unplaced,
    night_of,
    strengths_of,
    summarize,
    summary_of,
)
from arena.report.game_log import ONLOOKER, game_steps
from arena.results import GameKey
from arena.standings.season import Night
from arena.standings.titles import Upset, upsets
from arena.standings.values import Rating
from arena.table.record import Record, Thought
from arena.text import one_line
from arena.token_bucket import TokenBucket
from arena.view.league.snapshot import Followed, Snapshot, snapshot_at
from arena.view.newest import Newest
from arena.view.pictures.emblem import Emblem, emblems_in
from arena.view.pictures.replay import game_pictures

if TYPE_CHECKING:
    from arena.standings.season_ratings import SeasonRatings

_SHARE = 0.25  # the share of all time for snapshots, and the views of them
_IN_HAND = 2.0  # seconds: while some are left, every request gets the standings of now
_PODIUM = timedelta(minutes=30)  # how long a night that is over is shown before the ladder is
_MOST_KNOWN = 64  # finished tournaments of which snapshots are kept: those that were asked for last
_MOST_FOLLOWED = 8  # tournaments whose games need not be read again from the first
_MOST_PAST = 100  # earlier moments of which ratings are kept, more than a season has
_INTERVALS_SHARE = 20
"""The largest share of the time in which the intervals of ratings are computed again."""

T = TypeVar("T")


def to_terminal(lines: str) -> None:
    """Prints lines as errors, at once."""
    sys.stderr.write(lines)
    sys.stderr.flush()


class ComputingTime:
    """A token bucket of seconds for computing. Its methods may be called in any thread.

    Args:
        share: the share of all time that may be spent.
        most: the capacity of the bucket, in seconds.
    """

    def __init__(self, share: float, most: float) -> None:
        self._bucket = TokenBucket(most, share, time.monotonic(), least=-most)
        self._lock = threading.Lock()

    @property
    def empty(self) -> bool:
        """Whether more time was spent than the bucket held."""
        return not self._take(0.0)

    @contextlib.contextmanager
    def spending(self) -> Iterator[None]:
        """Takes the time spent in this context from the bucket."""
        self._take(0.0)  # so that no more than the capacity is saved up
        begun = time.monotonic()
        try:
            yield
        finally:
            self._take(time.monotonic() - begun)

    def _take(self, seconds: float) -> bool:
        with self._lock:
            return self._bucket.spend(seconds, 0.0, time.monotonic())


class Over(NamedTuple):
    """How a tournament ended: the place and the rating of each entrant; without a decision it has no place.

    `upsets` are the largest ones of entrants that are ranked, or were until they were withdrawn. `ladder` is
    the summary of a ladder without its stages, whose crosstables are large; None of another.
    """

    places: dict[int, int]
    ratings: dict[int, Rating]
    upsets: dict[int, Upset]
    ladder: LadderSummary | None


@dataclass(slots=True)
class _Known:
    """The cache of a tournament.

    Attributes:
        snapshot: the last snapshot.
        refined: the last snapshot with intervals of ratings, or the last one for which computing them failed.
        refine_at: the earliest moment at which the intervals may be computed again.
        ranks_before: `Snapshot.ranks` before the last round was over.
    """

    snapshot: Snapshot | None = None
    refined: Snapshot | None = None
    refine_at: float = 0.0
    ranks_before: Mapping[tuple[int, int], int] = field(default_factory=dict)


class _File:
    """An open league, read by one thread at a time, and opened again if the file was replaced.

    Attributes:
        opened: the number of files that it has opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._league: League | None = None
        self._place: tuple[int, int] | None = None  # device and inode
        self.opened = 0

    def read(self, ask: Callable[[League], T]) -> T:
        """The result of `ask` for the league. Raises StoreError."""
        with self._lock:
            place = None
            with contextlib.suppress(OSError):
                found = self._path.stat()
                place = found.st_dev, found.st_ino
            if self._league is None or place != self._place:
                self.close()
                # Says so if there is no file. No page sees what the host has not shown.
                self._league = League.read(self._path, only_shown=True)
                self._place = place
                self.opened += 1
            assert self._league.shown is not None
            self._league.shown.look()
            return ask(self._league)

    def close(self) -> None:
        """Closes the file."""
        if self._league is not None:
            self._league.close()
            self._league = None


class LeagueReader:
    """The tournaments of a league, read again when the file has grown.

    Its methods are for threads. Each raises StoreError if the league cannot be read.

    Args:
        path: the league file.
        private: whether the words of faults, which may tell what a bot printed, and the times of decisions
            are for a bot's author alone.
        comes_later: whether the file may come while it is read already, with the first tournament.
        say: tells the host lines about the league.

    Attributes:
        private, comes_later, say: the same.
        work: the time for computing snapshots, and the views of them.
    """

    def __init__(
        self,
        path: Path,
        *,
        private: bool = False,
        comes_later: bool = False,
        say: Callable[[str], None] = to_terminal,
    ) -> None:
        self.path = path
        self.private, self.comes_later, self.say = private, comes_later, say
        self.work = ComputingTime(_SHARE, _IN_HAND)
        self._slow, self._quick = _File(path), _File(path)
        self._looking = threading.Lock()
        self._running: dict[int, _Known] = {}  # by tournament
        self._finished: Newest[int, _Known] = Newest(_MOST_KNOWN)
        self._over: dict[int, Over] = {}  # by tournament
        self._known_of = 0  # the file to which the caches belong
        self._followed: Newest[int, Followed] = Newest(_MOST_FOLLOWED)  # by tournament; only for `_slow`
        self._followed_of = 0  # the file to which they belong
        self._last: tuple[int, int, int | None] = (0, -1, None)  # see `last`: file, length, tournament
        self._told = ""
        self._season: tuple[tuple[int, tuple[int, ...]], tuple[Sequence[Night], SeasonRatings]] | None = None
        self._past: Newest[tuple[int, int, datetime], Mapping[int, Rating]] = Newest(_MOST_PAST)
        self._first: dict[tuple[int, datetime], int | None] = {}  # by tournament and moment

    @property
    def file(self) -> int:
        """The number of the file, from 1: it changes if another file replaces the league."""
        return self._quick.opened

    def ask(self, ask: Callable[[League], T]) -> T:
        """The result of `ask` for the league; `ask` takes little time."""
        return self._quick.read(ask)

    def length(self) -> int:
        """The length of the league (`League.length`)."""
        return self.ask(lambda league: league.length())

    def analysed(self) -> int:
        """A number that changes when an analysis is kept beside the league."""
        with contextlib.suppress(OSError):
            return analyses_path(self.path).stat().st_mtime_ns
        return 0

    def tournaments(self) -> list[StoredTournament]:
        """All tournaments, oldest first."""
        return self.ask(lambda league: league.tournaments())

    def newest(self) -> StoredTournament | None:
        """The last tournament that is unfinished, else the last one; None if there is none yet."""
        tournaments = self.tournaments()
        unfinished = [each for each in tournaments if each.finished is None]
        return next(reversed(unfinished or tournaments), None)

    def last(self) -> int | None:
        """The id of the tournament that the page shows; None if there is none yet.

        It is `newest`, but a night of a standing league is shown for a while when it is over and the ladder
        goes on.
        """
        length = self.length()
        if (self.file, length) != self._last[:2]:
            tournaments = self.tournaments()
            shown = self.newest()
            if tournaments and (over := tournaments[-1].finished) and datetime.now(UTC) - over < _PODIUM:
                shown = tournaments[-1]
            self._last = self.file, length, shown.id if shown else None
        return self._last[2]

    def known(self, tournament: int | None) -> Snapshot | None:
        """The last snapshot of a tournament (None: of the last one), if the page has no computing time left;
        else None. Reads nothing."""
        number = self._last[2] if tournament is None else tournament
        return None if number is None or not self.work.empty else self._of(number).snapshot

    def _of(self, tournament: int) -> _Known:
        return self._running.get(tournament) or self._finished.get(tournament) or _Known()

    def _keep(self, tournament: int, known: _Known) -> None:
        """Keeps what is known of a tournament. If too many are over, the oldest is forgotten."""
        assert known.snapshot is not None
        self._running.pop(tournament, None)
        kept = self._finished if known.snapshot.finished else self._running
        kept[tournament] = known

    def snapshot(self, tournament: int) -> Snapshot:
        """A snapshot of a tournament: of now, or the last one if no computing time is left."""
        with self._looking:
            before = self._of(tournament).snapshot
            if before is not None and self.work.empty:
                return before
            length = self.length()
            self._forget_other_files()
            known = self._of(tournament)
            before = known.snapshot
            if before is not None and (before.finished or before.length == length):
                self._keep(tournament, known)
                return before
            try:
                with self.work.spending():
                    snapshot = self._computed(tournament, intervals=False)
            except StoreError:
                raise
            except Exception:
                known.snapshot = None  # a bug: show an error rather than an old snapshot
                raise
            if before is not None and len(snapshot.rounds_over) > len(before.rounds_over):
                known.ranks_before = before.ranks
            known.snapshot = snapshot.with_ratings_of(known.refined)
            self._keep(tournament, known)
            return known.snapshot

    def _forget_other_files(self) -> None:
        """Forgets what was known of the league if another file has replaced it."""
        if self._known_of != self.file:
            self._known_of = self.file
            self._running.clear()
            self._finished.clear()
            self._over.clear()
            self._past.clear()
            self._first.clear()

    def _computed(self, tournament: int, *, intervals: bool) -> Snapshot:
        def read(league: League) -> Snapshot:
            if self._followed_of != self._slow.opened:
                self._followed_of = self._slow.opened
                self._followed.clear()
            followed = self._followed.get(tournament) or Followed(tournament)
            snapshot = snapshot_at(league, followed, intervals=intervals)
            self._followed[tournament] = followed
            return snapshot

        return self._slow.read(read)

    def refine(self, tournament: int) -> bool:
        """Computes the intervals of the ratings, if they are old and computing time is left.

        Returns whether they are new.
        """
        known = self._of(tournament)
        last, refined, begun = known.snapshot, known.refined, time.monotonic()
        if last is None or last.summary is None or (refined and refined.length == last.length):
            return False
        if begun < known.refine_at and not last.finished:
            return False
        known.refined = last  # so that a bug in it shows once
        snapshot = self._computed(tournament, intervals=True)
        now = time.monotonic()
        known.refine_at = now + _INTERVALS_SHARE * (now - begun)
        with self._looking:
            known.refined = known.snapshot = snapshot
        return True

    def ranks_before(self, tournament: int) -> Mapping[tuple[int, int], int]:
        """`Snapshot.ranks` before the last round was over, as far as they are known."""
        return self._of(tournament).ranks_before

    def over(self, tournament: int) -> Over:
        """How a finished tournament ended."""
        found = self._over.get(tournament)
        if found is None:
            with self.work.spending():
                found = self._over[tournament] = self._slow.read(lambda league: _over(league, tournament))
        return found

    def over_before(self, tournament: int) -> Over | None:
        """The same if it was asked for before. Reads nothing."""
        return self._over.get(tournament)

    def season(self) -> tuple[Sequence[Night], SeasonRatings]:
        """The tournaments of the league's season, and the ratings of its bots, computed once."""
        from arena.standings.season_ratings import season_ratings  # only here: NumPy takes long to load

        finished = self.ask(season_of)
        asked = self.file, tuple(stored.id for stored in finished)
        if self._season is None or self._season[0] != asked:
            with self.work.spending():
                nights = self._slow.read(lambda league: [night_of(league, stored) for stored in finished])
                self._season = asked, (nights, season_ratings(nights))
        return self._season[1]

    def ratings_at(self, tournament: int, at: datetime, *, compute: bool) -> Mapping[int, Rating]:
        """The ratings of a tournament as they were at a moment, by entrant.

        They are computed once, which takes long; without `compute` there are none until then.
        """
        asked = self.file, tournament, at
        if compute and asked not in self._past:
            with self.work.spending():
                summary = self._slow.read(lambda league: summarize(league, tournament, at))
            self._past[asked] = {rating.entrant: rating for rating in summary.ratings}
            self._first[tournament, at] = _first(summary)
        return self._past.get(asked, {})

    def first_at(self, tournament: int, at: datetime) -> int | None:
        """Who had the first place at a moment, as far as that is computed; None for nobody. Reads nothing."""
        return self._first.get((tournament, at))

    def look_at(self, tournament: int, at: datetime) -> bool:
        """Computes that, which takes long. Returns whether it is new."""
        if (tournament, at) in self._first:
            return False
        with self.work.spending():
            summary = self._slow.read(lambda league: summarize(league, tournament, at, intervals=False))
        self._first[tournament, at] = _first(summary)
        return True

    def game(self, tournament: int, key: GameKey) -> int:
        """The running number of a game. Raises UnknownGame."""
        return self.ask(lambda league: league.game_number(tournament, key))

    def pictures(self, number: int, view: int | None, thinking: Collection[int] = ()) -> dict[str, Any]:
        """A finished game as pictures; see `game_pictures`. Raises UnknownGame, BrokenRecord, IndexError.

        `thinking` are the seats whose thoughts may be told.
        """

        def read(league: League) -> dict[str, Any]:
            record, names = _game(league, number, view, self.private)
            made = game_pictures(record, names, view, _thoughts(league, number, thinking))
            made["emblems"] = [emblem.drawn for emblem in _emblems(league, number)]
            return made

        return self.ask(read)

    def log(self, number: int, view: int | None, thinking: Collection[int] = ()) -> list[str]:
        """A finished game as `arena replay` prints it; arguments and errors are those of `pictures`."""

        def read(league: League) -> list[list[str]]:
            record, names = _game(league, number, view, self.private)
            return [*game_steps(record, names, view, thoughts=_thoughts(league, number, thinking))]

        return [one_line(line) for lines in self.ask(read) for line in lines]

    def told(self, problem: Exception) -> str:
        """The words of a problem for browsers: with the name of the league file, without its folder.

        Only the terminal shows the folder, once until another problem occurs.
        """
        said = one_line(str(problem))
        if said != self._told:
            self._told = said
            self.say(f"page: {said}\n")
        return self.by_name(said)

    def by_name(self, said: str) -> str:
        """The text with the name of the league file in place of its path."""
        for path in (self.path, self.path.absolute(), self.path.resolve()):
            said = said.replace(str(path), self.path.name)
        return said

    def close(self) -> None:
        """Closes the file."""
        self._slow.close()
        self._quick.close()


def _over(league: League, tournament: int) -> Over:
    course = course_of(league, tournament)
    summary = summary_of(league, tournament, course, strengths_of(course))
    ranked = [each for each in summary.ratings if summary.unplaced.get(each.entrant) != Unplaced.PROVISIONAL]
    return Over(
        {line.entrant: line.place for line in summary.placed},
        {rating.entrant: rating for rating in summary.ratings},
        upsets(course.tally.results(), ranked),
        replace(summary, stages=()) if isinstance(summary, LadderSummary) else None,
    )


def _first(summary: Summary) -> int | None:
    return next((line.entrant for line in summary.placed if line.place == 1), None)


def _emblems(league: League, number: int) -> list[Emblem]:
    """The emblems of the bots of a finished game, by seat. Raises UnknownGame."""
    stored = league.game(number)
    tournament = league.tournament(stored.tournament)
    emblems = emblems_in(tournament)
    return [emblems[seat.entrant] for seat in stored.result.seats]


def _thoughts(league: League, number: int, seats: Collection[int]) -> list[dict[int, Thought]]:
    """What the bots of these seats thought in a game, by seat and turn. Raises BrokenRecord."""
    found = thoughts_of(league, number) if seats else ()
    return [each if seat in seats else {} for seat, each in enumerate(found)]


def _game(league: League, number: int, view: int | None, private: bool) -> tuple[Record, list[str]]:
    """A finished game and the names of its entrants by seat. Raises as `LeagueReader.pictures` does."""
    league.require_sound(game=number)
    stored = league.game(number)
    entrants = league.tournament(stored.tournament).entrants
    names = [entrants[seat.entrant].name for seat in stored.result.seats]
    if view is not None and view != ONLOOKER and not 0 <= view < len(names):
        raise IndexError(view)
    record = record_of(stored)
    if private or view == ONLOOKER:  # without the words of faults, which may tell a hand
        silent = [(seat, step, fault._replace(message="")) for seat, step, fault in record.faults]
        record = record._replace(faults=tuple(silent))
    return record, names
