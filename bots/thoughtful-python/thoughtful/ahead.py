"""Looks ahead: plays as the thoughtful bot does, unless playouts show that another action is better.

Every seat of a playout plays thoughtfully, with what this seat remembers of the deal: the
others know nearly the same, because most of what happens is seen by everybody. The clock
limits the playouts, so no game can be reproduced. It says what its playouts tell: the score
that it expects, and what actions are worth beside the usual one. `python -m thoughtful.ahead`
starts it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from math import sqrt
from statistics import fmean
from time import monotonic
from typing import ClassVar

from arena.bot import Action, Choice, TableInfo, Turn, serve
from arena.games.game import Seat, State
from arena.games.series import SeriesObservation
from arena.results import seat_scores
from thoughtful.bot import Thoughtful

FEW = 8
"""So many actions are tried at most, those that come first in a random order: playouts are few."""
POINTS = 0.02
"""What a point counts, in places."""
SURE = 1.0
"""By so many standard errors another action has to be better."""


class Strong(Thoughtful):
    """The thoughtful bot, looking ahead.

    Attributes:
        longest: the most seconds for a decision; a person waits for it.
        clock: tells the time, in seconds.
    """

    name = "strong"
    max_tables = 1  # it thinks long
    longest: ClassVar[float] = 1.5
    clock = staticmethod(monotonic)

    def __init__(self, table: TableInfo) -> None:
        super().__init__(table)
        self._scores: dict[Action, list[float]] = {}  # of this turn's playouts, by the action
        self._try = 0.0  # what a try takes, in seconds: there has to be time for another one

    def choose(self, turn: Turn) -> Choice:
        usual = self.usual(turn)
        self._scores = defaultdict(list)
        self._try /= 2  # one slow try does not end the search for good
        end = self.clock() + min(turn.think_for, self.longest)
        others = [action for action in turn.actions if action != usual]
        gains = {action: [0.5, -0.5] for action in self.rng.sample(others, min(FEW, len(others)))}
        worlds: list[tuple[State, float]] = []  # positions, and what the usual action is worth in each
        while (began := self.clock()) + self._try < end:
            action = max(gains, key=lambda other: estimate(gains[other], +SURE))  # the one with most hope
            number = len(gains[action]) - 2
            if number == len(worlds):
                world = turn.sample(self.rng)
                worlds.append((world, self._worth(turn, world, usual)))
            world, usual_worth = worlds[number]
            gains[action].append(self._worth(turn, world, action) - usual_worth)
            self._try = max(self.clock() - began, self._try)
        best = max(gains, key=lambda other: estimate(gains[other], -SURE))
        chosen = best if estimate(gains[best], -SURE) > 0 else usual
        tried = [other for other in gains if other in self._scores]
        values = {usual: 0.0} | {other: estimate(gains[other], 0.0) for other in tried}
        return Choice(chosen, fmean(self._scores[chosen]), values) if self._scores else Choice(chosen)

    def _worth(self, turn: Turn, world: State, action: Action) -> float:
        """What a position is worth after an action: the places gained, and a little for the points."""
        after, seat = world.clone(), self.table.seat
        after.apply(seat, action)
        places, points, _ = turn.playout(after, self._policy, self.rng)
        self._scores[action].append(float(seat_scores(places)[seat]))
        return fmean(places) - places[seat] + POINTS * (points[seat] - fmean(points))

    def _policy(self, state: State, seat: Seat, rng: random.Random) -> Action:
        """Chooses for any seat as this one would."""
        seen = state.observation(seat)
        if isinstance(seen, SeriesObservation):
            seen = seen.current
        return self.player.choose(seen, state.legal_actions(seat))


def estimate(gains: list[float], errors: float) -> float:
    """The mean gain, and so many standard errors. The first two are invented: a few playouts prove little."""
    mean, count = fmean(gains), len(gains)
    return mean + errors * sqrt(max(0.0, fmean([gain**2 for gain in gains]) - mean**2) / (count - 1))


if __name__ == "__main__":
    serve(Strong)
