"""Analyses games of a league, and keeps what was found beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from arena.checkup.analysis.bot import BotAnalysis, JudgedSeat
from arena.checkup.analysis.decision import Decision
from arena.checkup.analysis.game import CannotAnalyse, Source, require_analysable
from arena.checkup.analysis_jobs import PARTS, USUAL, AnalysisPool, Effort, Job, SessionJob
from arena.checkup.session_file import Script, setup_in
from arena.engine import engine
from arena.league.store import League, StoreError
from arena.league.store.analyses import Analyses, analyses_path
from arena.league.traveller import AtTable
from arena.processes.worker import WorkerDied, WorkerFault
from arena.results import StoredGame
from arena.table.record import BrokenRecord

if TYPE_CHECKING:  # gRPC takes long to load
    from arena.checkup.analysis_bot import AnalysisBot

RULES: Final = 5
"""The number of the rules of analysis: a new one for every change of what is found."""

PROBLEMS: Final = CannotAnalyse, BrokenRecord, StoreError, WorkerDied, WorkerFault
"""Why a game cannot be analysed; the text of each is one sentence."""


class Analysed(NamedTuple):
    """A game that was analysed.

    Attributes:
        key: the key of the game.
        game: the game's id.
        names: the name of each seat's bot.
        decisions: by seat, its decisions; empty for a seat that was not asked for.
        sources: by seat, what made its result.
    """

    key: str
    game: str
    names: tuple[str, ...]
    decisions: tuple[tuple[Decision, ...], ...]
    sources: tuple[Source, ...]


class Wanted(NamedTuple):
    """A stored game to be analysed: the name of each seat's bot, and the seats whose decisions are judged."""

    stored: StoredGame
    names: tuple[str, ...]
    seats: frozenset[int]


def wanted_of(league: League, number: int, seats: Sequence[int] | None = None) -> Wanted:
    """A game by its running number, with the seats whose decisions are judged; None for all.

    Raises UnknownGame, StoreError.
    """
    league.require_sound(game=number)
    stored = league.game(number)
    entrants = league.tournament(stored.tournament).entrants
    names = tuple(entrants[seat.entrant].name for seat in stored.result.seats)
    return Wanted(stored, names, frozenset(range(len(names)) if seats is None else seats))


def is_analysable(game: str) -> bool:
    """Whether the games of this id can be analysed."""
    try:
        require_analysable(game)
    except CannotAnalyse:
        return False
    return True


def analyse_games(
    league: Path,
    wanted: Sequence[Wanted],
    pool: AnalysisPool,
    tell: Callable[[float], None],
    effort: Effort = USUAL,
    bot: AnalysisBot | None = None,
) -> list[Analysed]:
    """Analyses games, but for those parts that are kept beside the league; keeps what is found there. Blocks.

    Args:
        league: the league file.
        wanted: the games.
        pool: analyses; made for the same bot.
        tell: called with the share of the work that is done.
        effort: how much is tried.
        bot: the bot that tries the actions; None for the policies of the house.

    Raises CannotAnalyse, BrokenRecord, WorkerDied, WorkerFault, AnalysesUnreadable.
    """
    seats = [(place, seat) for place, each in enumerate(wanted) for seat in (None, *sorted(each.seats))]
    found: dict[tuple[int, int | None], Any] = {}
    with Analyses(analyses_path(league), RULES) as kept:
        jobs: list[Job] = []
        places = []
        for place, seat in seats:
            record = wanted[place].stored.record
            known = kept.find(record, settings_of(seat, effort, bot))
            found[place, seat] = [] if known is None else known
            parts = range(PARTS if seat is not None else 1) if known is None else ()
            jobs += [Job(record, seat, part, effort) for part in parts]
            places += [(place, seat)] * len(parts)
        left = Counter(places)
        for number, value in pool.do(jobs, _of_all(len(jobs), tell)):
            at = places[number]
            found[at] += value
            left[at] -= 1
            if not left[at]:
                if at[1] is not None:
                    found[at].sort(key=lambda decision: decision["ply"])
                kept.keep(jobs[number].record, settings_of(at[1], effort, bot), found[at])
    return [_analysed(each, place, found) for place, each in enumerate(wanted)]


def analyse_session(
    script: Script,
    pool: AnalysisPool,
    tell: Callable[[float], None],
    effort: Effort = USUAL,
) -> list[Decision]:
    """Judges the turns of a session by what its bot was told; keeps nothing. Blocks.

    Args:
        script: the session.
        pool, tell, effort: as for `analyse_games`.

    Raises CannotAnalyse, WorkerDied, WorkerFault.
    """
    require_analysable(setup_in(script).game)
    jobs = [SessionJob(script, part, effort) for part in range(PARTS)]
    parts = pool.do(jobs, _of_all(len(jobs), tell))
    found = [each for _, decisions in parts for each in map(Decision.from_data, decisions)]
    return sorted(found, key=lambda decision: decision.turn)


def _of_all(jobs: int, tell: Callable[[float], None]) -> Callable[[int, float], None]:
    """Takes the share of each of so many jobs that is done, and tells the share of all."""
    shares = [0.0] * jobs

    def told(number: int, share: float) -> None:
        shares[number] = share
        tell(sum(shares) / jobs)

    return told


def settings_of(
    seat: int | Literal["own"] | None, effort: Effort = USUAL, bot: AnalysisBot | None = None
) -> str:
    """All that findings about a record follow from besides it; the engine plays other policies.

    Args:
        seat: the seat whose decisions are judged; `own` for that of a session, None for what made the result.
        effort, bot: as for `analyse_games`.
    """
    plays = "engine" if engine().module is not None else "python"
    if bot is not None:
        plays = f"{bot.name} {bot.digest or bot.entrant.address}"
    return repr((plays, seat, *effort)) if seat is not None else "sources"


def kept_game(league: Path, wanted: Wanted) -> Analysed | None:
    """The usual analysis of a game if all of it is kept, else None. Raises AnalysesUnreadable."""
    with Analyses(analyses_path(league), RULES, only_read=True) as kept:
        found = _found_in(kept, wanted.stored.record, sorted(wanted.seats))
    return None if found is None else _analysed(wanted, 0, {(0, seat): found[seat] for seat in found})


def _found_in(kept: Analyses, record: bytes, seats: Iterable[int]) -> dict[int | None, Any] | None:
    """What is kept of a record as the usual analysis of these seats; None if any of it is not."""
    found: dict[int | None, Any] = {}
    for seat in (*seats, None):
        found[seat] = kept.find(record, settings_of(seat))
        if found[seat] is None:
            return None
    return found


def kept_decisions(league: Path, parts: Iterable[tuple[bytes, int]]) -> list[list[Decision] | None]:
    """The decisions of seats by the usual analyses that are kept; None where none is. Computes nothing.

    Args:
        league: the league file.
        parts: the encoded record of each game, and the seat.

    Raises AnalysesUnreadable.
    """
    with Analyses(analyses_path(league), RULES, only_read=True) as kept:
        found = [kept.find(record, settings_of(seat)) for record, seat in parts]
    return [None if each is None else [*map(Decision.from_data, each)] for each in found]


class KnownTable(NamedTuple):
    """What is kept of a table besides its result; nothing is computed for it.

    Attributes:
        luck: what the later cards added to the score of seat 0; None if nobody knows it.
        mistake: the choice of any seat that cost most by the analysis of the game; None without one.
        analysed: whether an analysis of the game is kept.
    """

    luck: float | None
    mistake: Decision | None
    analysed: bool


def known_tables(league: League, tables: Sequence[AtTable]) -> list[KnownTable]:
    """What is kept of some tables: the luck in a comparison with less luck, and analyses.

    Raises AnalysesUnreadable.
    """
    stored = league.luck_in_games([table.number for table in tables])
    known = []
    with Analyses(analyses_path(league.path), RULES, only_read=True) as kept:
        for table in tables:
            luck, seating = stored.get(table.number), table.result.key.seating
            if luck is not None and seating[0]:  # it is the luck of the match's first entrant
                luck = -luck if len(seating) == 2 else None
            found = _found_in(kept, table.serialized, range(len(seating)))
            if found is not None and luck is None:
                luck = Source(**found[None][0]).luck
            judged = (
                Decision.from_data(each)
                for seat in range(len(seating))
                for each in (found or {}).get(seat, ())
            )
            mistakes = [each for each in judged if each.verdict == "mistake"]
            known.append(
                KnownTable(luck, max(mistakes, key=lambda each: each.cost, default=None), found is not None)
            )
    return known


def _analysed(wanted: Wanted, place: int, found: dict[tuple[int, int | None], Any]) -> Analysed:
    return Analysed(
        str(wanted.stored.result.key),
        wanted.stored.result.key.game,
        wanted.names,
        tuple(
            tuple(map(Decision.from_data, found.get((place, seat), ()))) for seat in range(len(wanted.names))
        ),
        tuple(Source(**each) for each in found[place, None]),
    )


def bot_analysis(name: str, games: Iterable[Analysed]) -> BotAnalysis:
    """What was found about a bot in some games."""
    return BotAnalysis(
        name,
        [
            JudgedSeat(each.key, each.game, seat, each.names, each.decisions[seat], each.sources[seat])
            for each in games
            for seat, own in enumerate(each.names)
            if own == name
        ],
    )
