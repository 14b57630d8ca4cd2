"""A race: beaten bots drop out, the best does not, and the finding is wrong no more often than said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.comparison.comparison import Racer
from arena.comparison.question import Precision
from arena.comparison.race import Race, RaceFinding
from arena.report.comparison_text import race_columns
from tests.comparison.simulation import EQUAL, SCORES, mirrored, tilted
from tests.examples import examples

PRECISION = Precision(0.05, 0.05)
Pairs = Mapping[tuple[int, int], float]


def raced(bots: int, score: Callable[[int, int], float], rounds: int, precision=PRECISION) -> Race:
    """A race in which each pair's boards all have the same score."""
    race = Race(range(bots), precision)
    while race.finding is None and race.rounds < rounds:
        race.add_round({pair: score(*pair) for pair in combinations(race.left, 2)})
    return race


def test_who_wins_everything_is_the_best():
    race = raced(4, lambda one, other: 1.0, 100)
    assert (race.finding, race.named, race.left) == (RaceFinding.BEST, 0, [0])
    # Bot 3 loses to three others, so the mean of the bets against it grows first.
    assert race.out[3] <= race.out[2] <= race.out[1] == race.rounds


def test_after_how_many_rounds_the_beaten_drop_out():
    """The seventh gambler and the six win together what one bot needs to be out among two: 40."""
    race = raced(2, lambda one, other: 1.0, 100)
    assert race.rounds == 11  # as two bots that are compared
    assert race.against(1) >= log(40) > race.against(0)


def test_equal_bots_are_found_to_be_so():
    race = raced(3, lambda one, other: 0.5, 1_000)
    assert (race.finding, race.named, race.left) == (RaceFinding.NO_DIFFERENCE, 0, [0, 1, 2])
    assert not race.out


def test_of_three_that_beat_each_other_in_turn_none_is_the_best():
    race = raced(3, lambda one, other: 1.0 if (other - one) % 3 == 1 else 0.0, 100)
    assert (race.finding, race.named, race.left) == (RaceFinding.NO_BEST, None, [])
    assert sorted(race.out) == [0, 1, 2]


def test_withdrawn_bots_are_not_in_it():
    race = Race(range(4), PRECISION)
    race.leave([0, 3])
    assert (race.left, race.out, race.finding) == ([1, 2], {}, None)
    race = Race(range(2), PRECISION)
    race.leave([0])
    assert (race.finding, race.named) == (RaceFinding.BEST, 1)
    race = Race(range(2), PRECISION)
    race.leave([0, 1])
    assert (race.finding, race.named) == (RaceFinding.NO_BEST, None)


def test_nothing_is_found_without_an_error():
    assert raced(3, lambda one, other: 1.0, 50, Precision(0.0, 0.0)).finding is None


def test_who_expects_an_end_is_there_with_it():
    race = Race(range(3), PRECISION)
    scores: dict[tuple[int, int], list[float]] = {pair: [] for pair in combinations(range(3), 2)}
    for number in range(12):
        for pair, so_far in scores.items():
            so_far.append(1.0 if number % 3 and pair[0] == 0 else 0.5)
        race.add_round({pair: so_far[-1] for pair, so_far in scores.items()})
    expected = race.rounds_expected(scores)
    assert race.finding is None
    assert 12 < expected[1] <= expected[0] < inf
    number = 12
    while race.finding is None:
        race.add_round(
            {pair: 1.0 if number % 3 and pair[0] == 0 else 0.5 for pair in combinations(race.left, 2)}
        )
        number += 1
    assert race.finding is RaceFinding.BEST
    assert 0.5 * expected[0] < race.rounds < 2 * expected[0]


def test_only_the_bot_that_won_the_race_is_called_best():
    for finding, left, states in (
        (RaceFinding.BEST, (True, False), ["last left", "out"]),
        (RaceFinding.NO_DIFFERENCE, (True, True), ["may be best", "may be best"]),
        (RaceFinding.NO_BEST, (False, False), ["out", "out"]),
        (None, (True, False), ["may be best", "out"]),
    ):
        racers = [Racer(bot, 0.5, 9, there) for bot, there in enumerate(left)]
        assert race_columns(racers, finding, ["A", "B"])[-1].texts == states


@examples(30)
@given(st.lists(st.lists(st.sampled_from(SCORES.tolist()), min_size=3, max_size=3), max_size=40))
def test_turned_around_it_is_the_same_race(rounds):
    """With the bots in the opposite order, and each score seen from the other bot."""
    races = Race(range(3), PRECISION), Race([2, 1, 0], PRECISION)
    for scores in rounds:
        given_ = dict(zip(combinations(range(3), 2), scores, strict=True))
        for race, turn in zip(races, (False, True), strict=True):
            if race.finding is None:
                left = combinations(sorted(race.left), 2)
                race.add_round(
                    {
                        pair[::-1] if turn else pair: 1 - given_[pair] if turn else given_[pair]
                        for pair in left
                    }
                )
    one, other = races
    assert one.out == other.out
    assert one.rounds == other.rounds
    assert one.finding is other.finding
    for bot in range(3):
        assert one.against(bot) == pytest.approx(other.against(bot))


def test_the_mean_of_the_bets_against_the_best_is_one_on_average():
    """All ways in which two rounds of three equal bots can come out."""
    total, ways = 0.0, 0
    outcomes, pairs = (0.0, 1.0), [*combinations(range(3), 2)]
    for first in np.ndindex(2, 2, 2):
        for second in np.ndindex(2, 2, 2):
            race = Race(range(3), PRECISION)
            for round_ in (first, second):
                race.add_round(dict(zip(pairs, [outcomes[each] for each in round_], strict=True)))
            total, ways = total + exp(race.against(1)), ways + 1
    assert total / ways == pytest.approx(1)


@pytest.mark.campaign
@pytest.mark.parametrize("game", ["kleftis", "hyrule"])
def test_of_eight_the_best_stays_and_boards_go_where_they_decide(game):
    """The best drops out with half of the error at most. A third of the boards is saved, or more."""
    skills = [0.0, 0.03, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25]
    chances = {
        (one, other): tilted(mirrored(EQUAL[game]), 0.5 + skills[other] - skills[one])
        for one, other in combinations(range(8), 2)
    }
    random = np.random.default_rng(11)
    played = equal = out = 0
    for _ in range(100):
        race = Race(range(8), Precision(0.2, 0.05))
        while race.finding is None and race.rounds < 1_000:
            pairs = [*combinations(race.left, 2)]
            played += len(pairs)
            race.add_round({pair: float(SCORES[random.choice(5, p=chances[pair])]) for pair in pairs})
        equal += 28 * race.rounds
        out += 0 in race.out
    assert out <= 17  # a promise of 10 %, and 2.3 standard errors
    assert played < 2 / 3 * equal
