"""With decks so small that all deals can be enumerated, scores and costs agree with the exact ones."""

from __future__ import annotations

import random

import pytest

from arena.analysis.game import decisions_of
from tests.analysis.games import exact_scores, recorded
from tests.sampling.small import small_setup
from tests.sampling.watching import mostly_greedy

SETUPS = [
    ("kleftis", 2, {}),
    ("kleftis", 3, {}),
    ("hyrule", 2, {}),
    ("hyrule", 3, {}),
    ("hyrule", 2, {"mode": "chance"}),
    ("forty-one", 2, {}),
    ("forty-one", 3, {}),
    ("nyuri", 2, {"size": 7}),
    ("nyuri", 3, {"size": 7}),
]
WORLDS = 64
LATE = 3  # the last decisions of each seat that are compared


@pytest.mark.parametrize(("game", "seats", "given"), SETUPS, ids=str)
def test_scores_and_costs_are_exact_within_their_margins(monkeypatch, game, seats, given) -> None:
    seen = missed = 0
    for seed in range(2):
        setup = small_setup(monkeypatch, game, seats, seed, **given)
        record = recorded(setup, [mostly_greedy] * seats, random.Random(seed))
        for seat in range(seats):
            decisions = list(decisions_of(record, seat, WORLDS, state=setup.start()))
            for decision in decisions[-LATE:]:
                exact = exact_scores(setup, record, decision.ply, seat)
                for tried, score in zip(decision.tried, exact, strict=True):
                    seen += 1
                    missed += abs(tried.score - score) > tried.error
                cost = exact[decision.best] - exact[decision.chosen]
                seen += 1
                missed += abs(decision.cost - cost) > decision.error
    assert seen > 4
    assert missed <= 0.05 * seen + 1
