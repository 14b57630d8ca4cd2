"""Elimination block by block gives what the whole matrix gives."""

from __future__ import annotations

import random

import numpy as np
import pytest

from arena.standings.elimination import Elimination
from tests.examples import tried


def ladder(chance: random.Random, entrants: int, there: int, stays: float) -> list[tuple[int, int]]:
    """The pairs that met on a ladder on which new entrants replace others, again and again."""
    present = [*range(there)]
    pairs = {(one, one + 1) for one in range(there - 1)}
    for new in range(there, entrants):
        pairs |= {tuple(sorted(chance.sample(present, 2))) for _ in range(there)}
        pairs.add((chance.choice(present), new))
        old = chance.choice(present) if chance.random() > stays else present[-1]
        present[present.index(old)] = new
    return sorted(pairs)


def agrees(pairs: list[tuple[int, int]], size: int, block: int) -> Elimination:
    """Solves equations with these links, and compares the results with those of the whole Laplacian."""
    chance = np.random.default_rng(size)
    one, other = np.array(pairs).T
    weights = np.exp(chance.normal(0, 2, len(pairs)))
    laplacian = np.zeros((size, size))
    laplacian[one, other] = laplacian[other, one] = -weights
    laplacian -= np.diag(laplacian.sum(axis=1))
    inverse = np.linalg.pinv(laplacian, rcond=1e-13)
    links = Elimination(one, other, size, block)
    apart = np.diag(inverse)[one] + np.diag(inverse)[other] - 2 * inverse[one, other]
    assert np.allclose(links.resistances(weights), apart, rtol=1e-6)
    right = chance.normal(0, 1, (size, 2))
    right -= right.mean(axis=0)
    solved = inverse @ right
    near = 1e-6 * np.abs(solved).max()
    assert np.allclose(links.solve(weights, right), solved, rtol=1e-6, atol=near)
    assert np.allclose(links.solve(weights, right[:, 0]), solved[:, 0], rtol=1e-6, atol=near)
    return links


@pytest.mark.parametrize("block", [1, 7, 32, 1_000])
def test_withdrawn_entrants_are_eliminated_without_loss(block):
    chance = random.Random(block)
    for _ in range(tried(12)):
        size, there = chance.choice(((60, 6), (150, 12), (40, 30)))
        agrees(ladder(chance, size, there, chance.random()), size, block)


def test_where_each_meets_only_its_neighbours_the_windows_are_small():
    pairs = [(one, other) for one in range(200) for other in range(one + 1, min(one + 8, 200))]
    assert len(agrees(pairs, 200, 32)._windows) > 2
