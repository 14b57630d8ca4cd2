from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.double_elimination import DoubleElimination, crossings
from arena.formats.format import ResultsMissing
from arena.formats.knockout import Knockout
from arena.results import MatchKey
from tests.formats.playing import by_number, play, result, round_of


def seed_wins(match):
    return [100, 0] if match.entrants[0] < match.entrants[1] else [0, 100]


@settings(deadline=None)
@given(st.integers(3, 40), st.data())
def test_all_but_the_winner_lose_twice_whatever_happens(count, data):
    entrants = data.draw(st.permutations(range(count)))
    stage = DoubleElimination(0, entrants, extra_boards=1)
    assert (stage.match_count, stage.seat_count) == (2 * count - 2, 4 * count - 4)
    losses, met = Counter[int](), set[frozenset[int]]()
    fresh = {"losers' round 1"} | ({"losers' round 2"} if count > 8 else set())  # in which nobody meets again

    def score(match):
        loser = data.draw(st.integers(0, 1))
        losses[match.entrants[loser]] += 1
        pair = frozenset(match.entrants)
        assert pair not in met or match.label.split(",")[0] not in fresh
        met.add(pair)
        return [0, 100] if loser == 0 else [100, 0]

    rounds, results = play(stage, score)
    ranking = stage.placing(results)
    assert sorted(entrant for group in ranking for entrant in group) == list(range(count))
    (winner,), (second,) = ranking[:2]
    assert losses.pop(winner, 0) == stage.further_matches(results) == len(results) - stage.match_count <= 1
    assert losses == {entrant: 2 for entrant in entrants if entrant != winner}
    assert len(rounds) == stage.round_count - 1 + stage.further_matches(results)
    assert len({match.label for this in rounds for match in this.matches}) == len(results)
    assert len({this.label for this in rounds}) == len(rounds)
    drawn = stage.bracket(results)
    assert drawn.winner == winner
    played = [match for this in drawn.rounds for match in this.matches if match.key is not None]
    assert {match.key for match in played} == set(results)
    assert {slot.entrant for slot in drawn.rounds[-1].matches[0].slots} == {winner, second}


@settings(deadline=None)
@given(st.integers(3, 40), st.data())
def test_every_slot_says_where_its_entrant_comes_from(count, data):
    stage = DoubleElimination(0, range(count))
    _, results = play(stage, lambda match: [data.draw(st.integers(0, 3)) for _ in match.entrants])
    drawn = stage.bracket(results)
    for slot in (slot for this in drawn.rounds[1:] for match in this.matches for slot in match.slots):
        if slot.origin is not None:
            origin = drawn.rounds[slot.origin.round].matches[slot.origin.match]
            came = [s.entrant for s in origin.slots if s.place == slot.origin.place or origin.key is None]
            assert came == [slot.entrant]


@settings(deadline=None)
@given(st.integers(3, 40))
def test_the_winners_bracket_is_that_of_a_knockout(count):
    cup = Knockout(0, range(count), third_place=False)
    rounds, results = play(DoubleElimination(0, range(count)), by_number)
    winners = [
        [match.entrants for match in this.matches if match.label.startswith("winners'")] for this in rounds
    ]
    expected = [[match.entrants for match in this.matches] for this in play(cup, by_number)[0]]
    assert [pairs for pairs in winners if pairs] == expected
    assert rounds[0].byes == round_of(cup, 0).byes
    assert len(results) == 2 * count - 2


def test_losers_drop_in_crosswise():
    assert [crossings(rounds) for rounds in range(2, 8)] == [
        (0,), (1, 0), (3, 0, 0), (7, 1, 1, 0), (15, 3, 2, 0, 0), (31, 7, 5, 0, 1, 0),
    ]  # fmt: skip


def test_eight():
    rounds, results = play(DoubleElimination(0, range(8)), seed_wins)
    assert [(this.label, [match.entrants for match in this.matches]) for this in rounds] == [
        ("winners' round 1", [(0, 7), (3, 4), (1, 6), (2, 5)]),
        ("winners' round 2, losers' round 1", [(0, 3), (1, 2), (7, 4), (6, 5)]),
        ("losers' round 2", [(2, 4), (3, 5)]),
        ("winners' final, losers' round 3", [(0, 1), (2, 3)]),
        ("losers' final", [(1, 2)]),
        ("grand final", [(0, 1)]),
    ]
    assert [match.label for match in rounds[1].matches] == [
        "winners' round 2, match 1", "winners' round 2, match 2",
        "losers' round 1, match 1", "losers' round 1, match 2",
    ]  # fmt: skip
    assert DoubleElimination(0, range(8)).placing(results) == ((0,), (1,), (2,), (3,), (4, 5), (6, 7))


def test_sixteen():
    rounds, _ = play(DoubleElimination(0, range(16)), seed_wins)
    assert [[match.entrants for match in this.matches] for this in rounds[1:6]] == [
        [(0, 7), (3, 4), (1, 6), (2, 5), (15, 8), (12, 11), (14, 9), (13, 10)],
        [(5, 8), (6, 11), (4, 9), (7, 10)],
        [(0, 3), (1, 2), (5, 6), (4, 7)],
        [(3, 5), (2, 4)],
        [(0, 1), (3, 2)],
    ]


def test_who_has_nobody_to_meet_goes_on():
    stage = DoubleElimination(0, range(7))
    rounds, _ = play(stage, seed_wins)
    assert [(this.label, this.byes) for this in rounds if this.byes] == [
        ("winners' round 1", (0,)),
        ("winners' round 2, losers' round 1", (4,)),
    ]
    small, _ = play(DoubleElimination(0, range(5)), seed_wins)
    assert [this.label for this in small] == [
        "winners' round 1", "winners' round 2", "losers' round 1", "winners' final, losers' round 2",
        "losers' final", "grand final",
    ]  # fmt: skip


def test_a_second_match_is_played_where_both_have_lost_once():
    stage = DoubleElimination(0, range(3))
    grand_final = MatchKey(0, 3, 0)
    _, results = play(stage, lambda match: [0, 100] if match.key == grand_final else seed_wins(match))
    assert stage.further_matches(results) == 1
    first, second = stage.bracket(results).rounds[-2:]
    assert (first.label, second.label) == ("grand final", "grand final, second match")
    assert first.matches[0].slots[1].place == 1
    assert stage.placing(results) == ((0,), (1,), (2,))
    del results[MatchKey(0, 4, 0)]
    assert stage.placing(results) == ((0, 1), (2,))
    assert stage.bracket(results).winner is None
    del results[MatchKey(0, 3, 0)]
    assert stage.further_matches(results) == 0
    assert stage.bracket(results).rounds[-1].label == "grand final"
    with pytest.raises(ResultsMissing):
        stage.round(4, results)


def test_a_tied_grand_final_is_decided_like_any_match():
    stage = DoubleElimination(0, range(3), extra_boards=1)
    _, results = play(stage, seed_wins)
    final = round_of(stage, 3, results).matches[0]
    assert stage.further_matches({**results, final.key: result(final, (50, 50), (0, 100))}) == 1
    assert stage.further_matches({**results, final.key: result(final, (50, 50), (50, 50))}) == 0
