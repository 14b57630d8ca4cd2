from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.formats.movement import Movement
from tests.examples import examples
from tests.formats.playing import check_rounds, play, round_of


def meetings(rounds, entrants):
    """How often each pair meets: the fewest and the most."""
    met = Counter(dict.fromkeys(map(frozenset, combinations(entrants, 2)), 0))
    for round in rounds:
        for match in round.matches:
            met.update(map(frozenset, combinations(match.entrants, 2)))
    return min(met.values()), max(met.values())


@examples(25)
@given(st.integers(3, 40), st.integers(3, 7), st.integers(1, 2), st.integers(0, 100))
def test_everybody_plays_and_sits_out_equally_often_and_meets_everybody(count, seats, cycles, first):
    count = max(count, seats)
    entrants = tuple(range(first + count, first, -1))
    stage = Movement(0, entrants, seats, cycles)
    rounds, _ = play(stage)
    check_rounds(stage, rounds)
    assert all(len(match.entrants) == seats for round in rounds for match in round.matches)
    plays = Counter(entrant for round in rounds for match in round.matches for entrant in match.entrants)
    assert len(plays) == count
    assert len(set(plays.values())) == 1
    assert all(len(round.byes) == count % seats for round in rounds)
    least, most = meetings(rounds, entrants)
    assert least >= 1
    assert most - least <= (2 if cycles == 1 and count < 30 else 4)


@pytest.mark.parametrize(
    ("count", "seats", "cycles", "tables", "least", "most"),
    [
        (12, 4, 1, 33, 3, 3),
        (9, 3, 1, 24, 2, 2),
        (7, 5, 1, 7, 3, 4),
        (7, 5, 3, 21, 10, 10),
        (13, 3, 1, 52, 2, 2),
        (13, 4, 1, 39, 3, 3),
        (8, 3, 1, 16, 1, 2),
        (5, 3, 1, 5, 1, 2),
        (5, 3, 2, 10, 3, 3),
        (5, 4, 1, 5, 3, 3),
        (8, 7, 1, 8, 6, 6),
        (16, 4, 1, 60, 3, 3),
        (30, 4, 1, 210, 2, 3),
        (7, 7, 1, 1, 1, 1),
        (7, 7, 2, 2, 2, 2),
    ],
)
def test_how_often_pairs_meet(count, seats, cycles, tables, least, most):
    stage = Movement(0, range(count), seats, cycles)
    rounds, _ = play(stage)
    assert stage.match_count == tables
    assert meetings(rounds, range(count)) == (least, most)


def test_a_round_does_not_depend_on_which_was_asked_for_before():
    asked_late = Movement(0, range(11), 4, 3).round(25, {})
    stage = Movement(0, range(11), 4, 3)
    assert [stage.round(number, {}) for number in range(33)][25] == asked_late
    assert stage.round(33, {}) is None


def test_labels():
    first = round_of(Movement(1, range(10), 4), 0)
    assert first.label == "round 1"
    assert [match.label for match in first.matches] == ["round 1, table 1", "round 1, table 2"]
