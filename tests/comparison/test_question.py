"""A question: when and how it is answered, and that the answer does not change afterwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.comparison.betting import FRACTIONS, Betting
from arena.comparison.question import Finding, Precision, Question, estimate
from tests.examples import examples

GAME = Precision(0.01, 0.05, Betting.HEDGED)
OVERALL = Precision(0.05, 0.05, Betting.HEDGED)
TARGETED = Precision(0.05, 0.05)
BOARDS = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), max_size=150)


def asked(scores: list[float], precision: Precision = GAME, *, stops: bool = True) -> Question:
    question = Question(precision, stops=stops)
    for score in scores:
        question.add(score)
    return question


def boards_to_a_finding(score: float, precision: Precision) -> tuple[Finding | None, int | None]:
    question = asked([score] * 500, precision)
    return question.finding, question.boards_needed


def least(power: float, *factors: float) -> int:
    """After how many boards bets that multiply by these factors on each are worth so much together."""
    boards, together = 0, 1.0
    while together < power:
        boards += 1
        together = sum(factor**boards for factor in factors) / len(factors)
    return boards


@pytest.mark.parametrize("precision", [GAME, OVERALL])
def test_after_how_many_boards_of_a_kind_it_is_answered(precision):
    either, both = 2 / precision.error, 1 / precision.error
    won = least(either, *(1 + each for each in FRACTIONS))
    assert boards_to_a_finding(1.0, precision) == (Finding.BETTER, won)
    assert boards_to_a_finding(0.0, precision) == (Finding.WORSE, won)
    halves = least(either, *(1 + each / 2 for each in FRACTIONS))
    assert boards_to_a_finding(0.75, precision) == (Finding.BETTER, halves)
    level = least(both, *(1 + each * 0.05 / 0.45 for each in FRACTIONS))
    assert boards_to_a_finding(0.5, precision) == (Finding.NO_DIFFERENCE, level)


def test_the_numbers_that_people_meet():
    assert boards_to_a_finding(1.0, Precision(0.01, 0.05)) == (Finding.BETTER, 14)
    assert boards_to_a_finding(1.0, TARGETED) == (Finding.BETTER, 11)
    assert boards_to_a_finding(0.5, TARGETED) == (Finding.NO_DIFFERENCE, 46)


def test_a_side_of_no_difference_stays_shown():
    """The first boards show that the mean is above 45 %, later ones that it is below 55 %."""
    high, low = [1.0, 0.5, 0.5, 0.5] * 7, [0.0, 0.5, 0.5, 0.5] * 20
    question = asked(high + low, TARGETED)
    assert question.finding is Finding.NO_DIFFERENCE
    needed = question.boards_needed
    assert needed is not None
    assert asked(high + low, OVERALL).finding is not Finding.NO_DIFFERENCE
    plain = estimate(question.scores[:needed], TARGETED, anytime=True)
    assert plain.low < question.estimate(needed).low  # it was shown with the earlier boards


@given(BOARDS, st.integers(1, 5))
def test_after_the_answer_nothing_changes(scores, more):
    question = asked(scores)
    found = question.finding, question.boards_needed
    if found[0] is not None:
        for _ in range(40 * more):
            question.add(0.0 if found[0] is Finding.BETTER else 1.0)
        assert (question.finding, question.boards_needed) == found
        assert question.estimate(question.boards_needed).boards == question.boards_needed


@given(BOARDS)
def test_it_is_answered_at_the_first_board_that_answers_it(scores):
    question = asked(scores)
    needed = question.boards_needed
    assert (needed is None) == (question.finding is None)
    if needed is not None:
        assert asked(scores[:needed]).finding is question.finding
        assert asked(scores[: needed - 1]).finding is None


@given(BOARDS)
def test_the_mirrored_question_has_the_mirrored_answer(scores):
    mirrored = {Finding.BETTER: Finding.WORSE, Finding.WORSE: Finding.BETTER}
    one, other = asked(scores), asked([1 - score for score in scores])
    assert other.boards_needed == one.boards_needed
    assert other.finding is (mirrored.get(one.finding, one.finding) if one.finding else None)


@given(BOARDS)
def test_who_is_found_better_is_so_by_the_interval_at_that_board(scores):
    """The interval and the findings that one is better come from the same bets."""
    question = asked(scores)
    known = question.estimate(question.boards_needed)
    assert (question.finding is Finding.BETTER) == (known.low >= 0.5 - 1e-9 and known.score != 0.5)
    assert (question.finding is Finding.WORSE) == (known.high <= 0.5 + 1e-9 and known.score != 0.5)


@examples(30)
@given(BOARDS)
def test_boards_that_count_after_an_answer_never_make_the_interval_contradict_it(scores):
    question = asked([*[1.0] * 14, *scores])
    assert question.finding is Finding.BETTER
    for boards in range(14, len(question.scores), 10):
        known = question.estimate(boards)
        plain = estimate(question.scores[:boards], GAME, anytime=True)
        assert known.score == plain.score
        if plain.high >= 0.5:
            assert 0.5 - 1e-9 <= known.low <= known.high <= plain.high
        assert plain.low <= known.low


def test_where_nothing_is_left_of_both_intervals_the_later_one_is_told():
    """A bot that became another: no mean can be that of all of these boards."""
    question = asked([*[1.0] * 60, *[0.0] * 400])
    known = question.estimate()
    assert known == estimate(question.scores, GAME, anytime=True)
    assert known.high < 0.5


def wealth(scores: list[float], value: float, sign: int, room: float) -> float:
    total = 0.0
    for fraction in FRACTIONS:
        part = 1.0
        for score in scores:
            part *= 1 + fraction * sign * (score - value) / room
        total += part
    return total / len(FRACTIONS)


@given(BOARDS)
def test_both_wrong_findings_need_the_same_bets_to_be_won(scores):
    """If one is 5 points better or more, the findings "worse" and "no difference" are wrong,
    and both need the bets on less than 55 % to win. So the probability of either is at most the error.
    """
    worse, below = wealth(scores, 0.5, -1, 0.5), wealth(scores, 0.55, -1, 0.45)
    assert worse <= below * (1 + 1e-9)


def test_settled_beforehand_it_is_never_answered_before_the_end_but_read_off_the_interval():
    question = asked([1.0] * 30 + [0.5] * 10, stops=False)
    assert (question.finding, question.boards_needed, question.boards_expected()) == (None, None, None)
    assert not question.estimate().anytime
    assert question.settled_by(40) is Finding.BETTER
    assert asked([0.0] * 40, stops=False).settled_by(40) is Finding.WORSE
    assert asked([0.5] * 400, stops=False).settled_by(400) is Finding.NO_DIFFERENCE
    assert asked([0.0, 1.0] * 20, stops=False).settled_by(40) is None
    assert asked([], stops=False).settled_by(0) is None


@examples(30)
@given(BOARDS)
def test_what_is_expected_lies_ahead_and_is_what_was_needed_in_the_end(scores):
    question = asked(scores)
    expected = question.boards_expected()
    if question.finding is not None:
        assert expected == question.boards_needed
    elif scores:
        assert expected is None or expected > len(scores)
    else:
        assert expected is None
    assert question.boards_expected() == expected


def test_it_looks_for_the_nearest_of_the_answers():
    clear, less_so, level = (
        asked(scores).boards_expected() for scores in ([0.75] * 5, [0.5, 0.75] * 5, [0.5] * 60)
    )
    assert clear is not None
    assert less_so is not None
    assert level is not None
    assert clear < less_so
    assert 60 < level < 200


def test_an_estimate():
    none = estimate([], TARGETED, anytime=True)
    assert none == (0, None, 0.0, 1.0, True)
    some = estimate([0.5, 1.0], TARGETED, anytime=False)
    assert (some.boards, some.score, some.anytime) == (2, 0.75, False)
    assert 0 <= some.low < some.high <= 1
