"""Computes standings, brackets and advancing entrants from the results and rulings of a tournament.

The scoreboard holds the only tally of the tournament. Nothing here depends on the
order in which results came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import ClassVar

from arena.formats.bracket import Bracket
from arena.formats.elimination import needs_extra_board
from arena.formats.format import ResultsMissing, Round, Stage
from arena.formats.seating import Seatings, SeatingsInBlocks
from arena.formats.seeding import apart
from arena.results import (
    BoardResult,
    GameKey,
    Match,
    MatchKey,
    MatchResult,
    Ranking,
    Results,
)
from arena.standings.table import Met, final_ranking, merged, ranking, seed_order, standings
from arena.standings.tally import Tally
from arena.standings.totals import BOARD_POINTS
from arena.standings.unseating import Points, Unseating, Whole, contenders, unseating
from arena.standings.values import Final, Row, Unfinished
from arena.table.deal import deal_key
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan


class MatchState(Enum):
    """How far a match is; all who ask get it from `Scoreboard.state`.

    A match is open, then it may be tied and get extra boards, and then it is decided. Void boards are as if
    they had not been played, so a match that was decided may be open again.
    """

    OPEN = "open"
    """Regular games are left."""

    TIED = "tied"
    """Its regular games are over, and an extra board is played or to be played."""

    DECIDED = "decided"
    """It was played to its end."""

    WALKOVER = "walkover"
    """It was not decided when one of its two entrants was withdrawn, so the other one has won it."""

    GIVEN_UP = "given up"
    """The same in a comparison or on a ladder, where nobody wins it."""

    @property
    def is_final(self) -> bool:
        """Whether its result is final: it was played to its end, or is a walkover."""
        return self in (MatchState.DECIDED, MatchState.WALKOVER)


class Scoreboard:
    """The results of a tournament and what follows from them.

    Args:
        plan: the tournament.
        effects: the effects of all rulings about it.

    Attributes:
        plan, effects: as given.
        tally: the counted results.
        stages: the stages that have begun, in order.
        timed: whether the results of matches have the times of their entrants.
        counts_unfinished: whether standings count unfinished matches, as far as they are played.
    """

    timed: ClassVar[bool] = False
    counts_unfinished: ClassVar[bool] = True

    def __init__(self, plan: Plan, effects: Effects) -> None:
        self.plan = plan
        self.effects = effects
        self.tally = Tally(plan.games, plan.boards, effects.left_out, effects.added, timed=self.timed)
        self.stages: list[Stage] = []

    def deal_key(self, tournament_key: bytes) -> bytes:
        """The deal key, from the tournament's key and the bytes of the bots."""
        return deal_key(tournament_key, self.effects.given)

    def tell_board(self, board: BoardResult) -> None:
        """Counts the results of a board, unless it is void. Raises ValueError as a Tally."""
        if (planned := self._as_planned(board)) is not None:
            self._count(planned)

    def _as_planned(self, board: BoardResult) -> BoardResult | None:
        """A played board as the planned one that it is; None if it is void."""
        which = (MatchKey(*board[:3]), board.game, board.board)
        void = self.effects.void
        return None if void.has(*which) else board._replace(board=void.planned(*which))

    def _count(self, board: BoardResult) -> None:
        """Counts the results of a planned board."""
        self.tally.add_board(board)

    def tell(self, results: Results) -> None:
        """The same for boards, and for how their games were played, which counts even if they are void."""
        for board in results.boards:
            self.tell_board(board)
        for conduct in results.conducts:
            self.tally.add_conduct(conduct)
        for key, baseline, luck in results.lucks:
            self.tell_luck(key, baseline, luck)

    def tell_luck(self, key: GameKey, baseline: str, luck: float) -> None:
        """Counts the luck of a match's first entrant in a game by a baseline, where luck counts."""

    @property
    def over(self) -> bool:
        """Whether the whole tournament is over, or was ended."""
        return self.effects.ended or (
            len(self.stages) == len(self.plan.stages) and self.is_over(self.stages[-1])
        )

    def is_over(self, stage: Stage) -> bool:
        """Whether all matches of a stage are decided, or not needed."""
        if self.tally.matches_finished(stage.number) < self._match_count(stage):
            return False
        return stage.extra_boards == 0 or all(
            self.is_decided(match) for round_ in self.rounds(stage) for match in round_.matches
        )

    @property
    def may_go_on(self) -> bool:
        """Whether added boards could still answer an open question of a comparison."""
        return False

    def matches(self, stage: Stage) -> int | None:
        """How many matches a stage has, as far as known; None if there is no end of them."""
        return self._match_count(stage)

    def _match_count(self, stage: Stage) -> int:
        further = 0
        if stage.may_need_more and self.tally.matches_finished(stage.number) >= stage.match_count:
            further = stage.further_matches(self.results(stage))
        return stage.match_count + further

    def results(self, stage: Stage) -> Mapping[MatchKey, MatchResult]:
        """The results of a stage's finished matches."""
        return self.tally.results(stage.number)

    def results_for_pairing(self, stage: Stage, number: int) -> Mapping[MatchKey, MatchResult]:
        """The results that a stage reads to pair round `number`: those of the rounds before."""
        return self.tally.results(stage.number, before=number) if stage.depends_on_results else {}

    def rounds(self, stage: Stage) -> Iterator[Round]:
        """The rounds of a stage that can be paired so far."""
        for number in range(stage.round_count):
            try:
                round_ = stage.round(number, self.results_for_pairing(stage, number))
            except ResultsMissing:
                return
            if round_ is None:
                return
            yield round_
            if stage.is_in_turn and not all(map(self.is_decided, round_.matches)):
                return

    def shown_rounds(self, stage: Stage) -> dict[int, Round]:
        """The rounds of a stage that people look at, by their numbers, in order."""
        return dict(enumerate(self.rounds(stage)))

    def rounds_to_come(self, stage: Stage, paired: int) -> int:
        """How many rounds of a stage are left to be paired, if so many are; 0 also if nobody can say."""
        return max(0, stage.round_count - paired)

    def bracket(self, stage: Stage) -> Bracket | None:
        """The bracket of a stage, if it has one; a tied match is over when its extra boards are."""
        results = self.results(stage)
        if not self.effects.ended:
            matches = (match for round_ in self.rounds(stage) for match in round_.matches)
            results = {
                match.key: results[match.key]
                for match in matches
                if match.key in results and self.is_decided(match)
            }
        return stage.bracket(results)

    def standings(self, stage: Stage | None = None) -> tuple[Row, ...]:
        """The standings of a stage, or of the whole tournament."""
        if stage is None:
            return standings(self.tally, range(self.effects.entrants), unfinished=self.counts_unfinished)
        if stage.groups:
            return merged(self.group_standings(stage), stage.entrants)
        return self.table(stage, stage.entrants)

    def group_standings(self, stage: Stage) -> tuple[tuple[Row, ...], ...]:
        """The standings of each group of a stage."""
        return tuple(self.table(stage, group.entrants) for group in stage.groups)

    def table(self, stage: Stage, entrants: Sequence[int], tally: Tally | None = None) -> tuple[Row, ...]:
        """The standings of some entrants of a stage; `tally`: the results, if not all so far."""
        return standings(
            self.tally if tally is None else tally,
            entrants,
            stage.number,
            stage.tie_breaks,
            swiss=stage.pairs_by_score,
            edition=self.plan.tie_break_edition,
            unfinished=self.counts_unfinished,
        )

    def against(self, stage: Stage) -> Met:
        """The results of each entrant of a stage against each."""
        return self.tally.totals(stage.number, unfinished=self.counts_unfinished).against()

    def final(self) -> tuple[Final, ...]:
        """The final ranking, or the ranking so far."""
        return final_ranking([self.ranking(stage) for stage in self.stages])

    def unseating(self, boards: Iterable[BoardResult]) -> Unseating | None:
        """What would unseat the winner of the last stage, by its scores.

        None if the stage does not rank its entrants by score in one table (as a bracket, or groups), if a
        match of it is not over, or if its matches differ in length, so that boards differ in weight.

        Args:
            boards: all played boards of the tournament.
        """
        stage = self.stages[-1]
        rows = [row for row in self.standings(stage) if row.score is not None]
        if len(rows) < 2 or stage.groups or stage.placing(self.results(stage)) is not None:
            return None
        matches = self.tally.played_matches(stage.number)
        lengths = {self.tally.boards_of(key) for key in matches}
        if len(lengths) != 1 or any(row.unfinished for row in rows):
            return None
        length = lengths.pop() * len(self.plan.games)
        whole = {
            row.entrant: Whole(int(row.total * length * BOARD_POINTS), int(row.weight * length))
            for row in rows
        }
        near = contenders(whole, [row.entrant for row in rows], BOARD_POINTS)
        points: dict[GameKey, Points] = {}
        for board in boards if len(near) > 1 else ():
            if board.stage == stage.number and (planned := self._as_planned(board)) is not None:
                points[GameKey(*board[:5], 0)] = self.tally.points_on(planned)
        return unseating(points, whole, near, len(matches) * length)

    def ranking(self, stage: Stage) -> Ranking:
        """The ranking of a stage, best first; entrants that share a place are together."""
        return stage.placing(self.results(stage)) or ranking(self.standings(stage))

    def advancing(self, stage: Stage) -> tuple[int, ...]:
        """The entrants that go on to the next stage, as it stands, best seed first; empty after the last."""
        number = stage.number + 1
        if number == len(self.plan.stages):
            return ()
        format_ = self.plan.stages[number]
        ranked = self._ranked(stage)
        # Withdrawn entrants go on only if there are not enough others.
        gone = [entrant for entrant in ranked if self.effects.is_gone(entrant, stage.number)]
        if stage.groups and gone:  # the others of the group move up
            tables = [
                sorted(rows, key=lambda row: row.entrant in gone) for rows in self.group_standings(stage)
            ]
            ranked = tuple(row.entrant for row in merged(tables, stage.entrants))
        best = ([entrant for entrant in ranked if entrant not in gone] + gone)[: format_.entrants]
        if not stage.groups:
            return tuple(best)
        group_of = {each: number for number, group in enumerate(stage.groups) for each in group.entrants}
        return apart(best, group_of, format_.stage(number, range(len(best))).sections())

    def _ranked(self, stage: Stage) -> tuple[int, ...]:
        """All entrants of a stage in seed order for the next one; equals keep their order."""
        placing = stage.placing(self.results(stage))
        if placing is not None:
            return tuple(entrant for group in placing for entrant in group)
        return seed_order(self.standings(stage), stage.entrants)

    def shape(self, number: int) -> Stage:
        """A stage with the first entrants of all: for questions that do not depend on who they are."""
        format_ = self.plan.stages[number]
        return format_.stage(number, range(format_.entrants), {}, self.effects.changes.get(number, ()))

    def seatings(self, stage: Stage) -> Seatings:
        """The seatings of the games of a stage.

        Added boards have a list of their own, so that the seatings of the others do
        not change. If the pairings depend on results, the planned list goes on
        instead, as for extra boards.
        """
        boards, rule = self.plan.boards, self.plan.seating
        planned = stage.seatings(boards, rule)
        added = self.effects.added.get(stage.number)
        if not added or stage.depends_on_results:
            return planned
        return SeatingsInBlocks(
            [(boards, planned), *((more, stage.seatings(more, rule)) for _, more in added)]
        )

    def state(self, match: Match) -> MatchState:
        """How far a match of a stage that has begun is."""
        key = match.key
        result = self.tally.result(key)
        if result is not None:
            if result.walkover:
                return MatchState.WALKOVER
            if not needs_extra_board(match, result, self.stages[key.stage].extra_boards):
                return MatchState.DECIDED
        if self._lacks_entrant(match) and (unplayed := self._unplayed(match)) is not None:
            return unplayed
        return MatchState.OPEN if result is None else MatchState.TIED

    def begun(self, stage: Stage) -> dict[MatchKey, Unfinished | None]:
        """How far the matches of a stage are that have begun and are not decided; None of a tied one."""
        far: dict[MatchKey, Unfinished | None] = {**self.tally.unfinished(stage.number)}
        if stage.extra_boards:
            matches = (match for round_ in self.rounds(stage) for match in round_.matches)
            far |= {match.key: None for match in matches if self.state(match) is MatchState.TIED}
        return far

    def is_decided(self, match: Match) -> bool:
        """Whether a match has its final result."""
        return self.state(match).is_final

    def _unplayed(self, match: Match) -> MatchState | None:
        """The state of a match that lacks an entrant before it is decided; None if the others play on."""
        return MatchState.WALKOVER if len(match.entrants) == 2 else None

    def _lacks_entrant(self, match: Match) -> bool:
        return any(self.effects.is_gone(entrant, match.key.stage) for entrant in match.entrants)
