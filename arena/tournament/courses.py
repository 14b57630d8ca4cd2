"""The kinds of course: stages that are played to their end, ladders, comparisons. `new_course` begins one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from arena.comparison.comparison import REPEATED
from arena.formats import Format
from arena.formats.bracket import Bracket
from arena.formats.comparison import ComparisonFormat
from arena.formats.format import Progress, ResultsMissing, Round, Stage
from arena.formats.ladder import LadderFormat
from arena.results import BoardResult, GameKey, GameResult, Match, MatchKey, MatchResult, Results
from arena.tournament.course import Course, Due, News, RoundBegan, StageBegan
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan
from arena.tournament.scoreboard import MatchState

_SHOWN_ROUNDS = 100
"""So many of the last rounds of a ladder are shown."""


class _OneStageCourse(Course):
    """The course of a single stage, in which nobody wins a match that lacks an entrant: it is given up."""

    def advance_stages(self) -> None:
        """Goes on to the games that already run; to be called when all stored results were told."""
        self._catch_up()

    def _may_advance(self) -> bool:
        return False

    def _unplayed(self, match: Match) -> MatchState | None:
        return MatchState.GIVEN_UP


class LadderCourse(_OneStageCourse):
    """The course of a ladder: its games have no end, and a round may begin while earlier ones are under way.

    Its standings need no order of the rounds, so it goes on after a ruling with the results that it has.
    """

    timed = True
    counts_unfinished = False
    matches_stay = (
        "is a ladder, whose matches stay as they are, since all later ones depend on them: withdraw a bot"
    )
    takes_versions = True

    def __init__(self, plan: Plan, effects: Effects, playing: Collection[Due] = ()) -> None:
        super().__init__(plan, effects, playing)
        self._paired = 0  # how many rounds the courses before this one had paired

    def follow(self, results: Iterable[GameResult]) -> bool:
        """Counts the results; returns True."""
        for result in results:
            self.tell(Results.of(result))
        return True

    def unseating(self, boards: Iterable[BoardResult]) -> None:
        """None: a ladder ranks by the scores that its ratings expect."""

    def after(self, effects: Effects, playing: Collection[Due] = ()) -> Course:
        """The course after further rulings, which goes on with the tally and the rounds of this one."""
        course = LadderCourse(self.plan, effects, playing)
        course.tally = self.tally
        if course.stages[0].take_over(self.stages[0]):
            pairing = list(self._pairing)  # what is left of the last round
            self._pairing = iter(pairing)
            keys = [*self._open, *self._waiting_matches, *(match.key for match in pairing)]
            course._round = min((key.round for key in keys), default=self._round)
            course._paired = max(self._paired, self._round)
        return course

    # --- How far it is ---

    def is_over(self, stage: Stage) -> bool:
        """False: only the host ends a ladder."""
        return False

    @property
    def games(self) -> int:
        """The number of all games, played or to come in matches that are paired."""
        begun = sum(len(each.left) for each in self._open.values())
        waiting = self._waiting_matches.keys() - self._open.keys()
        return self.tally.played + begun + sum(2 * self._on_each_seat(key) for key in waiting)

    @property
    def total(self) -> None:
        """None: there is no end of games."""
        return

    def matches(self, stage: Stage) -> None:
        """None: there is no end of matches."""
        return

    def progress(self, stage: Stage) -> Progress:
        """The progress of the stage. No round counts as over, since those before it may be under way."""
        begun = self._rounds_running(stage)
        return Progress(0, max(begun, self._round, self._paired, self.tally.rounds_begun))

    def results(self, stage: Stage) -> Mapping[MatchKey, MatchResult]:
        """The results of the finished matches, which grow with the tally."""
        return self.tally.live_results

    def results_for_pairing(self, stage: Stage, number: int) -> Mapping[MatchKey, MatchResult]:
        """All results, since rounds overlap; the stage knows which ones round `number` may use."""
        return self.tally.live_results

    def shown_rounds(self, stage: Stage) -> dict[int, Round]:
        """The last rounds, by their numbers, with the matches that have begun."""
        tables: dict[int, dict[int, tuple[int, ...]]] = {}
        for key, entrants in self.tally.begun(self.tally.rounds_begun - _SHOWN_ROUNDS):
            tables.setdefault(key.round, {})[key.match] = entrants
        rounds = {}
        for number in sorted(tables):
            label = f"round {number + 1}"
            matches = [
                Match(MatchKey(stage.number, number, match), entrants, f"{label}, match {match + 1}")
                for match, entrants in sorted(tables[number].items())
            ]
            rounds[number] = Round(label, tuple(matches), ())
        return rounds

    def rounds_to_come(self, stage: Stage, paired: int) -> int:
        """0: nobody can say."""
        return 0

    def bracket(self, stage: Stage) -> Bracket | None:
        """None: a ladder has no bracket."""
        return None

    # --- What a ruling means, and what a verification asks ---

    def leaves_at(self, stage: Stage) -> int:
        """The first round, from 0, that has not begun."""
        return self.progress(stage).begun

    def may_leave_at(self, stage: Stage) -> range:
        """The rounds that have not begun."""
        return range(self.progress(stage).begun, stage.round_count + 1)

    def must_pair(self, stage: Stage) -> dict[MatchKey, tuple[int, ...]]:
        """All matches of which a game was played: they may be given up in their middle."""
        return {**super().must_pair(stage), **dict(self.tally.begun())}

    # --- Going through the schedule ---

    def _go_on(self) -> bool:
        """Pairs the next round if the results are there on which it depends; it may have no matches."""
        (stage,) = self.stages
        try:
            round_ = stage.round(self._round, self.tally.live_results)
        except ResultsMissing:
            return False
        assert round_ is not None
        self._begin_round(round_)
        if round_.matches:
            self._tell_news(RoundBegan(stage, round_))
        return True


class ComparisonCourse(_OneStageCourse):
    """The course of a comparison: its questions say which boards are played, and when it is over.

    Attributes:
        comparison: the questions, with the results that count for them.
    """

    def __init__(self, plan: Plan, effects: Effects, playing: Collection[Due] = ()) -> None:
        (format_,) = plan.stages
        assert isinstance(format_, ComparisonFormat)
        self.comparison = format_.comparison(plan.games, effects.withdrawn)
        super().__init__(plan, effects, playing)

    def _count(self, board: BoardResult) -> None:
        """Counts the results of a planned board; the questions are told too."""
        super()._count(board)
        self.comparison.add_board(board.match, board.game, board.round, board.places)

    def tell_luck(self, key: GameKey, baseline: str, luck: float) -> None:
        """Counts the luck of a match's first entrant in a game by a baseline, unless the game is void."""
        if not self.effects.void.has_game(key):
            self.comparison.add_luck(key.match, key.game, key.round, key.rotation, baseline, luck)

    @property
    def settled(self) -> bool:
        """Whether all questions are answered."""
        return self.comparison.settled

    @property
    def baselines(self) -> frozenset[str]:
        """The baselines whose luck counts in any games, as far as is known now."""
        return self.comparison.baselines

    def wants_luck(self, key: GameKey) -> frozenset[str]:
        """The baselines whose luck in a game counts, as far as is known now."""
        return self.comparison.wants_luck(key.match, key.game, key.round)

    def _wants(self, match: MatchKey, game: str) -> bool:
        """Whether a question still needs the board."""
        return self.comparison.wants(match.match, game, match.round)

    def is_over(self, stage: Stage) -> bool:
        """Whether all boards that are wanted are played, and the luck of their games is known."""
        if self.comparison.lacks_luck:
            return False
        if self.tally.matches_finished(stage.number) < self._match_count(stage):
            return self.comparison.is_over(stage.round_count, self._given_up(stage))
        return True

    @property
    def may_go_on(self) -> bool:
        """Whether added boards could still answer an open question."""
        if self.comparison.settled or self.effects.ended:
            return False
        gone = self._given_up(self.stages[0])
        return any(
            not study.settled and gone.isdisjoint(study.contest.matches) for study in self.comparison.studies
        )

    def _given_up(self, stage: Stage) -> set[int]:
        """The numbers of the matches that are not played any more in any round."""
        if not self.effects.withdrawn:
            return set()
        return {match.key.match for match in _matches_of(stage, 0) if self._lacks_entrant(match)}

    @property
    def games(self) -> int:
        """The number of all games, played or to come; an estimate, since it may stop early."""
        (stage,) = self.stages
        left = self.comparison.boards_left(stage.round_count, self._given_up(stage), as_it_looks=True)
        return self.tally.played + stage.seats * left

    @property
    def knows_matches(self) -> bool:
        """False: it may stop early."""
        return False

    def void_with(
        self, match: MatchKey, games: Sequence[str], boards: Sequence[int] | None
    ) -> tuple[list[tuple[MatchKey, str, int]], int]:
        """The board of the match, and of all others of its round, which share it. See `Course.void_with`."""
        keys = [each.key for each in _matches_of(self.stages[match.stage], match.round)]
        keys.sort(key=match.__ne__)  # the match itself first
        return [(key, game, 0) for game in games for key in keys], len(keys)

    def can_have(self, result: GameResult) -> bool:
        """Whether a game belongs to one of its matches, which may end before all rounds."""
        key, (stage,) = result.key, self.stages
        matches = _matches_of(stage, key.round) if key.stage == stage.number else ()
        if not 0 <= key.match < len(matches):
            return False
        entrants = matches[key.match].entrants
        return [seat.entrant for seat in result.seats] == [entrants[each] for each in key.seating]

    def _tell_news(self, news: News) -> None:
        """Tells only of the stage: rounds and matches are single boards."""
        if isinstance(news, StageBegan):
            super()._tell_news(news)

    def _go_on(self) -> bool:
        """Pairs the next round, unless all is answered."""
        if self.comparison.settled and self._round >= REPEATED:
            return False
        return super()._go_on()


def _matches_of(stage: Stage, number: int) -> Sequence[Match]:
    """The matches of a round of a comparison; none if it has no such round."""
    round_ = stage.round(number, {})
    return () if round_ is None else round_.matches


_KINDS: Final[Mapping[type[Format], type[Course]]] = {
    LadderFormat: LadderCourse,
    ComparisonFormat: ComparisonCourse,
}


def new_course(plan: Plan, effects: Effects, playing: Collection[Due] = ()) -> Course:
    """The course of a tournament before its first result; for the arguments see `Course`."""
    return _KINDS.get(type(plan.first), Course)(plan, effects, playing)
