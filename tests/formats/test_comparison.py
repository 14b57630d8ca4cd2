"""The comparison format: its matches, contests and company, its keys, and its changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.comparison.betting import Betting
from arena.comparison.comparison import REPEATED, Contest, Rule
from arena.comparison.question import Precision
from arena.formats import format_of_then
from arena.formats.comparison import ComparisonFormat, ComparisonStage
from arena.formats.format import MoreCycles, Progress, TooLate
from arena.league.tournament_file import TournamentFileError, parse_plan
from arena.results import cyclic_seating
from tests.formats.playing import round_of


def format_of(keys: str = "", entrants: int = 2, seats: int = 2) -> ComparisonFormat:
    text = f'name = "x"\nseats = {seats}\ngames = ["hyrule"]\n[[stage]]\nformat = "comparison"\n{keys}\n'
    (format_,) = parse_plan(text + "[[entrant]]\n" * entrants, Path("x.toml")).stages
    assert isinstance(format_, ComparisonFormat)
    return format_


def matches(format_: ComparisonFormat, entrants: str) -> list[str]:
    """The matches of a late round, by the letters of the entrants."""
    stage = format_.stage(0, range(len(entrants)))
    return ["".join(entrants[each] for each in match.entrants) for match in round_of(stage, 5).matches]


def contests(format_: ComparisonFormat) -> list[Contest]:
    return [study.contest for study in format_.comparison(["hyrule"]).studies]


def test_two_bots_meet_once_a_round():
    assert matches(format_of(), "ab") == ["ab"]
    assert contests(format_of()) == [Contest(0, 1, 0)]


def test_more_bots_meet_the_first_or_all():
    assert matches(format_of(entrants=4), "abcd") == ["ab", "ac", "ad"]
    assert contests(format_of(entrants=4)) == [Contest(0, 1, 0), Contest(0, 2, 1), Contest(0, 3, 2)]
    every = format_of('pairs = "all"', 4)
    assert matches(every, "abcd") == ["ab", "ac", "ad", "bc", "bd", "cd"]
    assert [contest[:2] for contest in contests(every)] == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert [contest.match for contest in contests(every)] == [*range(6)]


def test_at_larger_tables_one_sits_among_copies_of_the_one_that_it_replaces():
    # b and c with their copies B and C, three at a table of four: a, and three times the other.
    four = format_of("compared = 3", 7, 4)
    assert matches(four, "abcBBCC") == ["abBB", "acCC"]
    assert contests(four) == [Contest(0, 1, 0), Contest(0, 2, 1)]
    every = format_of('compared = 3\npairs = "all"', 5, 3)
    assert matches(every, "abcBC") == ["abB", "acC", "bcC"]
    assert contests(every) == [Contest(0, 1, 0), Contest(0, 2, 1), Contest(1, 2, 2)]


def test_in_given_company_each_sits_with_the_same():
    given_ = format_of('compared = 3\ncompany = "given"', 5, 3)
    assert matches(given_, "abcxy") == ["axy", "bxy", "cxy"]
    assert contests(given_) == [Contest(0, 1, 0, 1), Contest(0, 2, 0, 2)]
    every = format_of('compared = 3\ncompany = "given"\npairs = "all"', 5, 3)
    assert contests(every) == [Contest(0, 1, 0, 1), Contest(0, 2, 0, 2), Contest(1, 2, 1, 2)]


@pytest.mark.parametrize("seats", range(2, 8))
def test_the_bot_that_replaces_sits_at_the_seat_of_the_rotation(seats):
    """At each rotation two bots in the same company sit at the same seat."""
    format_ = format_of('compared = 2\ncompany = "given"', seats + (seats > 2), seats)
    stage = format_.stage(0, range(format_.entrants))
    seatings = stage.seatings(1, "balanced")
    for number in range(6):
        for match in round_of(stage, number).matches:
            for rotation in range(seats):
                seating = seatings.seating(match.key, seats, 0, rotation)
                assert seating[rotation] == 0
                first = round_of(stage, number).matches[0]
                assert seating == seatings.seating(first.key, seats, 0, rotation)
                if seats == 2:
                    assert seating == cyclic_seating(2, rotation)


@given(st.integers(2, 5), st.integers(2, 5), st.sampled_from(["first", "all"]), st.booleans())
def test_rounds(compared, seats, pairs, copies):
    company = (compared - 1) * (seats - 2) if copies else (seats - 1) * (seats > 2)
    kind = "copies" if copies else "given"
    format_ = format_of(
        f'compared = {compared}\npairs = "{pairs}"\ncompany = "{kind}"\ncap = 5', compared + company, seats
    )
    stage = format_.stage(3, range(100, 100 + format_.entrants))
    rounds = [round_of(stage, number) for number in range(5)]
    assert stage.round(5, {}) is None
    assert stage.round(-1, {}) is None
    assert (stage.round_count, stage.cycle_ends) == (5, (1, 2, 3, 4, 5))
    assert [round_.label for round_ in rounds] == [f"round {number}" for number in range(1, 6)]
    assert sum(len(round_.matches) for round_ in rounds) == stage.match_count
    once = len(rounds[-1].matches)
    assert [len(round_.matches) for round_ in rounds] == [2 * once] * REPEATED + [once] * (5 - REPEATED)
    for number, round_ in enumerate(rounds):
        assert [match.key for match in round_.matches] == [
            (3, number, each) for each in range(len(round_.matches))
        ]
        assert [match.entrants for match in round_.matches[once:]] == [
            match.entrants for match in rounds[-1].matches
        ][: len(round_.matches) - once]
        for match in round_.matches:
            assert len(set(match.entrants)) == seats
    for entrant in stage.entrants:
        assert stage.matches_of(entrant) == sum(
            entrant in match.entrants for round_ in rounds for match in round_.matches
        )
    comparison = format_.comparison(["hyrule"])
    assert comparison.matches == once
    for study in comparison.studies:
        for number, who in zip(study.contest.matches, (study.contest.one, study.contest.other), strict=False):
            assert rounds[0].matches[number].entrants[0] == 100 + who


def test_defaults_and_what_they_mean():
    format_ = format_of()
    assert (format_.cap, format_.stops, format_.margin) == (1_000, True, 5)
    assert format_.rule == Rule(True, Precision(0.01, 0.05), Precision(0.05, 0.05))
    settled_beforehand = format_of("stops = false\nmargin = 2.5")
    assert settled_beforehand.rule == Rule(False, Precision(0.05, 0.025), Precision(0.05, 0.025))
    assert format_of_then(format_.to_values()) == format_


def test_a_comparison_of_an_earlier_version_goes_on_with_its_bets():
    values = {key: value for key, value in format_of().to_values().items() if key != "betting"}
    earlier = format_of_then(values)
    assert isinstance(earlier, ComparisonFormat)
    assert earlier.rule.game == Precision(0.01, 0.05, Betting.HEDGED)


def test_it_can_be_longer_and_goes_on_with_the_same_rounds():
    format_ = format_of("cap = 3")
    short, longer = format_.stage(0, [0, 1]), format_.stage(0, [0, 1], {}, [MoreCycles(2), MoreCycles(1)])
    assert format_.can_be_longer
    assert longer.round_count == 6
    assert [longer.round(number, {}) for number in range(3)] == [
        short.round(number, {}) for number in range(3)
    ]


def test_a_comparison_made_longer_has_its_repeats_once():
    longer = format_of("cap = 1").stage(0, [0, 1], {}, [MoreCycles(3)])
    assert [len(round_of(longer, number).matches) for number in range(4)] == [2, 2, 1, 1]


def test_nobody_comes_late():
    format_ = format_of()
    with pytest.raises(TooLate, match="is a comparison of the bots that it began with"):
        format_.late_from(format_.stage(0, [0, 1]), Progress(0, 0))


@pytest.mark.parametrize(
    ("keys", "entrants", "seats", "sentence"),
    [
        ("compared = 1", 2, 2, "compared must be from 2 to 2, not 1"),
        ("compared = 3", 2, 2, "compared must be from 2 to 2"),
        ('pairs = "some"', 2, 2, "first, all"),
        ('company = "friends"', 2, 2, "copies, given"),
        ("cap = 0", 2, 2, "cap must be from 1 to 1000000, not 0"),
        ("margin = 0", 2, 2, "margin"),
        ("margin = 30.0", 2, 2, "margin"),
        ("error = 0", 2, 2, "error"),
        ("game_error = 50", 2, 2, "game_error"),
        ("stops = 1", 2, 2, "stops"),
        ("rounds = 3", 2, 2, "rounds"),
        ("", 4, 3, "compares 2 bots at tables of 3, for which there must be 3 entrants, 1 of them company"),
        ('company = "given"', 3, 3, "there must be 4 entrants, 2 of them company, not 3"),
        ("compared = 2", 3, 2, "compares 2 bots at tables of 2, for which there must be 2 entrants, 0 of"),
        ("advance = 2", 2, 2, "advance is for later stages"),
        ('[[stage]]\nformat = "knockout"', 2, 2, "a comparison is the only stage of its tournament"),
    ],
)
def test_wrong_keys(keys, entrants, seats, sentence):
    with pytest.raises(TournamentFileError, match=sentence):
        format_of(keys, entrants, seats)


def test_its_boards_are_its_rounds():
    head = 'name = "x"\nboards = 2\ngames = ["hyrule"]\n'
    sentence = "each round of a comparison is one board: leave out boards, and set cap"
    with pytest.raises(TournamentFileError, match=sentence):
        parse_plan(head + '[[stage]]\nformat = "comparison"\n' + "[[entrant]]\n" * 2, Path("x.toml"))


def test_an_entrant_is_there_once():
    with pytest.raises(ValueError, match="only once"):
        ComparisonStage(0, [1, 1], format_of(), 3)
    with pytest.raises(ValueError, match="a comparison needs all its bots"):
        ComparisonStage(0, [1], format_of(), 3)


def test_a_race_plays_all_pairs_and_no_board_twice():
    format_ = format_of('pairs = "best"', entrants=4)
    assert format_.rule.race
    stage = format_.stage(0, [0, 1, 2, 3])
    assert stage.match_count == 6 * format_.cap
    assert [len(round_of(stage, number).matches) for number in (0, 1)] == [6, 6]
    with pytest.raises(TournamentFileError, match="stops when it is sure"):
        format_of('pairs = "best"\nstops = false', entrants=4)


def test_a_race_does_not_promise_bets_without_luck_that_it_does_not_make():
    with pytest.raises(TournamentFileError, match="whose bets are on scores as they are"):
        format_of('pairs = "best"\nless_luck = true', entrants=4)
