"""Where all deals can be enumerated, scores and costs agree with the exact ones."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from arena.checkup.analysis.decision import Decision, Trial
from arena.checkup.analysis.game import Searcher, decisions_of
from arena.checkup.analysis.turns import Turn
from arena.games import GAMES
from arena.policies import greedy_policy
from arena.sampling.playing import try_actions
from tests.checkup.analysis.games import Before, exact_scores, recorded
from tests.games.boards import keyed
from tests.games.random_play import Setup
from tests.native import native as native
from tests.sampling.small import small_setup
from tests.sampling.watching import mostly_greedy

ONE_FACE = {"model": "one", "max_turns": 4}
SETUPS: list[Any] = [  # game, seats, options
    ("kleftis", 2, {}),
    pytest.param("kleftis", 3, {}, marks=pytest.mark.campaign),
    pytest.param("hyrule", 2, {}, marks=pytest.mark.campaign),
    ("hyrule", 3, {}),
    pytest.param("hyrule", 2, {"mode": "chance"}, marks=pytest.mark.campaign),
    ("forty-one", 2, {}),
    pytest.param("forty-one", 3, {}, marks=pytest.mark.campaign),
    pytest.param("nyuri", 2, {"size": 7}, marks=pytest.mark.campaign),
    ("nyuri", 3, {"size": 7}),
    ("nur-mut", 2, {**ONE_FACE, "deck": ["1", "1", "2", "2", "4", "4", "4", "J"]}),
    pytest.param(
        "nur-mut",
        2,
        {"max_turns": 4, "deck": ["1/2", "1/2", "1/2", "1/2", "2/3", "2/3", "2/3"]},
        marks=pytest.mark.campaign,
    ),
    pytest.param(
        "nur-mut",
        3,
        {**ONE_FACE, "deck": ["1", "1", "1", "1", "2", "4", "4", "4", "J"]},
        marks=pytest.mark.campaign,
    ),
]
WORLDS = 64
LATE = 3  # the last decisions of each seat that are compared
UNSEEN = 5  # cards that the seat has not seen, at most, in an ending with the whole deck


class Comparison:
    """How many scores and costs were compared, and how many of them are outside their margins."""

    def __init__(self) -> None:
        self.seen = self.missed = 0

    def add(self, decision: Decision, exact: Sequence[float]) -> None:
        for tried, score in zip(decision.tried, exact, strict=True):
            self._add(tried.score - score, tried.error)
        self._add(decision.cost - (exact[decision.best] - exact[decision.chosen]), decision.error)

    def _add(self, difference: float, error: float) -> None:
        self.seen += 1
        self.missed += abs(difference) > error

    def check(self) -> None:
        assert self.seen > 4
        assert self.missed <= 0.05 * self.seen + 1


def compare(comparison: Comparison, setup: Setup, seed: int) -> None:
    """Compares the last decisions of a game."""
    record = recorded(setup, [mostly_greedy] * setup.seats, random.Random(seed))
    for seat in range(setup.seats):
        decisions = list(decisions_of(record, seat, WORLDS, state=setup.start()))
        for decision in decisions[-LATE:]:
            comparison.add(decision, exact_scores(setup, Before(setup, record, decision.ply, seat), seat))


@pytest.mark.parametrize(("game", "seats", "given"), SETUPS, ids=str)
def test_scores_and_costs_are_exact_within_their_margins(monkeypatch, game, seats, given) -> None:
    comparison = Comparison()
    for seed in range(2):
        compare(comparison, small_setup(monkeypatch, game, seats, seed, **given), seed)
    comparison.check()


def greedily(turn: Turn, record: object) -> Searcher:
    """Tries actions by the greedy policy."""

    def trial(turn: Turn, seed: bytes) -> Trial:
        rng = random.Random(seed)

        def tries(actions: Sequence[int], worlds: int) -> Any:
            tried = [turn.actions[index] for index in actions]
            return try_actions(turn.draw, turn.seat, tried, greedy_policy, rng, worlds)

        return tries

    return Searcher("greedy", WORLDS, trial)


def endings(setup: Setup, seed: int) -> Iterable[tuple[Decision, Sequence[float]]]:
    """The decisions of a game with the whole deck before which few cards are unseen, with exact scores."""
    record = recorded(setup, [mostly_greedy] * setup.seats, random.Random(seed))
    for seat in range(setup.seats):
        for decision in decisions_of(record, seat, WORLDS, state=setup.start(), searcher_of=greedily):
            before = Before(setup, record, decision.ply, seat)
            if before.unseen <= UNSEEN:
                yield decision, exact_scores(setup, before, seat, before.orders_of_unseen())


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("seats", [2, 3])
def test_the_engine_is_exact_in_endings_of_whole_decks(seats) -> None:
    comparison = Comparison()
    game = GAMES["kleftis"]
    for seed in range(2):
        setup = Setup(game, game.Options(), seats, 0, keyed(game, game.Options(), seed))
        for decision, exact in endings(setup, seed):
            comparison.add(decision, exact)
    comparison.check()
