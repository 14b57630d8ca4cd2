"""A planted weakness is named first, and bots are ordered by what their decisions cost."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from arena.checkup.analysis.bot import BotAnalysis, JudgedSeat
from arena.checkup.analysis.decision import Decision, Tried
from arena.checkup.analysis.game import Source, decisions_of
from arena.checkup.analysis.weaknesses import weaknesses_of
from arena.games import GAMES
from arena.games.game import Action, Seat, State
from arena.games.kleftis_values import Secure
from arena.policies import greedy_policy, random_policy
from tests.checkup.analysis.games import Choose, recorded
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


class Without:
    """A position in which some legal actions are not to be had."""

    def __init__(self, state: State, legal: list[Action]) -> None:
        self._state, self._legal = state, legal
        self.to_act = state.to_act

    def observation(self, viewer: Seat) -> object:
        return self._state.observation(viewer)

    def legal_actions(self, seat: Seat) -> list[Action]:
        return self._legal


def never(is_such: Callable[[Action], bool]) -> Choose:
    """Greedy, but without some actions where there are others."""

    def choose(state: State, seat: Seat, rng: random.Random) -> Action:
        legal = [*state.legal_actions(seat)]
        left = [action for action in legal if not is_such(action)] or legal
        if len(left) == 1:
            return left[0]
        return greedy_policy(Without(state, left), seat, rng)  # type: ignore[arg-type]  # it has what is asked

    return choose


def always(kind: str) -> Choose:
    """Greedy, but an action of a kind where there is one."""
    return lambda state, seat, rng: (
        next((action for action in state.legal_actions(seat) if action.kind == kind), None)
        or greedy_policy(state, seat, rng)
    )


def takes(place: int, kind: str) -> Choose:
    """Greedy, but the first or the last action of a kind if it would choose one of that kind."""

    def choose(state: State, seat: Seat, rng: random.Random) -> Action:
        action = greedy_policy(state, seat, rng)
        alike = [each for each in state.legal_actions(seat) if each.kind == kind]
        return alike[place] if action.kind == kind else action

    return choose


def secures(action: Action) -> bool:
    return action.kind == "secure" and action != Secure(())


PLANTED: list[tuple[str, Choose, str, str]] = [
    ("kleftis", never(secures), "never chooses secure with groups", "secure without groups instead of with"),
    ("kleftis", never(lambda action: action.kind == "steal"), "never chooses steal", "play instead of steal"),
    ("nyuri", never(lambda action: action.kind == "steal"), "never chooses steal", "draw instead of steal"),
    ("nyuri", takes(0, "place"), "always chooses the first place listed", ""),
    ("nyuri", takes(-1, "place"), "always chooses the last place listed", ""),
    (
        "forty-one",
        takes(0, "discard"),
        "always chooses the first discard listed",
        "discard with the wrong card",
    ),
    ("forty-one", always("take_discard"), "always chooses take discard", ""),
    ("nur-mut", always("courage"), "always chooses courage", ""),
    ("hyrule", takes(0, "play"), "always chooses the first play listed", "play with the wrong card"),
    ("hyrule", takes(-1, "play"), "always chooses the last play listed", "play with the wrong card"),
    ("hyrule", never(lambda action: action.kind == "swap"), "never chooses swap", "play instead of swap"),
]


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize(
    ("game", "choose", "habit", "difference"),
    PLANTED,
    ids=[f"{game}: {habit}" for game, _, habit, _ in PLANTED],
)
def test_a_planted_weakness_is_named_first(game, choose, habit, difference) -> None:
    games = 12 if game == "hyrule" else 6  # a seat can swap once in a game
    weakness, *_ = analysed(game, choose, games, 128).weaknesses()
    assert weakness.habit == habit
    assert weakness.difference == difference or not difference
    assert weakness.mistakes > 0
    assert weakness.error is not None


def test_margins_of_weaknesses_hold_together_and_few_games_have_none() -> None:
    chances = random.Random(1)
    names = "abcdefgh"

    def any_wrong() -> bool:
        played = [
            [costing(ply, name, chances.gauss(0.0, 0.1)) for ply, name in enumerate(names)] for _ in range(12)
        ]
        return any(abs(each.cost) > (each.error or 0.0) for each in weaknesses_of({"hyrule": played}))

    assert sum(any_wrong() for _ in range(100)) <= 12  # 5 are expected; 34 if each margin held by itself
    few = [[costing(0, name, 0.1) for name in names] for _ in range(4)]
    assert {each.error for each in weaknesses_of({"hyrule": few})} == {None}


def costing(ply: int, difference: str, cost: float) -> Decision:
    """A decision in which another action is better in some way, at some cost."""
    tried = tuple(Tried(action, action, difference, 0.5, 0.1, 16) for action in ("one", "other"))
    return Decision(ply, 1, 0, "middle", "greedy", "", tried, 0, 1, cost, 0.1, "cannot tell", difference)


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize(
    ("game", "games", "worlds"),
    [
        ("forty-one", 12, 128), ("hyrule", 4, 128), ("kleftis", 6, 128), ("nur-mut", 36, 128),
        ("nyuri", 12, 32),
    ],
)  # fmt: skip
def test_random_play_costs_more_of_what_it_could_expect_than_greedy_play(game, games, worlds) -> None:
    by_chance, greedily = (
        analysed(game, choose, games, worlds).total() for choose in (random_policy, greedy_policy)
    )
    assert by_chance.share > 1.2 * greedily.share
    assert 0.0 < greedily.share < by_chance.share < 1.0
