"""Ratings, scores and notes come out whatever the results are, and after every game of a night."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Mapping
from itertools import chain, combinations, permutations, product
from math import isfinite
from pathlib import Path

import numpy as np
import pytest

from arena.league.store import League
from arena.league.summary import summarize
from arena.report.standings_text import summary_text
from arena.standings.company import company
from arena.standings.cycles import cycles
from arena.standings.rating import islands, means, ratings, share
from arena.standings.tally import DuplicateGroup
from tests.examples import tried
from tests.standings.simulated import play, round_robin

GOLDEN = Path(__file__).parents[1] / "golden" / "leagues"
OPEN, LOST, LEVEL, WON = None, 0, 2, 4  # a pair's result, in halves of two games
ROUNDED = 1e-12


def all_comes_out(groups: Mapping[DuplicateGroup, int], entrants: int) -> None:
    """Everything that is computed of results, and the ends of all intervals."""
    for line in (*ratings(groups, range(entrants)), *ratings(groups, range(entrants), paired_by_score=True)):
        ends = [value for value in (line.low, line.rating, line.high) if value is not None]
        assert ends == sorted(ends)
        assert all(map(isfinite, ends))
    for mean in means(groups).values():
        found = share([mean])
        assert found.score is not None
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.high <= 1
        assert found.low - ROUNDED <= found.score <= found.high + ROUNDED
    cycles(groups)
    company({"a": groups})


def is_fitted(groups: Mapping[DuplicateGroup, int]) -> bool:
    """Whether every bot won as much as its rating expects, by the results as corrected."""
    for fit, _, _ in islands(groups):
        corrected = fit.wins.square(fit.taken, fit.given)
        expected = ((corrected + corrected.T) * fit.chances).sum(axis=1)
        if not np.allclose(corrected.sum(axis=1), expected, atol=1e-3, rtol=1e-5):
            return False
    return True


def small_nights(entrants: int) -> list[tuple[int | None, ...]]:
    """What each pair may have done, without what is the same but for the names."""
    pairs = [*combinations(range(entrants), 2)]
    turned = {OPEN: OPEN, LOST: WON, LEVEL: LEVEL, WON: LOST}
    found, kept = set(), []
    for night in product((OPEN, LOST, LEVEL, WON), repeat=len(pairs)):
        if night not in found:
            kept.append(night)
            did = dict(zip(pairs, night, strict=True))
            for order in permutations(range(entrants)):
                found.add(tuple(did[a, b] if a < b else turned[did[b, a]] for a, b in combinations(order, 2)))
    return kept


def groups_of(entrants: int, night: tuple[int | None, ...]) -> Counter[DuplicateGroup]:
    played = zip(combinations(range(entrants), 2), night, strict=True)
    return Counter(DuplicateGroup(pair, (halves,)) for pair, halves in played if halves is not None)


def test_early_standings_of_five():
    """A beat B, B and C drew, C beat E, D beat B, in two games each: no ratings came out of this."""
    groups = Counter(
        {
            DuplicateGroup((0, 1), (4,)): 1,
            DuplicateGroup((1, 2), (2,)): 1,
            DuplicateGroup((2, 4), (4,)): 1,
            DuplicateGroup((3, 1), (4,)): 1,
        }
    )
    all_comes_out(groups, 5)
    assert is_fitted(groups)


@pytest.mark.parametrize("entrants", [2, 3, 4])
def test_every_small_night(entrants):
    for night in small_nights(entrants):
        groups = groups_of(entrants, night)
        all_comes_out(groups, entrants)
        assert is_fitted(groups)


def test_nights_of_five_drawn_at_random():
    chance = random.Random(5)
    for _ in range(tried(1_000)):
        groups = groups_of(5, tuple(chance.choices((OPEN, LOST, LEVEL, WON), k=10)))
        all_comes_out(groups, 5)
        assert is_fitted(groups)


def test_lopsided_results_of_many_boards():
    """Up to 10,000 boards alike between some, one between others, tables of two to four: far from equal."""
    chance = random.Random(12)
    for _ in range(tried(400)):
        entrants, groups = chance.randint(4, 12), Counter[DuplicateGroup]()
        for _ in range(chance.randint(1, 30)):
            seats = chance.choice((2, 2, 2, 3, 4))
            table = tuple(chance.sample(range(entrants), seats))
            ends = chance.choice(((0, 2 * seats), range(2 * seats + 1)))
            halves = tuple(chance.choice(ends) for _ in range(seats * (seats - 1) // 2))
            groups[DuplicateGroup(table, halves)] += chance.choice((1, 1, 1, 5, 100, 10_000))
        all_comes_out(groups, entrants)
        assert is_fitted(groups)


def test_standings_after_every_board_of_simulated_nights():
    chance = np.random.default_rng(6)
    for number in range(tried(12)):
        entrants = (5, 7, 9)[number % 3]
        played = chain.from_iterable(
            play([(0, table)], chance_of, 0.3, chance).items()
            for chance_of in [chance.normal(0, 200, entrants)]
            for _, table in round_robin(entrants)
        )
        groups = Counter[DuplicateGroup]()
        for group, count in played:
            groups[group] += count
            all_comes_out(groups, entrants)
            assert is_fitted(groups)


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.glob("*.league")))
def test_standings_after_every_game_of_recorded_nights(tmp_path, name):
    copy = Path(shutil.copy(GOLDEN / name, tmp_path))
    with League.read(copy) as league:
        for tournament in league.tournaments():
            ends = {league.game(number).moment for number, _ in league.games(tournament.id)}
            for at in {tournament.started} | ends:
                assert tournament.name in summary_text(summarize(league, tournament.id, at))
