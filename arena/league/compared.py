"""Computes the answers of a comparison from the games in the league file."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from math import fsum
from typing import NamedTuple

from arena.comparison.coefficient import TRIAL, Baselines
from arena.comparison.comparison import REPEATED, Comparison, Racer, Study
from arena.comparison.independence import Independence, Replaced, games_replaced, independence
from arena.comparison.luck import luck_of
from arena.comparison.question import LEVEL, Estimate, Finding, Question, estimate, finding_of
from arena.comparison.race import RaceFinding
from arena.formats.comparison import ComparisonFormat
from arena.league.store import League, StoredTournament
from arena.league.stored import course_of, stored_effects
from arena.link.wire.messages import decode_record
from arena.results import FAULT_REASONS, GameKey, GameResult, SeatResult, seat_scores
from arena.tournament.courses import ComparisonCourse
from arena.tournament.plan import Plan


class Conducted(NamedTuple):
    """The statistics of a bot in the games of a pair, in one kind of game or in all.

    Attributes:
        games: how many games, including those that do not count.
        points: the mean of the game's own points, over the games that count; None for all kinds together.
        decisions: how many turns it was asked.
        time: the time it took for them, in microseconds.
        faults: the number of faults of each kind, in the order of FAULT_REASONS.
        forfeits: how many games it forfeited.
    """

    games: int
    points: float | None
    decisions: int
    time: int
    faults: tuple[int, ...]
    forfeits: int


class Loss(NamedTuple):
    """A game that an entrant lost.

    Attributes:
        key: the key of the game.
        seat: the seat of the entrant.
        points: its points.
        most: the points of the best of the others.
    """

    key: GameKey
    seat: int
    points: int
    most: int


def worst_losses(league: League, tournament: int, entrant: int, most: int = 3) -> list[Loss]:
    """The games of a tournament that an entrant lost by most, the worst first.

    A loss is by the share of opponents that were not beaten, then by points. Points of different games are
    made alike by the mean distance between the entrant and the best of the others.
    """
    void = stored_effects(league, tournament).void
    losses: list[tuple[Loss, Fraction]] = []
    distances = defaultdict[str, list[int]](list)
    for _, result in league.games(tournament):
        at = next((at for at, seat in enumerate(result.seats) if seat.entrant == entrant), None)
        if at is None or void.has_game(result.key):
            continue
        points = result.seats[at].points
        best = max(seat.points for other, seat in enumerate(result.seats) if other != at)
        distances[result.key.game].append(abs(best - points))
        score = seat_scores([seat.place for seat in result.seats])[at]
        if score < Fraction(1, 2):
            losses.append((Loss(result.key, at, points, best), score))
    mean = {game: fsum(found) / len(found) or 1.0 for game, found in distances.items()}
    losses.sort(key=lambda each: (each[1], (each[0].points - each[0].most) / mean[each[0].key.game]))
    return [loss for loss, _ in losses[:most]]


class GameIndex:
    """An index of the games: the results of each entrant in each match and game, and the games' numbers."""

    def __init__(self) -> None:
        self._seats = defaultdict[tuple[int, int, str], list[tuple[int, SeatResult]]](list)  # with the round
        self.results = defaultdict[tuple[int, str, int], list[tuple[int, GameResult]]](list)

    def add(self, number: int, result: GameResult) -> None:
        """Adds a game that counts, with its number in the league."""
        key = result.key
        for seat in result.seats:
            self._seats[key.match, seat.entrant, key.game].append((key.round, seat))
        self.results[key.match, key.game, key.round].append((number, result))

    def conducted(
        self, matches: Iterable[int], entrant: int, games: Iterable[str], counted: int | None = None
    ) -> Conducted:
        """The statistics of an entrant in some matches, with its mean points in `counted` rounds if given."""
        keys = [(match, game) for match in matches for game in games]
        played = [each for match, game in keys for each in self._seats.get((match, entrant, game), ())]
        seats = [seat for _, seat in played]
        points = None
        if counted and (at_table := len(self.results.get((*keys[0], 0), ()))):
            points = sum(seat.points for round_, seat in played if round_ < counted) / (counted * at_table)
        return Conducted(
            len(seats),
            points,
            sum(seat.decisions for seat in seats),
            sum(seat.time for seat in seats),
            _faults(seats),
            sum(seat.forfeit for seat in seats),
        )

    def charged(self, entrant: int) -> tuple[int, ...]:
        """The faults of an entrant in all games, followed by its number of forfeits."""
        seats = [seat for (_, who, _), played in self._seats.items() if who == entrant for _, seat in played]
        return (*_faults(seats), sum(seat.forfeit for seat in seats))


def _faults(seats: Iterable[SeatResult]) -> tuple[int, ...]:
    """The number of faults of each kind at some seats."""
    return tuple(map(sum, zip((0,) * len(FAULT_REASONS), *(seat.faults for seat in seats), strict=True)))


class RecordedPlay:
    """Compares games action by action, from their records."""

    def __init__(self, league: League, index: GameIndex, comparison: Comparison) -> None:
        self._league = league
        self._results = index.results
        self._matches = comparison.matches

    def alike(self, matches: Sequence[int], game: str, round_: int) -> bool:
        """Whether the games of a board were the same, action by action, with each of the two bots.

        In one match all its games are compared; in two, the games of the same rotation.
        """
        played = [self._games(match, game, round_) for match in matches]
        return all(
            all(_may_be_alike(games[0][1], other[1]) for other in games)
            and self._same(number for number, _ in games)
            for games in (played if len(played) == 1 else zip(*played, strict=True))
        )

    def repeated(self, match: int, game: str) -> tuple[int, int]:
        """How many boards were played twice, and how many of these had the same actions."""
        pairs = [*self._pairs(match, game)]
        return len(pairs), sum(
            all(self._same(number for number, _ in games) for games in zip(*pair, strict=True))
            for pair in pairs
        )

    def _pairs(self, match: int, game: str) -> Iterator[tuple[list[tuple[int, GameResult]], ...]]:
        for round_ in range(REPEATED):
            played = [self._games(each, game, round_) for each in (match, self._matches + match)]
            if played[0] and len(played[0]) == len(played[1]):
                yield tuple(played)

    def _games(self, match: int, game: str, round_: int) -> list[tuple[int, GameResult]]:
        """The games of a board, each with its number, in the order of rotations."""
        return sorted(self._results.get((match, game, round_), []), key=lambda item: item[1].key.rotation)

    def luck(self, match: int, game: str, round_: int, baseline: str) -> float:
        """The mean luck of a match's first entrant over the games of a board, by a baseline."""
        games = self._games(match, game, round_)
        return sum(
            luck_of(decode_record(self._league.game(number).record), baseline)[result.key.seating.index(0)]
            for number, result in games
        ) / len(games)

    def _same(self, numbers: Iterable[int]) -> bool:
        """Whether the games with these numbers have the same actions."""
        actions = (decode_record(self._league.game(number).record).actions for number in numbers)
        first = next(actions)
        return all(other == first for other in actions)


def _may_be_alike(one: GameResult, other: GameResult) -> bool:
    """Whether two games of a board have equal results, so that their actions may be equal."""
    return [(seat.place, seat.points, seat.decisions) for seat in one.seats] == [
        (seat.place, seat.points, seat.decisions) for seat in other.seats
    ]


class LessLuck(NamedTuple):
    """The answer to a question after luck is removed from its scores (see `arena.comparison.luck`).

    Attributes:
        estimate: the mean score with its interval. If the number of boards was not fixed in advance, that
            is the interval of the answer, which relies on both kinds of scores.
        finding: the finding that follows; then it is that of the answer.
        factor: how many times as many boards would give the same precision with luck.
        baseline: the baseline whose luck is subtracted from the next board's score.
    """

    estimate: Estimate
    finding: Finding | None
    factor: float
    baseline: str


class Answer(NamedTuple):
    """The answer to a question, as far as it is known.

    Attributes:
        game: the id of the game; None over all games.
        scores: the score of the first of the two on each board that counts, in order, over all its seats.
        estimate: their mean, with its interval.
        error: the allowed probability that the finding is wrong.
        finding: the answer; None while it is open.
        after: after how many boards it was found; None while it is open.
        expected: an estimate of the number of boards that it needs; None if there is none.
        won, level, lost: the numbers of boards with each result, for the first of the two.
        replaced: how many single games one of a board's games replaces (see `games_replaced`); None if
            that cannot be told.
        alike: how many of the level boards had the same actions from every seat.
        repeated, same: how many boards were played twice, and how many of these had the same actions.
        independence: a test whether the boards are independent; None if there are too few.
        less_luck: the answer without luck; None if it was not asked for, or does not pay.
        one, other: the statistics of the two.
    """

    game: str | None
    scores: tuple[float, ...]
    estimate: Estimate
    error: float
    finding: Finding | None
    after: int | None
    expected: int | None
    won: int
    level: int
    lost: int
    replaced: Replaced | None
    alike: int
    repeated: int
    same: int
    independence: Independence | None
    less_luck: LessLuck | None
    one: Conducted
    other: Conducted


class Compared(NamedTuple):
    """A pair, and all answers about it.

    Attributes:
        one, other: the entrants.
        games: the answer for each game.
        overall: the answer over all games; None if there is only one.
        beyond: how many boards were begun but do not count.
    """

    one: int
    other: int
    games: tuple[Answer, ...]
    overall: Answer | None
    beyond: int

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers to all questions; the one over all games comes first."""
        return (*([self.overall] if self.overall else []), *self.games)


class Errors(NamedTuple):
    """The error probabilities of a comparison.

    Attributes:
        parts: the number of questions with each error.
        findings: an upper bound of the probability that any finding is ever wrong.
        all: the same for any finding and any interval.
    """

    parts: Mapping[float, int]
    findings: float
    all: float


class RaceSummary(NamedTuple):
    """The state of a race.

    Attributes:
        racers: the bots, the best ones first.
        finding, named: see `Race`.
        rounds: how many rounds there were.
    """

    racers: tuple[Racer, ...]
    finding: RaceFinding | None
    named: int | None
    rounds: int


class ComparisonSummary(NamedTuple):
    """The answers of a comparison at a moment.

    Attributes:
        tournament: the tournament as stored.
        plan: its plan.
        format_: its format.
        rounds: the greatest possible number of rounds.
        pairs: the answers about each pair.
        race: the race for the best, in which no pair has a finding of its own; None without one.
        games: how many games are stored.
        over: whether all that is asked for was played.
        settled: whether all questions are answered.
        extended: whether boards were added after the planned ones.
        charged: for each entrant, the number of faults of each kind, in the order of FAULT_REASONS, and
            at the end of its forfeits, in all stored games.
        can_go_on: whether it is over and more boards could answer an open question.
        withdrawn: the entrants that play no more.
        ended: whether the host ended it before it was over.
    """

    tournament: StoredTournament
    plan: Plan
    format_: ComparisonFormat
    rounds: int
    pairs: tuple[Compared, ...]
    race: RaceSummary | None
    games: int
    over: bool
    settled: bool
    extended: bool
    charged: tuple[tuple[int, ...], ...]
    can_go_on: bool
    withdrawn: tuple[int, ...]
    ended: bool

    @property
    def shown_pairs(self) -> tuple[Compared, ...]:
        """The pairs that people look at: all, or those of the first bot of a race."""
        if self.race is None:
            return self.pairs
        first = self.race.racers[0].bot
        return tuple(pair for pair in self.pairs if first in (pair.one, pair.other))

    @property
    def errors(self) -> Errors:
        """The error probabilities, summed over all questions, open ones included.

        A race is one question.

        If the comparison stops early, "no difference" may be wrong with the whole error on one side,
        and the interval with half of the error on the other side.
        """
        answers = [answer for pair in self.pairs for answer in pair.answers]
        parts = Counter(answer.error for answer in answers)
        if not self.format_.stops:  # then the answers without luck are others
            parts.update(answer.error for answer in answers if answer.less_luck)
        findings = fsum(error * count for error, count in parts.items())
        if self.race is not None:
            race = self.format_.rule.overall.error
            return Errors({race: 1}, race, race + findings)
        return Errors(parts, findings, findings * (1.5 if self.format_.stops else 1))


def summarize_comparison(
    league: League, tournament: int, at: datetime | None = None, *, less_luck: bool = False
) -> ComparisonSummary:
    """Summarizes a comparison as it is, or was at a moment `at`. Raises UnknownTournament, UnknownPlan.

    `less_luck` adds the answers without luck, which takes up to half a second a game, if the number
    of boards was fixed in advance.
    """
    with league.snapshot():
        course = course_of(league, tournament, at)
        assert isinstance(course, ComparisonCourse)
        comparison = course.comparison
        index = GameIndex()
        for number, result in league.games(tournament, at):
            if not course.effects.void.has_game(result.key):
                index.add(number, result)
        plays = RecordedPlay(league, index, comparison)
        (format_,) = course.plan.stages
        assert isinstance(format_, ComparisonFormat)
        tried = format_.baselines_of if less_luck and not format_.stops else {}
        return ComparisonSummary(
            tournament=league.tournament(tournament),
            plan=course.plan,
            format_=format_,
            rounds=course.stages[0].round_count,
            pairs=tuple(_compared(comparison, study, index, plays, tried) for study in comparison.studies),
            race=_race(comparison),
            games=course.tally.played,
            over=course.over,
            settled=comparison.settled,
            extended=course.stages[0].round_count > format_.cap,
            charged=tuple(map(index.charged, range(course.effects.entrants))),
            can_go_on=course.over and course.may_go_on,
            withdrawn=tuple(course.effects.withdrawn),
            ended=course.effects.ended,
        )


def _race(comparison: Comparison) -> RaceSummary | None:
    race = comparison.race
    if race is None:
        return None
    return RaceSummary(tuple(comparison.racers()), race.finding, race.named, race.rounds)


def _compared(
    comparison: Comparison,
    study: Study,
    index: GameIndex,
    plays: RecordedPlay,
    tried: Mapping[str, Sequence[str]],
) -> Compared:
    games = tuple(
        _answer(comparison, study, game, index, plays, tried.get(game, ())) for game in comparison.games
    )
    overall = None if study.overall is None else _overall(study, study.overall, games, index)
    return Compared(study.contest.one, study.contest.other, games, overall, comparison.played_beyond(study))


def _answer(
    comparison: Comparison,
    study: Study,
    game: str,
    index: GameIndex,
    plays: RecordedPlay,
    tried: Sequence[str],
) -> Answer:
    question, counted = study.games[game], study.counted(game)
    scores = question.scores[:counted]
    contest = study.contest
    boards = [
        [rotations for match in contest.matches if (rotations := comparison.rotations(match, game, round_))]
        for round_ in range(counted)
    ]
    repeated, same = plays.repeated(contest.match, game)
    return Answer(
        game,
        tuple(scores),
        *_known(question, counted, study),
        *_won_level_lost(scores),
        games_replaced(boards),
        sum(
            score == LEVEL and plays.alike(contest.matches, game, round_)
            for round_, score in enumerate(scores)
        ),
        repeated,
        same,
        independence(scores),
        less_luck_of(study, game, scores, tried, plays.luck)
        if tried
        else _bet_on(study, game, question, counted),
        index.conducted(contest.matches, contest.one, [game], counted),
        index.conducted(contest.matches, contest.other, [game], counted),
    )


def less_luck_of(
    study: Study,
    game: str,
    scores: Sequence[float],
    tried: Sequence[str],
    luck_of_board: Callable[[int, str, int, str], float],
) -> LessLuck | None:
    """The answer after luck is removed from the scores; None if that does not pay.

    Args:
        study, game: the question.
        scores: the scores of the boards, in order.
        tried: the baselines.
        luck_of_board: returns the luck of a match's first entrant on the board of a round, by a baseline.
    """
    contest, precision = study.contest, study.games[game].precision
    baselines = Baselines(tried)
    corrected = []
    for round_, score in enumerate(scores):
        lucks = {}
        for name in baselines.wanted:
            lucks[name] = luck_of_board(contest.match, game, round_, name)
            if contest.against is not None:
                lucks[name] = (lucks[name] - luck_of_board(contest.against, game, round_, name)) / 2
        corrected.append(baselines.take(score, lucks))
    if (best := baselines.best) is None or len(scores) < TRIAL:
        return None
    known = estimate(corrected, precision, anytime=False)
    return LessLuck(known, finding_of(known, precision), baselines.factor, best)


def _bet_on(study: Study, game: str, question: Question, counted: int) -> LessLuck | None:
    """The scores without luck of a comparison that bets on them; None if it does not, or not any more."""
    baselines = study.baselines.get(game)
    if baselines is None or (best := baselines.best) is None or not counted:
        return None
    assert question.corrected is not None
    without = [each.score for each in question.corrected[:counted]]
    known = question.estimate(counted)._replace(score=fsum(without) / counted)
    return LessLuck(known, question.finding, baselines.factor, best)


def _overall(study: Study, question: Question, games: Sequence[Answer], index: GameIndex) -> Answer:
    contest, names = study.contest, [*study.games]
    counted = study.counted_rounds()
    scores = question.scores[:counted]
    return Answer(
        None,
        tuple(scores),
        *_known(question, counted, study),
        *_won_level_lost(scores),
        None,
        sum(answer.alike for answer in games),
        sum(answer.repeated for answer in games),
        sum(answer.same for answer in games),
        independence(scores),
        None,
        index.conducted(contest.matches, contest.one, names),
        index.conducted(contest.matches, contest.other, names),
    )


def _known(
    question: Question, counted: int, study: Study
) -> tuple[Estimate, float, Finding | None, int | None, int | None]:
    """The fields `estimate`, `error`, `finding`, `after` and `expected` of an `Answer`."""
    estimate, error = question.estimate(counted), question.precision.error
    if not study.stops:
        return estimate, error, question.settled_by(counted), None, None
    if study.race:
        return estimate, error, None, None, None
    return estimate, error, question.finding, question.boards_needed, question.boards_expected()


def _won_level_lost(scores: Sequence[float]) -> tuple[int, int, int]:
    won, level = sum(score > LEVEL for score in scores), sum(score == LEVEL for score in scores)
    return won, level, len(scores) - won - level
