from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.gauntlet import Gauntlet
from tests.formats.playing import check_rounds, play, round_of


@settings(deadline=None)
@given(st.permutations(range(15)), st.integers(2, 15), st.integers(1, 3), st.data())
def test_every_challenger_meets_all_the_field_once_a_cycle(names, count, cycles, data):
    challengers = data.draw(st.integers(1, count - 1))
    stage = Gauntlet(0, names[:count], challengers, cycles)
    rounds, _ = play(stage)
    check_rounds(stage, rounds)
    for cycle in range(cycles):
        length = len(rounds) // cycles
        this = rounds[cycle * length : (cycle + 1) * length]
        pairs = Counter(match.entrants for round in this for match in round.matches)
        expected = [(one, other) for one in names[:challengers] for other in names[challengers:count]]
        assert pairs == dict.fromkeys((pair[:: -1 if cycle % 2 else 1] for pair in expected), 1)


def test_rounds_and_labels():
    first = round_of(Gauntlet(3, (7, 8, 9)), 0)
    assert (first.label, first.byes) == ("round 1", (9,))
    assert [(match.label, match.entrants) for match in first.matches] == [("round 1, match 1", (7, 8))]
    assert first.matches[0].key == (3, 0, 0)
    assert first.matches[0].qualify is None
    assert Gauntlet(3, (7, 8, 9)).round(2, {}) is None
