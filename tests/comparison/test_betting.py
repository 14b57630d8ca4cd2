"""Bets on a mean: their wealth, which does not grow on average without a difference, and the interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import cycle, pairwise, product
from math import comb, exp, fsum, inf, log, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.comparison.betting import (
    FRACTIONS,
    Bets,
    Betting,
    Board,
    Target,
    betting_interval,
    boards_of,
    fixed_interval,
)
from tests.examples import examples

SCORES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
COUNTS = st.dictionaries(SCORES, st.integers(1, 60), min_size=1)
MEANS = st.sampled_from([0.1, 0.45, 0.5, 0.55, 0.7])


MARGIN = 0.05


def stakes_before(scores: list[float]) -> list[float]:
    """What the seventh gambler stakes on each board: d / (v + d * d)."""
    stakes = []
    for played in range(len(scores)):
        variance = (0.5 + sum((score - 0.5) ** 2 for score in scores[:played])) / (4 + played)
        stakes.append(round(MARGIN / (variance + MARGIN**2), 2))
    return stakes


def wealth(scores: list[float], mean: float, above: bool, betting: Betting = Betting.HEDGED) -> float:
    """The wealth by its definition: equal parts of 1, each of which stakes its fraction on every board.

    The seventh gambler has half of it.
    """
    room = mean if above else 1 - mean
    gains = [(score - mean if above else mean - score) / room for score in scores]
    hedged = fsum(prod(1 + fraction * gain for gain in gains) for fraction in FRACTIONS) / len(FRACTIONS)
    if betting is Betting.HEDGED:
        return hedged
    parts = [min(stake * room, 0.8) for stake in stakes_before(scores)]
    return (hedged + prod(1 + part * gain for part, gain in zip(parts, gains, strict=True))) / 2


def bets(scores: list[float], mean: float, above: bool, betting: Betting = Betting.HEDGED) -> Bets:
    gamblers, target = Bets(mean, above, betting), Target(MARGIN)
    for score in scores:
        gamblers.see(Board(score, None if betting is Betting.HEDGED else target.stake))
        target.see(score)
    return gamblers


def interval(counts: Mapping[float, int], error: float) -> tuple[float, float]:
    boards: Counter[tuple[Board, ...]] = Counter()
    for score, count in counts.items():
        boards[Board(score, None),] = count
    return betting_interval(boards, error, Betting.HEDGED)


def test_the_fractions_are_six_from_small_to_large_in_equal_ratios():
    assert len(FRACTIONS) == 6
    assert FRACTIONS[0] == 0.06
    assert FRACTIONS[-1] == pytest.approx(0.8)
    assert {round(other / one, 9) for one, other in pairwise(FRACTIONS)} == {round((0.8 / 0.06) ** 0.2, 9)}


def test_wealth_by_hand():
    # One board that is won multiplies what is staked on the mean's being above a half by 1 + its fraction.
    assert exp(bets([1.0], 0.5, True).log_wealth) == pytest.approx(1 + sum(FRACTIONS) / 6)
    assert exp(bets([1.0], 0.5, False).log_wealth) == pytest.approx(1 - sum(FRACTIONS) / 6)
    assert exp(bets([0.5], 0.5, True).log_wealth) == pytest.approx(1)
    two = sum((1 + each) * (1 - each) for each in FRACTIONS) / 6
    assert exp(bets([1.0, 0.0], 0.5, True).log_wealth) == pytest.approx(two)
    # From 0.2 upwards there is four times as much to win as to lose.
    assert exp(bets([1.0], 0.2, True).log_wealth) == pytest.approx(1 + 4 * sum(FRACTIONS) / 6)
    assert bets([], 0.5, True).log_wealth == 0


@given(st.lists(SCORES, max_size=40), MEANS, st.booleans(), st.sampled_from(Betting))
def test_wealth_is_that_of_the_definition(scores, mean, above, betting):
    gamblers = bets(scores, mean, above, betting)
    assert gamblers.log_wealth == pytest.approx(log(wealth(scores, mean, above, betting)), abs=1e-9)


@given(st.lists(SCORES, max_size=40), MEANS, st.booleans())
def test_constant_bets_win_the_same_in_any_order(scores, mean, above):
    gamblers = bets(scores, mean, above)
    assert bets(sorted(scores), mean, above).log_wealth == pytest.approx(gamblers.log_wealth, abs=1e-9)


@pytest.mark.parametrize("betting", Betting)
@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize(
    "chances",
    [
        {Fraction(0): Fraction(1, 2), Fraction(1): Fraction(1, 2)},
        {Fraction(0): Fraction(1, 4), Fraction(1, 2): Fraction(1, 2), Fraction(1): Fraction(1, 4)},
        {Fraction(0): Fraction(1, 10), Fraction(1, 2): Fraction(8, 10), Fraction(1): Fraction(1, 10)},
        {Fraction(0): Fraction(1, 3), Fraction(3, 4): Fraction(2, 3)},
        {Fraction(0): Fraction(3, 10), Fraction(1, 4): Fraction(3, 10), Fraction(1): Fraction(4, 10)},
    ],
)
def test_where_the_mean_is_what_they_bet_against_they_win_nothing_on_average(chances, above, betting):
    """All sequences of five boards, with their chances: the wealth is 1 on average."""
    mean = sum(score * chance for score, chance in chances.items())
    expected = sum(
        float(prod(chances[score] for score in scores))
        * exp(bets([float(score) for score in scores], float(mean), above, betting).log_wealth)
        for scores in product(chances, repeat=5)
    )
    assert expected == pytest.approx(1)


@pytest.mark.parametrize("betting", Betting)
def test_where_the_mean_lies_on_the_other_side_they_lose_on_average(betting):
    chances = {0.0: 0.5, 0.5: 0.2, 1.0: 0.3}  # a mean of 0.4
    expected = sum(
        prod(chances[score] for score in scores) * exp(bets(list(scores), 0.5, True, betting).log_wealth)
        for scores in product(chances, repeat=6)
    )
    assert expected < 1


@pytest.mark.parametrize("betting", Betting)
def test_the_chance_ever_to_be_rich_is_small_however_often_one_looks(betting):
    """All sequences of twelve boards: the chance that the wealth is 4 at any moment is a quarter at most."""
    reached = 0
    for scores in product((0.0, 1.0), repeat=12):
        gamblers, stakes = Bets(0.5, True, betting), stakes_before(list(scores))
        for score, stake in zip(scores, stakes, strict=True):
            gamblers.see(Board(score, stake if betting is Betting.TARGETED else None))
            if gamblers.log_wealth >= log(4):
                reached += 1
                break
    assert 0 < reached / 2**12 <= 1 / 4


def by_inversion(counts: dict[float, int], error: float) -> tuple[float, float]:
    """The first and the last of two thousand means that the bets do not contradict."""
    steps = 2_000
    scores = [score for score, count in counts.items() for _ in range(count)]
    inside = [
        mean
        for step in range(1, steps)
        for mean in [step / steps]
        if max(wealth(scores, mean, True), wealth(scores, mean, False)) < 2 / error
    ]
    return min(inside), max(inside)


@pytest.mark.parametrize(
    "counts",
    [
        {0.0: 3, 1.0: 5},
        {0.5: 9, 1.0: 1},
        {1.0: 14},
        {0.0: 11},
        {0.25: 7, 0.5: 3, 0.75: 7, 1.0: 4},
    ],
)
@pytest.mark.parametrize("error", [0.05, 0.01])
def test_the_interval_is_all_means_that_the_bets_do_not_contradict(counts, error):
    low, high = interval(counts, error)
    first, last = by_inversion(counts, error)
    assert low == pytest.approx(first, abs=1e-3)
    assert high == pytest.approx(last, abs=1e-3)


@examples(30)
@given(st.lists(SCORES, min_size=1, max_size=60), st.sampled_from([0.05, 0.01]))
def test_the_interval_with_a_target_is_all_means_that_the_bets_do_not_contradict(scores, error):
    """One end by the definition: a hair inside the bets do not contradict it, a hair outside they do."""
    found = betting_interval(boards_of(scores, MARGIN, Betting.TARGETED), error, Betting.TARGETED)
    for end, above, out in zip(found, (True, False), (-1e-6, 1e-6), strict=True):
        if 1e-5 < end < 1 - 1e-5:
            assert wealth(scores, end + out, above, Betting.TARGETED) >= 2 / error
            assert wealth(scores, end - out, above, Betting.TARGETED) < 2 / error


def test_what_the_seventh_gambler_stakes():
    target = Target(0.05)
    assert target.stake == 0.39  # .05 / (1 / 8 + .0025)
    for _ in range(96):
        target.see(0.5)
    assert target.stake == 6.67  # .05 / (.5 / 100 + .0025)
    assert Target(0.001).stake == 0.008  # a small margin has small stakes, which are not rounded away
    boards = boards_of([0.5] * 96, 0.05, Betting.TARGETED)
    assert sum(boards.values()) == 96
    assert (Board(0.5, 0.39),) in boards
    assert boards_of([0.5] * 96, 0.05, Betting.HEDGED) == {(Board(0.5, None),): 96}


def test_without_boards_all_means_are_possible():
    assert interval({}, 0.05) == (0.0, 1.0)
    assert interval({0.5: 0}, 0.05) == (0.0, 1.0)


@examples(40)
@given(COUNTS, st.sampled_from([0.05, 0.01]), st.randoms(use_true_random=False))
def test_the_interval_depends_on_counts_alone_and_holds_the_mean(counts, error, rng):
    low, high = interval(counts, error)
    mean = sum(score * count for score, count in counts.items()) / sum(counts.values())
    assert 0.0 <= low <= mean + 1e-9
    assert mean - 1e-9 <= high <= 1.0
    shuffled = [*counts.items()]
    rng.shuffle(shuffled)
    assert interval(dict(shuffled), error) == (low, high)
    mirrored = interval({1 - score: count for score, count in counts.items()}, error)
    assert mirrored[0] == pytest.approx(1 - high, abs=1e-9)
    assert mirrored[1] == pytest.approx(1 - low, abs=1e-9)


@examples(40)
@given(COUNTS)
def test_the_surer_the_wider(counts):
    low, high = interval(counts, 0.05)
    lower, higher = interval(counts, 0.01)
    assert lower <= low <= high <= higher


def test_who_expects_so_many_boards_is_there_with_them():
    """Boards as they were, over and over: what the best bet wins by itself comes a little sooner together."""
    counts: Counter[tuple[Board, ...]] = Counter()
    for score, count in ((1.0, 6), (0.5, 3), (0.0, 3)):
        counts[Board(score, None),] = count
    expected = Bets(0.5, True, Betting.HEDGED).boards_to(log(100), counts)
    gamblers, boards = Bets(0.5, True, Betting.HEDGED), 0
    for board in cycle(counts.elements()):
        gamblers.see(*board)
        boards += 1
        if gamblers.log_wealth >= log(100):
            break
    assert 0.7 * expected < boards <= expected
    assert Bets(0.5, False, Betting.HEDGED).boards_to(log(100), counts) == inf


def test_what_cannot_be_is_contradicted_at_once():
    """After only losses no gambler has won: there is no room for such a bet."""
    assert bets([0.0, 0.0], 0.0, True).log_wealth == 0
    assert bets([0.0, 0.5], 0.0, True).log_wealth == inf
    assert bets([1.0], 1.0, False).log_wealth == 0
    assert bets([0.5], 1.0, False).log_wealth == inf


def at_least(won: int, boards: int, chance: float) -> float:
    """The chance of so many wins or more."""
    return sum(comb(boards, k) * chance**k * (1 - chance) ** (boards - k) for k in range(won, boards + 1))


def coverage(boards: int, high: float, low: float, wins: float, losses: float = 0.0) -> float:
    """How often the interval has the true mean, exactly: over all ways in which the boards can come out."""
    level = 1 - wins - losses
    mean = wins * high + losses * low + level * 0.5
    covered = 0.0
    for won, lost in product(range(boards + 1), range(boards + 1 if losses else 1)):
        if won + lost <= boards:
            drawn = boards - won - lost
            ends = fixed_interval({high: won, low: lost, 0.5: drawn}, 0.05)
            ways = comb(boards, won) * comb(boards - won, lost)
            covered += (ends[0] <= mean <= ends[1]) * ways * wins**won * losses**lost * level**drawn
    return covered


def test_by_hand():
    # With a board of 0 added, 40 level boards weigh nothing but for the share of that one: it is above
    # 1 - .025 ** (1 / 40) with a chance of .025.
    low, high = fixed_interval({0.5: 40}, 0.05)
    assert low == pytest.approx(0.5 * 0.025 ** (1 / 40), abs=3e-4)
    assert high == pytest.approx(1 - 0.5 * 0.025 ** (1 / 40), abs=3e-4)
    # Of two boards, one won and one lost, the lower end is the value that one of three random weights
    # falls below with that chance: 1 - (1 - x) ** 2 = .025.
    assert fixed_interval({0.0: 1, 1.0: 1}, 0.05)[0] == pytest.approx(1 - 0.975**0.5, rel=0.05)


@pytest.mark.parametrize(("won", "boards"), [(1, 5), (7, 20), (30, 100), (3, 300), (290, 300)])
@pytest.mark.parametrize("error", [0.05, 0.01])
def test_of_boards_won_and_lost_it_is_that_of_clopper_and_pearson(won, boards, error):
    low, high = fixed_interval({1.0: won, 0.0: boards - won}, error)
    assert at_least(won, boards, low) == pytest.approx(error / 2, rel=0.06)
    assert at_least(boards - won, boards, 1 - high) == pytest.approx(error / 2, rel=0.06)


@pytest.mark.parametrize("boards", [10, 40, 100])
@pytest.mark.parametrize("wins", [0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.5])
def test_it_covers_where_all_boards_are_level_but_those_that_one_wins(boards, wins):
    for high in (0.75, 1.0):
        assert coverage(boards, high, 0.0, wins) >= 0.95


@pytest.mark.parametrize("boards", [10, pytest.param(20, marks=pytest.mark.campaign)])
@pytest.mark.parametrize(("wins", "losses"), [(0.04, 0.01), (0.08, 0.04), (0.3, 0.1), (0.7, 0.3)])
def test_it_covers_where_the_other_wins_some_too(boards, wins, losses):
    for high, low in ((1.0, 0.0), (0.75, 0.25), (0.75, 0.0), (1.0, 0.25)):
        assert coverage(boards, high, low, wins, losses) >= 0.95


def test_one_board_says_nothing_and_level_boards_not_all():
    assert fixed_interval({}, 0.05) == (0, 1)
    assert fixed_interval({1.0: 1}, 0.05) == (0, 1)
    low, high = fixed_interval({0.5: 100}, 0.05)
    assert 0.47 < low < 0.5 < high < 0.53


def test_it_narrows_with_the_boards_and_widens_with_the_certainty():
    few, many = ({0.0: n, 0.5: 2 * n, 1.0: 3 * n} for n in (5, 50))
    assert fixed_interval(few, 0.05)[0] < fixed_interval(many, 0.05)[0]
    assert fixed_interval(many, 0.05)[1] < fixed_interval(few, 0.05)[1]
    assert fixed_interval(many, 0.01)[0] < fixed_interval(many, 0.05)[0]
