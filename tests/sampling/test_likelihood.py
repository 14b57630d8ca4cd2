"""Over many games a sample resembles the truth as much as another sample; a leak would change that."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.bot.policies import random_policy
from arena.games import GAMES
from arena.games.game import SPECTATOR, State, Viewer
from tests.games.random_play import random_setup
from tests.sampling.watching import Choose, deal_of, moments, mostly_greedy

MANY = 200  # games; of Nur Mut a third
FAR = 3.5
STRIDE = 3
LEAK = 0.3  # how often the leaking sampler gives the truth


def hidden(state: Any, viewer: Viewer) -> list[Any]:
    """Everything that a viewer cannot see, in pieces that can be compared one by one."""
    deal = deal_of(state)
    if hasattr(deal, "_decks"):  # Nur Mut: places, and what lies in them
        stacks = (*deal._decks, *deal._piles)
        return [
            (stack, place, card.up, card.down)
            for stack, cards in enumerate(stacks)
            for place, card in enumerate(cards)
        ]
    hands = [(seat, card) for seat, hand in enumerate(deal._hands) if seat != viewer for card in hand]
    stock = deal._deck[deal._drawn :] if hasattr(deal, "_deck") else deal._stock
    return hands + [("stock", place, card) for place, card in enumerate(stock)]


def likeness(one: State, other: State, viewer: Viewer) -> float:
    """The number of hidden items that are the same in two positions."""
    return float(len(set(hidden(one, viewer)) & set(hidden(other, viewer))))


Sample = Callable[[State, Callable[[random.Random], State], random.Random], State]


def honest(truth: State, draw: Callable[[random.Random], State], rng: random.Random) -> State:
    if hasattr(deal_of(truth), "_decks"):  # Nur Mut walks from one position to the next: not two in a row
        for _ in range(STRIDE):
            draw(rng)
    return draw(rng)


def leaking(truth: State, draw: Callable[[random.Random], State], rng: random.Random) -> State:
    return truth if rng.random() < LEAK else honest(truth, draw, rng)


def differences(
    game: str, given: dict[str, Any], seats: int, choose: Choose, sample: Sample
) -> Iterator[float]:
    """For each of many games, how much more its samples are like the truth than like each other."""
    options = GAMES[game].parse_options(given)
    for number in range(MANY // 3 if game == "nur-mut" else MANY):
        rng = random.Random(f"{game} {seats} {number}")
        setup = random_setup(GAMES[game], rng, options)._replace(seats=seats, starter=0)
        viewer = SPECTATOR if number % 4 == 0 else rng.randrange(seats)
        stop = rng.randrange(5, 45)
        for moment in moments(setup, viewer, choose, rng):
            if len(moment.actions) == stop:
                draw = moment.sampler.draws(moment.seen)
                one, other = (sample(moment.state, draw, rng).clone() for _ in range(2))
                to_truth = likeness(moment.state, one, viewer) + likeness(moment.state, other, viewer)
                yield to_truth / 2 - likeness(one, other, viewer)
                break


def deviations(values: list[float]) -> float:
    """How many standard errors the mean of some values is from 0."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean / math.sqrt(variance / len(values))


GAMES_TRIED = [
    ("forty-one", {}, 2, mostly_greedy),
    ("kleftis", {}, 3, mostly_greedy),
    ("hyrule", {}, 3, mostly_greedy),
    ("hyrule", {"mode": "chance", "series": 2}, 2, mostly_greedy),
    ("nyuri", {}, 3, random_policy),
    ("nyuri", {"contest": "instant", "spend_cards": True}, 3, random_policy),
    ("nur-mut", {}, 2, mostly_greedy),
    ("nur-mut", {}, 3, random_policy),
]


@pytest.mark.parametrize(("game", "given", "seats", "choose"), GAMES_TRIED)
def test_a_sample_is_as_like_the_truth_as_another_sample(game, given, seats, choose) -> None:
    values = list(differences(game, given, seats, choose, honest))
    assert len(values) > 30
    assert abs(deviations(values)) < FAR


@pytest.mark.parametrize("game", ["forty-one", "nyuri"])
def test_a_sampler_that_leaked_would_be_found_out(game) -> None:
    choose = mostly_greedy if game == "forty-one" else random_policy
    values = list(differences(game, {}, 3 if game == "nyuri" else 2, choose, leaking))
    assert deviations(values) > 5
