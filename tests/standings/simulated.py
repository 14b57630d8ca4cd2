"""Leagues between entrants whose true ratings are known, with luck in the deal.

In a game an entrant performs as its rating says, plus chance, and the better
performance is ahead: with Gumbel's distribution for chance, one is ahead of
another exactly as often as Bradley and Terry's model says. Chance has a part
that belongs to the board and the seat, the same in all its games: they follow
the logistic copula (E. J. Gumbel, 1960), drawn through positive stable
variables (J. M. Chambers, C. L. Mallows, B. W. Stuck, Journal of the American
Statistical Association 71, 1976). With `luck` 0 games are independent; at two
seats between equals a duplicate group's score varies 1 - `luck` as much as then.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, count
from typing import NamedTuple

import numpy as np

from arena.formats.format import Format, Stage
from arena.formats.gauntlet import GauntletFormat
from arena.formats.groups import GroupsFormat
from arena.formats.knockout import KnockoutFormat
from arena.formats.round_robin import RoundRobinFormat
from arena.formats.swiss import SwissFormat
from arena.results import MatchKey, MatchResult
from arena.standings.certain import places_by_rating
from arena.standings.rating import SCALE, ratings
from arena.standings.tally import DuplicateGroup

Schedule = list[tuple[int, tuple[int, ...]]]
"""Boards, by the number of their deal, and who plays them."""

_FORFEITED = -1e9

Change = Callable[[np.ndarray, np.ndarray, np.random.Generator], None]
"""Changes performances, by board, game and seat of the table; it is told who sits at each table."""


def round_robin(entrants: int, seats: int = 2, cycles: int = 1) -> Schedule:
    """A board for every match; all matches of a round play the same deal."""
    stage = RoundRobinFormat(entrants, seats, cycles).stage(0, range(entrants))
    rounds = (stage.round(number, {}) for number in range(stage.round_count))
    return [(deal, match.entrants) for deal, each in enumerate(rounds) if each for match in each.matches]


def play(
    schedule: Schedule,
    rated: Sequence[float] | np.ndarray,
    luck: float,
    chance: np.random.Generator,
    help_: dict[tuple[int, int], float] | None = None,
    change: Change | None = None,
) -> Counter[DuplicateGroup]:
    """The groups of a league, without boards with a forfeit.

    `help_` is by how much the first raises the second's rating at its tables.
    """
    deals = max(deal for deal, _ in schedule) + 1
    luck_of = _stable(1 - luck, (deals, max(len(table) for _, table in schedule)), chance)
    groups = Counter[DuplicateGroup]()
    for seats in {len(table) for _, table in schedule}:
        boards = [(deal, table) for deal, table in schedule if len(table) == seats]
        tables = np.array([table for _, table in boards])
        strengths = np.array(rated)[tables] / SCALE
        for (helper, helped), more in (help_ or {}).items():
            both = (tables == helper).any(axis=1)
            strengths[both[:, None] & (tables == helped)] += more / SCALE
        lucky = luck_of[[deal for deal, _ in boards]][:, _seats(seats)]
        noise = np.log(lucky) - np.log(chance.exponential(size=lucky.shape))
        done = strengths[:, None, :] + (1 - luck) * noise
        if change is not None:
            change(tables, done, chance)
        halves = np.stack(
            [
                (1 + np.sign(done[:, :, a] - done[:, :, b])).sum(axis=1).astype(int)
                for a, b in combinations(range(seats), 2)
            ],
            axis=1,
        )
        whole = (done > _FORFEITED).all(axis=(1, 2))
        for (_, table), row, counts in zip(boards, halves.tolist(), whole, strict=True):
            groups[DuplicateGroup(table, tuple(row))] += bool(counts)
    return +groups


def swaps(helper: int, helped: int, share: float, seat: int | None = None) -> Change:
    """Where the helper is ahead, the two swap places in this share of games; perhaps only from one seat."""

    def change(tables: np.ndarray, done: np.ndarray, chance: np.random.Generator) -> None:
        boards, one, other = _shared(tables, helper, helped)
        mine, its = done[boards, :, one], done[boards, :, other]
        swap = (mine > its) & (chance.random(mine.shape) < share)
        if seat is not None:
            swap &= seat == _seats(done.shape[2])[:, one].T
        done[boards, :, one], done[boards, :, other] = np.where(swap, its, mine), np.where(swap, mine, its)

    return change


def promotes(helper: int, helped: int) -> Change:
    """Where the helped one is ahead of the helper, it changes places with the one that leads."""

    def change(tables: np.ndarray, done: np.ndarray, chance: np.random.Generator) -> None:
        boards, one, other = _shared(tables, helper, helped)
        at, game = np.nonzero(done[boards, :, other] > done[boards, :, one])
        boards, other = boards[at], other[at]
        first = done[boards, game].argmax(axis=1)
        its, most = done[boards, game, other], done[boards, game, first]
        done[boards, game, first], done[boards, game, other] = its, most

    return change


def has_seats(drawn: float) -> Change:
    """Each entrant plays by so much better or worse in each seat (a standard deviation, in points)."""

    def change(tables: np.ndarray, done: np.ndarray, chance: np.random.Generator) -> None:
        seats = done.shape[2]
        better = chance.normal(0, drawn / SCALE, (tables.max() + 1, seats))
        done += better[tables[:, None, :], _seats(seats)]

    return change


def gives_up(helper: int, helped: int, points: float = 400) -> Change:
    """The helper plays so much worse in games in which at most one bot is ahead of the helped one."""

    def change(tables: np.ndarray, done: np.ndarray, chance: np.random.Generator) -> None:
        boards, one, other = _shared(tables, helper, helped)
        ahead = (done[boards] > done[boards, :, other][:, :, None]).sum(axis=2)
        done[boards, :, one] -= np.where(ahead <= 1, points / SCALE, 0)

    return change


def attacks(helper: int, helped: int, points: float = 300) -> Change:
    """Whoever leads, but not one of the two, plays so much worse at their tables."""

    def change(tables: np.ndarray, done: np.ndarray, chance: np.random.Generator) -> None:
        boards, *both = _shared(tables, helper, helped)
        first = done[boards].argmax(axis=2)
        at, number = np.nonzero((first != both[0][:, None]) & (first != both[1][:, None]))
        done[boards[at], number, first[at, number]] -= points / SCALE

    return change


def forfeits(entrant: int, share: float) -> Change:
    """It forfeits this share of its games."""

    def change(tables: np.ndarray, done: np.ndarray, chance: np.random.Generator) -> None:
        boards, seat = np.nonzero(tables == entrant)
        mine = done[boards, :, seat]
        done[boards, :, seat] = np.where(chance.random(mine.shape) < share, _FORFEITED, mine)

    return change


def plays_alike(one: int, other: int, share: float) -> Change:
    """The two come out level in this share of their games."""

    def change(tables: np.ndarray, done: np.ndarray, chance: np.random.Generator) -> None:
        boards, first, second = _shared(tables, one, other)
        its = done[boards, :, first]
        same = chance.random(its.shape) < share
        done[boards, :, second] = np.where(same, its, done[boards, :, second])

    return change


def _seats(seats: int) -> np.ndarray:
    """In each game of a board, the seat of each place in the order of the table."""
    turned: np.ndarray = np.add.outer(np.arange(seats), np.arange(seats)) % seats
    return turned


def _shared(tables: np.ndarray, one: int, other: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The boards on which both play, and the seats of each."""
    boards = np.flatnonzero((tables == one).any(axis=1) & (tables == other).any(axis=1))
    return boards, (tables[boards] == one).argmax(axis=1), (tables[boards] == other).argmax(axis=1)


def play_swiss(
    entrants: int, rounds: int, rated: Sequence[float] | np.ndarray, luck: float, chance: np.random.Generator
) -> Counter[DuplicateGroup]:
    """The groups of a Swiss with a board for every match, each round paired by the results before it."""
    return play_stage(SwissFormat(entrants, 2, rounds).stage(0, range(entrants)), 1, rated, luck, chance)


def play_stage(
    stage: Stage,
    boards: int,
    rated: Sequence[float] | np.ndarray,
    luck: float,
    chance: np.random.Generator,
) -> Counter[DuplicateGroup]:
    """The groups of a stage at tables of two with so many boards a match."""
    results: dict[MatchKey, MatchResult] = {}
    groups = Counter[DuplicateGroup]()
    for this in (stage.round(number, results) for number in count()):
        if this is None:
            return groups
        keys = {match.entrants: match.key for match in this.matches}
        if not keys:
            continue
        played = play([(deal, table) for deal in range(boards) for table in keys], rated, luck, chance)
        scores = dict.fromkeys(keys, Fraction())
        for group, times in played.items():
            scores[group.entrants] += Fraction(times * group.halves[0], 4 * boards)
        for table, score in scores.items():
            results[keys[table]] = MatchResult(table, (score, 1 - score))
        groups += played
    raise AssertionError


def _stable(alpha: float, shape: tuple[int, int], chance: np.random.Generator) -> np.ndarray:
    """Positive stable variables: independent ones, for alpha 1, are all 1."""
    if alpha == 1:
        return np.ones(shape)
    angle = chance.uniform(0, np.pi, shape)
    wait = chance.exponential(size=shape)
    first = np.sin(alpha * angle) / np.sin(angle) ** (1 / alpha)
    return first * (np.sin((1 - alpha) * angle) / wait) ** ((1 - alpha) / alpha)


def leagues(name: str, count: int, luck: float) -> Iterator[tuple[np.ndarray, Counter[DuplicateGroup]]]:
    """Simulated leagues of one of the kinds below, with the true ratings; always the same for a name."""
    chance = np.random.default_rng([*name.encode()])
    schedule, drawn, fixed = KINDS[name]
    for _ in range(count):
        rated = chance.normal(0, drawn, len(fixed)) + fixed
        if isinstance(schedule, int):
            yield rated, play_swiss(len(fixed), schedule, rated, luck, chance)
        else:
            yield rated, play(schedule, rated, luck, chance)


KINDS: dict[str, tuple[Schedule | int, float, list[float]]] = {
    "2 bots, 4 groups": (round_robin(2, cycles=4), 100, [0] * 2),
    "2 bots, 10 groups": (round_robin(2, cycles=10), 100, [0] * 2),
    "2 bots, 40 groups": (round_robin(2, cycles=40), 100, [0] * 2),
    "8 bots, 1 group a pair": (round_robin(8), 150, [0] * 8),
    "8 bots, 5 groups a pair": (round_robin(8, cycles=5), 150, [0] * 8),
    "8 bots, tables of 4, one cycle": (round_robin(8, 4), 150, [0] * 8),
    "5 bots at ±700, three in the middle": (round_robin(5, cycles=10), 0, [700, 100, 0, -100, -700]),
    "5 bots from 700 to -700": (round_robin(5, cycles=10), 0, [700, 350, 0, -350, -700]),
    "Swiss 16 x 4": (4, 150, [0] * 16),
    "Swiss 16 x 4, nearly equal": (4, 30, [0] * 16),
    "Swiss 16 x 4, far apart": (4, 350, [0] * 16),
    "Swiss 40 x 6": (6, 150, [0] * 40),
    "Swiss 40 x 6, nearly equal": (6, 30, [0] * 40),
    "Swiss 40 x 6, far apart": (6, 350, [0] * 40),
}
"""The schedule or the rounds of a Swiss, how widely true ratings are drawn, and about what."""


class Certain(NamedTuple):
    """The certain places of a league.

    Attributes:
        wrong: whether any is wrong.
        width: how many places a bot may have, on average.
        first: whether the first place is certain.
    """

    wrong: bool
    width: float
    first: bool


def certain_places(kind: str, true: np.ndarray, groups: Counter[DuplicateGroup]) -> Certain:
    """The certain places of a league of one of TOURNAMENTS, with these true ratings."""
    found = places_by_rating(ratings(groups, range(len(true)), paired_by_score=kind.startswith("Swiss")))
    right = [
        best <= 1 + (true[[*found]] > true[entrant]).sum() <= last for entrant, (best, last) in found.items()
    ]
    widths = [1 + last - best for best, last in found.values()]
    return Certain(not all(right), float(np.mean(widths)), (1, 1) in found.values())


def tournaments(kind: str, number: int, luck: float) -> Iterator[tuple[np.ndarray, Counter[DuplicateGroup]]]:
    """So many leagues of one of TOURNAMENTS, with the true ratings; always the same for a name."""
    chance = np.random.default_rng([46, *kind.encode()])
    format_, boards, drawn, best = TOURNAMENTS[kind]
    stage = format_.stage(0, range(format_.entrants))
    for _ in range(number):
        rated = chance.normal(0, drawn, format_.entrants)
        rated[0] += best
        yield rated, play_stage(stage, boards, rated, luck, chance)


TOURNAMENTS: dict[str, tuple[Format, int, float, float]] = {
    "round robin, 2 bots, 40 boards": (RoundRobinFormat(2, 2, 1), 40, 20, 0),
    "round robin, 4 bots, 10 boards a pair": (RoundRobinFormat(4, 2, 1), 10, 150, 0),
    "round robin, 4 bots, nearly equal": (RoundRobinFormat(4, 2, 1), 10, 30, 0),
    "round robin, 8 bots, 5 boards a pair": (RoundRobinFormat(8, 2, 1), 5, 150, 0),
    "round robin, 8 bots, 20 boards a pair": (RoundRobinFormat(8, 2, 1), 20, 60, 0),
    "groups of 4, 16 bots, 10 boards": (GroupsFormat(16, 2, 4, 1), 10, 150, 0),
    "Swiss 16 x 4": (SwissFormat(16, 2, 4), 1, 150, 0),
    "Swiss 16 x 4, 5 boards": (SwissFormat(16, 2, 4), 5, 150, 0),
    "gauntlet, 1 and 20 bots, 4 boards": (GauntletFormat(21, 2, 1, 1), 4, 100, 400),
    "gauntlet, 1 and 20 bots, 10 boards": (GauntletFormat(21, 2, 1, 1), 10, 100, 400),
    "knockout, 16 bots, 10 boards": (KnockoutFormat(16, 2, 1, False, 0), 10, 150, 0),
    "knockout, 8 bots, 40 boards": (KnockoutFormat(8, 2, 1, False, 0), 40, 100, 0),
}
"""The format, the boards of a match, how widely true ratings are drawn, and how much better the first is."""
