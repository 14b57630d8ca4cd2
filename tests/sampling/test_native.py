"""The engine's samples look as the game does, and play on as the rules and the policies in Python say."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import pytest

from arena.bot import Bot, Turn, simulate
from arena.bot.policies import greedy, greedy_policy, random_policy, thoughtful_policy
from arena.games import GAMES
from arena.games.game import SPECTATOR, IllegalAction, State
from arena.games.nyuri_values import Penalty
from arena.games.series import DealEnded
from arena.link.wire.convert import WIRES
from arena.policies import by_engine
from tests.bots.playing import RANDOM, THOUGHTFUL
from tests.games.random_play import Setup, random_setup
from tests.native import native as native
from tests.native import native_folder as native_folder
from tests.sampling.watching import Moment, moments, mostly_greedy, own_turns

pytestmark = pytest.mark.usefixtures("native")

every_game = pytest.mark.parametrize("game", GAMES)
GAMES_OF_EACH = 8


@every_game
@pytest.mark.parametrize("number", range(GAMES_OF_EACH))
def test_a_sample_looks_as_the_game_does(game: str, number: int) -> None:
    for setup, moment, rng in own_turns(game, number):
        state, seen = moment.state, moment.seen
        sample = moment.sampler.draws(seen)(rng)
        assert by_engine(sample)
        assert isinstance(sample, State)
        assert sample.observation(0) == seen
        assert type(sample.observation(0)) is type(seen)
        assert sample.observation(SPECTATOR) == state.observation(SPECTATOR)
        assert list(sample.legal_actions(0)) == list(state.legal_actions(0))
        assert sorted(sample.cards()) == sorted(state.cards())
        assert sample.outcome is None
        if seen.phase == "seal":  # no seat is told who has sealed: in the sample none has
            assert {*sample.to_act} == {*range(setup.seats)}
        else:
            assert sample.to_act == state.to_act


@every_game
@pytest.mark.parametrize("number", range(GAMES_OF_EACH))
def test_the_engine_chooses_as_the_greedy_policy_does(game: str, number: int) -> None:
    for count, (_, moment, rng) in enumerate(own_turns(game, number)):
        if count % 5:
            continue
        sample = moment.sampler.draws(moment.seen)(rng)
        while sample.to_act:
            seat = rng.choice(sample.to_act)
            actions = sample.legal_actions(seat)
            expected = greedy(sample.observation(seat), actions)
            assert greedy_policy(sample, seat, rng) == expected
            sample.apply(seat, expected if rng.random() < 0.7 else rng.choice(actions))


class Following:
    """The chance of a game in Python that lets happen what happened in another position.

    Attributes:
        state: the position.
        card: the card that goes as a penalty next.
    """

    state: Any
    card: Any
    _seat: int

    def chance(self, purpose: str, seat: int, count: int) -> Following:
        self._seat = seat
        return self

    def below(self, n: int) -> int:
        place: int = self.state._hands[self._seat].index(self.card)
        return place


def in_python(sample: Any, setup: Setup, moment: Moment, following: Following) -> Any:
    """The position of a sample by the rules in Python."""
    seen, options = moment.seen, setup.options
    hands = [list(sample.observation(seat).hand) for seat in range(setup.seats)]
    cards = sample.cards()
    stock = cards[len(cards) - seen.stock :]
    kind: Any = type(moment.state)
    if seen.kind == "nyuri":
        return kind.as_seen(seen, options, hands, stock, following)
    if seen.kind == "forty_one":
        if seen.drawn is not None:
            hands[0].remove(seen.drawn)
        return kind.as_seen(seen, options, hands, seen.drawn, stock)
    if seen.kind == "hyrule":
        return kind.as_seen(seen, options, hands, stock[::-1])
    sampler = moment.sampler._deal
    secured, groups = [*sampler._secured], sampler._groups  # type: ignore[attr-defined]  # KleftisSampler
    return kind.as_seen(seen, options, setup.starter, hands, stock, secured, groups)


@pytest.mark.parametrize("game", [game for game in GAMES if game != "nur-mut"])
@pytest.mark.parametrize("number", range(GAMES_OF_EACH))
def test_a_sample_plays_on_as_the_rules_in_python_say(game: str, number: int) -> None:
    for count, (setup, moment, rng) in enumerate(own_turns(game, number)):
        if count % 5:
            continue
        sample = moment.sampler.draws(moment.seen)(rng)
        following = Following()
        state = following.state = in_python(sample, setup, moment, following)
        while sample.to_act:
            assert sample.to_act == state.to_act
            assert sample.outcome is state.outcome is None
            for viewer in (*range(setup.seats), SPECTATOR):
                assert sample.observation(viewer) == state.observation(viewer)
            seat = rng.choice(sample.to_act)
            actions = sample.legal_actions(seat)
            assert list(actions) == list(state.legal_actions(seat))
            action = mostly_greedy(sample, seat, rng)
            happened = sample.apply(seat, action)
            for happening in happened:
                if isinstance(happening.full, Penalty):
                    following.card = happening.full.card
            assert list(happened) == list(state.apply(seat, action))
        assert sample.outcome == state.outcome
        assert sample.observation(0) == state.observation(0)


class Checked(THOUGHTFUL):  # type: ignore[misc, valid-type]  # a class that is loaded when the tests run
    """The bot thoughtful, which compares its choices with the engine's."""

    turns = 0

    def choose(self, turn: Turn) -> Any:
        expected = super().choose(turn)
        for _ in range(2):
            sample = turn.sample(random.Random(turn.number))
            assert by_engine(sample)
            chosen = thoughtful_policy(sample, self.table.seat, self.rng)
            assert chosen == expected
        Checked.turns += 1
        return expected


@every_game
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_engine_chooses_as_the_bot_thoughtful_does(game: str, seats: int) -> None:
    before = Checked.turns
    for number in range(2):
        bots: list[type[Bot]] = [Checked, RANDOM, Checked, Checked]
        simulate(game, bots[:seats], f"thoughtful {number}")
    assert Checked.turns > before + 4


def some_turn(game: str) -> tuple[Any, random.Random]:
    """A sample in a turn with a choice."""
    for _, moment, rng in own_turns(game, 1):
        sample = moment.sampler.draws(moment.seen)(rng)
        if len(sample.legal_actions(0)) > 1:
            return sample, rng
    raise AssertionError("a turn has a choice")


@every_game
def test_a_copy_goes_its_own_way(game: str) -> None:
    sample, _ = some_turn(game)
    before = sample.observation(0)
    twin = sample.clone()
    twin.apply(0, twin.legal_actions(0)[-1])
    assert sample.observation(0) == before
    assert sample.to_act


@every_game
@pytest.mark.parametrize("policy", [random_policy, greedy_policy, thoughtful_policy])
def test_a_playout_follows_from_its_seed_and_leaves_the_sample_as_it_is(game: str, policy: Any) -> None:
    sample, _ = some_turn(game)
    before = sample.observation(SPECTATOR)
    outcomes = [Turn.playout(None, sample, policy, random.Random(seed % 20)) for seed in range(40)]  # type: ignore[arg-type]
    assert outcomes[:20] == outcomes[20:]
    assert all(sorted(outcome.places)[0] == 1 for outcome in outcomes)
    assert sample.observation(SPECTATOR) == before
    assert sample.outcome is None


@every_game
def test_what_is_not_legal_is_refused_as_the_rules_in_python_refuse_it(game: str) -> None:
    for _, moment, rng in own_turns(game, 1):
        sample = moment.sampler.draws(moment.seen)(rng)
        if moment.seen.phase == "seal":  # there the sample waits for other seats
            continue
        for seat, action in ((0, ("fly", "fly")), (1, moment.state.legal_actions(0)[0]), (None, "fly")):
            with pytest.raises(IllegalAction) as expected:
                moment.state.apply(seat, action)  # type: ignore[arg-type]  # wrong on purpose
            with pytest.raises(IllegalAction) as refused:
                sample.apply(seat, action)  # type: ignore[arg-type]
            assert str(refused.value) == str(expected.value)
        # an equal value of another type is the same action
        sample.apply(0, tuple(sample.legal_actions(0)[0]))  # type: ignore[arg-type]
        break


@every_game
def test_broken_messages_are_an_error_and_nothing_worse(native: Any, game: str) -> None:
    wire: Any = WIRES[game]
    values = native.Values(wire.observation.schema(), False)
    rng = random.Random(game)
    for _, moment, _ in own_turns(game, 2):
        encoded = bytearray(wire.observation.encode(moment.seen))
        assert values.decode(bytes(encoded)) == moment.seen
        encoded[rng.randrange(len(encoded))] = rng.randrange(256)
        with contextlib.suppress(ValueError):
            values.decode(bytes(encoded[: rng.randrange(len(encoded) + 1)]))


def test_wrong_use_of_the_engine_is_an_error_in_words(native: Any) -> None:
    sample: Any = some_turn("kleftis")[0]
    with pytest.raises(
        ValueError, match="the engine has no policy clever; it has random, greedy and thoughtful"
    ):
        sample.playout("clever", 1)
    with pytest.raises(ValueError, match="the seats are 0 to"):
        sample.observation(9)
    with pytest.raises(ValueError, match="seat 1 is not to act"):
        sample.chosen(1, "greedy", 1)
    draws = next(own_turns("kleftis", 1))[1]
    drawing: Any = draws.sampler.draws(draws.seen)
    with pytest.raises(ValueError, match="the actions are 0 to"):
        drawing.draws.try_actions([99], "greedy", 1, 1, None)


SERIES = {
    "nyuri": {"series": 2, "replay": 1},
    "forty-one": {"series": 2},
    "nur-mut": {"rounds": 2},
    "kleftis": {"series": 2},
    "hyrule": {"series": 2, "runoff": 1},
}


@every_game
def test_a_series_goes_on_to_its_end(game: str) -> None:
    """The scores of the deals add up as the events say."""
    rng = random.Random(game)
    setup = random_setup(GAMES[game], rng, GAMES[game].parse_options(SERIES[game]))._replace(
        seats=2, starter=0
    )
    turns = 0
    for moment in moments(setup, 0, random_policy, rng):
        if 0 not in moment.state.to_act or rng.random() < 0.9:
            continue
        turns += 1
        sample = moment.sampler.draws(moment.seen)(rng)
        assert by_engine(sample)
        assert sample.observation(0) == moment.seen
        assert sample.observation(SPECTATOR) == moment.state.observation(SPECTATOR)
        deals = moment.seen.deal
        while sample.to_act:
            seat = sample.to_act[0]
            for happening in sample.apply(seat, greedy_policy(sample, seat, rng)):
                if isinstance(happening.public, DealEnded):
                    assert happening.public.deal == deals
                    assert (happening.public.next_starter is None) == (not sample.to_act)
                    deals += 1
        assert deals >= 2
        outcome = sample.outcome
        assert outcome is not None
        assert outcome.points == sample.observation(0).scores  # type: ignore[attr-defined]  # SeriesObservation
        assert Turn.playout(None, moment.sampler.draws(moment.seen)(rng), random_policy, rng)  # type: ignore[arg-type]
    assert turns > 0


def test_thoughtful_play_needs_the_engine() -> None:
    setup = random_setup(GAMES["hyrule"], random.Random(1), GAMES["hyrule"].parse_options({}))
    with pytest.raises(ImportError, match=r"pip install \./engine"):
        thoughtful_policy(setup.start(), setup.starter, random.Random(1))
