"""A seat is told enough to know whose turn it is, what must be decided, and all that follows."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.game import SPECTATOR, Game, State
from arena.games.series import WIN
from tests.examples import examples
from tests.games.boards import keyed
from tests.games.random_play import random_action, random_setup
from tests.games.rebuilding import rebuilt

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
numbers = st.integers(0, 2**64 - 1)

DECISIONS = {
    ("nyuri", "place"): {"leave", "place"},
    ("nyuri", "steal"): {"draw", "steal"},
    ("forty_one", "draw"): {"draw_stock", "take_discard", "end_play"},
    ("forty_one", "discard"): {"discard"},
    ("nur_mut", "turn"): {"pass_turn", "tuck", "place", "try_top", "courage"},
    ("nur_mut", "choose_pile"): {"choose_pile"},
    ("kleftis", "main"): {"play", "build", "steal"},
    ("kleftis", "secure"): {"secure"},
    ("hyrule", "open"): {"play", "swap"},
    ("hyrule", "follow"): {"play"},
    ("hyrule", "seal"): {"play"},
}
"""The kinds of action that each phase asks for."""


def of_deal(seen: Any) -> Any:
    """The observation of the deal being played, in a series and without one."""
    return getattr(seen, "current", seen)


def to_act(seen: Any) -> int | None:
    """The seat to act by an observation; None if the game is over or several act at once."""
    if seen.kind == "forty_one":  # by its discards
        over = seen.phase == "over"
        return None if over else (seen.starter + len(seen.discards)) % len(seen.hand_sizes)
    told: int | None = seen.to_act
    return told


@every_game
@examples(60)
@given(number=numbers)
def test_an_observation_tells_whose_turn_it_is_and_what_is_to_be_decided(game: Game, number: int) -> None:
    rng = random.Random(number)
    setup = random_setup(game, rng)
    state = setup.start()
    while state.to_act:
        for viewer in (SPECTATOR, rng.randrange(setup.seats)):
            seen = of_deal(state.observation(viewer))
            if seen.phase == "seal":
                assert to_act(seen) is None
            else:
                assert (to_act(seen),) == state.to_act
            for seat in state.to_act:
                kinds = {action.kind for action in state.legal_actions(seat)}
                assert kinds <= DECISIONS[seen.kind, seen.phase]
                if (
                    seen.kind == "hyrule"
                ):  # the one card that is asked for without a choice and without a trick
                    assert seen.must_lead == (seen.phase == "follow" and not seen.trick)
                    assert not (seen.must_lead and seat == seen.leader)
        state.apply(*random_action(state, rng))
    over = of_deal(state.observation(SPECTATOR))
    assert (over.phase, to_act(over)) == ("over", None)


@every_game
@examples(100)
@given(number=numbers)
def test_a_position_made_from_what_is_seen_of_it_plays_on_as_the_same(game: Game, number: int) -> None:
    rng = random.Random(number)
    setup = random_setup(game, rng)
    state = setup.start()
    twin: State | None = None
    while state.to_act:
        if rng.random() < 0.2:
            twin = rebuilt(state, setup.starter)
            assert everything(twin, setup.seats) == everything(state, setup.seats)
        choice = random_action(state, rng)
        told = state.apply(*choice)
        if twin is not None:
            assert list(twin.apply(*choice)) == list(told)
            assert everything(twin, setup.seats) == everything(state, setup.seats)
    if twin is not None:
        assert twin.outcome == state.outcome


def everything(state: State, seats: int) -> Any:
    legal = [tuple(state.legal_actions(seat)) for seat in range(seats)]
    return state.to_act, legal, [state.observation(viewer) for viewer in (*range(seats), SPECTATOR)]


@pytest.mark.parametrize(("id", "option"), [("hyrule", "runoff"), ("nyuri", "replay")])
def test_a_series_tells_who_is_still_level(id: str, option: str) -> None:
    game = GAMES[id]
    options = game.parse_options({option: 6})
    sizes = set()
    for seed in range(80):
        rng = random.Random(seed)
        state = game.new(keyed(game, options, seed), 4, options)
        seen: Any = state.observation(SPECTATOR)
        level: tuple[int, ...] = ()
        tie_scores: tuple[int, ...] = (0, 0, 0, 0)
        while state.to_act:
            assert (seen.level, seen.tie_scores) == (level, tie_scores if level else ())
            for happening in state.apply(*random_action(state, rng)):
                event: Any = happening.public
                if event.kind == "deal_ended":
                    share = WIN // event.places.count(1)
                    wins = [share if place == 1 else 0 for place in event.places]
                    if event.deal:
                        tie_scores = tuple(
                            score + wins[seat] * (seat in level) for seat, score in enumerate(tie_scores)
                        )
                        most = max(tie_scores[seat] for seat in level)
                        level = tuple(seat for seat in level if tie_scores[seat] == most)
                    else:
                        level = tuple(seat for seat in range(4) if wins[seat])
            sizes.add((seen.deal, len(seen.level)))
            seen = state.observation(2)
    assert {(0, 0), (1, 2), (1, 3), (2, 2)} <= sizes
    assert (0, 2) not in sizes


def test_a_series_reads_as_text() -> None:
    game = GAMES["hyrule"]
    options = game.parse_options({"runoff": 1})
    for seed in range(80):
        state = game.new(keyed(game, options, seed), 3, options)
        seen: Any = state.observation(SPECTATOR)
        first = "deal 0 of a series of 1; scores: seat 0 0, seat 1 0, seat 2 0\n"
        assert str(seen) == f"{first}{seen.current}"
        while state.to_act and not seen.level:
            state.apply(state.to_act[0], state.legal_actions(state.to_act[0])[0])
            seen = state.observation(SPECTATOR)
        if seen.level == (0, 2):
            break
    assert str(seen) == (
        "deal 1 of a series of 1; scores: seat 0 210, seat 1 0, seat 2 210; "
        f"level at the top: seats 0 and 2; tie-breaking scores: seat 0 0, seat 1 0, seat 2 0\n{seen.current}"
    )
