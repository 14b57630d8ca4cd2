"""The titles of bots: nights and seasons won, the largest upset, the longest reign."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction

from arena.results import MatchKey, MatchResult
from arena.standings.titles import Part, Upset, titles, upsets
from arena.standings.values import Rating

BEGUN = datetime(2026, 11, 1, tzinfo=UTC)


def key(number: int) -> MatchKey:
    return MatchKey(0, 0, number)


def result(entrants: tuple[int, ...], *scores: tuple[int, ...], walkover: bool = False) -> MatchResult:
    """A result: the scores of its regular boards in hundredths, then those of each extra board."""
    first, *extra = (tuple(Fraction(score, 100) for score in each) for each in scores)
    return MatchResult(entrants, first, tuple(extra), walkover)


def night(tournament: int, *first: int) -> Part:
    return Part(tournament, False, ("owl", "ant", "bee"), first, {})


def day(number: int) -> datetime:
    return BEGUN + timedelta(days=number)


def test_an_upset_is_a_match_won_against_the_best_rated_of_the_others():
    ratings = [Rating(0, 9, 1700), Rating(1, 9, 1500), Rating(2, 9, 1450), Rating(3, 9, None)]
    ratings.append(Rating(4, 9, 1900, island=1))
    found = upsets(
        {
            key(0): result((1, 2), (40, 60)),
            key(1): result((2, 0, 1), (60, 50, 40)),  # three at a table: owl is the best rated loser
            key(2): result((0, 1), (50, 50), (0, 100)),  # an extra board decided it
            key(3): result((0, 2), (50, 50)),
            key(4): result((0, 2), (0, 100), walkover=True),
            key(5): result((3, 0), (100, 0)),
            key(6): result((1, 4), (100, 0)),  # ratings of two islands cannot be compared
            key(7): result((0, 1), (90, 10)),  # it was the better one
        },
        ratings,
    )
    assert found == {2: Upset(key(1), 0, 250), 1: Upset(key(2), 0, 200)}


def test_nights_count_in_a_row_and_shared_first_places_are_won():
    parts = [night(1, 0), night(2, 1), night(4, 0, 1), night(5, 0), night(6), night(7, 2)]
    assert titles("owl", parts)[:3] == ((1, 4, 5), 2, ())
    assert titles("ant", parts)[:3] == ((2, 4), 2, ())
    assert titles("bee", parts)[:3] == ((7,), 1, ())
    assert titles("cat", parts)[:3] == ((), 0, ())


def test_the_versions_of_a_bot_share_its_titles():
    seen = [(day(1), 0), (day(2), 1), (day(3), None), (day(4), 1), (day(5), 2), (day(7), 2), (day(8), 1)]
    ladder = Part(3, True, ("owl", "owl", "ant"), [1], {0: Upset(key(0), 2, 80)}, seen)
    night = Part(4, False, ("ant", "owl"), [0], {1: Upset(key(5), 0, 90), 0: Upset(key(6), 1, 10)})
    owl, ant = (titles(bot, [ladder, night]) for bot in ("owl", "ant"))
    assert owl == ((), 0, (3,), Upset(key(5), 0, 90), 4, "ant", (day(1), day(2)))
    assert ant == ((4,), 1, (), Upset(key(6), 1, 10), 4, "owl", (day(5), day(7)))
    running = titles("owl", [ladder._replace(first=(), upsets={})])
    assert running == ((), 0, (), None, 0, "", (day(1), day(2))), "a reign counts before the season is over"
