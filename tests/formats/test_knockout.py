from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.format import ResultsMissing
from arena.formats.knockout import Knockout
from tests.formats.playing import by_number, check_rounds, play, result, round_of

HALF = Fraction(1, 2)


@st.composite
def knockouts(draw):
    seats = draw(st.integers(2, 7))
    qualify = draw(st.integers(1, seats - 1))
    entrants = draw(st.permutations(range(draw(st.integers(2, 40)))))
    return Knockout(0, entrants, seats, qualify, draw(st.booleans()))


@settings(deadline=None)
@given(knockouts(), st.data())
def test_a_knockout_ends_with_one_winner_whatever_happens(stage, data):
    scores = st.integers(0, 3)
    rounds, results = play(stage, lambda match: [data.draw(scores) for _ in match.entrants])
    check_rounds(stage, rounds)
    for round in rounds:
        for match in round.matches:
            assert 2 <= len(match.entrants) <= stage.seats
            assert match.qualify is not None
            assert 1 <= match.qualify < len(match.entrants)
        sizes = [len(match.entrants) for match in round.matches]
        assert max(sizes) - min(sizes) <= 1
    final = rounds[-1].matches[-1]
    assert final.label == "final"
    ranking = stage.placing(results)
    assert sorted(entrant for group in ranking for entrant in group) == sorted(stage.entrants)
    assert len(ranking[0]) == 1
    assert set(ranking[0]) <= set(final.entrants)
    drawn = stage.bracket(results)
    assert drawn.winner == ranking[0][0]
    assert [round.label for round in drawn.rounds] == [round.label for round in rounds]
    for seen, round in zip(drawn.rounds, rounds, strict=True):
        matches = {match.key: match for match in seen.matches if match.key is not None}
        if drawn.third_place is not None and drawn.third_place.key is not None and seen is drawn.rounds[-1]:
            matches[drawn.third_place.key] = drawn.third_place
        assert {key: (m.label, tuple(slot.entrant for slot in m.slots)) for key, m in matches.items()} == {
            m.key: (m.label, m.entrants) for m in round.matches
        }
        byes = {match.slots[0].entrant for match in seen.matches if match.key is None}
        assert byes == set(round.byes)


@settings(deadline=None)
@given(knockouts(), st.data())
def test_every_slot_says_where_its_entrant_comes_from(stage, data):
    scores = st.integers(0, 3)
    _, results = play(stage, lambda match: [data.draw(scores) for _ in match.entrants])
    drawn = stage.bracket(results)
    third = () if drawn.third_place is None else drawn.third_place.slots
    slots = [slot for round in drawn.rounds[1:] for match in round.matches for slot in match.slots]
    for slot in (*slots, *third):
        assert slot.origin is not None
        origin = drawn.rounds[slot.origin.round].matches[slot.origin.match]
        came = [s.entrant for s in origin.slots if s.place == slot.origin.place or origin.key is None]
        assert came == [slot.entrant]


@settings(deadline=None)
@given(st.integers(2, 40))
def test_two_seats_give_the_usual_bracket(count):
    stage = Knockout(0, range(count))
    rounds, results = play(stage)
    size = 2 ** len(rounds)
    assert size // 2 < count <= size
    assert rounds[0].byes == tuple(range(size - count))
    for number, round in enumerate(rounds):
        if number:
            assert round.byes == ()
        # When the better seed always wins, the seeds of a match add up to one more than the bracket's places.
        left = size >> number
        assert all(sum(match.entrants) == left - 1 for match in round.matches if match.label != "third place")
    drawn = stage.bracket(results)
    half = len(drawn.rounds[0].matches) // 2
    if count > 3:
        top = {slot.entrant for match in drawn.rounds[0].matches[:half] for slot in match.slots}
        assert 0 in top
        assert 1 not in top
    for earlier, later in zip(drawn.rounds, drawn.rounds[1:], strict=False):
        # Neighbours feed the same match: the drawing has no crossing lines.
        assert len(earlier.matches) == 2 * len(later.matches)
        for i, match in enumerate(later.matches):
            assert {slot.origin.match for slot in match.slots if slot.origin} == {2 * i, 2 * i + 1}


@settings(deadline=None)
@given(knockouts())
def test_the_best_two_meet_in_the_last_round_only(stage):
    rounds, results = play(stage, lambda match: [100 - stage.seeds[entrant] for entrant in match.entrants])
    first, *others = stage.entrants
    for round in rounds[:-1]:
        assert not any({first, others[0]} <= set(match.entrants) for match in round.matches)
    assert stage.placing(results)[0] == (first,)


def test_eight():
    rounds, results = play(Knockout(0, range(8)))
    assert [[(m.label, m.entrants, m.qualify) for m in round.matches] for round in rounds] == [
        [
            ("quarter-final 1", (0, 7), 1),
            ("quarter-final 2", (3, 4), 1),
            ("quarter-final 3", (1, 6), 1),
            ("quarter-final 4", (2, 5), 1),
        ],
        [("semi-final 1", (0, 3), 1), ("semi-final 2", (1, 2), 1)],
        [("third place", (3, 2), 1), ("final", (0, 1), 1)],
    ]
    assert [round.label for round in rounds] == ["quarter-finals", "semi-finals", "final"]
    assert Knockout(0, range(8)).placing(results) == ((0,), (1,), (2,), (3,), (4, 5, 6, 7))
    without = Knockout(0, range(8), third_place=False)
    assert without.placing(play(without)[1]) == ((0,), (1,), (2, 3), (4, 5, 6, 7))


def test_names_of_larger_rounds():
    rounds, _ = play(Knockout(0, range(12)))
    assert [round.label for round in rounds] == ["round of 16", "quarter-finals", "semi-finals", "final"]
    assert rounds[0].matches[2].label == "round of 16, match 3"
    rounds, _ = play(Knockout(0, range(9), seats=3))
    assert [match.label for match in rounds[0].matches] == [f"round of 9, match {i}" for i in (1, 2, 3)]


def test_an_upset_takes_the_place_of_the_seed_in_the_bracket():
    stage = Knockout(0, range(8))
    upset = round_of(stage, 0).matches[0]
    results = play(stage, lambda match: [0, 100] if match.key == upset.key else by_number(match))[1]
    assert [match.entrants for match in round_of(stage, 1, results).matches] == [(7, 3), (1, 2)]


def test_tables_of_four_with_two_going_on():
    stage = Knockout(0, range(16), seats=4, qualify=2)
    rounds, results = play(stage)
    assert [match.entrants for match in rounds[0].matches] == [
        (0, 7, 8, 15),
        (3, 4, 11, 12),
        (1, 6, 9, 14),
        (2, 5, 10, 13),
    ]
    before = {frozenset(pair) for match in rounds[0].matches for pair in combinations(match.entrants, 2)}
    again = {frozenset(pair) for match in rounds[1].matches for pair in combinations(match.entrants, 2)}
    assert not before & again
    assert rounds[2].matches[0].qualify == 1
    assert [len(group) for group in stage.placing(results)] == [1, 1, 1, 1, 4, 8]


@pytest.mark.parametrize(
    ("count", "seats", "qualify", "byes", "sizes"),
    [
        (5, 4, 1, 0, [3, 2]),
        (5, 4, 2, 1, [4]),  # two tables would be of 3 and 2, and both of the 2 would go on
        (7, 4, 2, 0, [3, 4]),
        (9, 4, 1, 0, [3, 3, 3]),
        (7, 3, 2, 1, [3, 3]),
        (3, 4, 2, 0, [3]),
    ],
)
def test_tables_are_made_smaller_before_byes_are_given(count, seats, qualify, byes, sizes):
    first = round_of(Knockout(0, range(count), seats, qualify), 0)
    assert len(first.byes) == byes
    assert [len(match.entrants) for match in first.matches] == sizes


def test_extra_boards_and_seeds_decide_and_show():
    stage = Knockout(0, (5, 6))
    final = round_of(stage, 0).matches[0]
    tied = {final.key: result(final, (50, 50), (50, 50), (0, 100))}
    assert stage.placing(tied) == ((6,), (5,))
    slots = stage.bracket(tied).rounds[0].matches[0].slots
    assert [(s.entrant, s.seed, s.place, s.goes_on, s.extra) for s in slots] == [
        (5, 1, 2, False, (HALF, Fraction(0))),
        (6, 2, 1, True, (HALF, Fraction(1))),
    ]
    assert stage.placing({final.key: result(final, (50, 50))}) == ((5,), (6,))


def test_a_tie_behind_the_winner_of_a_table_stays():
    stage = Knockout(0, (4, 3, 2, 1), seats=4)
    final = round_of(stage, 0).matches[0]
    assert stage.placing({final.key: result(final, (80, 40, 40, 40))}) == ((4,), (3, 2, 1))
    assert stage.placing({final.key: result(final, (40, 80, 80, 0))}) == ((3,), (2,), (4,), (1,))


def test_a_knockout_under_way():
    stage = Knockout(2, range(6))
    assert stage.placing({}) == (tuple(range(6)),)
    first, _ = round_of(stage, 0).matches
    results = {first.key: result(first, (100, 0))}
    with pytest.raises(ResultsMissing, match="semi-finals: an earlier round is not over"):
        stage.round(1, results)
    assert stage.placing(results) == (tuple(range(6)),)
    drawn = stage.bracket(results)
    assert drawn.winner is None
    assert [
        [[slot.entrant for slot in match.slots] for match in round.matches] for round in drawn.rounds
    ] == [
        [[0], [3, 4], [1], [2, 5]],
        [[0, 3], [1, None]],
        [[None, None]],
    ]
    assert [slot.goes_on for match in drawn.rounds[0].matches for slot in match.slots] == [
        True,
        True,
        False,
        True,
        None,
        None,
    ]
    assert drawn.third_place is not None
    assert [slot.origin for slot in drawn.third_place.slots] == [(1, 0, 2), (1, 1, 2)]


def test_the_placing_before_the_last_matches():
    stage = Knockout(0, range(4))
    rounds, results = play(stage)
    third, final = rounds[-1].matches
    assert stage.placing({k: v for k, v in results.items() if k != final.key}) == ((0, 1), (2,), (3,))
    assert stage.placing({k: v for k, v in results.items() if k != third.key}) == ((0,), (1,), (2, 3))
