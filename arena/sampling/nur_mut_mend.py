"""Mends an assignment of Nur Mut's cards that does not fit what was seen last, by local search.

Here cards may lie where they do not fit, at a cost. Two cards change places as in a step of the
walk (`arena.sampling.nur_mut_walk`). A card that does not fit changes places with the one that costs
least; in between, any two cards change places if it costs no more than before. A spot that does not
fit for long costs more and more, so that in the end other cards give way (the breakout
method for constraints). In a long game there may be only few assignments that fit. If none is found
in time, the faces in some old spots are forgotten.
"""

from __future__ import annotations

import random
from typing import Final

from arena.sampling.nur_mut_walk import Spot, exchange, way_of

WORK: Final = 2000
"""Changes of two cards that are weighed, until faces are forgotten. Usually a hundred are enough."""

ASIDE: Final = 5
"""Changes of any cards between two changes of cards that do not fit."""

BARRED: Final = 3
"""For so many tries, and up to as many more, a card does not return to a spot that it left."""

Path = dict[int, Spot]
"""The spots of a card, by the numbers of their shuffles, in order."""

NEVER: Final = 1 << 60


class Mender:
    """Mends an assignment of cards to spots.

    Args:
        shuffles: the spots of each shuffle, the deal first.
        rng: the random numbers of the search.

    Attributes:
        weighed: how many changes of two cards were weighed.
    """

    def __init__(self, shuffles: list[list[Spot]], rng: random.Random) -> None:
        self._rng = rng
        self.weighed = 0
        self._paths = [_path(spot) for spot in sorted(shuffles[0], key=lambda spot: spot.card)]
        self._spots = [spot for shuffle in shuffles for spot in shuffle]
        known = [spot for spot in self._spots if spot.weights is not None]
        self._wrong = dict.fromkeys([spot for spot in known if spot.card not in spot.fitting])
        self._costs: dict[Spot, int] = {}  # 1 by default
        self._barred: dict[tuple[Spot, int], int] = {}

    def mend(self, work: int = WORK) -> bool:
        """Lets cards change places until all fit; returns whether they do, with nothing forgotten.

        The card that lies in a spot now fits in the end: what is seen of these spots can always be true.

        Args:
            work: how many changes are weighed until faces are forgotten.
        """
        tried, all_fit = 0, True
        while self._wrong:
            self._ease(self._rng.choice([*self._wrong]), tried)
            for _ in range(ASIDE):
                self._step_aside()
            tried += 1
            if self._wrong and self.weighed >= work:
                self._forget()
                all_fit = False
        return all_fit

    def _forget(self) -> None:
        """Forgets the faces in the spots that do not fit, if their cards were shuffled since."""
        for spot in [*self._wrong]:
            if spot.after is not None:
                spot.weights = None
                del self._wrong[spot]

    def _ease(self, spot: Spot, tried: int) -> None:
        """Puts a card that fits into a spot: the one that costs least."""
        paths, card = self._paths, spot.card
        path = paths[card]
        before = [number for number in path if number <= spot.number][::-1]
        after = [number for number in path if number > spot.number]
        least = NEVER
        best: list[tuple[int, int, int]] = []
        for other in spot.fitting:
            if self._barred.get((spot, other), 0) > tried:
                continue
            way = paths[other]
            begin = next(number for number in before if number in way)
            end = next((number for number in after if number in way), NEVER)
            cost = self._cost(card, other, begin, end)
            if cost < least:
                least, best = cost, []
            if cost == least:
                best.append((other, begin, end))
        if least >= 0:
            for wrong in self._wrong:
                self._costs[wrong] = self._costs.get(wrong, 1) + 1
        if best:
            self._change(card, *self._rng.choice(best))
            self._barred[spot, card] = tried + self._rng.randrange(BARRED, 2 * BARRED) + 1

    def _step_aside(self) -> None:
        """Lets two cards of a shuffle change places if it costs no more than before."""
        one = self._rng.choice(self._spots)
        other = self._rng.choice(one.shuffle)
        if one is not other:
            way = self._paths[other.card]
            later = (number for number in self._paths[one.card] if number > one.number and number in way)
            change = one.card, other.card, one.number, next(later, NEVER)
            if self._cost(*change) <= 0:
                self._change(*change)

    def _cost(self, card: int, other: int, begin: int, end: int) -> int:
        """The added cost if two cards change places from one shuffle that they share to another."""
        self.weighed += 1
        costs, cost = self._costs, 0
        for old, new in ((card, other), (other, card)):
            for number, spot in self._paths[old].items():
                if begin <= number < end and (weights := spot.weights) is not None:
                    worse = (not weights[new]) - (not weights[old])
                    if worse:
                        cost += worse * costs.get(spot, 1)
        return cost

    def _change(self, card: int, other: int, begin: int, end: int) -> None:
        path, way = self._paths[card], self._paths[other]
        ends = path.get(end), way.get(end)
        deal = path[0], way[0]
        exchange(path[begin], way[begin])
        if ends[0] is not None and ends[1] is not None:
            exchange(ends[0], ends[1])
        for first in deal:
            self._paths[first.card] = path = _path(first)
            for number, spot in path.items():
                if begin <= number < end and spot.weights is not None:
                    if spot.weights[spot.card]:
                        self._wrong.pop(spot, None)
                    else:
                        self._wrong[spot] = None


def _path(first: Spot) -> Path:
    return {spot.number: spot for spot in way_of(first)}
