import random
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.formats.format import ResultsMissing
from arena.formats.swiss import Contender, Pairing, Swiss, most_rounds, pair
from arena.league.tournament_file import parse_plan
from arena.results import MatchKey, MatchResult
from arena.strict_toml import WrongFile
from arena.tournament.plan import UnknownPlan, read_plan
from tests.examples import examples
from tests.formats.playing import check_rounds, play, round_of


def pairs_of(round_):
    return [match.entrants for match in round_.matches]


@examples(60)
@given(st.integers(2, 24), st.integers(1, 8), st.sampled_from((1, 2, 8)), st.randoms(use_true_random=False))
def test_nobody_meets_twice_as_long_as_that_can_be(count, rounds, steps, rng):
    """Up to half as many rounds as there are entrants can always be paired (a graph theorem: Dirac's)."""
    names = list(range(100, 100 + count))
    rng.shuffle(names)
    stage = Swiss(2, names, min(rounds, max(1, count // 2)))
    scores = random.Random(rng.random())

    def score(match):
        taken = 100 * scores.randrange(steps + 1) // steps
        return taken, 100 - taken

    played, _ = play(stage, score)
    check_rounds(stage, played)
    met = Counter(frozenset(match.entrants) for round_ in played for match in round_.matches)
    assert set(met.values()) == {1}
    byes = Counter(entrant for round_ in played for entrant in round_.byes)
    assert set(byes.values()) <= {1}
    assert byes.total() == len(played) * (count % 2)


@pytest.mark.parametrize("count", [5, 6, 9])
def test_more_rounds_than_can_be_kept_apart_are_paired_all_the_same(count):
    stage = Swiss(0, range(count), most_rounds(count) + 2)
    rounds, _ = play(stage)
    check_rounds(stage, rounds)
    met = Counter(frozenset(match.entrants) for round_ in rounds for match in round_.matches)
    assert max(met.values()) > 1


def test_first_upper_half_against_lower_half_then_by_score():
    stage = Swiss(0, range(8), 3)
    first = round_of(stage, 0)
    assert (first.label, first.byes) == ("round 1", ())
    assert pairs_of(first) == [(0, 4), (1, 5), (2, 6), (3, 7)]
    assert first.matches[1].label == "round 1, match 2"
    assert first.matches[1].key == (0, 0, 1)
    assert first.matches[0].qualify is None
    assert stage.round(3, {}) is None
    won = {match.key: MatchResult(match.entrants, (Fraction(1), Fraction(0))) for match in first.matches}
    assert pairs_of(round_of(stage, 1, won)) == [(0, 2), (1, 3), (4, 6), (5, 7)]


def test_who_has_an_odd_number_of_peers_meets_the_next_below():
    row = [Contender(each, each + 1, Fraction(2 if each < 3 else 1)) for each in range(6)]
    assert pair(tuple(row), 0) == Pairing(((0, 1), (2, 3), (4, 5)), None)


def test_the_bye_goes_to_the_lowest_who_has_had_none():
    row = [Contender(each, each + 1, Fraction(5 - each)) for each in range(5)]
    assert pair(tuple(row), 0).bye == 4
    row[4] = row[4]._replace(byes=1)
    assert pair(tuple(row), 0).bye == 3
    assert pair(tuple(each._replace(byes=1) for each in row), 0).bye == 4


def test_nobody_has_a_bye_twice_and_who_is_withdrawn_none():
    stage = Swiss(0, range(3), 3)
    (match,) = round_of(stage, 0).matches
    assert match.entrants == (0, 1)
    lost = (Fraction(0), Fraction(1))
    assert round_of(stage, 1, {match.key: MatchResult(match.entrants, lost)}).byes == (0,)
    stage = Swiss(0, range(4), 3, {0: 1})
    first = round_of(stage, 0)
    assert pairs_of(first) == [(0, 2), (1, 3)]
    results = {
        first.matches[0].key: MatchResult((0, 2), lost, walkover=True),
        first.matches[1].key: MatchResult((1, 3), (Fraction(1), Fraction(0))),
    }
    second = round_of(stage, 1, results)
    assert (pairs_of(second), second.byes, second.absent) == ([(1, 2)], (3,), (0,))


def test_who_is_withdrawn_is_not_paired():
    stage = Swiss(0, range(6), 4, {2: 0, 0: 2, 77: 0})
    assert stage.match_count == 2 + 2 + 2 + 2
    rounds, _ = play(stage)
    check_rounds(stage, rounds)
    assert [round_.absent for round_ in rounds] == [(2,), (2,), (0, 2), (0, 2)]
    assert [len(round_.byes) for round_ in rounds] == [1, 1, 0, 0]
    playing = [{entrant for match in round_.matches for entrant in match.entrants} for round_ in rounds]
    assert [0 in each for each in playing].count(True) <= 2
    assert not any(2 in each for each in playing)


def test_who_is_left_alone_has_byes():
    stage = Swiss(0, range(3), 3, {0: 1, 1: 1, 2: 2})
    rounds, _ = play(stage)
    assert [round_.byes for round_ in rounds] == [(2,), (2,), ()]
    assert stage.match_count == 1


def test_the_pairing_of_a_round_is_a_function_of_earlier_rounds():
    rounds, results = play(Swiss(0, range(11), 5))
    shuffled = dict(random.Random(1).sample(list(results.items()), len(results)))
    pair.cache_clear()
    again = Swiss(0, range(11), 5)
    assert [again.round(number, shuffled) for number in (3, 0, 4, 2, 1)] == [
        rounds[i] for i in (3, 0, 4, 2, 1)
    ]


def test_a_round_waits_for_the_one_before():
    stage = Swiss(0, range(4), 3)
    first = round_of(stage, 0)
    with pytest.raises(ResultsMissing, match="round 1: 2 of its matches are not over"):
        stage.round(1, {})
    one = {first.matches[0].key: MatchResult(first.matches[0].entrants, (Fraction(1), Fraction(0)))}
    with pytest.raises(ResultsMissing, match="round 1: 1 of its matches are not over"):
        stage.round(1, one)
    assert MatchKey(0, 0, 0) in one


@pytest.mark.parametrize(("entrants", "rounds"), [(2, 1), (3, 2), (8, 3), (9, 4), (64, 6)])
def test_as_many_rounds_as_a_knockout_where_the_file_does_not_say(entrants, rounds):
    text = 'name = "x"\n[[stage]]\nformat = "swiss"\n' + "[[entrant]]\n" * entrants
    (format_,) = parse_plan(text, Path("x.toml")).stages
    assert format_.stage(0, range(entrants)).round_count == rounds


def test_without_networkx_a_swiss_is_refused_in_a_sentence(monkeypatch):
    """When it is read from a file and when it is stored: before a round would have to be paired."""
    text = 'name = "n"\n[[stage]]\nformat = "swiss"\n[[entrant]]\n[[entrant]]\n[[entrant]]\n'
    stored = parse_plan(text, Path("night.toml")).to_json()
    monkeypatch.setitem(sys.modules, "networkx", None)
    remedy = r"a Swiss needs networkx: pip install '\.\[host\]' in a clone of the arena"
    with pytest.raises(WrongFile, match=remedy + "; or take a round-robin"):
        parse_plan(text, Path("night.toml"))
    with pytest.raises(UnknownPlan, match=remedy):
        read_plan(stored)
