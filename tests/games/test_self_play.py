"""Statistics of random play of each game: the number of decisions, and the seats that win.

The expected values come from 10,000 games a row of an engine written apart from
this one (the tables of the rules of each game), so a difference means that a
rule is read differently. A few hundred games on fixed boards are played here;
the bounds are five standard errors wide, the error being that of this sample
and, for the mean length, also the rounding of the expected value.
"""

from __future__ import annotations

import math
import random
from statistics import mean, stdev
from typing import Any, NamedTuple

import pytest

from arena.games import GAMES
from tests.examples import tried

GAMES_PLAYED = tried(1_000)
SIGMAS = 5


class Row(NamedTuple):
    """Expected of random play: the mean of decisions, the share of wins by seat, and of shared wins."""

    game: str
    decisions: float
    seat_wins: tuple[float, ...]
    shared: float | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed


ROWS = [
    Row("nyuri", 170, (0.443, 0.557), 0.05),
    Row("nyuri", 74, (0.258, 0.328, 0.415), 0.11),
    Row("nyuri", 45, (0.189, 0.156, 0.174, 0.482), 0.23),
    Row("nyuri", 16, (0.001, 0.0, 0.018, 0.429, 0.346, 0.205), 0.58, {"players": 6}),
    Row("forty-one", 155, (0.513, 0.487)),
    Row("forty-one", 142, (0.339, 0.332, 0.330)),
    Row("forty-one", 130, (0.252, 0.252, 0.243, 0.253)),
    Row("nur-mut", 59, (0.504, 0.496), 0.0),
    Row("nur-mut", 76, (0.330, 0.339, 0.331), 0.0),
    Row("nur-mut", 85, (0.257, 0.251, 0.253, 0.239), 0.0),
    Row("kleftis", 80, (0.480, 0.520), 0.09),
    Row("kleftis", 79, (0.338, 0.328, 0.334), 0.08),
    Row("kleftis", 77, (0.230, 0.245, 0.256, 0.269), 0.10),
    Row("hyrule", 17.5, (0.497, 0.503), 0.0),
    Row("hyrule", 24.5, (0.330, 0.336, 0.334), 0.19),
    Row("hyrule", 31.5, (0.263, 0.248, 0.244, 0.245), 0.25),
    Row("hyrule", 52.4, (0.143,) * 7, 0.46),
]


class Random:
    """Deals and in-play chance from Python's own generator: fast, and quite apart from keyed boards."""

    def __init__(self, rng: random.Random, cards: Any) -> None:
        self.rng = rng
        self.deck = rng.sample(cards, len(cards))

    def deal(self, number: int) -> Random:
        return self

    def chance(self, purpose: str, seat: int, count: int) -> Random:
        return self

    def below(self, n: int) -> int:
        return self.rng.randrange(n)

    def each_below(self, bounds: Any) -> list[int]:
        return [self.below(n) for n in bounds]

    def shuffle(self, items: Any) -> Any:
        return self.rng.sample(items, len(items))


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.game}-{len(row.seat_wins)}" for row in ROWS])
def test_random_play_is_as_expected(row: Row) -> None:
    game, seats = GAMES[row.game], len(row.seat_wins)
    options = game.parse_options(row.options)
    cards = list(game.deck(options))
    rng = random.Random(f"{row.game} {seats}")
    lengths, shared = [], 0
    wins: list[list[float]] = [[] for _ in range(seats)]
    for _ in range(GAMES_PLAYED):
        state = game.new(Random(rng, cards), seats, options)
        decisions = 0
        while state.to_act:
            seat = state.to_act[0]
            state.apply(seat, rng.choice(state.legal_actions(seat)))
            decisions += 1
        lengths.append(decisions)
        assert state.outcome is not None
        winners = state.outcome.places.count(1)
        shared += winners > 1
        for seat, place in enumerate(state.outcome.places):
            wins[seat].append(1 / winners if place == 1 else 0.0)

    error = stdev(lengths) / math.sqrt(GAMES_PLAYED)
    rounding = 0.05 if row.decisions % 1 else 0.5
    assert abs(mean(lengths) - row.decisions) < SIGMAS * error + rounding
    for expected, won in zip(row.seat_wins, wins, strict=True):
        assert abs(mean(won) - expected) < share_bound(expected)
    if row.shared is not None:
        assert abs(shared / GAMES_PLAYED - row.shared) < share_bound(row.shared)


def share_bound(expected: float) -> float:
    """The allowed distance of a share from the expected one, with half a percent for rounding.

    At least one win in the sample is always allowed.
    """
    return SIGMAS * math.sqrt(expected * (1 - expected) / GAMES_PLAYED) + max(0.005, 1.5 / GAMES_PLAYED)
