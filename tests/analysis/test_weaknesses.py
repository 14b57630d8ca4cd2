"""A planted weakness is named first, and bots are ordered by what their decisions cost."""

from __future__ import annotations

import random

import pytest

from arena.analysis.bot import BotAnalysis, JudgedSeat
from arena.analysis.game import Source, decisions_of
from arena.games import GAMES
from arena.games.game import Action, Seat, State
from arena.games.kleftis_values import Secure
from arena.policies import greedy_policy, random_policy
from tests.analysis.games import Choose, recorded
from tests.games.boards import keyed
from tests.games.random_play import Setup
from tests.native import native as native
from tests.native import native_folder as native_folder

NOTHING = Source(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def analysed(game: str, choose: Choose, games: int, worlds: int) -> BotAnalysis:
    """The analysis of a bot in some games against the greedy policy."""
    options = GAMES[game].Options()
    played = []
    for number in range(games):
        setup = Setup(GAMES[game], options, 2, 0, keyed(GAMES[game], options, number))
        seat = number % 2
        policies: list[Choose] = [greedy_policy, greedy_policy]
        policies[seat] = choose
        record = recorded(setup, policies, random.Random(number))
        decisions = tuple(decisions_of(record, seat, worlds, state=setup.start()))
        played.append(JudgedSeat(str(number), game, seat, ("a", "b"), decisions, NOTHING))
    return BotAnalysis("bot", played)


def never_secures(state: State, seat: Seat, rng: random.Random) -> Action:
    legal = state.legal_actions(seat)
    nothing = [action for action in legal if action == Secure(())]
    return nothing[0] if nothing else greedy_policy(state, seat, rng)


def never_steals(state: State, seat: Seat, rng: random.Random) -> Action:
    class Without:
        to_act = state.to_act

        def observation(self, viewer: Seat) -> object:
            return state.observation(viewer)

        def legal_actions(self, seat: Seat) -> list[Action]:
            return [action for action in state.legal_actions(seat) if action.kind != "steal"]

    return greedy_policy(Without(), seat, rng)  # type: ignore[arg-type]  # it has what the policy asks for


def throws_the_first_card(state: State, seat: Seat, rng: random.Random) -> Action:
    legal = state.legal_actions(seat)
    return legal[0] if legal[0].kind == "discard" else greedy_policy(state, seat, rng)


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize(
    ("game", "choose", "games", "named", "habit"),
    [
        ("kleftis", never_secures, 6, "secure without groups instead of secure", ""),
        ("kleftis", never_steals, 6, "play instead of steal", ""),
        ("forty-one", throws_the_first_card, 6, "discard with the wrong card", "first"),
    ],
)
def test_a_planted_weakness_is_named_first(game, choose, games, named, habit) -> None:
    weakness, *_ = analysed(game, choose, games, 128).weaknesses()
    assert weakness.difference.endswith(named)
    assert weakness.habit == habit
    assert weakness.mistakes > 0


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize(
    ("game", "games"), [("forty-one", 6), ("hyrule", 4), ("kleftis", 6), ("nyuri", 12), ("nur-mut", 12)]
)
def test_random_play_costs_more_of_what_it_could_expect_than_greedy_play(game, games) -> None:
    by_chance, greedily = (
        analysed(game, choose, games, 128).total() for choose in (random_policy, greedy_policy)
    )
    assert by_chance.share > 1.2 * greedily.share
    assert 0.0 < greedily.share < by_chance.share < 1.0
