from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.formats.groups import Groups
from tests.examples import examples
from tests.formats.playing import check_rounds, play, round_of


@examples(40)
@given(st.integers(2, 4), st.integers(2, 5), st.integers(1, 2), st.data())
def test_everybody_meets_all_of_the_group(groups, seats, cycles, data):
    count = data.draw(st.integers(groups * seats, groups * seats + 5))
    stage = Groups(0, data.draw(st.permutations(range(count))), groups, seats, cycles)
    rounds, _ = play(stage)
    check_rounds(stage, rounds)
    met = Counter(
        frozenset(pair)
        for this in rounds
        for match in this.matches
        for pair in combinations(match.entrants, 2)
    )
    mates = {frozenset(pair) for group in stage.groups for pair in combinations(group.entrants, 2)}
    assert set(met) <= mates
    if seats == 2:
        assert met == dict.fromkeys(mates, cycles)
    sizes = [len(group.entrants) for group in stage.groups]
    assert max(sizes) - min(sizes) <= 1
    assert sum(stage.matches_of(entrant) for entrant in stage.entrants) == stage.seat_count


@examples(40)
@given(st.integers(2, 4), st.integers(2, 4), st.integers(0, 5))
def test_more_cycles_come_after_all_that_there_was(groups, seats, more):
    entrants = range(groups * seats + more)
    one, two = Groups(0, entrants, groups, seats), Groups(0, entrants, groups, seats, 2)
    rounds, longer = play(one)[0], play(two)[0]
    assert longer[: len(rounds)] == rounds
    assert len(longer) == 2 * len(rounds)


@examples(20)
@given(st.integers(2, 3), st.integers(3, 4), st.integers(0, 5))
def test_tables_are_seated_as_in_a_round_robin_of_the_group(groups, seats, more):
    stage = Groups(0, range(groups * seats + more), groups, seats)
    seatings = stage.seatings(2, "balanced")
    for this in play(stage)[0]:
        for match in this.matches:
            for board in range(2):
                assert sorted(seatings.order(match.key, seats, board)) == list(range(seats))
    with pytest.raises(LookupError):
        seatings.order(match.key._replace(match=100), seats, 0)


def test_seeds_are_dealt_out_forwards_and_backwards():
    stage = Groups(0, range(10), 3)
    assert [(group.name, group.entrants) for group in stage.groups] == [
        ("A", (0, 5, 6)), ("B", (1, 4, 7)), ("C", (2, 3, 8, 9)),
    ]  # fmt: skip
    first = round_of(stage, 0)
    assert [match.label for match in first.matches] == [
        "round 1, group A, match 1", "round 1, group B, match 1",
        "round 1, group C, match 1", "round 1, group C, match 2",
    ]  # fmt: skip
    assert first.byes == (0, 1)
    assert round_of(Groups(0, range(6), 2, 3), 0).matches[1].label == "round 1, group B, table 1"
