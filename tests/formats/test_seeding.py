from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.formats.double_elimination import DoubleElimination
from arena.formats.knockout import Knockout
from arena.formats.seeding import _cheapest, apart, snake
from tests.formats.playing import round_of


def group_and_place(number: int, groups: int) -> str:
    return f"{chr(ord('A') + number % groups)}{number // groups + 1}"


def first_matches(groups: int, going_on: int) -> list[str]:
    """The first round of a knockout of the best of each group, in order."""
    count = groups * going_on
    stage = Knockout(0, range(count))
    seeds = apart(range(count), {each: each % groups for each in range(count)}, stage.sections())
    return [
        "-".join(group_and_place(seeds[seed], groups) for seed in match.entrants)
        for match in round_of(stage, 0).matches
    ]


def test_winners_of_groups_meet_the_second_of_others():
    assert first_matches(2, 2) == ["A1-B2", "B1-A2"]
    assert first_matches(4, 2) == ["A1-C2", "D1-B2", "B1-D2", "C1-A2"]
    assert first_matches(8, 2) == [
        "A1-G2", "H1-B2", "D1-F2", "E1-C2", "B1-H2", "G1-A2", "C1-E2", "F1-D2",
    ]  # fmt: skip
    assert first_matches(2, 4) == ["A1-B4", "B2-A3", "B1-A4", "A2-B3"]
    assert first_matches(3, 2) == ["B2-C2", "C1-A2"]  # A1 and B1 have byes


@pytest.mark.parametrize("groups", range(2, 17))
@pytest.mark.parametrize("going_on", range(2, 9))
def test_group_mates_do_not_meet_before_they_must(groups, going_on):
    count = groups * going_on
    sections = Knockout(0, range(count)).sections()
    seeds = apart(range(count), {each: each % groups for each in range(count)}, sections)
    assert sorted(seeds) == list(range(count))
    assert [each // groups for each in seeds] == [each // groups for each in range(count)]
    places = {entrant: seed for seed, entrant in enumerate(seeds)}
    mates = [{places[one], places[other]} for one, other in combinations(range(count), 2)
             if one % groups == other % groups]  # fmt: skip
    earliest = min(
        next(number for number, tables in enumerate(sections) if any(pair <= table for table in tables))
        for pair in mates
    )
    assert earliest == len(sections) - (going_on - 1).bit_length()


def test_larger_tables_and_a_double_elimination_keep_mates_apart_too():
    for stage in (Knockout(0, range(16), 4, 2), DoubleElimination(0, range(16))):
        seeds = apart(range(16), {each: each % 4 for each in range(16)}, stage.sections())
        for match in round_of(stage, 0).matches:
            assert len({seeds[seed] % 4 for seed in match.entrants}) == len(match.entrants)


def test_where_anybody_may_meet_anybody_the_order_stays():
    assert apart((3, 1, 2, 0), {0: 0, 1: 0, 2: 1, 3: 1}, []) == (3, 1, 2, 0)


def test_who_is_next_of_a_group_comes_up_where_somebody_is_missing():
    """The first and the second of group 1 are gone, so its third is the first now."""
    sections = Knockout(0, range(4)).sections()
    assert apart((0, 2, 4, 5), {0: 0, 2: 0, 4: 0, 5: 1}, sections) == (0, 5, 2, 4)


def squares(size: int) -> st.SearchStrategy[list[list[int]]]:
    """Square tables of costs."""
    row = st.lists(st.integers(0, 9), min_size=size, max_size=size)
    return st.lists(row, min_size=size, max_size=size)


@given(st.integers(1, 5).flatmap(squares))
def test_the_cheapest_is_as_cheap_as_can_be(cost):
    chosen = _cheapest(cost)
    assert sorted(chosen) == list(range(len(cost)))
    least = min(sum(cost[row][at] for at, row in enumerate(rows)) for rows in permutations(chosen))
    assert sum(cost[row][at] for at, row in enumerate(chosen)) == least


def test_a_snake():
    assert snake(range(7), 3) == [(0, 5, 6), (1, 4), (2, 3)]
