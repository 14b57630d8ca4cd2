from collections import Counter
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.round_robin import RoundRobin
from tests.formats.playing import check_rounds, play, round_of


@settings(deadline=None)
@given(st.permutations(range(40)), st.integers(2, 40), st.integers(1, 3))
def test_everybody_meets_everybody_once_a_cycle(names, count, cycles):
    stage = RoundRobin(0, names[:count], cycles)
    rounds, _ = play(stage)
    check_rounds(stage, rounds)
    for cycle in range(cycles):
        length = len(rounds) // cycles
        this = rounds[cycle * length : (cycle + 1) * length]
        pairs = Counter(frozenset(match.entrants) for round in this for match in round.matches)
        assert pairs == dict.fromkeys(map(frozenset, combinations(names[:count], 2)), 1)
        first = Counter(match.entrants[0] for round in this for match in round.matches)
        assert all(abs(2 * first[entrant] - (count - 1)) <= 1 for entrant in stage.entrants)
        byes = Counter(entrant for round in this for entrant in round.byes)
        assert byes == (dict.fromkeys(stage.entrants, 1) if count % 2 else {})


def test_a_double_round_robin_exchanges_the_seats():
    rounds, _ = play(RoundRobin(0, range(6), 2))
    seatings = [match.entrants for round in rounds for match in round.matches]
    assert len(set(seatings)) == len(seatings) == 30


def test_rounds_and_labels():
    first = round_of(RoundRobin(3, (7, 8, 9)), 0)
    assert (first.label, first.byes) == ("round 1", (7,))
    assert [(match.label, match.entrants) for match in first.matches] == [("round 1, match 1", (8, 9))]
    assert first.matches[0].key == (3, 0, 0)
    assert first.matches[0].qualify is None
    assert RoundRobin(3, (7, 8, 9)).round(3, {}) is None


def test_a_round_of_a_huge_stage_is_made_without_the_others():
    stage = RoundRobin(0, range(1000))
    assert (stage.round_count, stage.match_count) == (999, 499_500)
    assert len(round_of(stage, 998).matches) == 500
