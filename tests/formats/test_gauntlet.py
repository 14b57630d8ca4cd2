from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.gauntlet import Gauntlet
from arena.runner.tournament_file import TournamentFileError, parse_plan
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


@pytest.mark.parametrize(
    ("entrants", "challengers", "cycles", "sentence"),
    [
        ((1,), 1, 1, "2 entrants are needed"),
        ((1, 1), 1, 1, "only once"),
        ((1, 2), 2, 1, "2 of 2 entrants cannot be challengers: let at least 1"),
        ((1, 2), 0, 1, "0 of 2 entrants cannot be challengers"),
        ((1, 2), 1, 0, "at least 1 cycle"),
    ],
)
def test_refusals(entrants, challengers, cycles, sentence):
    with pytest.raises(ValueError, match=sentence):
        Gauntlet(0, entrants, challengers, cycles)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("seats = 3", "a gauntlet needs tables of 2 seats, not 3: at larger tables those of the field"),
        ("challengers = 4", "challengers must be from 1 to 3, not 4"),
        ("cycles = 0", "cycles must be from 1"),
    ],
)
def test_wrong_keys(keys, sentence):
    text = f'name = "x"\n[[stage]]\nformat = "gauntlet"\n{keys}\n' + "[[entrant]]\n" * 4
    with pytest.raises(TournamentFileError, match=sentence):
        parse_plan(text, Path("x.toml"))
