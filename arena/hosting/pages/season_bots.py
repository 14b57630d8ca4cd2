"""The bots of a standing league in its running season, as the league file has them. Only threads call it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from glob import escape
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.bounded_log import end_of
from arena.checkup.analysed import kept_decisions
from arena.checkup.analysis.decision import mistakes_in
from arena.checkup.own_games import decision_times, session
from arena.hosting.database import Database, NewerDatabase, Version
from arena.hosting.place import Place
from arena.league.store import EntrantInfo, League, StoredTournament, StoreError, UnknownGame
from arena.league.store.analyses import AnalysesUnreadable, analyses_path
from arena.league.store.reading import Wanted
from arena.league.stored import ladders_of, record_of
from arena.league.summary import RANKED_FROM
from arena.results import GameKey, GameResult, StoredGame, seat_scores
from arena.standings.values import Rating
from arena.text import file_name, one_line
from arena.tournament.change import boards_of, change
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Snapshot
from arena.view.views import lists
from arena.view.views.faces import emblems, marks
from arena.view.views.history import how_it_went
from arena.view.views.standings import certain_words
from arena.view.views.titles import titles_of

_MOST_GAMES = 2000  # of a version, for its results
_SHOWN_GAMES = 200
_COMPARED_GAMES = 20_000
_TIMED_GAMES = 40  # games whose decisions are timed
_FAULTY_GAMES = 30
_LAST = 5  # results
_LOG = 200_000  # bytes
_MOMENTS = 24
_STEPS: Final = tuple(timedelta(hours=hours) for hours in (1, 2, 4, 8, 12, 24, 48, 96, 192, 384, 768))


class BotOf:
    """Finds the bot of which an entrant is a version, by the folder of the entrant's bot. For threads.

    It reads the database only for a folder that it has not seen yet.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._names: dict[str, str] = {}

    def __call__(self, entrant: EntrantInfo) -> str:
        """The name of the bot; empty for a bot that no author submitted."""
        if entrant.bot not in self._names:
            with suppress(FileNotFoundError, NewerDatabase), Database(self._place.database) as database:
                versions = database.versions_by_bot()
                self._names |= {
                    str(self._place.bot(version.id)): bot.name
                    for bot in database.bots()
                    for version in versions.get(bot.id, ())
                }
            self._names.setdefault(entrant.bot, "")
        return self._names[entrant.bot]


class Entry(NamedTuple):
    """A version of a bot in a season, or a bot of the host.

    Attributes:
        number: the version; 0 for a bot of the host.
        entrant: its number as an entrant.
        rating: its rating; None without one.
        games: how many games it has played.
        provisional: whether it has played too little for its rating to mean much.
    """

    number: int
    entrant: int
    rating: Rating | None
    games: int
    provisional: bool


class Scored(NamedTuple):
    """The games against an opponent or of a kind: their number and the mean score, from 0 to 1."""

    what: str
    games: int
    score: float


class Season(NamedTuple):
    """A season: its snapshot. Entrants are found by the folders of their bots."""

    reader: LeagueReader
    place: Place
    snapshot: Snapshot

    @property
    def id(self) -> int:
        """The id of its tournament."""
        return self.snapshot.tournament.id

    def entry(self, version: Version) -> Entry | None:
        """A version in the season, since it plays the last time; None if it never played in it."""
        return self._entry(self.place.bot(version.id), version.number)

    def house_entry(self, folder: Path) -> Entry | None:
        """The last entry of a bot of the host in the season; None if it never entered.

        `folder`: as in league.toml.
        """
        return self._entry(self.place.house_bot(folder), 0)

    def page_of(self, entry: Entry) -> str:
        """The address of the page with the matches of an entry in the season."""
        return f"/nights/{self.id}/bots/{entry.entrant + 1}"

    def _entry(self, folder: Path, number: int) -> Entry | None:
        entrants = enumerate(self.snapshot.tournament.entrants)
        found = max((at for at, each in entrants if Path(each.bot) == folder), default=None)
        summary = self.snapshot.summary
        if found is None or summary is None:
            return None
        row = next((each for each in summary.rows if each.entrant == found), None)
        rating = next((each for each in summary.ratings if each.entrant == found), None)
        if rating is not None and rating.rating is None:
            rating = None
        games = sum(each.games for each in row.games) if row else 0
        least = min((each.games for each in row.games), default=0) if row else 0
        seats = self.snapshot.plan.stages[0].seats
        return Entry(number, found, rating, games, rating is None or least < RANKED_FROM * seats)

    def entries(self, versions: Sequence[Version]) -> list[Entry]:
        """Those of some versions that have played in the season, in their order."""
        return [entry for version in versions if (entry := self.entry(version)) is not None]

    # --- For everybody ---

    def results(self, entry: Entry, bot_of: BotOf) -> tuple[list[Scored], list[Scored]]:
        """The results of a version by opponent and by game, the worst first, from its last games.

        An opponent is a bot with all its versions, of which several may have played in the season.
        """
        opponents: dict[str, list[Fraction]] = defaultdict(list)
        games: dict[str, list[Fraction]] = defaultdict(list)
        names = [bot_of(each) or each.name for each in self.snapshot.tournament.entrants]
        for result in self._games(entry):
            score = _score(result, entry.entrant)
            opponents[_opponents(result, entry, names)].append(score)
            games[result.key.game].append(score)
        return _worst_first(opponents), _worst_first(games)

    def games(self, entries: Sequence[Entry]) -> list[dict[str, Any]]:
        """The last games of versions whose cards may be shown: key, opponent, score, faults, version.

        With those that it lost come its mistakes, if the analysis of the game is kept; else null.
        """
        shown = [
            (entry, result)
            for entry in entries
            for result in reversed(self._games(entry, _SHOWN_GAMES))
            if self.snapshot.shows_hands(result.key)
        ][:_SHOWN_GAMES]
        mistakes = self._mistakes(shown)
        return [
            {
                "game": f"{self.id}/{result.key}",
                "version": entry.number,
                "opponent": _opponents(result, entry, self.snapshot.names),
                "score": float(_score(result, entry.entrant)),
                "faults": sum(result.seats[result.seat_of(entry.entrant)].faults),
                "mistakes": mistakes.get(result.key),
            }
            for entry, result in shown
        ]

    def _mistakes(self, shown: Sequence[tuple[Entry, GameResult]]) -> dict[GameKey, list[dict[str, Any]]]:
        """The mistakes in those games that were lost and whose analysis is kept."""
        lost = [(entry, result) for entry, result in shown if _score(result, entry.entrant) < 0.5]
        if not analyses_path(self.reader.path).exists():
            return {}

        def read(league: League) -> list[tuple[bytes, int]]:
            numbers = [league.game_number(self.id, result.key) for _, result in lost]
            seats = [result.seat_of(entry.entrant) for entry, result in lost]
            return [(league.game(number).record, seat) for number, seat in zip(numbers, seats, strict=True)]

        try:
            kept = kept_decisions(self.reader.path, self.reader.ask(read))
        except AnalysesUnreadable:
            return {}
        return {
            result.key: [each._asdict() for each in mistakes_in(decisions)]
            for (_, result), decisions in zip(lost, kept, strict=True)
            if decisions is not None
        }

    def ratings_over_time(self, entries: Sequence[Entry]) -> list[tuple[str, int, Rating]]:
        """The rating of a bot at moments of the season, as far as they are computed: day, version, rating."""
        found = []
        for at in looks(self.snapshot.tournament):
            if (known := self.rating_at(entries, at)) is not None:
                found.append((at.strftime("%d %b %H:%M"), *known))
        if entries and entries[0].rating is not None:
            found.append(("now", entries[0].number, entries[0].rating))
        return found

    def rating_at(self, entries: Sequence[Entry], at: datetime) -> tuple[int, Rating] | None:
        """The version of a bot that played at a moment, and its rating; None where that is not computed.

        `entries`: its versions, the newest first.
        """
        ratings = self.reader.ratings_at(self.id, at, compute=False)
        for entry in entries:  # of two versions the newer one plays
            rating = ratings.get(entry.entrant)
            if rating is not None and rating.rating is not None:
                return entry.number, rating
        return None

    def face_of(self, entry: Entry) -> dict[str, Any]:
        """An entry as the ladder shows it: its place, certain places, language, emblem, and last results.

        The emblem is its hue and its path. The results are won, lost or level, the newest first.
        """
        summary = self.snapshot.summary
        assert summary is not None  # there is an entry
        place = self.snapshot.places.get(entry.entrant)
        mark = marks(self.snapshot)[entry.entrant]
        return {
            "place": place,
            "certain": certain_words(summary).get(entry.entrant, "") if place is not None else "",
            "language": mark.title if mark else "",
            "emblem": emblems(self.snapshot)[entry.entrant].drawn,
            "last": [
                how_it_went(result.seats, entry.entrant).kind
                for result in reversed(self._games(entry, _LAST))
            ],
        }

    # --- For the bot's author ---

    def change(self, new: Entry, old: Entry) -> str:
        """What the season knows of a change."""
        summary = self.snapshot.summary
        assert summary is not None  # there are entries
        games = (result for each in (old, new) for result in self._games(each, _COMPARED_GAMES))
        with self.reader.work.spending():
            found = change(boards_of(games), summary.groups, new.entrant, old.entrant)
        return found.sentence(f"version {new.number}", f"version {old.number}")

    def faults(self, entries: Sequence[Entry]) -> list[dict[str, Any]]:
        """The last faults of versions with their evidence: game, kind, turn, and words.

        The words may tell a hand, so they are shown when the hands are.
        """
        return [fault for entry in entries for fault in self._faults(entry)]

    def _faults(self, entry: Entry) -> list[dict[str, Any]]:
        wanted = Wanted(entrant=entry.entrant, faults=True)

        def read(league: League) -> list[StoredGame]:
            return [league.game(number) for number, _ in league.newest_games(self.id, wanted, _FAULTY_GAMES)]

        found = []
        for stored in self.reader.ask(read):
            key, record, seat = stored.result.key, record_of(stored), stored.result.seat_of(entry.entrant)
            told = self.snapshot.shows_hands(key)
            found += [
                {
                    "version": entry.number,
                    "game": f"{self.id}/{key}",
                    "kind": fault.reason,
                    "turn": fault.turn,
                    "step": step,
                    "message": one_line(fault.message) if told else "",
                    "forfeit": seat in record.forfeits,
                }
                for who, step, fault in record.faults
                if who == seat
            ]
        return found

    def times(self, entry: Entry) -> list[dict[str, Any]]:
        """The time of a decision by kind of game, in milliseconds, from the last games of a version.

        It has the median, the 95th and 99th percentile, the longest, and the clock's limit and bank.
        """
        times: dict[str, list[int]] = defaultdict(list)

        def read(league: League) -> None:
            for number, _ in league.newest_games(self.id, Wanted(entrant=entry.entrant), _TIMED_GAMES):
                stored = league.game(number)
                seat = stored.result.seat_of(entry.entrant)
                times[stored.result.key.game] += decision_times(stored, seat)

        with self.reader.work.spending():
            self.reader.ask(read)
        clock = self.snapshot.plan.clock_of(entry.entrant)
        return [
            {
                "game": game,
                "decisions": len(each),
                **{f"p{part}": _part(sorted(each), part) for part in (50, 95, 99)},
                "longest": max(each) / 1e6,
                "limit": clock.move / 1e6,
                "bank": clock.bank / 1e6,
            }
            for game, each in sorted(times.items())
            if each
        ]

    def estimates(self, entry: Entry, *, own: bool) -> dict[str, Any] | None:
        """How well a version's own estimates hold; None if it gave none, or for people who may not see them.

        Its author may, and everybody where the season shows what bots thought.
        """
        if not (own or self.snapshot.plan.show_thoughts):
            return None
        with self.reader.work.spending():
            return lists.estimates(self.reader, self.snapshot, entry.entrant)

    def memory(self, entry: Entry) -> dict[str, int | None] | None:
        """The most memory that an instance of a version has used, and the limit, in bytes; None if unknown.

        Without a limit, that is None. On this machine only: other computers of a cluster keep theirs.
        """
        log = self._log_of(entry)
        found = []
        for path in (log, *log.parent.glob(f"{escape(log.stem)}#*.log")):
            with suppress(OSError, ValueError):
                peak, limit = map(int, path.with_suffix(".memory").read_text("ascii").split())
                found.append((peak, limit))
        return {"peak": max(found)[0], "limit": max(found)[1] or None} if found else None

    def log(self, entries: Sequence[Entry]) -> str:
        """The end of what the instances of the newest version that wrote anything printed."""
        for entry in entries:
            path = self._log_of(entry)
            if path.is_file():
                return end_of(path, _LOG)
        return ""

    def _log_of(self, entry: Entry) -> Path:
        name = self.snapshot.tournament.entrants[entry.entrant].name
        return self.reader.path.with_suffix(".logs") / f"{file_name(name)}.log"

    def _games(self, entry: Entry, most: int = _MOST_GAMES) -> list[GameResult]:
        """The last games of a version, the oldest first."""
        wanted = Wanted(entrant=entry.entrant)
        newest = self.reader.ask(lambda league: league.newest_games(self.id, wanted, most))
        return [result for _, result in reversed(newest)]


def season_of(reader: LeagueReader, place: Place) -> Season | None:
    """The running season, or the last one; None before the first. Raises StoreError."""
    if not reader.path.exists():
        return None
    ladder = next(ladders_of(reversed(reader.tournaments())), None)
    return None if ladder is None else Season(reader, place, reader.snapshot(ladder.id))


def titles_in(reader: LeagueReader, bot: str, bot_of: BotOf) -> dict[str, Any]:
    """The titles of a bot in all nights and seasons of the league; see `titles_of`."""
    if not reader.path.exists():
        return titles_of(reader, (), bot, lambda each: each.name)
    every = reader.tournaments()
    ladders = {stored.id for stored in ladders_of(every)}
    counted = [stored for stored in every if stored.finished or stored.id in ladders]
    return titles_of(reader, counted, bot, lambda each: bot_of(each) or each.name, ladders, looks)


def looks(season: StoredTournament) -> list[datetime]:
    """The moments of a season at which its ratings and its first place are looked at."""
    return moments(season.started, season.finished or datetime.now(UTC))


def session_of_game(
    reader: LeagueReader, place: Place, tournament: int, key: GameKey, versions: Sequence[Version]
) -> list[dict[str, Any]] | None:
    """What one of these versions was sent in a game.

    None if there is no such game, or its cards may not be shown yet. Raises StoreError, BrokenRecord.
    """
    try:
        snapshot = reader.snapshot(tournament)
        number = reader.game(tournament, key)
    except (UnknownGame, StoreError):
        return None
    if not snapshot.shows_hands(key):
        return None
    stored = reader.ask(lambda league: league.game(number))
    entrants, folders = snapshot.tournament.entrants, {place.bot(version.id) for version in versions}
    for seat, each in enumerate(stored.result.seats):
        if Path(entrants[each.entrant].bot) in folders:
            return reader.ask(lambda league: session(league, stored, seat))  # noqa: B023 - called at once
    return None


def moments(begun: datetime, now: datetime) -> list[datetime]:
    """Moments of a season at equal distances, of which there are at most so many as a line can show."""
    step = next((each for each in _STEPS if (now - begun) / each <= _MOMENTS), _STEPS[-1])
    return [begun + step * number for number in range(1, int((now - begun) / step) + 1)]


def _score(result: GameResult, entrant: int) -> Fraction:
    return seat_scores([seat.place for seat in result.seats])[result.seat_of(entrant)]


def _opponents(result: GameResult, entry: Entry, names: Sequence[str]) -> str:
    """The opponents of a version in a game; `names` has one for each entrant."""
    return ", ".join(names[seat.entrant] for seat in result.seats if seat.entrant != entry.entrant)


def _worst_first(scores: dict[str, list[Fraction]]) -> list[Scored]:
    found = [Scored(what, len(each), float(sum(each) / len(each))) for what, each in scores.items()]
    return sorted(found, key=lambda each: (each.score, -each.games, each.what))


def _part(times: Sequence[int], part: int) -> float:
    """The time in milliseconds that so many of a hundred decisions do not exceed."""
    return times[min(len(times) - 1, len(times) * part // 100)] / 1e6
