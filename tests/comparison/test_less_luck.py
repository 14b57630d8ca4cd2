"""Bets on scores without luck: luck keeps its bounds, and the bets stay fair."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from math import exp, log, prod
from statistics import fmean
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.comparison.betting import FRACTIONS, Bets, Betting, Board, Scored, betting_interval, boards_of
from arena.comparison.coefficient import MOST_IN_BETS, TRIAL, Baselines, paying
from arena.comparison.comparison import Comparison, Contest, Rule
from arena.comparison.luck import choices_from, luck_in, luck_of, scores_of
from arena.comparison.question import Finding, Precision, Question
from arena.games import GAMES
from tests.comparison.lucky_games import clever, late, played, start, stock, usual
from tests.examples import examples
from tests.games.boards import scripted
from tests.games.random_play import random_options

every_game = pytest.mark.parametrize("game", sorted(paying()))
numbers = st.integers(0, 2**64 - 1)
MARGIN = 0.05


# --- bounded luck ---------------------------------------------------------------------------------------


def board_luck(game: str, number: int, seats: int, policy: Any) -> tuple[float, float]:
    """The score and the bounded luck, on a board, of a player that has each seat in turn."""
    rng = random.Random(number)
    key, options = rng.randbytes(32), GAMES[game].Options()
    if seats > 2:
        options = random_options(GAMES[game], rng)
        seats = max(GAMES[game].seats(options))
    games = []
    for own in range(seats):
        state = start(game, key, options, seats)
        record = played(game, state, key, policy(own, rng), options, seats)
        games.append((scores_of(record.outcome.places)[own], luck_of(record, bounded=True)[own]))
    score, luck = (fmean(each) for each in zip(*games, strict=True))
    return score, luck


def noisy(own: int, rng: random.Random) -> Any:
    return lambda state, seat: rng.choice(state.legal_actions(seat))


def foolish(own: int, rng: random.Random) -> Any:
    """One player never does what the baseline does, if it can help it, and the others always do."""

    def policy(state: Any, seat: int) -> Any:
        best, legal = usual(state, seat), state.legal_actions(seat)
        return next((each for each in reversed(legal) if each != best), best) if seat == own else best

    return policy


@every_game
@pytest.mark.parametrize("policy", [noisy, foolish])
@examples(2)
@given(number=numbers, seats=st.sampled_from([2, 2, 3]))
def test_luck_of_a_board_has_its_bounds(game: str, policy: Any, number: int, seats: int) -> None:
    score, luck = board_luck(game, number, seats, policy)
    assert -1 - 1e-9 <= luck <= 1 + 1e-9
    for multiple in (0.2, 0.5):
        assert -multiple - 1e-9 <= score - multiple * luck <= 1 + multiple + 1e-9


@pytest.mark.parametrize(
    ("game", "number"),
    [
        pytest.param("forty-one", 41, marks=pytest.mark.campaign),
        pytest.param("kleftis", 43, marks=pytest.mark.campaign),
    ],
)
def test_over_all_orders_of_the_cards_bounded_luck_comes_to_exactly_nothing(game: str, number: int) -> None:
    """All true orders, and for each all that fresh orders can be, two for a choice."""
    rng = random.Random(number)
    state = late(game, rng)
    boards = [scripted(order) for order in itertools.permutations(stock(state))]
    policy = clever(rng.getrandbits(32), 10)
    choices = taken = possible = 0
    lucks = []
    for board in boards:
        record = played(game, state.redrawn(board), bytes(32), policy)
        asked: dict[int, int] = {}

        def count(position: Any, step: int, asked: dict[int, int] = asked) -> Iterator[Any]:
            asked[step] = len(asked)
            return iter(())

        luck_in(choices_from(state.redrawn(board), record, count), record.seats, 2)
        choices = max(choices, len(asked))
        for drawn in product(boards, repeat=2 * len(asked)):

            def futures(
                position: Any, step: int, drawn: Any = drawn, asked: dict[int, int] = asked
            ) -> Iterator[Any]:
                nonlocal taken
                for order in drawn[2 * asked[step] : 2 * asked[step] + 2]:
                    taken += 1
                    yield position.redrawn(order)

            possible += len(drawn)
            luck = luck_in(choices_from(state.redrawn(board), record, futures), record.seats, 2, 0.2)[0]
            lucks.append(luck / len(boards) ** (1 + len(drawn)))
    assert choices == 2
    assert taken < possible  # some of it was left out
    assert any(lucks)
    assert sum(lucks) == pytest.approx(0, abs=1e-9)


@every_game
def test_little_luck_is_the_same_bounded_or_not(game: str) -> None:
    rng = random.Random(5)
    key = rng.randbytes(32)
    state, turns = start(game, key), itertools.count()

    def policy(state: Any, seat: int) -> Any:
        return state.legal_actions(seat)[-1] if next(turns) == 3 else usual(state, seat)

    record = played(game, state, key, policy)
    assert luck_of(record, bounded=True) == luck_of(record)


# --- the bets -------------------------------------------------------------------------------------------

TRIED = ("greedy", "thoughtful")
Told: TypeAlias = tuple[float, float, float]
"""The score of a board, and its luck by both baselines."""

CHANCES = {
    # score and lucks of a board, with its chance; the lucks have no mean
    (Fraction(1), Fraction(1, 2), Fraction(1)): Fraction(1, 4),
    (Fraction(0), Fraction(-1, 2), Fraction(-1)): Fraction(1, 4),
    (Fraction(1), Fraction(-1), Fraction(1, 2)): Fraction(1, 8),
    (Fraction(0), Fraction(1), Fraction(-1, 2)): Fraction(1, 8),
    (Fraction(1, 2), Fraction(1, 4), Fraction(0)): Fraction(1, 8),
    (Fraction(1, 2), Fraction(-1, 4), Fraction(0)): Fraction(1, 8),
}


def corrected(boards: Iterable[Told]) -> list[Scored]:
    baselines, ways = Baselines(TRIED, MOST_IN_BETS), []
    for score, *lucks in boards:
        reach = baselines.value
        ways.append(Scored(baselines.take(score, dict(zip(TRIED, lucks, strict=True))), reach))
    return ways


def seen(boards: list[Told], mean: float, above: bool, betting: Betting) -> Bets:
    gamblers = Bets(mean, above, betting, 2)
    for board in in_order(boards, betting):
        gamblers.see(*board)
    return gamblers


def in_order(boards: list[Told], betting: Betting) -> list[tuple[Board, ...]]:
    scores = [score for score, *_ in boards]
    without = corrected(boards)
    ordered = []
    for count in range(1, len(boards) + 1):
        (now,) = (
            boards_of(scores[:count], MARGIN, betting, without[:count])
            - boards_of(scores[: count - 1], MARGIN, betting, without[: count - 1])
        ).elements()
        ordered.append(now)
    return ordered


def wealth(boards: list[Told], mean: float, above: bool) -> float:
    """Half of the money on either kind of score, by the definition, with constant bets."""
    total = 0.0
    for ways in ([Scored(score, 0) for score, *_ in boards], corrected(boards)):
        for fraction in FRACTIONS:
            total += prod(
                1
                + fraction
                * (way.score - mean if above else mean - way.score)
                / ((mean if above else 1 - mean) + way.reach)
                for way in ways
            )
    return total / 2 / len(FRACTIONS)


@pytest.mark.parametrize("betting", Betting)
@pytest.mark.parametrize("above", [True, False])
def test_without_a_difference_they_win_nothing_on_average(betting: Betting, above: bool) -> None:
    """All sequences of four boards, with their chances, and the baselines and multiples that they teach."""
    expected = sum(
        float(prod(CHANCES[board] for board in boards))
        * exp(
            seen(
                [(float(one), float(two), float(three)) for one, two, three in boards], 0.5, above, betting
            ).log_wealth
        )
        for boards in product(CHANCES, repeat=4)
    )
    assert expected == pytest.approx(1)


LUCKS = st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0])
LISTS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), LUCKS, LUCKS), min_size=1, max_size=50
)


@given(LISTS, st.sampled_from([0.45, 0.5, 0.7]), st.booleans())
def test_wealth_is_that_of_the_definition(boards: Any, mean: float, above: bool) -> None:
    bets = seen(boards, mean, above, Betting.HEDGED)
    assert bets.log_wealth == pytest.approx(log(wealth(boards, mean, above)), abs=1e-9)


@given(LISTS, st.sampled_from(Betting), st.booleans())
def test_wealth_falls_the_farther_the_value_lies_on_the_side_that_they_bet_on(
    boards: Any, betting: Betting, above: bool
) -> None:
    values = [step / 20 for step in range(1, 20)]
    wealths = [seen(boards, value, above, betting).log_wealth for value in values]
    if not above:
        wealths.reverse()
    assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(wealths))


@examples(30)
@given(LISTS, st.sampled_from([0.05, 0.25]), st.sampled_from(Betting))
def test_the_interval_is_all_means_that_the_bets_do_not_contradict(
    boards: Any, error: float, betting: Betting
) -> None:
    scores = [score for score, *_ in boards]
    ends = betting_interval(boards_of(scores, MARGIN, betting, corrected(boards)), error, betting)
    if ends[0] == ends[1]:
        return
    for end, above, out in zip(ends, (True, False), (-1e-6, 1e-6), strict=True):
        if 1e-5 < end < 1 - 1e-5:
            assert seen(boards, end + out, above, betting).log_wealth >= log(2 / error)
            assert seen(boards, end - out, above, betting).log_wealth < log(2 / error)


def test_scores_that_contradict_each_other_leave_one_mean() -> None:
    boards = boards_of([1.0] * 200, MARGIN, Betting.TARGETED, [Scored(0.0, 0.0)] * 200)
    low, high = betting_interval(boards, 0.05, Betting.TARGETED)
    assert low == high


# --- questions and comparisons ------------------------------------------------------------------------------

PRECISION = Precision(0.05, MARGIN)
RULE = Rule(True, PRECISION, PRECISION, less_luck={"kleftis": ("greedy",)})


def lucky(mean: float, count: int) -> list[tuple[float, float]]:
    """Scores that are little but a mean and luck."""
    rng = random.Random(7)
    lucks = [rng.choice([-0.4, 0.0, 0.4]) for _ in range(count)]
    return [(mean + luck + rng.choice([-0.05, 0.05]), luck) for luck in lucks]


def test_half_of_the_money_finds_a_difference_sooner() -> None:
    plain, less = Question(PRECISION), Question(PRECISION, less_luck=True)
    boards = lucky(0.55, 900)
    by_both = [(score, luck, luck) for score, luck in boards]
    for (score, _), without in zip(boards, corrected(by_both), strict=True):
        plain.add(score)
        less.add(score, without)
    assert less.finding is Finding.BETTER
    assert less.boards_needed is not None
    assert plain.boards_needed is None or less.boards_needed < 0.7 * plain.boards_needed
    assert less.estimate(200).low > plain.estimate(200).low


def told(games: list[tuple[str, int, int, float, float]], order: list[int], rule: Rule = RULE) -> Comparison:
    """A comparison that is told each game's score and luck, in some order of these messages."""
    comparison = Comparison((Contest(0, 1, 0),), ("kleftis", "hyrule"), 2, rule)
    for message in order:
        game, round_, rotation, score, luck = games[message // 2]
        if message % 2 == 0:
            comparison.add_game(0, game, round_, rotation, score)
        elif game == "kleftis":
            comparison.add_luck(0, game, round_, rotation, "greedy", luck)
    return comparison


@examples(20)
@given(st.randoms(use_true_random=False))
def test_the_order_of_scores_and_lucks_changes_nothing(rng: random.Random) -> None:
    games = [
        (game, round_, rotation, rng.choice([0.0, 0.5, 1.0]), rng.choice([-0.5, 0.0, 0.5]))
        for game in ("kleftis", "hyrule")
        for round_ in range(60)
        for rotation in range(2)
    ]
    order = [*range(2 * len(games))]
    one = told(games, order)
    rng.shuffle(order)
    other = told(games, order)
    for question, same in zip(one.studies[0].questions, other.studies[0].questions, strict=True):
        assert question.scores == same.scores
        assert question.corrected == same.corrected
        assert (question.finding, question.boards_needed) == (same.finding, same.boards_needed)
        assert question.estimate() == same.estimate()


def test_a_board_counts_when_its_luck_is_known() -> None:
    comparison = Comparison((Contest(0, 1, 0),), ("kleftis",), 2, RULE)
    (question,) = comparison.studies[0].questions
    for rotation in range(2):
        assert comparison.wants_luck(0, "kleftis", 0)
        assert not comparison.lacks_luck
        comparison.add_game(0, "kleftis", 0, rotation, 1.0)
    assert comparison.lacks_luck
    comparison.add_luck(0, "kleftis", 0, 0, "greedy", 0.5)
    assert question.scores == []
    comparison.add_luck(0, "kleftis", 0, 1, "greedy", 0.25)
    assert not comparison.lacks_luck
    assert question.scores == [1.0]
    assert question.corrected == [Scored(1.0 - 0.4 * 0.375, 0.4)]


def test_luck_that_does_not_pay_is_no_longer_awaited() -> None:
    comparison = Comparison((Contest(0, 1, 0),), ("kleftis",), 2, RULE)
    rng = random.Random(3)
    for round_ in range(TRIAL + 2):
        for rotation in range(2):
            comparison.add_game(0, "kleftis", round_, rotation, rng.choice([0.0, 1.0]))
            if round_ < TRIAL:
                comparison.add_luck(0, "kleftis", round_, rotation, "greedy", rng.choice([-0.5, 0.5]))
    (question,) = comparison.studies[0].questions
    assert not comparison.wants_luck(0, "kleftis", TRIAL + 2)
    assert not comparison.lacks_luck
    assert len(question.scores) == TRIAL + 2
    assert question.corrected is not None
    assert question.corrected[-1] == Scored(question.scores[-1], 0.0)


def test_in_the_company_of_others_the_difference_of_lucks_counts() -> None:
    comparison = Comparison((Contest(0, 1, 0, 1),), ("kleftis",), 2, RULE)
    for match, luck in ((0, 0.5), (1, -0.25)):
        for rotation in range(2):
            comparison.add_game(match, "kleftis", 0, rotation, 0.5)
            comparison.add_luck(match, "kleftis", 0, rotation, "greedy", luck)
    (question,) = comparison.studies[0].questions
    assert question.corrected == [Scored(0.5 - 0.4 * 0.375, 0.4)]


def test_over_all_games_the_mean_of_the_scores_without_luck_counts() -> None:
    comparison = Comparison((Contest(0, 1, 0),), ("kleftis", "hyrule"), 2, RULE)
    for rotation in range(2):
        comparison.add_game(0, "kleftis", 0, rotation, 1.0)
        comparison.add_luck(0, "kleftis", 0, rotation, "greedy", 0.5)
        comparison.add_game(0, "hyrule", 0, rotation, 0.5)
    overall = comparison.studies[0].overall
    assert overall is not None
    assert overall.corrected == [Scored(0.65, 0.2)]
