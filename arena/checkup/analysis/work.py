"""The work for the decisions of a seat if the rules in Python play, and how it is shared out.

Work is counted in choices of the policy that plays worlds to their end. So it is the same on every machine,
and the same worlds are tried again.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from arena.checkup.analysis.decision import Screened, rounds_of
from arena.games.game import Action, Seat, State
from arena.policies import greedy_policy

WORK: Final[Mapping[str, int]] = {
    "kleftis": 1_600_000, "nyuri": 2_600_000, "forty-one": 1_000_000, "nur-mut": 1_200_000,
    "hyrule": 3_000_000,
}  # fmt: skip
"""The most work for all seats of a game: some 30 seconds of a processor, in Nyuri 40."""
USUAL_WORK: Final = 1_000_000
"""The same for the games of packages."""

_SCREENING = 0.4  # the part of the work that the first stage may do
_PER_WORLD = 4  # choices that take about as long as drawing a world and applying an action
_USUAL_GAIN = 0.1  # a difference between two actions, as it usually is


class Counted:
    """The greedy policy, which counts its work.

    Attributes:
        work: what was done.
    """

    def __init__(self) -> None:
        self.work = 0

    def choose(self, state: State, seat: Seat, rng: random.Random) -> Action:
        """Chooses greedily."""
        self.work += 1
        return greedy_policy(state, seat, rng)

    def begin(self, worlds: int) -> None:
        """Counts so many worlds that begin, one for each action that is tried."""
        self.work += _PER_WORLD * worlds


class Share(NamedTuple):
    """What is known of a decision when the other work is shared out.

    Attributes:
        screened: what the first stage found.
        each: the work for an action in a world.
    """

    screened: Screened
    each: float

    @property
    def wanted(self) -> float:
        """How many fresh worlds probably tell whether the two actions are apart or close.

        Few worlds often show a gain that is not there: it is taken for smaller, the less sure it is.
        """
        gain, spread = self.screened.gain, self.screened.spread
        worlds = len(self.screened.scores[self.screened.rival])
        return self.screened.told_in(gain / (1 + (spread / _USUAL_GAIN) ** 2 / worlds))


def to_screen(work: float, actions: int, each: float) -> int:
    """The argument `most` of `screen` for a decision that may take so much work in all."""
    return int(2 * _SCREENING * work / rounds_of(actions) / each)


def shared_out(decisions: Sequence[Share], work: float, most: int) -> list[int]:
    """The most fresh worlds for each decision, so that the work is hardly more than this.

    They are as many as probably tell: first for decisions that may be mistakes, then for the others, and of
    both first for those that are told with the least work. A decision gets one world if the work is spent.
    What is left when all have theirs is shared out in the same proportion.
    """
    pairs = [2 * share.each for share in decisions]  # the work for a fresh world
    worlds = [1] * len(decisions)
    left = work - sum(pairs)
    costs = [share.wanted * pair for share, pair in zip(decisions, pairs, strict=True)]
    times = max(1.0, work / sum(costs))
    for at in sorted(range(len(decisions)), key=lambda at: (not decisions[at].screened.suspect, costs[at])):
        wanted = min(most, math.ceil(times * decisions[at].wanted))
        more = max(0, min(wanted, worlds[at] + int(left / pairs[at])) - worlds[at])
        worlds[at] += more
        left -= more * pairs[at]
    return worlds
