"""Stages with additions: the earlier pairings keep their places, and the new ones come after them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from arena.formats.format import Late, MoreCycles, Progress, Stage
from arena.formats.gauntlet import GauntletFormat
from arena.formats.round_robin import RoundRobinFormat


def pairs(stage: Stage) -> list[list[tuple[int, ...]]]:
    rounds = [stage.round(number, {}) for number in range(stage.round_count)]
    return [[match.entrants for match in round_.matches] for round_ in rounds if round_]


def test_who_comes_late_meets_everybody_in_rounds_behind_the_others():
    """These numbers must never change: they are the keys of games in leagues."""
    stage = RoundRobinFormat(3, 2, cycles=2).stage(0, range(3), {}, [Late(3, 0), MoreCycles(1)])
    assert pairs(stage) == [
        [(1, 2)], [(2, 0)], [(0, 1)],
        [(2, 1)], [(0, 2)], [(1, 0)],
        [(0, 3)], [(3, 1)], [(2, 3)],
        [(3, 0)], [(1, 3)], [(3, 2)],
        [(0, 3), (1, 2)], [(3, 1), (2, 0)], [(2, 3), (0, 1)],
    ]  # fmt: skip
    assert stage.cycle_ends == (3, 6, 15)
    assert [stage.matches_of(each) for each in range(5)] == [9, 9, 9, 9, 0]
    keys = [match.key for n in range(15) if (round_ := stage.round(n, {})) for match in round_.matches]
    assert len(set(keys)) == len(keys) == stage.match_count
    round_ = stage.round(13, {})
    assert round_ is not None
    assert [match.label for match in round_.matches] == ["round 14, match 1", "round 14, match 2"]
    assert stage.round(15, {}) is None


def test_cycles_that_are_added_before_anybody_comes_are_as_they_would_have_been_planned():
    added = RoundRobinFormat(5, 2, cycles=1).stage(0, range(5), {}, [MoreCycles(1), MoreCycles(1)])
    assert pairs(added) == pairs(RoundRobinFormat(5, 2, cycles=3).stage(0, range(5)))


def test_who_comes_late_to_a_gauntlet_meets_the_challengers():
    stage = GauntletFormat(4, 2, challengers=2, cycles=2).stage(0, range(4), {}, [Late(4, 1)])
    assert pairs(stage)[4:] == [[(0, 4)], [(4, 1)]]


def test_at_larger_tables_the_cycles_to_come_are_made_anew():
    format_ = RoundRobinFormat(6, 3, cycles=3)
    before = format_.stage(0, range(6))
    stage = format_.stage(0, range(6), {}, [Late(6, 1), Late(7, 1), MoreCycles(1)])
    first = before.cycle_ends[0]
    assert pairs(stage)[:first] == pairs(before)[:first]
    assert stage.cycle_ends == (5, 13, 21, 29)
    later = pairs(stage)[first:]
    assert {entrant for round_ in later for table in round_ for entrant in table} == set(range(8))
    met = Counter(pair for round_ in later for table in round_ for pair in combinations(sorted(table), 2))
    assert len(met) == 8 * 7 // 2, "everybody meets everybody"
    assert format_.late_from(stage, Progress(over=4, begun=6)) == 2
    assert format_.late_from(stage, Progress(over=0, begun=0)) == 0
