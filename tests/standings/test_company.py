from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pytest

from arena.standings.company import Company, company
from arena.standings.encounters import encounters
from arena.standings.rating import islands
from arena.standings.tally import DuplicateGroup
from tests.standings.simulated import play, round_robin, swaps


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


def test_encounters_by_hand():
    """Each of three beats the next in all of 12 games, so ratings are equal and explain nothing.

    Of the three pairs' results the two differences of ratings use up two thirds, which leaves 4 of 12 games:
    all are won with a probability of 1 in 16, a normal deviate of 1.534. The other two pairs are fitted
    exactly, so they show no scatter: Student's t of 20 degrees of freedom is above 1.534 in 7.04 %.
    """
    fits = [(fit, members) for fit, _, members in islands({DuplicateGroup((0, 1, 2), (6, 0, 6)): 4})]
    found = encounters(fits, 3)
    assert len(found) == 6
    for one, other in ((0, 1), (1, 2), (2, 0)):
        assert found[one, other][:3] == pytest.approx((12, 1, 0))  # the others predict the opposite
        assert found[one, other].chance == pytest.approx(0.0704, abs=1e-4)
        assert found[other, one].chance > 0.9


def test_who_swaps_places_with_a_certain_other_is_found_by_encounters():
    chance = np.random.default_rng(8)
    (pair,) = company(
        {"a": play(round_robin(8, 4, 4), [0] * 8, 0.3, chance, change=swaps(2, 5, 1))}
    ).suspicious
    assert (pair.entrant, pair.other, pair.overtakes) == (5, 2, True)
    assert pair.encounters is not None
    assert pair.encounters[:2] == (48, 1)


def test_numbers_of_entrants_and_order_of_boards_do_not_matter():
    chance = np.random.default_rng(9)
    for _ in range(5):
        games = {
            game: play(round_robin(7, seats, 2), chance.normal(0, 200, 7), 0.3, chance, change=swaps(0, 1, 1))
            for game, seats in (("a", 3), ("b", 4))
        }
        number = chance.permutation(7).tolist()
        moved = {game: renumbered(groups, number, chance) for game, groups in games.items()}
        before, after = by_pair(company(games).pairs), by_pair(company(moved).pairs)
        assert len(before) == len(after) == 42
        for (entrant, other), values in before.items():
            assert after[number[entrant], number[other]] == pytest.approx(values, rel=1e-6, abs=1e-9)


def renumbered(
    groups: Mapping[DuplicateGroup, int], number: Sequence[int], chance: np.random.Generator
) -> dict[DuplicateGroup, int]:
    """The same boards with other numbers, in another order, with each table in another order."""
    moved = Counter[DuplicateGroup]()
    for at in chance.permutation(len(groups)).tolist():
        group = [*groups][at]
        won = dict(zip(combinations(group.entrants, 2), group.halves, strict=True))
        won |= {(other, one): 2 * len(group.entrants) - halves for (one, other), halves in won.items()}
        table = chance.permutation(group.entrants).tolist()
        halves = tuple(won[pair] for pair in combinations(table, 2))
        moved[DuplicateGroup(tuple(number[each] for each in table), halves)] += groups[group]
    return moved


def by_pair(pairs: Sequence[Company]) -> dict[tuple[int, int], list[float]]:
    """All that was found of each pair."""
    return {(pair.entrant, pair.other): [*pair[2:-1], *(pair.encounters or ())] for pair in pairs}
