"""Figures of docs/design-notes.md: `python -m tests.standings.measure [LEAGUES]`, minutes for 500."""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import comb, log

import numpy as np

from arena.standings.company import company
from arena.standings.rating import MEAN, SCALE, means, ratings, share
from arena.standings.tally import DuplicateGroup
from tests.standings.simulated import (
    KINDS,
    TOURNAMENTS,
    Change,
    Schedule,
    attacks,
    certain_places,
    forfeits,
    gives_up,
    has_seats,
    leagues,
    play,
    plays_alike,
    promotes,
    round_robin,
    swaps,
    tournaments,
)

LUCK = 0.0, 0.3, 0.5

_TABLES_OF_4 = round_robin(8, 4, 10)
FIELDS: dict[str, tuple[Schedule, int, Change | None]] = {
    "4 bots, tables of 3": (round_robin(4, 3, 8), 200, None),
    "4 bots, tables of 3, far apart": (round_robin(4, 3, 30), 500, None),
    "5 bots, tables of 3": (round_robin(5, 3, 4), 200, None),
    "6 bots": (round_robin(6, 4, 4), 200, None),
    "8 bots, one cycle": (round_robin(8, 4), 200, None),
    "8 bots, four cycles": (round_robin(8, 4, 4), 200, None),
    "8 bots": (_TABLES_OF_4, 200, None),
    "8 bots, equal": (_TABLES_OF_4, 0, None),
    "8 bots, far apart": (_TABLES_OF_4, 500, None),
    "8 bots, one forfeits 30 %": (_TABLES_OF_4, 200, forfeits(0, 0.3)),
    "8 bots, two play alike": (_TABLES_OF_4, 200, plays_alike(0, 1, 0.6)),
    "8 bots, stronger in some seats": (_TABLES_OF_4, 200, has_seats(100)),
    "8 bots, one withdrawn": (
        [each for each in _TABLES_OF_4 if each[0] <= 30 or 0 not in each[1]],
        200,
        None,
    ),
    "12 bots": (round_robin(12, 4, 3), 200, None),
    "12 bots, tables of 3": (round_robin(12, 3, 2), 200, None),
}
"""Fields of bots that play for themselves, at tables of 4 or as given: the schedule, how widely ratings are
drawn, and what happens besides."""

HELP: dict[str, Change] = {
    "swaps in 30 %": swaps(0, 1, 0.3),
    "swaps in 60 %": swaps(0, 1, 0.6),
    "swaps always": swaps(0, 1, 1),
    "swaps in the second seat": swaps(0, 1, 1, seat=1),
    "promotes": promotes(0, 1),
    "gives up": gives_up(0, 1),
    "attacks": attacks(0, 1),
}


def covered(kind: str, luck: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """For each league and entrant, weakest first: whether the intervals hold its rating and score."""
    of_ratings, of_scores = [], []
    for true, groups in leagues(kind, count, luck):
        swiss = isinstance(KINDS[kind][0], int)
        lines = ratings(groups, range(len(true)), paired_by_score=swiss)
        center = np.mean([true[line.entrant] for line in lines if line.anchor])
        found = means(groups, paired_by_score=swiss)
        shares = [share([found[entrant]]) for entrant in range(len(true))]
        order = np.argsort(true)
        of_ratings.append(_held((line[3:5] for line in lines), MEAN + true - center)[order])
        of_scores.append(_held((each[1:] for each in shares), scores_of(true, groups))[order])
    return np.array(of_ratings), np.array(of_scores)


def covered_at_level_boards(
    boards: int, halves: int
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """How often the intervals of two bots hold rating and score, exactly: over all ways boards can come out.

    A board that is not level is won with so many halves of 4. First comes how likely each bot is to win one.
    """
    counts = [(won, lost) for won in range(boards + 1) for lost in range(boards + 1 - won)]
    ends = []
    for won, lost in counts:
        kinds = ((halves, won), (4 - halves, lost), (2, boards - won - lost))
        groups = {DuplicateGroup((0, 1), (taken,)): count for taken, count in kinds if count}
        line = ratings(groups, range(2))[0]
        ends.append((line[3:5], share([means(groups)[0]])[1:]))
    for to_win, to_lose in product((0.01, 0.02, 0.04, 0.06, 0.08, 0.12, 0.2, 0.3), (0, 0.01, 0.04, 0.08)):
        level = 1 - to_win - to_lose
        chances = [
            comb(boards, won)
            * comb(boards - won, lost)
            * to_win**won
            * to_lose**lost
            * level ** (boards - won - lost)
            for won, lost in counts
        ]
        score = 0.5 + (to_win - to_lose) * (halves / 4 - 0.5)
        rating = MEAN + SCALE / 2 * log(score / (1 - score))
        held = [_held(both, np.array([rating, score])) for both in ends]
        of_rating, of_score = np.array(chances) @ held
        yield (to_win, to_lose), (float(of_rating), float(of_score))


def honest(field: str, count: int) -> Iterator[Counter[DuplicateGroup]]:
    """Leagues of one of FIELDS; always the same for a name. Bots that play alike are equally strong."""
    chance = np.random.default_rng([12, *field.encode()])
    schedule, drawn, change = FIELDS[field]
    entrants = 1 + max(max(table) for _, table in schedule)
    for _ in range(count):
        luck, rated = chance.choice(LUCK), chance.normal(0, drawn, entrants)
        if "alike" in field:
            rated[1] = rated[0]
        yield play(schedule, rated, luck, chance, change=change)


def found(cycles: int, drawn: int, help_: Change, count: int) -> tuple[float, float, float]:
    """How often the helped one of 8 bots is shown, by its score, by its encounters, and by either."""
    chance = np.random.default_rng([9, cycles, drawn])
    schedule = round_robin(8, 4, cycles)
    shown = []
    for _ in range(count):
        report = company({"a": play(schedule, chance.normal(0, drawn, 8), 0.3, chance, change=help_)})
        pair = next(each for each in report.pairs if (each.entrant, each.other) == (1, 0))
        shown.append((pair.gains, pair.overtakes, pair.suspicious))
    by_score, by_encounters, either = np.mean(shown, axis=0).tolist()
    return by_score, by_encounters, either


def scores_of(true: np.ndarray, groups: Mapping[DuplicateGroup, int]) -> np.ndarray:
    """The score of each entrant in the long run against its opponents."""
    chances = 1 / (1 + np.exp((true - true[:, None]) / SCALE))
    met = np.zeros_like(chances)
    for (table, _), count in groups.items():
        for entrant in table:
            met[entrant, [*table]] += count * (entrant != np.array(table))
    scores: np.ndarray = (met * chances).sum(axis=1) / met.sum(axis=1)
    return scores


def _held(intervals: Iterable[tuple[float | None, ...]], values: np.ndarray) -> np.ndarray:
    return np.array(
        [
            (low is None or low <= value) and (high is None or value <= high)
            for (low, high), value in zip(intervals, values, strict=True)
        ]
    )


def _report(count: int) -> Iterable[str]:
    for kind in KINDS:
        for luck in LUCK:
            of_ratings, of_scores = (
                f"{held.mean():.3f} (each bot {held.mean(axis=0).min():.3f} to {held.mean(axis=0).max():.3f})"
                for held in covered(kind, luck, count)
            )
            yield f"{kind}, luck {luck}: ratings {of_ratings}, scores {of_scores}"
    for kind in TOURNAMENTS:
        known = [certain_places(kind, *each) for luck in LUCK for each in tournaments(kind, count // 2, luck)]
        wrong, width, first = np.mean(known, axis=0)
        yield f"{kind}: places wrong in {wrong:.4f}, {width:.1f} a bot, the first certain in {first:.2f}"
    for boards, halves in product((10, 20, 40), (3, 4)):
        for chances, (of_rating, of_score) in covered_at_level_boards(boards, halves):
            kind = f"{boards} boards, level but those won {halves}:{4 - halves} in {chances}"
            yield f"{kind}: ratings {of_rating:.3f}, scores {of_score:.3f}"
    for field in FIELDS:
        alarms = [bool(company({"a": groups}).suspicious) for groups in honest(field, count // 2)]
        yield f"{field}: {sum(alarms)} alarms in {len(alarms)}"
    for cycles, drawn, (name, help_) in product((4, 10), (0, 200), HELP.items()):
        shares = ", ".join(f"{share:.2f}" for share in found(cycles, drawn, help_, count // 5))
        yield f"{14 * cycles} groups, ratings drawn with {drawn}, one {name}: {shares}"
    chance = np.random.default_rng(7)
    pairs = [(one, other) for one in range(1000) for other in range(one + 1, 1000)]
    groups = {
        DuplicateGroup(pair, (int(halves),)): 1
        for pair, halves in zip(pairs, chance.integers(0, 5, len(pairs)), strict=True)
    }
    before = time.process_time()
    ratings(groups, range(1000), intervals=False)
    yield f"1,000 bots without intervals: {time.process_time() - before:.2f} s"


if __name__ == "__main__":
    for line in _report(int(sys.argv[1]) if sys.argv[1:] else 500):
        sys.stdout.write(f"{line}\n")
