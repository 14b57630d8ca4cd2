"""With decks so small that all deals can be enumerated, positions are drawn by their probabilities."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import pytest

from arena.bot.policies import random_policy
from arena.cards import Card
from arena.games.game import SPECTATOR, State, Viewer
from arena.games.nyuri_values import Penalty
from arena.sampling.nyuri import WIDTH, NyuriSampler, Split
from tests.games.random_play import Setup
from tests.sampling.enumeration import all_worlds, drawn, surprise, weighed
from tests.sampling.small import small_setup
from tests.sampling.watching import Choose, Moment, moments, stealing

TIMES = 4000
FAR = 3.5  # deviations; the tests are seeded, so either it is so or not


@pytest.fixture
def small(monkeypatch) -> Callable[..., Setup]:
    return partial(small_setup, monkeypatch)


def moment_of(
    setup: Setup, viewer: Viewer, actions: int, seed: int, choose: Choose = random_policy
) -> Moment:
    """The position after some actions."""
    for moment in moments(setup, viewer, choose, random.Random(seed)):
        if len(moment.actions) == actions:
            return moment
    raise AssertionError("the game was over too soon")


def hidden(state: Any) -> Any:
    """The places of the cards that a seat cannot see."""
    stock = state._deck[state._drawn :] if hasattr(state, "_deck") else state._stock
    hands = [tuple(sorted(hand)) for hand in state._hands]
    return (
        tuple(hands),
        getattr(state, "_drawn", None) if not hasattr(state, "_deck") else None,
        tuple(stock[-2:]),
    )


@pytest.mark.parametrize(
    ("game", "seats", "viewer", "actions", "seed", "given"),
    [
        ("forty-one", 2, 0, 2, 3, {}),
        ("forty-one", 2, 1, 3, 12, {}),
        ("forty-one", 2, SPECTATOR, 5, 9, {}),
        ("kleftis", 2, 0, 1, 2, {}),
        ("kleftis", 2, SPECTATOR, 2, 1, {"secure_single": True}),
        ("hyrule", 2, 1, 2, 2, {}),
        ("hyrule", 3, SPECTATOR, 2, 3, {}),
        ("hyrule", 2, 0, 2, 1, {"mode": "chance"}),
    ],
)
def test_what_is_not_known_is_anywhere(small, game, seats, viewer, actions, seed, given) -> None:
    setup = small(game, seats, seed, **given)
    moment = moment_of(setup, viewer, actions, seed)
    weights = weighed(all_worlds(setup, viewer, moment.actions, moment.told), hidden)
    counts = drawn(moment.sampler.draws(moment.seen), hidden, TIMES, seed)
    assert set(counts) <= set(weights)
    assert len(weights) > 3
    assert abs(surprise(counts, weights)) < FAR


def named(told: Sequence[Any]) -> set[Card]:
    """The cards that events name."""
    values = [value for event in told for value in event]
    lists = [value if isinstance(value, tuple) else (value,) for value in values]
    return {value for each in lists for value in each if isinstance(value, Card)}


@pytest.mark.parametrize(
    ("seats", "size_of_deck", "viewer", "actions", "seed", "given"),
    [
        (2, 8, SPECTATOR, 22, 220, {}),
        (3, 10, 0, 11, 12525, {}),
        (3, 10, 0, 10, 204, {}),
        (3, 12, 0, 10, 471, {"contest": "instant"}),
        (4, 14, 0, 9, 428, {}),
        (5, 16, SPECTATOR, 9, 145, {"contest": "instant"}),
        (6, 18, 0, 9, 78, {"contest": "instant"}),
    ],
)
def test_which_card_went_as_a_penalty_is_as_likely_as_the_deals_make_it(
    small, seats, size_of_deck, viewer, actions, seed, given
) -> None:
    setup = small("nyuri", seats, seed, size_of_deck, players=6, **given)
    moment = moment_of(setup, viewer, actions, seed, stealing)
    assert any(isinstance(event, Penalty) and event.card is None for event in moment.told)
    unseen = [card for card in setup.game.deck(setup.options) if card not in named(moment.told)]

    def lying(state: Any) -> Any:
        hands, _, stock = hidden(state)
        shown = [[None if card in unseen else card for card in cards] for cards in (*hands, stock)]
        return tuple(tuple(sorted(cards, key=str)) for cards in shown)

    weights = weighed(all_worlds(setup, viewer, moment.actions, moment.told, unseen), lying)
    counts = drawn(moment.sampler.draws(moment.seen), lying, TIMES, seed)
    assert set(counts) <= set(weights)
    assert abs(surprise(counts, weights)) < FAR
    # To let all known cards stay where they were known to be, or to forget them, would have shown.
    sampler = moment.sampler._deal
    assert isinstance(sampler, NyuriSampler)
    assert len(sampler._hypotheses) > 1
    sampler._hypotheses = dict([max(sampler._hypotheses.items(), key=itemgetter(1))])
    assert surprise(drawn(sampler.draws(moment.seen), lying, TIMES, seed), weights) > 10


def test_a_sample_of_hypotheses_is_fair() -> None:
    limit, times = 12, 4000
    rng = random.Random(1)
    split = Split()
    for number, weight in enumerate((9.0, 2.0, 1.0, 0.7, 0.3)):
        split.add(number << 2 * WIDTH, weight, number % 3, rng.getrandbits(12), 0, 1)
    exact = split.most(100, rng)
    assert len(exact) > 2 * limit
    sums: Counter[int] = Counter()
    squares: Counter[int] = Counter()
    for _ in range(times):
        kept = split.most(limit, rng)
        assert len(kept) <= limit
        for held, weight in kept.items():
            sums[held] += weight  # type: ignore[assignment]  # weights of a Counter may be floats
            squares[held] += weight**2  # type: ignore[assignment]
    heavy = 0
    for held, weight in exact.items():
        mean = sums[held] / times
        error = math.sqrt(max(0.0, squares[held] / times - mean**2) / times)
        if error < 1e-9:
            assert math.isclose(mean, weight)
            heavy += 1
        else:
            assert abs(mean - weight) < 4 * error
    assert 0 < heavy < limit


def lying(state: Any) -> Any:
    """The places of all cards, except those out of play."""
    return tuple(tuple((card.up, card.down) for card in cards) for cards in (*state._decks, *state._piles))


@pytest.mark.parametrize(
    ("seats", "deck", "actions", "seed", "given"),
    [
        (2, "1/2 1/2 1/2 2/3 2/3 1/3 1/3", 0, 2, {}),
        (2, "1/2 1/2 1/2 2/3 2/3 1/3 1/3", 6, 103, {}),
        (2, "1/2 1/2 2/2 2/2 3/3 3/3 3/3", 1, 5, {}),
        (2, "1/2 1/2 1/2 J/3 J/3 1/3 1/3", 5, 103, {}),
        (2, "1 1 2 2 4 4 4 J", 1, 7, {"model": "one"}),
        (2, "1 1 2 2 4 4 4 J", 3, 49, {"model": "one"}),
        (3, "1 1 1 2 2 4 4 4 4 J", 3, 18, {"model": "one"}),
        (3, "1 1 1 2 2 4 4 4 4 J", 7, 18, {"model": "one"}),
        (3, "1 1 1 2 2 4 4 4 4 J", 7, 40, {"model": "one"}),
        (3, "1/2 1/2 1/2 1/2 1/2 2/3 2/3 2/3 J/3", 4, 62, {}),
    ],
)
def test_cards_of_nur_mut_lie_as_likely_as_the_deals_make_it(
    small, seats, deck, actions, seed, given
) -> None:
    setup = small("nur-mut", seats, seed, deck=deck.split(), **given)
    moment = moment_of(setup, SPECTATOR, actions, seed)
    weights = weighed(all_worlds(setup, SPECTATOR, moment.actions, moment.told), lying)
    draw = moment.sampler.draws(moment.seen)

    def draw_third(rng: random.Random) -> State:  # two positions in a row are a little alike
        return [draw(rng) for _ in range(3)][-1]

    counts = drawn(draw_third, lying, TIMES // 3, seed)
    assert set(counts) <= set(weights)
    assert abs(surprise(counts, weights)) < FAR
