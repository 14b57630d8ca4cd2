"""Games with a sampler that gets only what one viewer is told."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from arena.bot.policies import greedy_policy, random_policy
from arena.games import GAMES
from arena.games.game import Action, Event, Seat, State, Viewer
from arena.games.nyuri_values import Steal
from arena.sampling import SAMPLERS
from arena.sampling.sampler import SeriesSampler
from tests.games.random_play import DEALS, Setup, random_setup

Choose = Callable[[State, Seat, random.Random], Action]


class Moment(NamedTuple):
    """A position of a game, as one viewer knows it.

    Attributes:
        state: the true position.
        seen: what the viewer sees of it.
        sampler: what has been told all that the viewer was told.
        actions: all that was done so far.
        told: the events as they were told, from the beginning.
    """

    state: State
    seen: Any
    sampler: SeriesSampler
    actions: list[tuple[Seat, Action]]
    told: list[Event]


def moments(
    setup: Setup, viewer: Viewer, choose: Choose, rng: random.Random, deal_sampler: Any = None
) -> Iterator[Moment]:
    """Every position of a game, as it is played; the same objects each time, grown on.

    `deal_sampler`: makes what samples one deal; None for the sampler of the game as it is.
    """
    state = setup.start()
    deal_sampler = deal_sampler or SAMPLERS[setup.game.id]
    sampler = SeriesSampler(setup.game, deal_sampler, setup.options, setup.seats, viewer, setup.starter)
    moment = Moment(state, None, sampler, [], [])
    happenings = state.opening
    while True:
        for happening in happenings:
            event = happening.told_to(viewer)
            moment.told.append(event)
            sampler.tell(event)
        if not state.to_act:
            return
        yield moment._replace(seen=state.observation(viewer))
        seat = rng.choice(state.to_act)
        action = choose(state, seat, rng)
        moment.actions.append((seat, action))
        happenings = state.apply(seat, action)


def mostly_greedy(state: State, seat: Seat, rng: random.Random) -> Action:
    """Greedy, but now and then something else: games that go somewhere, with all that may happen."""
    policy = greedy_policy if rng.random() < 0.7 else random_policy
    return policy(state, seat, rng)


def stealing(state: State, seat: Seat, rng: random.Random) -> Action:
    """Steals with three cards where it can, so that there are penalties."""
    actions = state.legal_actions(seat)
    by_three = [action for action in actions if isinstance(action, Steal) and len(action.cards) == 3]
    return rng.choice(by_three or actions)


def deal_of(state: Any) -> Any:
    """The position of the deal being played, in a series and without one."""
    return getattr(state, "_current", state)


def seen_of_deal(seen: Any) -> Any:
    """The observation of the deal being played."""
    return getattr(seen, "current", seen)


def one_deal(game: str, rng: random.Random) -> Setup:
    """A random setup that is not a series."""
    setup = random_setup(GAMES[game], rng)
    least = {
        field.name: field.metadata["low"]
        for field in dataclasses.fields(setup.options)
        if field.name in DEALS
    }
    return setup._replace(options=dataclasses.replace(setup.options, **least))


def own_turns(game: str, number: int, viewer: int = 0) -> Iterator[tuple[Setup, Moment, random.Random]]:
    """Turns of a seat in a random game."""
    rng = random.Random(f"native {game} {number}")
    setup = one_deal(game, rng)
    choose = random_policy if number % 3 == 0 else mostly_greedy
    for count, moment in enumerate(moments(setup, viewer, choose, rng)):
        if count > 250:
            break
        if viewer in moment.state.to_act:
            yield setup, moment, rng
