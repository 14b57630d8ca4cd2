"""Computes the standings of a tournament, and its report on company, from the games in the league file."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from fractions import Fraction
from typing import Generic, NamedTuple, TypeVar

from arena.formats.bracket import Bracket
from arena.formats.format import Stage
from arena.league.store import League, StoredTournament
from arena.league.stored import course_of
from arena.results import MatchKey
from arena.standings.adaptive import AdaptiveFit
from arena.standings.certain import Places, places, places_by_rating
from arena.standings.company import CompanyReport, company
from arena.standings.rating import Fitted, Mean, means, share
from arena.standings.season import Night
from arena.standings.strengths import StrengthsByGame, strengths_by_game
from arena.standings.table import Met, crosstable_of
from arena.standings.tally import DuplicateGroup, Tally
from arena.standings.unseating import Unseating
from arena.standings.values import Crosstable, Cycle, Final, NashAverage, Rating, Row, Share, Unfinished
from arena.tournament.course import Course
from arena.tournament.courses import LadderCourse
from arena.tournament.pace import Pace
from arena.tournament.plan import Plan
from arena.tournament.rulings import Contribute, Ruling, Withdraw, read_ruling

RANKED_FROM = 10
"""An entrant of a ladder is ranked from so many boards in each game on."""

R = TypeVar("R", bound=Ruling, covariant=True)


class Unplaced(StrEnum):
    """Why an entrant of a ladder has no place, in one word."""

    PROVISIONAL = "provisional"
    """It has fewer than RANKED_FROM boards in a game."""

    WITHDRAWN = "withdrawn"
    """It plays no more."""


class GroupSummary(NamedTuple):
    """The standings of one group of a stage, best first, and the results of each entrant against each."""

    name: str
    rows: tuple[Row, ...]
    against: Met

    @property
    def crosstable(self) -> Crosstable:
        """Its crosstable, in the order of the rows."""
        return crosstable_of(self.against, [row.entrant for row in self.rows])


@dataclasses.dataclass(frozen=True, slots=True)
class StageSummary:
    """The standings of one stage.

    Attributes:
        stage: the stage, with its entrants in seed order.
        title: the name of its format.
        rows: the standings, best first.
        against: the results of each entrant against each.
        groups: the same for each group, if there are any; `rows` has all groups in one table.
        advancing: the entrants that go on to the next stage, as it stands; empty after the last.
        bracket: the bracket of an elimination, else None.
        begun: how far its matches are that have begun and are not decided; None of one that is tied.
        played: how many of its matches are over.
        matches: how many it has, as far as known; None if there is no end of them.
    """

    stage: Stage
    title: str
    rows: tuple[Row, ...]
    against: Met
    groups: tuple[GroupSummary, ...]
    advancing: frozenset[int]
    bracket: Bracket | None
    begun: Mapping[MatchKey, Unfinished | None]
    played: int
    matches: int | None

    @property
    def crosstable(self) -> Crosstable:
        """The crosstable, in the order of the rows. It is large, so it is made when it is asked for."""
        return crosstable_of(self.against, [row.entrant for row in self.rows])


class Made(NamedTuple, Generic[R]):
    """A ruling with its reason and its time (UTC, ISO 8601)."""

    ruling: R
    reason: str
    at: str


@dataclasses.dataclass(frozen=True, slots=True)
class Summary:
    """The standings of a tournament.

    Attributes:
        tournament: the tournament as stored.
        plan: its plan.
        games: how many games are stored.
        stages: the stages that have begun, in order.
        rows: the standings over all stages, best first.
        final: the final ranking, or the ranking so far.
        shares: each entrant's score, the mean over the games, in the order of `final`. On a ladder it is the
            expected score against the whole field (the ranked entrants that are not withdrawn).
        game_shares: the same for each game, by its id.
        ratings: a rating per entrant over all games pooled, in the order of `final`.
        game_ratings: the same for each game, by its id.
        game_groups: for each game by its id, the complete duplicate groups of each kind.
        cycles: entrants that beat each other in a circle, over all games pooled.
        game_cycles: the same for each game, by its id.
        nash: the Nash average of the entrants, over all games pooled; empty without a cycle.
        game_nash: the same for each game, by its id.
        withdrawals: the entrants that play no more, in the order in which they were withdrawn.
        alterations: the other rulings that changed it, in order.
        contributed: the bytes that the bots have put into the deals; None if there are none.
        ended: why the host ended it early; None if the host did not.
        gone: the withdrawn entrants, also those that a next version has replaced.
        paused: whether no further games begin at the moment.
        games_left: how many games are left, as far as that is known.
        time_left: how many seconds they will take (see `Pace`); None if that is not known.
        unplaced: the entrants of a ladder without a place, and why.
        unseating: what would unseat the winner (see `Scoreboard.unseating`); None before the end.
    """

    tournament: StoredTournament
    plan: Plan
    games: int
    stages: tuple[StageSummary, ...]
    rows: tuple[Row, ...]
    final: tuple[Final, ...]
    shares: tuple[Share, ...]
    game_shares: dict[str, tuple[Share, ...]]
    ratings: tuple[Rating, ...]
    game_ratings: dict[str, tuple[Rating, ...]]
    game_groups: Mapping[str, Mapping[DuplicateGroup, int]]
    cycles: tuple[Cycle, ...]
    game_cycles: dict[str, tuple[Cycle, ...]]
    nash: dict[int, NashAverage]
    game_nash: dict[str, dict[int, NashAverage]]
    withdrawals: tuple[Made[Withdraw], ...]
    alterations: tuple[Made[Ruling], ...]
    contributed: Contribute | None
    ended: str | None
    gone: frozenset[int]
    paused: bool
    games_left: int
    time_left: float | None
    unplaced: Mapping[int, Unplaced]
    unseating: Unseating | None

    @property
    def total(self) -> int | None:
        """How many games it has in all, as far as known; None if there is no end of them."""
        return self.games + self.games_left

    @property
    def followed_stages(self) -> Sequence[StageSummary]:
        """The stages whose standings are shown as they were after each round."""
        return [stage for stage in self.stages if stage.bracket is None]

    @property
    def leading(self) -> Sequence[tuple[int, int, Fraction | float | None]]:
        """The rank, the entrant and the score of each in the present table, best first."""
        rows, absent = self.stages[-1].rows, self.absent
        return [(row.rank, row.entrant, row.score) for row in rows if row.entrant not in absent]

    @property
    def groups(self) -> Counter[DuplicateGroup]:
        """The complete duplicate groups of each kind in all games together."""
        whole = Counter[DuplicateGroup]()
        for groups in self.game_groups.values():
            whole.update(groups)
        return whole

    @property
    def absent(self) -> frozenset[int]:
        """The entrants that have made no decision. They have no place and no rank."""
        return frozenset(row.entrant for row in self.rows if not row.decisions)

    @property
    def placed(self) -> tuple[Final, ...]:
        """The final ranking without the entrants that are absent or `unplaced`."""
        absent = self.absent | self.unplaced.keys()
        return tuple(line for line in self.final if line.entrant not in absent)

    @property
    def ranked(self) -> tuple[Final, ...]:
        """The final ranking with the absent entrants last."""
        placed = self.placed
        return (*placed, *(line for line in self.final if line not in placed))

    @property
    def podium(self) -> tuple[Final, ...]:
        """The first three places, when the tournament is over."""
        return tuple(line for line in self.placed if line.place <= 3) if self.tournament.finished else ()

    @property
    def certain_places(self) -> dict[int, Places]:
        """The best and the last place that each entrant may have in the long run, by rating.

        With 95 % all of them are right together at one look, so there are none before the tournament is over.
        Empty without intervals too. Entrants that are absent, or without a rating, have none.
        """
        there = (rating for rating in self.ratings if rating.entrant not in self.absent)
        return places_by_rating(there) if self.tournament.finished else {}


class LadderSummary(Summary):
    """The standings of a ladder, by expected score."""

    __slots__ = ()

    @property
    def total(self) -> None:
        """None: there is no end of games."""
        return

    @property
    def followed_stages(self) -> Sequence[StageSummary]:
        """None: it has too many rounds."""
        return ()

    @property
    def leading(self) -> Sequence[tuple[int, int, Fraction | float | None]]:
        """The rank, the entrant and the expected score of each in the ranking, best first."""
        score_of = {line.entrant: each.score for line, each in zip(self.final, self.shares, strict=True)}
        scores = [(line.entrant, score_of[line.entrant]) for line in self.placed]
        return [(1 if score == scores[0][1] else 2, entrant, score) for entrant, score in scores]

    @property
    def certain_places(self) -> dict[int, Places]:
        """The best and the last place of each ranked entrant, as far as its score is known.

        With 95 % all of them are right together, at every moment of the season. Empty without intervals.
        """
        share_of = {line.entrant: each for line, each in zip(self.final, self.shares, strict=True)}
        ranked = [line.entrant for line in self.final if line.entrant not in self.unplaced]
        ends = [(share_of[each].low, share_of[each].high) for each in ranked]
        known = [(low, high) for low, high in ends if low is not None and high is not None]
        return dict(zip(ranked, places(known), strict=True)) if len(known) == len(ranked) else {}

    @property
    def there(self) -> list[tuple[int, Share]]:
        """See `Ranks.there`."""
        return Ranks(self.final, self.shares, self.game_shares, self.unplaced).there


def summarize(
    league: League, tournament: int, at: datetime | None = None, *, intervals: bool = True
) -> Summary:
    """Summarizes a tournament, finished or running. Raises UnknownTournament, UnknownPlan.

    If a moment `at` is given, it is summarized as it stood then. Without `intervals`
    the ratings and scores get none; they take most of the time (see `ratings`).
    """
    course = course_of(league, tournament, at)
    return summary_of(league, tournament, course, strengths_of(course, intervals=intervals), at)


def strengths_of(
    course: Course, before: StrengthsByGame | None = None, *, intervals: bool = True
) -> StrengthsByGame:
    """What the results of a tournament tell about strengths.

    `before`, `intervals`: see `strengths_by_game`.
    """
    return strengths_by_game(
        course.tally.groups,
        before,
        intervals=intervals,
        paired_by_score=_has_swiss(course),
        adaptive=isinstance(course, LadderCourse),
    )


def _has_swiss(course: Course) -> bool:
    return any(stage.pairs_by_score for stage in course.stages)


def summary_of(
    league: League,
    tournament: int,
    course: Course,
    strengths: StrengthsByGame,
    at: datetime | None = None,
) -> Summary:
    """The same, from the tournament's course and the strengths in it."""
    info = league.tournament(tournament)
    if at is not None and (info.finished is None or info.finished > at):
        info = info._replace(finished=None, key=None)
    plan, tally = course.plan, course.tally
    now = at or datetime.now(UTC)
    ruled = [(read_ruling(each.ruling), each) for each in league.rulings(tournament, at)]
    intervals, swiss = strengths.intervals, strengths.paired_by_score
    kind, ranks = (
        (LadderSummary, ladder_of(course, intervals=intervals, fit=strengths.fit))
        if isinstance(course, LadderCourse)
        else (Summary, _ranks_of(course, strengths.fitted, intervals=intervals, swiss=swiss))
    )
    order = tuple(line.entrant for line in ranks.final)
    return kind(
        tournament=info,
        plan=plan,
        games=tally.played,
        stages=tuple(_stage_summary(course, stage) for stage in course.stages),
        rows=course.standings(),
        final=ranks.final,
        shares=ranks.shares,
        game_shares=ranks.game_shares,
        unplaced=ranks.unplaced,
        ratings=strengths.pooled.ratings(order),
        game_ratings={game: each.ratings(order) for game, each in strengths.games.items()},
        game_groups=strengths.groups,
        cycles=strengths.pooled.cycles,
        game_cycles={game: each.cycles for game, each in strengths.games.items()},
        nash=strengths.pooled.nash,
        game_nash={game: each.nash for game, each in strengths.games.items()},
        withdrawals=tuple(
            Made(ruling, each.reason, each.decided) for ruling, each in ruled if isinstance(ruling, Withdraw)
        ),
        alterations=tuple(
            Made(ruling, each.reason, each.decided) for ruling, each in ruled if ruling.alteration()
        ),
        contributed=next((ruling for ruling, _ in ruled if isinstance(ruling, Contribute)), None),
        ended=next((each.reason for _, each in reversed(ruled) if course.effects.ended), None),
        gone=frozenset(course.effects.withdrawn),
        paused=course.effects.paused and not course.over,
        games_left=course.games_left(),
        time_left=None if info.finished else Pace().time_left(course, (now - info.started).total_seconds()),
        unseating=course.unseating(league.boards(tournament, at)) if info.finished else None,
    )


class Ranks(NamedTuple):
    """How the entrants rank; the attributes are those of a `Summary`."""

    final: tuple[Final, ...]
    shares: tuple[Share, ...]
    game_shares: dict[str, tuple[Share, ...]]
    unplaced: Mapping[int, Unplaced]

    @property
    def there(self) -> list[tuple[int, Share]]:
        """The entrants that are not withdrawn, each with its score, best first."""
        found = zip(self.final, self.shares, strict=True)
        gone = Unplaced.WITHDRAWN
        return [(line.entrant, score) for line, score in found if self.unplaced.get(line.entrant) is not gone]


def _ranks_of(course: Course, fitted: Mapping[str, Fitted], *, intervals: bool, swiss: bool) -> Ranks:
    final = course.final()
    order = [line.entrant for line in final]
    by_game = {
        game: means(fitted[game], intervals=intervals, paired_by_score=swiss) for game in course.plan.games
    }
    game_shares = {game: _shares(order, [found]) for game, found in by_game.items()}
    return Ranks(final, _shares(order, [*by_game.values()]), game_shares, {})


def ladder_of(course: Course, *, intervals: bool = True, fit: AdaptiveFit | None = None) -> Ranks:
    """How a ladder stands; without `intervals` the scores have none, which is faster.

    `fit`: the fit of all games, if it is known.
    """
    fit = fit or AdaptiveFit({game: course.tally.groups[game] for game in course.plan.games})
    fewest = dict(zip(fit.entrants, fit.boards.min(axis=0).tolist(), strict=True))
    entrants = range(course.effects.entrants)
    provisional = {entrant for entrant in entrants if fewest.get(entrant, 0) < RANKED_FROM}
    unplaced = dict.fromkeys(provisional, Unplaced.PROVISIONAL)
    unplaced |= dict.fromkeys(course.effects.withdrawn, Unplaced.WITHDRAWN)
    field = set(entrants) - unplaced.keys()
    expected = fit.shares(field, intervals=intervals)
    by_game = {game: fit.shares(field, game, intervals=intervals) for game in course.plan.games}
    none = Share(None)

    def key(entrant: int) -> tuple[bool, bool, float]:
        score = expected.get(entrant, none).score
        return entrant in course.effects.withdrawn, entrant in provisional, 1.0 if score is None else -score

    order = sorted(entrants, key=key)  # provisional and then withdrawn ones last
    return Ranks(
        tuple(Final(place, entrant, 0) for place, entrant in enumerate(order, 1)),
        tuple(expected.get(entrant, none) for entrant in order),
        {game: tuple(found.get(entrant, none) for entrant in order) for game, found in by_game.items()},
        unplaced,
    )


def _shares(order: Sequence[int], by_game: Sequence[Mapping[int, Mean]]) -> tuple[Share, ...]:
    """The score of each entrant over its games, in the given order."""
    return tuple(share([found[entrant] for found in by_game if entrant in found]) for entrant in order)


def final_places(league: League, tournament: int) -> tuple[Final, ...]:
    """Only the final ranking of a tournament. Raises UnknownTournament, UnknownPlan."""
    return final_of(course_of(league, tournament))


def final_of(course: Course) -> tuple[Final, ...]:
    """The final ranking of a tournament; a ladder's is by expected score."""
    return ladder_of(course, intervals=False).final if isinstance(course, LadderCourse) else course.final()


def night_of(league: League, stored: StoredTournament) -> Night:
    """A finished tournament as a part of its league's season. Raises UnknownTournament, UnknownPlan."""
    course = course_of(league, stored.id)
    names = [entrant.name for entrant in stored.entrants]
    return Night(
        {names[line.entrant]: line.place for line in course.final()},
        {entrant.name: entrant.version for entrant in stored.entrants},
        names,
        course.tally.all_groups(),
        _has_swiss(course),
    )


def _stage_summary(course: Course, stage: Stage) -> StageSummary:
    rows = course.standings(stage)
    tables = course.group_standings(stage)
    against = course.against(stage)
    begun = course.begun(stage)
    return StageSummary(
        stage=stage,
        title=course.plan.stages[stage.number].title,
        rows=rows,
        against=against,
        groups=tuple(
            GroupSummary(group.name, table, against)
            for group, table in zip(stage.groups, tables, strict=True)
        ),
        advancing=frozenset(course.advancing(stage)),
        bracket=course.bracket(stage),
        begun=begun,
        played=course.tally.matches_finished(stage.number) - sum(far is None for far in begun.values()),
        matches=course.matches(stage),
    )


class CompanySummary(NamedTuple):
    """A report on company: bots that help each other in a tournament.

    Attributes:
        tournament: its name.
        names: the names of its entrants.
        seats: the size of its largest tables.
        report: the findings.
        forfeited: how many boards do not count, because a game of theirs was forfeited.
    """

    tournament: str
    names: tuple[str, ...]
    seats: int
    report: CompanyReport
    forfeited: int = 0


def company_of(league: League, tournament: int, at: datetime | None = None) -> CompanySummary:
    """The report on company of a tournament, finished or running. Raises UnknownTournament, UnknownPlan.

    If a moment `at` is given, the report is of that moment.
    """
    with league.snapshot():
        course = course_of(league, tournament, at)
        names = tuple(entrant.name for entrant in league.tournament(tournament).entrants)
        forfeited = Tally(course.tally.games, course.tally.boards)
        marked = league.forfeited_boards(tournament, at)
        for board in league.boards(tournament, at) if marked else ():
            key = MatchKey(*board[:3])
            if board[:5] in marked and not course.effects.void.has(key, board.game, board.board):
                forfeited.add_board(board)
    return CompanySummary(
        course.plan.name,
        names,
        max(stage.seats for stage in course.plan.stages),
        company({game: groups - forfeited.groups[game] for game, groups in course.tally.groups.items()}),
        sum(
            count
            for groups in forfeited.groups.values()
            for group, count in groups.items()
            if len(group.entrants) > 2
        ),
    )
