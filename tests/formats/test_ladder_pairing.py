"""The choice of a ladder's matches, with made-up results."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.formats.ladder_pairing import (
    LEAVING,
    MOST_PACE,
    RANKED,
    SHARE,
    STARVED,
    WINDOW,
    Bot,
    Pair,
    Planner,
)
from arena.results import MatchResult
from tests.examples import examples
from tests.formats.ladder_month import ORDINARY, Kind, beside, error, months

Play = Callable[[Pair], MatchResult]

GOLDEN = Path(__file__).parents[1] / "golden" / "ladder_rounds.txt"
"""The first rounds of a ladder: bots and pace of each match. ARENA_UPDATE_GOLDEN=1 writes them again."""


def bot(entrant: int, since: int = 0, gone: int | None = None, replaces: int | None = None) -> Bot:
    return Bot(entrant, "", replaces, since, gone)


def played(pair: Pair, percent: int, times: tuple[int, ...] = ()) -> MatchResult:
    won = Fraction(percent, 100)
    return MatchResult((pair.one, pair.other), (won, 1 - won), times=times)


def by_luck(seed: int, seconds: Sequence[int] = ()) -> Play:
    """Results by luck, which depend on the pair and its count alone; higher numbers are stronger."""
    counts = Counter[tuple[int, int]]()

    def play(pair: Pair) -> MatchResult:
        counts[pair.one, pair.other] += 1
        dice = random.Random(f"{seed} {pair.one} {pair.other} {counts[pair.one, pair.other]}")
        chance = 1 / (1 + 10 ** ((pair.other - pair.one) / 40))
        times = (seconds[pair.one] * 1_000_000, seconds[pair.other] * 1_000_000) if seconds else ()
        return played(pair, 10 * sum(dice.random() < chance for _ in range(10)), times)

    return play


def equals(seed: int) -> Play:
    """Results of bots that are equally strong."""
    dice = random.Random(seed)
    return lambda pair: played(pair, 10 * sum(dice.random() < 0.5 for _ in range(10)))


def rounds_of(
    bots: Sequence[Bot], count: int, play: Play, shuffled: random.Random | None = None
) -> list[list[Pair]]:
    """The rounds, each result used as late as a ladder uses it; `shuffled` decides the order in a round."""
    planner, due, rounds = Planner(bots), dict[int, list[tuple[Pair, MatchResult]]](), list[list[Pair]]()
    for number in range(count):
        using = due.pop(number, [])
        if shuffled:
            shuffled.shuffle(using)
        for pair, result in using:
            planner.use(pair, result)
        rounds.append(planner.plan(number))
        for pair in rounds[-1]:
            due.setdefault(number + WINDOW * pair.pace, []).append((pair, play(pair)))
    return rounds


def rounds_with(entrant: int, rounds: Sequence[Sequence[Pair]]) -> list[int]:
    """The rounds in which a bot plays."""
    return [number for number, pairs in enumerate(rounds) if any(entrant in pair[:2] for pair in pairs)]


@st.composite
def fields(draw: st.DrawFn) -> list[Bot]:
    """Bots that come, go and are replaced."""
    bots = [bot(entrant) for entrant in range(draw(st.integers(2, 8)))]
    for since in sorted(draw(st.lists(st.integers(1, 60), max_size=6))):
        old = draw(st.sampled_from([each.entrant for each in bots if each.gone is None]))
        replaces = old if draw(st.booleans()) else None
        if replaces is not None:
            bots[old] = bots[old]._replace(gone=since)
        bots.append(bot(len(bots), since, replaces=replaces))
    return bots


@examples(25)
@given(fields(), st.integers(0, 999))
def test_a_bot_plays_once_a_round_and_only_while_it_is_there(bots, seed):
    for number, pairs in enumerate(rounds_of(bots, 80, by_luck(seed))):
        playing = [entrant for pair in pairs for entrant in pair[:2]]
        assert len(set(playing)) == len(playing)
        assert all(pair.one < pair.other for pair in pairs)
        for entrant in playing:
            assert bots[entrant].since <= number
            assert bots[entrant].gone is None or number < bots[entrant].gone


@examples(25)
@given(fields(), st.integers(0, 999))
def test_the_order_of_the_results_does_not_matter(bots, seed):
    one = rounds_of(bots, 80, by_luck(seed))
    assert rounds_of(bots, 80, by_luck(seed), random.Random(seed)) == one


@examples(25)
@given(fields(), st.integers(0, 999), st.integers(1, 80))
def test_what_comes_later_does_not_change_earlier_rounds(bots, seed, now):
    before = [
        each._replace(gone=None if each.gone is None or each.gone >= now else each.gone)
        for each in bots
        if each.since < now
    ]
    assert rounds_of(before, now, by_luck(seed)) == rounds_of(bots, now, by_luck(seed))


@examples(25)
@given(fields(), st.integers(0, 999), st.integers(0, 79))
def test_a_planner_that_goes_on_with_other_bots_plans_as_a_new_one(bots, seed, now):
    known = [each for each in bots if each.since < now]
    known = [each if each.gone is None or each.gone < now else each._replace(gone=None) for each in known]
    planner, play = Planner(known), by_luck(seed)
    due, rounds = dict[int, list[tuple[Pair, MatchResult]]](), list[list[Pair]]()
    for number in range(80):
        if number == now:
            planner = planner.following(bots)
        for pair, result in due.pop(number, []):
            planner.use(pair, result)
        rounds.append(planner.plan(number))
        for pair in rounds[-1]:
            due.setdefault(number + WINDOW * pair.pace, []).append((pair, play(pair)))
    assert rounds == rounds_of(bots, 80, by_luck(seed))


def test_a_planner_goes_on_only_if_its_rounds_stay_as_they_are():
    planner = Planner([bot(0), bot(1)])
    for number in range(5):
        planner.plan(number)
    planner.following([bot(0), bot(1, gone=5), bot(2, 5)])
    for other in ([bot(0), bot(1, gone=4)], [bot(0), bot(1), bot(2, 4)], [bot(0)]):
        with pytest.raises(ValueError, match="differ before round 5"):
            planner.following(other)


def test_bots_that_are_gone_leave_the_fit():
    bots = [bot(entrant) for entrant in range(8)]
    for since in range(5, 300, 5):
        old = next(each.entrant for each in bots if each.gone is None)
        bots[old] = bots[old]._replace(gone=since)
        bots.append(bot(len(bots), since, replaces=old))
    planner, due, play = Planner(bots), dict[int, list[tuple[Pair, MatchResult]]](), by_luck(3)
    for number in range(300):
        for pair, result in due.pop(number, []):
            planner.use(pair, result)
        for pair in planner.plan(number):
            due.setdefault(number + WINDOW * pair.pace, []).append((pair, play(pair)))
        assert planner.fitted <= 8 + (LEAVING + WINDOW) // 5 + 2


def test_the_first_rounds_of_a_ladder_are_the_golden_ones():
    seconds = [1, 2, 1, 3, 1, 1, 9, 2, 1, 1, 4, 1, 1, 1, 2]
    bots = [Bot(each, "ann" if each < 4 else f"author {each}", None, 0, None) for each in range(12)]
    bots[5], bots[6] = bots[5]._replace(gone=20), bots[6]._replace(gone=35)
    bots += [bot(12, 20, replaces=5), bot(13, 30), bot(14, 35, replaces=6)]
    rounds = rounds_of(bots, 60, by_luck(11, seconds))
    text = "".join(
        f"{number:2}: {' '.join(f'{pair.one}-{pair.other}/{pair.pace}' for pair in pairs)}".rstrip() + "\n"
        for number, pairs in enumerate(rounds)
    )
    if os.environ.get("ARENA_UPDATE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == text, "the pairings of ladders that are under way change"


def test_no_old_bot_starves_in_a_flood_of_new_ones():
    old, flood, often, rounds = 10, 30, 15, 300
    bots = [bot(entrant) for entrant in range(old)]
    for since in range(60, rounds, often):  # thirty new bots, which thirty others replace
        bots += [bot(len(bots) + each, since, since + often) for each in range(flood)]
    found = rounds_of(bots, rounds, equals(1))
    for entrant in range(old):
        playing = [60, *(number for number in rounds_with(entrant, found) if number >= 60), rounds]
        longest = max(later - earlier for earlier, later in pairwise(playing))
        assert STARVED // 2 < longest <= STARVED + 3, "the flood comes first, but not for ever"


def test_new_versions_come_first():
    bots = [bot(entrant) for entrant in range(20)]
    bots[3] = bots[3]._replace(gone=100)
    bots.append(bot(20, 100, replaces=3))
    playing = rounds_with(20, rounds_of(bots, 130, by_luck(3)))
    assert playing[:RANKED] == list(range(100, 100 + RANKED))


def test_a_bot_of_unknown_pace_plays_one_match_until_its_result_is_used():
    bots = [bot(entrant) for entrant in range(12)] + [bot(12, 50)]
    playing = rounds_with(12, rounds_of(bots, 80, by_luck(5)))
    assert playing[:3] == [50, 50 + WINDOW, 50 + WINDOW + 1]


def test_a_slow_bot_plays_in_fewer_rounds_and_so_does_its_next_version():
    slow, rounds = 10, 600
    bots = [*(bot(entrant) for entrant in range(12)), bot(12, gone=300), bot(13, 300, replaces=12)]
    found = rounds_of(bots, rounds, by_luck(7, [2] * 12 + [2 * slow] * 2))
    assert {pair.pace for pairs in found[:WINDOW] for pair in pairs} == {1}
    playing = [number for number in rounds_with(12, found) + rounds_with(13, found) if number >= WINDOW]
    apart = [later - earlier for earlier, later in pairwise(playing) if not earlier < 300 <= later]
    assert min(apart) >= slow * SHARE // 2
    assert playing[-1] > 500
    for number, pairs in enumerate(found):
        for pair in pairs:
            assert pair.pace == (slow if number >= WINDOW and {12, 13} & {pair.one, pair.other} else 1)


def test_a_pace_has_a_limit_and_short_times_are_alike():
    found = rounds_of([bot(entrant) for entrant in range(10)], 200, by_luck(7, [2] * 9 + [3600]))
    assert max(pair.pace for pairs in found for pair in pairs) == MOST_PACE
    planner = Planner([bot(entrant) for entrant in range(3)])
    planner.plan(0)
    for pair, time in ((Pair(0, 1), 1_000), (Pair(0, 2), 900_000)):  # microseconds: both cost nothing
        planner.use(pair, played(pair, 50, (1_000, time)))
    assert {pair.pace for pair in planner.plan(WINDOW)} == {1}


@pytest.mark.parametrize("broken", [0, 1, 2])
def test_it_is_idle_when_the_order_is_known_also_with_bots_that_always_lose(broken):
    bots, dice = [bot(entrant) for entrant in range(6)] + [bot(6, 900)], equals(2)

    def play(pair: Pair) -> MatchResult:
        return dice(pair) if pair.one >= broken else played(pair, 50 if pair.other < broken else 0)

    found = rounds_of(bots, 960, play)
    assert not any(found[800:900]), "idle"
    assert len(rounds_with(6, found)) >= RANKED, "until a bot comes"


def test_the_bots_of_an_author_take_turns():
    crowd = [Bot(entrant, "crowd", None, 0, None) for entrant in range(6)]
    others = [Bot(entrant, f"author {entrant}", None, 0, None) for entrant in range(6, 16)]
    found = rounds_of([*crowd, *others], 200, by_luck(4))
    matches = [len(rounds_with(entrant, found)) for entrant in range(16)]
    assert sum(matches[:6]) < 1.5 * mean(matches[6:])
    assert min(matches[:6]) > 0


def test_a_match_that_was_given_up_tells_nothing():
    bots = [bot(entrant) for entrant in range(2)]
    planner = Planner(bots)
    for number in range(30):
        for pair in planner.plan(number):
            planner.use(pair, None)
    worth, pairs = planner.worth, planner.plan(30)
    assert pairs == [Pair(0, 1)]
    assert worth == Planner(bots).worth


@pytest.mark.campaign
def test_a_month_is_ranked_no_worse_than_with_opponents_at_random():
    outcomes = months(16, 120, 12, range(12))
    apart = [mine.loss - its.loss for mine, its in zip(outcomes["ladder"], outcomes["random"], strict=True)]
    assert mean(apart) < 2 * error(apart)
    assert mean(each.rounds for each in outcomes["ladder"]) < mean(each.rounds for each in outcomes["random"])


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("kind", "least"), [(Kind(40.0), 0.75), (Kind(40.0, True), 0.75), (Kind(0.1, True), 0.95)]
)
def test_slow_hanging_and_crashing_bots_take_no_more_than_others(kind, least):
    there, fewest = beside([kind] * 20, 20, 4, 800.0, 1)
    without, _ = beside([ORDINARY] * 20, 20, 4, 800.0, 1)
    assert there > least * without
    assert fewest >= RANKED


def test_computers_that_round_otherwise_find_the_same_pairs():
    """Scores that differ by as little as a computer rounds away change no pair."""
    bots = [bot(entrant) for entrant in range(10)]
    for since in range(60, 200, 15):  # equally strong bots come together, while nothing is known of them
        bots += [bot(len(bots) + each, since, since + 15) for each in range(30)]
    dice, play = random.Random(2), equals(1)

    def otherwise(pair: Pair) -> MatchResult:
        result, less = play(pair), Fraction(dice.randrange(1, 100), 10**15)
        return result._replace(scores=(result.scores[0] - less, result.scores[1] + less))

    assert rounds_of(bots, 200, otherwise) == rounds_of(bots, 200, equals(1))
