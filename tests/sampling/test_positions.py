"""Every sampled position has the viewer's observation and the same cards, and can be played."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest

import arena.sampling
from arena.bot.player import playout
from arena.bot.policies import random_policy
from arena.games import GAMES
from arena.games.game import SPECTATOR, Viewer
from arena.sampling import SAMPLERS, GameOver, new_sampler
from arena.sampling.nyuri import NyuriSampler
from tests.games.boards import keyed
from tests.games.random_play import random_setup
from tests.sampling.watching import Moment, moments, mostly_greedy, seen_of_deal

every_game = pytest.mark.parametrize("game", GAMES)


def test_every_game_has_a_sampler() -> None:
    assert set(SAMPLERS) == set(GAMES)
    for game in GAMES:
        assert Path(arena.sampling.__path__[0], f"{game.replace('-', '_')}.py").exists()


def check(moment: Moment, viewer: Viewer, seats: int, rng: random.Random) -> None:
    state, seen = moment.state, moment.seen
    world = moment.sampler.draws(seen)(rng)
    assert world.observation(viewer) == seen
    assert world.observation(SPECTATOR) == state.observation(SPECTATOR)
    assert sorted(world.cards()) == sorted(state.cards())
    if seen_of_deal(seen).phase == "seal":  # no seat is told who has sealed: in the sample none has
        assert set(world.to_act) == set(range(seats))
    else:
        assert world.to_act == state.to_act
    if viewer in state.to_act:
        assert viewer is not None
        assert list(world.legal_actions(viewer)) == list(state.legal_actions(viewer))
    twin = world.clone()
    outcome = playout(twin, random_policy, rng)
    assert len(outcome.places) == seats
    assert twin.observation(SPECTATOR) == world.observation(SPECTATOR)


@every_game
@pytest.mark.parametrize("number", range(12))
def test_samples_of_any_game_look_as_the_game_does(game: str, number: int) -> None:
    rng = random.Random(f"{game} {number}")
    setup = random_setup(GAMES[game], rng)
    viewer = rng.choice([*range(setup.seats), SPECTATOR])
    choose = random_policy if number % 3 == 0 else mostly_greedy
    for count, moment in enumerate(moments(setup, viewer, choose, rng)):
        if count > 250:
            break
        if rng.random() < 6 / (count + 6):
            check(moment, viewer, setup.seats, rng)


@every_game
def test_every_number_of_seats_and_every_viewer(game: str) -> None:
    for seats in GAMES[game].seats(GAMES[game].parse_options({})):
        for viewer in (0, seats - 1, SPECTATOR):
            rng = random.Random(f"{game} {seats} {viewer}")
            setup = random_setup(GAMES[game], rng, GAMES[game].parse_options({}))._replace(
                seats=seats, starter=1
            )
            for count, moment in enumerate(moments(setup, viewer, mostly_greedy, rng)):
                if count % 9 == 0:
                    check(moment, viewer, seats, rng)
                if count > 60:
                    break


@every_game
def test_a_game_that_is_over_has_nothing_to_sample(game: str) -> None:
    options = GAMES[game].parse_options({})
    state = GAMES[game].new(keyed(GAMES[game], options, 1), 2, options)
    sampler = new_sampler(game, options, 2, 0, 0)
    rng = random.Random(1)
    happenings = list(state.opening)
    while state.to_act:
        seat = state.to_act[0]
        happenings += state.apply(seat, random_policy(state, seat, rng))
    for happening in happenings:
        sampler.tell(happening.told_to(0))
    with pytest.raises(GameOver, match="the game is over: there is nothing left to sample"):
        sampler.draws(state.observation(0))


def test_nyuri_never_has_more_hypotheses_than_the_limit() -> None:
    limit = 3  # so narrow that often none is right
    narrow = partial(NyuriSampler, limit=limit)
    reached = 0
    for number in range(25):
        rng = random.Random(number)
        options = GAMES["nyuri"].parse_options({"players": 6})
        setup = random_setup(GAMES["nyuri"], rng, options)._replace(seats=2 + number % 5, starter=0)
        for count, moment in enumerate(moments(setup, SPECTATOR, random_policy, rng, narrow)):
            sampler = moment.sampler._deal
            assert isinstance(sampler, NyuriSampler)
            assert len(sampler._hypotheses) <= limit
            reached += len(sampler._hypotheses) == limit
            if count % 20 == 19:
                check(moment, SPECTATOR, setup.seats, rng)
    assert reached > 100
