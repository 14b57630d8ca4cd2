"""The Nash average: known games, and the laws that it promises."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.standings.cycles import cycles, nash_averages
from arena.standings.nash import TOLERANCE, equilibrium
from arena.standings.tally import DuplicateGroup
from tests.examples import examples
from tests.standings.games import beats

ROCK_PAPER_SCISSORS = np.array([[0, 0.2, -0.2], [-0.2, 0, 0.2], [0.2, -0.2, 0]])


@st.composite
def fields(draw, least=2):
    """Margins between bots: any, or from a few boards, so that many are equal."""
    size = draw(st.integers(least, 9))
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    margins = np.triu(chance.uniform(-0.5, 0.5, (size, size)), 1)
    if steps := draw(st.sampled_from([0, 2, 8])):
        margins = np.round(margins * steps) / steps
    return margins - margins.T


def has_one_equilibrium(margins):
    """Whether all best replies to the mix are in it, and their margins leave one solution, clearly."""
    mix = equilibrium(margins)
    near = margins @ mix > -1e-3
    rank = np.linalg.matrix_rank(margins[np.ix_(near, near)], tol=1e-2)
    return bool(((mix > 1e-3) == near).all() and rank == near.sum() - 1)


@pytest.mark.parametrize("margin", [0.5, 0.2, 0.01])
def test_rock_paper_scissors_is_a_third_each(margin):
    mix = equilibrium(ROCK_PAPER_SCISSORS * margin / 0.2)
    assert mix == pytest.approx([1 / 3] * 3, abs=TOLERANCE)


def test_a_lopsided_circle():
    """Each has the weight of the margin between the other two."""
    margins = np.array([[0, 0.3, -0.1], [-0.3, 0, 0.2], [0.1, -0.2, 0]])
    assert equilibrium(margins) == pytest.approx([2 / 6, 1 / 6, 3 / 6], abs=1e-6)


def test_in_an_order_the_best_bot_has_all_weight():
    strengths = np.array([0.5, 3, 1, 2])
    margins = 1 / (1 + np.exp(strengths - strengths[:, None])) - 0.5
    assert equilibrium(margins) == pytest.approx([0, 1, 0, 0], abs=1e-6)


def test_among_equals_all_have_the_same_weight():
    assert equilibrium(np.zeros((5, 5))) == pytest.approx([0.2] * 5)
    # Of the mixes of the first two, each of which is an equilibrium, the one of greatest entropy.
    assert equilibrium(np.array([[0, 0, 0.4], [0, 0, 0.1], [-0.4, -0.1, 0]])) == pytest.approx(
        [0.5, 0.5, 0], abs=1e-6
    )


@examples(100)
@given(fields())
def test_no_bot_scores_more_than_half_against_the_mix(margins):
    mix = equilibrium(margins)
    assert mix.sum() == pytest.approx(1)
    assert (mix >= 0).all()
    assert (margins @ mix).max() <= TOLERANCE


@examples(50)
@given(fields(), st.randoms(use_true_random=False))
def test_the_order_of_the_bots_has_no_influence(margins, random):
    order = [*range(len(margins))]
    random.shuffle(order)
    mixed = margins[np.ix_(order, order)]
    assert equilibrium(mixed) == pytest.approx(equilibrium(margins)[order], abs=1e-4)


@examples(100)
@given(fields().filter(has_one_equilibrium), st.lists(st.integers(0, 8), min_size=1, max_size=4))
def test_copies_of_a_bot_leave_all_scores_as_they_are(margins, copied):
    size = len(margins)
    entered = [*range(size), *(each % size for each in copied)]
    more = margins[np.ix_(entered, entered)]
    before, mix = margins @ equilibrium(margins), equilibrium(more)
    assert more @ mix == pytest.approx(before[entered], abs=1e-5)


def test_a_bot_and_its_copies_share_its_weight():
    entered = [0, 1, 2, 0, 0]
    mix = equilibrium(ROCK_PAPER_SCISSORS[np.ix_(entered, entered)])
    assert mix == pytest.approx([1 / 9, 1 / 3, 1 / 3, 1 / 9, 1 / 9], abs=1e-5)


CIRCLE = beats(3, 5, 30) + beats(5, 7, 30) + beats(7, 3, 30)


def averages(groups):
    return nash_averages(groups, cycles(groups))


def test_in_results_the_score_is_against_the_mix():
    found = averages(CIRCLE + beats(3, 9, 5) + beats(5, 9, 5) + beats(9, 7, 5))
    assert {entrant: round(each.weight, 4) for entrant, each in found.items()} == {
        3: 0.3333, 5: 0.3333, 7: 0.3333, 9: 0,
    }  # fmt: skip
    assert found[5].score == pytest.approx(0.5, abs=1e-6)
    assert found[9].score == pytest.approx((0.25 + 0.25 + 0.75) / 3, abs=1e-5)


def test_a_copy_that_plays_as_its_original_changes_nobodys_score():
    field = CIRCLE + beats(3, 9, 5) + beats(5, 9, 5) + beats(7, 9, 5)
    copy = beats(2, 5, 30) + beats(7, 2, 30) + beats(2, 9, 5) + Counter({DuplicateGroup((2, 3), (2,)): 20})
    before, after = averages(field), averages(field + copy)
    for entrant in (3, 5, 7, 9):
        assert after[entrant].score == pytest.approx(before[entrant].score, abs=1e-5)
    assert after[2] == pytest.approx(after[3], abs=1e-5)


def test_who_never_met_scores_what_their_ratings_predict():
    """The fourth has lost to one of the three only, and would be rated as far below each."""
    found = averages(CIRCLE + beats(3, 9, 5))
    assert 0.1 < found[9].score < 0.35
    assert found[9].weight == pytest.approx(0, abs=1e-5)


def test_in_a_swiss_what_ratings_predict_is_less_sure():
    field = CIRCLE + beats(3, 9, 5)
    found = nash_averages(field, cycles(field), paired_by_score=True)
    assert averages(field)[9].score < found[9].score < 0.5


def test_who_is_not_connected_with_a_cycle_has_none():
    found = averages(CIRCLE + beats(0, 1, 20) + beats(1, 0, 15))
    assert sorted(found) == [3, 5, 7]
    assert averages(beats(0, 1, 30) + beats(1, 2, 30) + beats(0, 2, 30)) == {}


def test_other_numbers_are_the_same_bots():
    moved = {group._replace(entrants=tuple(20 - each for each in group.entrants)): count
             for group, count in CIRCLE.items()}  # fmt: skip
    before, after = averages(CIRCLE), averages(moved)
    for entrant, each in before.items():
        assert after[20 - entrant] == pytest.approx(each, abs=1e-6)
