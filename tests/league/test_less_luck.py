"""The answers of a comparison without luck."""

from __future__ import annotations

import random

from arena.comparison.comparison import Contest, Rule, Study
from arena.comparison.question import Finding, Precision
from arena.league.compared import less_luck_of


def of(*lucks):
    """Tells how lucky the first bot of each match was on each board."""
    return lambda match, game, round_, baseline: lucks[match][round_]


ONE_MATCH = Contest(0, 1, 0)


def study(contest=ONE_MATCH):
    return Study(contest, ["kleftis"], Rule(False, Precision(0.05, 0.05), Precision(0.05, 0.05)))


def boards(mean, count=200):
    """Scores that are nothing but a mean and luck, and how lucky the first bot was."""
    rng = random.Random(5)
    lucks = [rng.choice([-0.25, 0.25]) for _ in range(count)]
    return [mean + luck for luck in lucks], lucks


def test_where_all_was_luck_nothing_else_is_left():
    scores, lucks = boards(0.53)
    known = less_luck_of(study(), "kleftis", scores, ["greedy"], of(lucks))
    assert known is not None
    assert known.finding is Finding.BETTER
    assert known.estimate.score is not None
    assert abs(known.estimate.score - 0.53) < 0.01
    assert known.estimate.high - known.estimate.low < 0.05
    assert known.factor > 5


def test_of_two_matches_the_difference_counts():
    scores, lucks = boards(0.5)
    others = [-luck for luck in lucks]
    contest = Contest(0, 1, 0, 1)
    known = less_luck_of(study(contest), "kleftis", scores, ["greedy"], of(lucks, others))
    assert known is not None
    assert known.finding is Finding.NO_DIFFERENCE


def test_where_it_does_not_pay_nothing_is_said():
    scores, lucks = boards(0.5)
    random.Random(6).shuffle(lucks)
    assert less_luck_of(study(), "kleftis", scores, ["greedy"], of(lucks)) is None
    assert less_luck_of(study(), "kleftis", scores[:30], ["greedy"], of(lucks)) is None
