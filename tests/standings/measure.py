"""The figures of docs/ratings.md: `python -m tests.standings.measure [LEAGUES]`, some minutes for 500."""

import sys
import time
from collections.abc import Iterable, Mapping

import numpy as np

from arena.standings.company import company
from arena.standings.rating import MEAN, SCALE, ratings
from arena.standings.shares import means, share
from arena.standings.tally import Group
from tests.standings.simulated import KINDS, leagues, play, round_robin

LUCK = 0.0, 0.3, 0.5
SHIFTS = 0, 150, 300


def covered(kind: str, luck: float, count: int) -> tuple[list[float], list[float]]:
    """For each simulated league, the share of ratings and of scores that their intervals hold."""
    of_ratings, of_scores = [], []
    for true, groups in leagues(kind, count, luck):
        swiss = isinstance(KINDS[kind][0], int)
        lines = ratings(groups, range(len(true)), paired_by_score=swiss)
        center = np.mean([true[line.entrant] for line in lines if line.anchor])
        wanted = scores_of(true, groups)
        found = means(groups, paired_by_score=swiss)
        shares = [share([found[entrant]]) for entrant in range(len(true))]
        of_ratings.append(_held((line[3:5] for line in lines), MEAN + true - center))
        of_scores.append(_held((each[1:] for each in shares), wanted))
    return of_ratings, of_scores


def scores_of(true: np.ndarray, groups: Mapping[Group, int]) -> np.ndarray:
    """What each entrant scores in the long run against those it met."""
    chances = 1 / (1 + np.exp((true - true[:, None]) / SCALE))
    met = np.zeros_like(chances)
    for (table, _), count in groups.items():
        for entrant in table:
            met[entrant, [*table]] += count * (entrant != np.array(table))
    scores: np.ndarray = (met * chances).sum(axis=1) / met.sum(axis=1)
    return scores


def _held(intervals: Iterable[tuple[float | None, ...]], values: np.ndarray) -> float:
    return float(
        np.mean(
            [
                (low is None or low <= value) and (high is None or value <= high)
                for (low, high), value in zip(intervals, values, strict=True)
            ]
        )
    )


def _report(count: int) -> Iterable[str]:
    for kind in KINDS:
        for luck in LUCK:
            of_ratings, of_scores = covered(kind, luck, count)
            yield f"{kind}, luck {luck}: ratings {np.mean(of_ratings):.3f}, scores {np.mean(of_scores):.3f}"
    chance = np.random.default_rng(7)
    for entrants, seats, cycles in ((8, 4, 1), (8, 4, 4), (8, 4, 10), (5, 3, 4), (12, 4, 3)):
        schedule = round_robin(entrants, seats, cycles)
        for more in SHIFTS:
            found = [
                bool(company({"a": play(schedule, rated, 0.3, chance, {(0, 1): more})}).suspicious)
                for rated in chance.normal(0, 200, (count * 3 // 5, entrants))
            ]
            kind = f"{entrants} bots, tables of {seats}, {len(schedule)} groups"
            yield f"{kind}, {more} more: {np.mean(found):.3f}"
    pairs = [(one, other) for one in range(1000) for other in range(one + 1, 1000)]
    groups = {
        Group(pair, (int(halves),)): 1
        for pair, halves in zip(pairs, chance.integers(0, 5, len(pairs)), strict=True)
    }
    before = time.process_time()
    ratings(groups, range(1000), intervals=False)
    yield f"1,000 bots without intervals: {time.process_time() - before:.2f} s"


if __name__ == "__main__":
    for line in _report(int(sys.argv[1]) if sys.argv[1:] else 500):
        sys.stdout.write(f"{line}\n")
