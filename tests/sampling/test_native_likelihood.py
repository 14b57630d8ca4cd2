"""The engine draws positions as often as the samplers in Python do, which `test_exact.py` checks."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import count, islice
from statistics import fmean
from typing import Any

import pytest

from arena.bot.policies import random_policy
from arena.games import GAMES
from arena.games.game import State
from arena.games.nyuri_values import Penalty
from arena.policies import by_engine
from tests.games.random_play import Setup, random_setup
from tests.native import native as native
from tests.native import native_folder as native_folder
from tests.sampling.watching import Moment, moments, mostly_greedy, stealing

pytestmark = pytest.mark.usefixtures("native")

FAR = 4.5  # deviations of one place of a card; the tests are seeded
LEAST = 20  # times that a card must be in a place, in both samples together, to count
TIMES = {"nur-mut": 600}
STRIDE = {"nur-mut": 3}  # two positions in a row are a little alike


def places(sample: Any, seats: int, stock: int) -> list[Any]:
    """Where each card lies, as far as a position of either kind tells; and pairs of cards in one hand."""
    seen = sample.observation(0)
    if seen.kind == "nur_mut":
        lying = sum((*seen.deck_sizes, *seen.pile_sizes))
        return list(enumerate(sample.cards()[:lying]))
    hands = [tuple(sorted(sample.observation(seat).hand)) for seat in range(seats)]
    cards = sample.cards() if by_engine(sample) else stock_last(sample)
    held = [(seat, card) for seat, hand in enumerate(hands) for card in hand]
    pairs = [(seat, hand[0], hand[-1]) for seat, hand in enumerate(hands) if hand]
    return [*held, *pairs, *(("stock", -place, cards[-place]) for place in range(1, min(stock, 5) + 1))]


def stock_last(state: Any) -> list[Any]:
    stock: list[Any] = state._deck[state._drawn :][::-1] if hasattr(state, "_deck") else state._stock
    return stock


def differences(draw: Callable[[], State], other: Callable[[], State], times: int, place: Any) -> list[float]:
    """By how many deviations the two differ in how often each card is in each place."""
    one = Counter(each for _ in range(times) for each in place(draw()))
    two = Counter(each for _ in range(times) for each in place(other()))
    often = [
        each for each in one | two if one[each] + two[each] >= LEAST and one[each] + two[each] < 2 * times
    ]
    return [
        (one[each] - two[each])
        / math.sqrt((one[each] + two[each]) * (1 - (one[each] + two[each]) / 2 / times))
        for each in often
    ]


def check(setup: Setup, chosen: Iterable[Moment], seed: str) -> None:
    rng = random.Random(seed)
    game = setup.game.id
    times, stride = TIMES.get(game, 2000), STRIDE.get(game, 1)
    found: list[float] = []
    for moment in chosen:
        seen = moment.seen
        engine, python = moment.sampler.draws(seen), moment.sampler._deal.draws(seen)
        assert by_engine(engine(rng))

        def place(sample: Any, stock: int = getattr(seen, "stock", 0)) -> list[Any]:
            return places(sample, setup.seats, stock)

        def each(draw: Any) -> Callable[[], State]:
            return lambda: [draw(rng) for _ in range(stride)][-1]

        found += differences(each(engine), each(python), times, place)
    assert len(found) > 30
    assert max(map(abs, found)) < FAR
    assert fmean(value**2 for value in found) < 1.3


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("number", range(3))
def test_each_card_is_as_often_in_each_place(game: str, number: int) -> None:
    rng = random.Random(f"places {game} {number}")
    setup = random_setup(GAMES[game], rng, GAMES[game].parse_options({}))

    def chosen() -> Iterable[Moment]:
        choose = random_policy if game == "nur-mut" else mostly_greedy  # in Nur Mut with some shuffles
        own = (moment for moment in moments(setup, 0, choose, rng) if 0 in moment.state.to_act)
        return islice(own, 1, 7, 5)

    check(setup, chosen(), f"{game} {number}")


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_unseen_penalties_of_nyuri_are_as_likely(seats: int) -> None:
    options = GAMES["nyuri"].parse_options({"players": 6, "contest": "instant"})

    def chosen() -> Iterable[Moment]:
        for number in count():
            rng = random.Random(f"penalties {seats} {number}")
            again = random_setup(GAMES["nyuri"], rng, options)._replace(seats=seats, starter=0)
            for moment in moments(again, 0, stealing, rng):
                sampler: Any = moment.sampler._deal
                if 0 in moment.state.to_act and 3 < len(sampler._hypotheses) < 200:
                    assert any(isinstance(event, Penalty) and event.card is None for event in moment.told)
                    yield moment
                    return

    setup = random_setup(GAMES["nyuri"], random.Random(0), options)._replace(seats=seats)
    check(setup, chosen(), f"penalties {seats}")
