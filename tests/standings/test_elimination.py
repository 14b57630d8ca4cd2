"""Elimination block by block gives what the whole matrix gives."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from arena.standings import elimination
from arena.standings.rating import islands
from arena.standings.tally import DuplicateGroup
from tests.examples import tried


def ladder(chance: random.Random, entrants: int, there: int, stays: float) -> Counter[DuplicateGroup]:
    """Results of a ladder in which a new entrant replaces one of those that are there, again and again."""
    present = [*range(there)]
    groups = Counter[DuplicateGroup]()
    for new in range(there, entrants):
        for _ in range(there):
            pair = tuple(chance.sample(present, 2))
            groups[DuplicateGroup(pair, (chance.choice((0, 1, 2, 3, 4)),))] += chance.randint(1, 3)
        old = chance.choice(present) if chance.random() > stays else present[-1]
        present[present.index(old)] = new
    return groups


@pytest.mark.parametrize("block", [1, 7, 32])
def test_withdrawn_entrants_are_eliminated_without_loss(monkeypatch, block):
    chance = random.Random(block)
    for _ in range(tried(12)):
        size, there = chance.choice(((60, 6), (150, 12), (40, 30)))
        groups = ladder(chance, size, there, chance.random())
        monkeypatch.setattr(elimination, "_BLOCK", block)
        blocks = islands(groups)
        monkeypatch.setattr(elimination, "_BLOCK", size)  # all in one window
        for (fit, _, members), (whole, _, same) in zip(blocks, islands(groups), strict=True):
            assert members == same
            assert np.allclose(fit.strengths, whole.strengths, rtol=0, atol=1e-9)
            assert np.allclose(fit.corrected, whole.corrected, rtol=0, atol=1e-9)


def test_resistances_and_solutions_are_those_of_the_whole_laplacian():
    chance = np.random.default_rng(3)
    size = 200
    one, other = np.array([(a, b) for a in range(size) for b in range(a + 1, min(a + 8, size))]).T
    weights = np.exp(chance.normal(0, 2, len(one)))
    laplacian = np.zeros((size, size))
    laplacian[one, other] = laplacian[other, one] = -weights
    laplacian -= np.diag(laplacian.sum(axis=1))
    inverse = np.linalg.pinv(laplacian)
    links = elimination.Elimination(one, other, size)
    assert len(links._windows) > 2
    apart = np.diag(inverse)[one] + np.diag(inverse)[other] - 2 * inverse[one, other]
    assert np.allclose(links.resistances(weights), apart, rtol=1e-9)
    right = chance.normal(0, 1, size)
    right -= right.mean()
    assert np.allclose(links.solve(weights, right), inverse @ right, rtol=0, atol=1e-9)
