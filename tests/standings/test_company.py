from collections import Counter
from itertools import combinations

import numpy as np

from arena.standings.company import company
from arena.standings.tally import DuplicateGroup
from tests.standings.simulated import play, round_robin


def test_two_seats_have_no_company():
    report = company({"a": {DuplicateGroup((0, 1), (4,)): 10}})
    assert (report.pairs, report.groups, report.detectable) == ((), 0, None)


def test_where_all_sit_with_all_nothing_can_be_told():
    report = company(
        {"a": {DuplicateGroup((0, 1, 2), (4, 3, 2)): 10, DuplicateGroup((0, 1, 2), (2, 3, 3)): 4}}
    )
    assert (report.pairs, report.groups) == ((), 14)


def test_a_helper_is_found_in_all_games_together_and_only_it():
    chance = np.random.default_rng(4)
    schedule = round_robin(7, 3, 4)
    games = {game: play(schedule, [0] * 7, 0.3, chance, {(1, 6): 250}) for game in "abc"}
    report = company(games)
    assert len(report.pairs) == 42
    (pair,) = report.suspicious
    assert (pair.entrant, pair.other) == (6, 1)
    assert pair.score > pair.expected + 0.1
    assert pair.chance < pair.corrected < 0.05
    assert pair.groups == sum(
        count for each in games.values() for group, count in each.items() if {1, 6} <= {*group.entrants}
    )


def test_who_loses_to_a_certain_other_only_is_found():
    """It gives away what it would have won: the other gains, those that sit there too do not."""
    groups: Counter[DuplicateGroup] = Counter()
    chance = np.random.default_rng(5)
    for group, count in play(round_robin(8, 4, 12), [0] * 8, 0.3, chance).items():
        halves = list(group.halves)
        pairs = [*combinations(group.entrants, 2)]
        for at, pair in enumerate(pairs):
            if set(pair) == {2, 4}:
                halves[at] = 8 if pair[0] == 4 else 0
        groups[DuplicateGroup(group.entrants, tuple(halves))] += count
    suspicious = company({"a": groups}).suspicious
    assert [(pair.entrant, pair.other) for pair in suspicious] == [(4, 2)]
