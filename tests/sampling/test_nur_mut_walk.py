"""The walk of Nur Mut visits assignments by their weights; if it is stuck, the assignment is mended."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from arena.bot.policies import random_policy
from arena.games import GAMES
from arena.games.game import SPECTATOR
from arena.sampling.nur_mut import NurMutSampler
from arena.sampling.nur_mut_mend import WORK, Mender
from arena.sampling.nur_mut_walk import FIRST_STEPS, STEPS, Spot, Walk
from tests.examples import tried
from tests.games.random_play import random_setup
from tests.sampling.enumeration import surprise
from tests.sampling.watching import moments

CARDS = 5
TIMES = 2500
FAR = 3.5
MUCH = 1_000_000  # work, as good as unbounded

HARD = (277, 258, 94, 234, 86, 135, 214, 16, 225, 64, 136, 152, 230, 66, 20, 290)
"""Games in which a walk by itself comes to no way that fits."""


def history(rng: random.Random, known: float) -> list[list[Spot]]:
    """Some cards, dealt and shuffled thrice, and what is known of spots, which is not always possible."""
    deal: list[Spot] = []
    deal += [Spot(deal, 0, card) for card in range(CARDS)]
    shuffles, lying = [deal], deal.copy()
    for number in range(1, 4):
        rng.shuffle(lying)
        mixed: list[Spot] = []
        for _ in range(rng.choice((2, 3, 3))):
            old = lying.pop()
            old.after = Spot(mixed, number, old.card, old)
            mixed.append(old.after)
        lying += mixed
        shuffles.append(mixed)
    for spot in itertools.chain(*shuffles):
        if rng.random() < known:
            spot.weights = (*rng.choices((0, 1, 2), (3, 2, 1), k=CARDS - 1), 1)
            spot.fitting = tuple(card for card, weight in enumerate(spot.weights) if weight)
    return shuffles


def all_ways(shuffles: list[list[Spot]]) -> Iterator[tuple[dict[Spot, int], int]]:
    """Each way to put the cards into the spots, and its weight if it is possible."""
    came_from = [[spot.before for spot in shuffle] for shuffle in shuffles[1:]]
    for dealt in itertools.permutations(range(CARDS)):
        for orders in itertools.product(*[itertools.permutations(spots) for spots in came_from]):
            way = dict(zip(shuffles[0], dealt, strict=True))
            for shuffle, order in zip(shuffles[1:], orders, strict=True):
                for spot, old in zip(shuffle, order, strict=True):
                    assert old is not None
                    way[spot] = way[old]
            weight = math.prod(spot.weights[card] for spot, card in way.items() if spot.weights is not None)
            if weight:
                yield way, weight


def follows(shuffles: list[list[Spot]]) -> bool:
    """Whether each card lies in a spot that has a weight for it, and goes on from there to the next."""
    return all(
        (spot.weights is None or spot.weights[spot.card] > 0)
        and (spot.after is None or (spot.after.before is spot and spot.after.card == spot.card))
        for spot in itertools.chain(*shuffles)
    )


@pytest.mark.parametrize("number", range(4))
def test_cards_that_meet_again_and_again_lie_as_likely_as_they_may(number: int) -> None:
    rng = random.Random(number)
    weights: Counter[tuple[int, ...]] = Counter()
    while len(weights) < 6:
        shuffles = history(rng, 0.3)
        shown = [rng.choice(shuffle) for shuffle in shuffles[1:]]
        weights = Counter()
        for way, weight in all_ways(shuffles):
            weights[tuple(way[spot] for spot in shown)] += weight
    assert Mender(shuffles, rng).mend(MUCH)
    walk = Walk(shuffles)
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(TIMES):
        walk.go(rng)
        walk.go(rng)
        counts[tuple(spot.card for spot in shown)] += 1
    assert follows(shuffles)
    assert set(counts) <= set(weights)
    assert abs(surprise(counts, weights)) < FAR


def test_what_can_be_mended_is_mended_and_else_something_is_forgotten() -> None:
    rng = random.Random(1)
    mended = []
    for _ in range(60):
        shuffles = history(rng, 0.95)
        for spot in itertools.chain(*shuffles):
            if spot.after is None:
                spot.weights = None
        possible = any(all_ways(shuffles))
        mended.append(Mender(shuffles, rng).mend(work=3000))
        assert mended[-1] == possible
        assert follows(shuffles)
    assert 5 < sum(mended) < 55


def forgotten(number: int, work: int = WORK) -> float:
    """The share of the spots with known faces that are forgotten in a game played at random.

    There are samples at every tenth decision.

    `work`: see `Mender.mend`.
    """
    game = GAMES["nur-mut"]
    rng, chance = random.Random(f"forget {number}"), random.Random(1)
    setup = random_setup(game, rng, game.parse_options({}))
    for moment in moments(setup, SPECTATOR, random_policy, rng, partial(NurMutSampler, work=work)):
        if len(moment.actions) % 10 == 0:
            sampler: Any = moment.sampler._deal
            world = moment.sampler.draws(moment.seen)(chance)
            assert world.observation(SPECTATOR) == moment.seen
            assert sampler.weighed <= 2 * work + 2000
            assert follows(sampler._shuffles)
    known = [spot for spot in itertools.chain(*sampler._shuffles) if sampler._weigh(spot.seen) is not None]
    return sum(spot.weights is None for spot in known) / len(known)


def test_nothing_is_forgotten_in_long_games_if_there_is_time() -> None:
    for number in [*HARD, *range(1000, 1200)][: tried(len(HARD), 100)]:
        assert forgotten(number, MUCH) == 0


def test_little_is_forgotten_in_hard_games() -> None:
    shares = [forgotten(number) for number in HARD]
    assert 0 < sum(shares) / len(HARD) < 0.1


class Counted(random.Random):
    """Random numbers that count how many were drawn."""

    count = 0

    def random(self) -> float:
        self.count += 1
        return super().random()


def test_a_walk_through_many_spots_has_no_more_steps_than_the_limit() -> None:
    deal: list[Spot] = []
    deal += [Spot(deal, 0, card) for card in range(FIRST_STEPS // 5)]
    for spot in deal:
        spot.weights = (1,) * len(deal)
        spot.fitting = tuple(range(len(deal)))
    walk, rng = Walk([deal]), Counted(1)
    for limit in (FIRST_STEPS, STEPS):
        rng.count = 0
        walk.go(rng)
        assert limit < rng.count < 4 * limit


def test_what_is_not_found_in_time_is_forgotten() -> None:
    assert forgotten(HARD[2], work=1) > 0


def test_old_shuffles_are_forgotten() -> None:
    forgetful = partial(NurMutSampler, most_shuffles=4)
    game = GAMES["nur-mut"]
    for number in HARD[:4]:
        rng, chance = random.Random(f"forget {number}"), random.Random(1)
        setup = random_setup(game, rng, game.parse_options({}))
        for moment in moments(setup, SPECTATOR, random_policy, rng, forgetful):
            if len(moment.actions) % 10 == 0:
                world = moment.sampler.draws(moment.seen)(chance)
                assert world.observation(SPECTATOR) == moment.seen
                assert sorted(world.cards()) == sorted(moment.state.cards())
                sampler: Any = moment.sampler._deal
                assert follows(sampler._shuffles)
                assert len(sampler._shuffles) <= 4
