"""Converts between a league file and plans, rulings, courses, results and records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from arena.comparison.baseline import require_baselines
from arena.comparison.luck import luck_of
from arena.formats.ladder import LadderFormat
from arena.league.entrants import Entrant, WrongEntrant, entrant_again, require_folder, started
from arena.league.store import FinishedGame, League, StoredTournament
from arena.league.tournament_file import (
    TournamentFile,
    TournamentFileError,
    entrant_tables,
    folder_of,
    read_concurrency,
    read_trust,
)
from arena.link.local.sandbox import Asked, Level, Trust, usual
from arena.link.wire.messages import (
    decode_record,
    decode_thoughts,
    encode_record,
    encode_thoughts,
    encode_times,
)
from arena.processes.tuning import rare_collections
from arena.results import FAULT_REASONS, GameKey, GameResult, SeatResult, StoredGame, seat_scores
from arena.standings.calibration import Calibration, calibration_of
from arena.table.record import Record, Thought
from arena.text import shell_word
from arena.tournament.course import Course, Due
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan, plan_of_file, read_plan
from arena.tournament.rulings import Admit, Ruling, Withdraw, effects_of, read_ruling

if TYPE_CHECKING:  # else the page would load what plays games
    from arena.tournament.seating import Played


def stored_tournament(league: League, stored: StoredTournament, asked: Asked | None = None) -> TournamentFile:
    """A stored tournament that goes on: its plan and its bots, from the folders where they were.

    Nothing is read of bots that play no more.

    Args:
        league: the league.
        stored: the tournament.
        asked: the sandbox level of all bots that the referee starts; None for the last noted one, even if the
            command line had set it.

    Raises UnknownPlan, and TournamentFileError if a bot that plays on cannot be used any more.
    """
    text, path, plan = stored.file_text, stored.file_path, plan_of(stored)
    asked = asked or _noted(league, stored)
    trust = read_trust(text, path, asked)
    tables = entrant_tables(text, path)
    admitted = [ruling for ruling in rulings_of(league, stored.id) if isinstance(ruling, Admit)]
    effects = stored_effects(league, stored.id)
    gone = _gone(league, stored, plan, effects)
    entrants: list[Entrant] = []
    for number, who in enumerate(stored.entrants):
        if number in gone:
            entrants.append(Entrant(who.name, join=not who.bot))
            continue
        try:
            if number < len(tables):
                table, folder = tables[number], folder_of(path)
                entrants.append(entrant_again(table, who.name, folder, plan.games, trust, asked))
            else:
                late = admitted[number - len(tables)]
                if late.how == "bot":
                    require_folder(Path(late.source))
                entrants.append(late_entrant(late, plan.games, trust))
        except WrongEntrant as problem:
            out = way_out(league.path, plan, effects, [who.name])
            raise TournamentFileError(f"{who.name} cannot play on: {problem.repaired}, or {out}") from None
    concurrency = read_concurrency(text, path)
    return TournamentFile(path, text, plan, concurrency, tuple(entrants), trust, gone=gone)


def _gone(league: League, stored: StoredTournament, plan: Plan, effects: Effects) -> Collection[int]:
    """The numbers of the entrants that play no more: all of them if the tournament is over."""
    over = effects.ended or (plan.first.ends_by_itself and course_of(league, stored.id).over)
    return range(effects.entrants) if over else effects.withdrawn.keys()


def way_out(league: Path, plan: Plan, effects: Effects, names: Sequence[str]) -> str:
    """What a host can do about entrants of a stored tournament that cannot play on, with a command to copy.

    Args:
        league: the league file.
        plan, effects: of the tournament.
        names: the names of these entrants.
    """
    word = shell_word(league)
    if not Withdraw.leaves_enough(plan, effects, len(names)):
        return f"end the tournament: arena host end {word}"
    them = "it" if len(names) == 1 else "them, such as"
    return f"withdraw {them}: arena host withdraw {word} {shell_word(names[0])}"


def _noted(league: League, stored: StoredTournament) -> Asked | None:
    """The last sandbox level of all started bots; None if they differ, or none is noted.

    The usual level is no demand unless the file makes it one: this machine may offer less of it than the one
    where it was noted.
    """
    levels = set(stored_effects(league, stored.id).contained) - {""}
    if len(levels) != 1:
        return None
    level = Level(levels.pop())
    return Asked(level, level is not usual() or read_trust(stored.file_text, stored.file_path).demanded)


def rulings_of(league: League, tournament: int, at: datetime | None = None) -> list[Ruling]:
    """The rulings about a tournament, or those until a moment `at`. Raises WrongRuling, UnknownTournament."""
    return [read_ruling(each.ruling) for each in league.rulings(tournament, at)]


def stored_effects(league: League, tournament: int, at: datetime | None = None) -> Effects:
    """The effects of these rulings together. Raises WrongRuling, UnknownTournament."""
    entrants = len(league.tournament(tournament).first_entrants)
    return effects_of(entrants, rulings_of(league, tournament, at))


def trust_of(league: League, stored: StoredTournament) -> Trust:
    """What a tournament allows its bots now. Raises TournamentFileError."""
    return read_trust(stored.file_text, stored.file_path, _noted(league, stored))


def plan_of(stored: StoredTournament) -> Plan:
    """The plan of a stored tournament. Raises UnknownPlan."""
    if stored.plan is not None:
        return read_plan(stored.plan)
    return plan_of_file(stored.file_text, len(stored.first_entrants))


def season_of(league: League) -> list[StoredTournament]:
    """The tournaments of a league's season: the finished ones that count in it (`Format.in_season`).

    Raises UnknownPlan.
    """
    finished = [stored for stored in league.tournaments() if stored.finished is not None]
    return [stored for stored in finished if plan_of(stored).first.in_season]


def ladders_of(tournaments: Iterable[StoredTournament]) -> Iterator[StoredTournament]:
    """The ladders among some tournaments, in their order. Raises UnknownPlan."""
    return (stored for stored in tournaments if isinstance(plan_of(stored).first, LadderFormat))


def late_entrant(admit: Admit, games: Collection[str], trust: Trust) -> Entrant:
    """The entrant that a ruling admits to a tournament of these games.

    Raises WrongEntrant if its bot is not there, does not play them, or asks for more than bots are trusted
    with.
    """
    if admit.how == "join":
        return Entrant(admit.name, join=True)
    if admit.how == "address":
        return Entrant(admit.name, address=admit.source)
    return started(Path(admit.source), games, trust, admit.name)


def course_of(
    league: League,
    tournament: int,
    at: datetime | None = None,
    playing: Collection[Due] = (),
    before: Course | None = None,
) -> Course:
    """The course of a tournament as far as it is stored, or was by a moment `at`.

    Args:
        league: the league.
        tournament: the tournament's id.
        at: the moment; None for now.
        playing: the games that run now.
        before: its course before the last rulings. If it can go on (`Course.after`), it does so with the
            results that it has, and no other ones; then `before` must not be used any more.

    Raises UnknownTournament, UnknownPlan.
    """
    with league.snapshot(), rare_collections():
        stored = league.tournament(tournament)
        effects = stored_effects(league, tournament, at)
        if before is not None and (after := before.after(effects, playing)) is not None:
            after.advance_stages()
            return after
        course = new_course(plan_of(stored), effects, playing)
        course.tell(league.results(tournament, at, by_match=course.timed))
    course.advance_stages()
    return course


def lucks_wanted(league: League, course: Course, tournament: int) -> list[tuple[int, str]]:
    """The numbers of the stored games, each with a baseline, whose luck counts and is not kept."""
    if not course.baselines:
        return []
    with league.snapshot():
        kept = {(number, baseline) for number, _, baseline, _ in league.lucks(tournament)}
        return [
            (number, baseline)
            for number, result in league.games(tournament)
            if not course.effects.void.has_game(result.key)
            for baseline in sorted(course.wants_luck(result.key))
            if (number, baseline) not in kept
        ]


def require_luck(course: Course) -> None:
    """Raises NeedsEngine if a course counts luck that cannot be computed here."""
    require_baselines(course.baselines)


def luck_in(key: GameKey, record: bytes, baseline: str) -> float:
    """The bounded luck of the match's first entrant in a game with this record, by a baseline.

    Raises NeedsEngine, BrokenRecord.
    """
    return luck_of(decode_record(record), baseline, bounded=True)[key.seating.index(0)]


class FollowedCourse:
    """The course of a tournament, again and again while it is played: only for looking at the results.

    A course that can follow a run (`Course.follow`) is kept, and told the games that are new. The others are
    read again each time.

    Args:
        tournament: the tournament's id.

    Attributes:
        tournament: as given.
    """

    def __init__(self, tournament: int) -> None:
        self.tournament = tournament
        self._course: Course | None = None
        self._rulings = self._last = 0

    def now(self, league: League) -> Course:
        """The course as far as it is stored, which the next call may change. Raises as `course_of`."""
        with league.snapshot():
            course, self._course = self._course, None  # none if anything fails
            rulings, last = len(league.rulings(self.tournament)), league.last_game()
            if course is not None and rulings != self._rulings:
                course = course.after(stored_effects(league, self.tournament))
            if course is None or not course.follow(league.results_after(self.tournament, self._last)):
                course = course_of(league, self.tournament)
            self._course, self._rulings, self._last = course, rulings, last
            return course


def finished_game(result: GameResult, played: Played) -> FinishedGame:
    """Converts a finished game, with its `result_of`, for the league file."""
    record = played.record._replace(seating=played.seating.key.special_seating)
    thoughts = encode_thoughts(record.seats, played.thoughts)
    return FinishedGame(result, encode_record(record), encode_times(played.times), thoughts)


def result_of(played: Played) -> GameResult:
    """The result of a finished game."""
    record = played.record
    faults = [[0] * len(FAULT_REASONS) for _ in range(record.seats)]
    for seat, _, fault in record.faults:
        faults[seat][FAULT_REASONS.index(fault.reason)] += 1
    seats = tuple(
        SeatResult(
            entrant=played.seating.players[seat],
            place=record.outcome.places[seat],
            points=record.outcome.points[seat],
            forfeit=seat in record.forfeits,
            faults=tuple(faults[seat]),
            decisions=played.decisions[seat],
            time=played.seat_times[seat] // 1000,
        )
        for seat in range(record.seats)
    )
    return GameResult(played.seating.key, seats, record.outcome.reason)


def record_of(stored: StoredGame) -> Record:
    """The record of a game of a league. Raises BrokenRecord."""
    return decode_record(stored.record)


def thoughts_of(league: League, number: int) -> tuple[dict[int, Thought], ...]:
    """What each seat's bot thought in a game, by turns; empty if none told anything. Raises BrokenRecord."""
    return decode_thoughts(league.thoughts(number))


def calibration_in(league: League, games: Iterable[tuple[int, GameResult, int]]) -> Calibration | None:
    """How well a bot's own estimates in some games hold; None if it gave none. Raises BrokenRecord.

    Args:
        league: the league.
        games: the running number and the result of each game, and the bot's seat in it.
    """

    def told() -> Iterator[tuple[list[float], float]]:
        for number, result, seat in games:
            if thoughts := thoughts_of(league, number):
                estimates = [each.estimate for each in thoughts[seat].values() if each.estimate is not None]
                yield estimates, float(seat_scores([each.place for each in result.seats])[seat])

    return calibration_of(told())
