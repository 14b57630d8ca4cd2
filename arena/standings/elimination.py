"""The Laplacian of a graph with weights, by elimination of its nodes block by block.

On a ladder few entrants are there at a time, so an entrant has met few of all that ever came. Nodes are
eliminated in the order of their newest neighbours, those that left long ago first. A block of them, with the
nodes left that it or an earlier block is linked to, is a small window. Only windows need dense matrices. If a
window would have more than half of the nodes that are left, it gets all: a round robin has one window.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BLOCK = 32
_TINY = 1e-300


class _Window(NamedTuple):
    """Nodes of which a block is eliminated.

    Attributes:
        nodes: the block, and then its border: the nodes left that it or an earlier block is linked to.
        size: how many nodes the block has.
        links: the links of the block to nodes of the window.
        one, other: the places of their ends in `nodes`.
        before: the places of the border of the window before.
    """

    nodes: Integers
    size: int
    links: Integers
    one: Integers
    other: Integers
    before: Integers


class Elimination:
    """Solves equations with the Laplacians of a connected graph.

    Args:
        one, other: the two ends of each link.
        size: the number of nodes, which are numbered from 0.
        block: how many nodes are eliminated at once.
    """

    def __init__(self, one: Integers, other: Integers, size: int, block: int = BLOCK) -> None:
        self._one, self._other = one, other
        self._windows = [*_windows(one, other, size, block)]
        self._last: tuple[Floats, tuple[list[tuple[Floats, Floats]], Floats]] | None = None

    def resistances(self, weights: Floats) -> Floats:
        """For each link, the variance of the difference of its ends.

        Args:
            weights: the weight of each link.
        """
        parts, last = self._eliminated(weights)
        inverse = inverse_of(last)
        apart = np.zeros(len(weights))
        for number in range(len(self._windows) - 1, -1, -1):
            window = self._windows[number]
            if number < len(parts):
                own, carried = parts[number]
                before = self._windows[number + 1].before
                border = inverse[before[:, None], before]
                across = carried @ border
                inverse = np.empty((len(window.nodes), len(window.nodes)))
                inverse[: window.size, : window.size] = own + across @ carried.T
                inverse[: window.size, window.size :] = across
                inverse[window.size :, : window.size] = across.T
                inverse[window.size :, window.size :] = border
            diagonal = np.diag(inverse)
            apart[window.links] = (
                diagonal[window.one] + diagonal[window.other] - 2 * inverse[window.one, window.other]
            )
        return apart

    def solve(self, weights: Floats, right: Floats) -> Floats:
        """The values, with a mean of 0, that the Laplacian maps to `right`, which has a sum of 0.

        Args:
            weights: the weight of each link.
            right: a number for each node, or columns of numbers.
        """
        parts, last = self._eliminated(weights)
        values = right.copy()
        for window, (_, carried) in zip(self._windows, parts, strict=False):
            values[window.nodes[window.size :]] += carried.T @ values[window.nodes[: window.size]]
        nodes = self._windows[-1].nodes
        values[nodes] = np.linalg.solve(last + _level(last), values[nodes])
        for window, (own, carried) in zip(self._windows[-2::-1], parts[::-1], strict=True):
            block, border = window.nodes[: window.size], window.nodes[window.size :]
            values[block] = own @ values[block] + carried @ values[border]
        return np.asarray(values - values.mean(axis=0), np.float64)

    def _eliminated(self, weights: Floats) -> tuple[list[tuple[Floats, Floats]], Floats]:
        """The inverse of each block, and what of a value at its border each node of it takes over.

        Also the Laplacian of the last window, in which all other nodes are eliminated.
        """
        if self._last is not None and self._last[0] is weights:
            return self._last[1]
        parts: list[tuple[Floats, Floats]] = []
        left: Floats = np.zeros((0, 0))
        for window in self._windows:
            here = len(window.nodes)
            linked = np.zeros((here, here))
            linked[window.one, window.other] = linked[window.other, window.one] = weights[window.links]
            laplacian = np.diag(linked.sum(axis=1)) - linked
            laplacian[window.before[:, None], window.before] += left
            if window.size == here:
                break
            own: Floats = np.linalg.inv(laplacian[: window.size, : window.size]).astype(np.float64)
            across = laplacian[: window.size, window.size :]
            carried = -own @ across
            left = laplacian[window.size :, window.size :] + across.T @ carried
            parts.append((own, carried))
        self._last = weights, (parts, laplacian)
        return parts, laplacian


def _windows(one: Integers, other: Integers, size: int, block: int) -> Iterator[_Window]:
    """The windows, the first one first."""
    newest = np.arange(size)
    np.maximum.at(newest, one, other)
    np.maximum.at(newest, other, one)
    order = np.argsort(newest, kind="stable")
    place = np.argsort(order)
    # Each link belongs to the end that is eliminated first.
    first, second = np.minimum(place[one], place[other]), np.maximum(place[one], place[other])
    links = np.argsort(first, kind="stable")
    bounds = np.searchsorted(first[links], np.arange(size + 1))
    begin, border = 0, np.zeros(0, np.int64)
    while begin < size:
        end = min(begin + block, size)
        window = _beyond(border, second[links[bounds[begin] : bounds[end]]], begin, end)
        if 2 * len(window) > size - begin:
            end = size
            window = np.arange(begin, size)
        inside = links[bounds[begin] : bounds[end]]
        yield _Window(
            order[window],
            end - begin,
            inside,
            np.searchsorted(window, first[inside]),
            np.searchsorted(window, second[inside]),
            np.searchsorted(window, border),
        )
        begin, border = end, window[end - begin :]


def _beyond(border: Integers, linked: Integers, begin: int, end: int) -> Integers:
    """The places of a window: its block, and the places beyond it."""
    return np.union1d(np.arange(begin, end), np.concatenate((border, linked)))


def inverse_of(laplacian: Floats) -> Floats:
    """The pseudo-inverse of a Laplacian."""
    level = _level(laplacian)
    return np.asarray(np.linalg.inv(laplacian + level) - 1 / (level * len(laplacian) ** 2), np.float64)


def _level(laplacian: Floats) -> float:
    """The number that is added to each cell of a Laplacian to make it invertible.

    A Laplacian maps constant vectors to 0. The number makes it as large for these as for others, and
    changes no difference.
    """
    return max(float(np.trace(laplacian)), _TINY) / len(laplacian) ** 2
