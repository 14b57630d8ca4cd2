"""Which of several bots is the best? A race: bots that are shown to be beaten drop out.

A bot is the best if its mean score is above a half against each other bot. The bots that are left play
each other, round by round. For each ordered pair a gambler bets that the first bot's mean score against
the second is below a half (`arena.comparison.betting`). If a bot is the best, none of these bets against it
pays on average, and neither does their mean. So a bot drops out as soon as the mean wealth of the
bets against it is 2 / error: the chance that the best bot ever drops out is at most half of the error,
however many bots there are. The mean of the bets gains over any single bet with the error divided among the
opponents, because the mean is at least the largest divided by their number (V. Vovk and R. Wang, "E-values:
calibration, combination and applications", Annals of Statistics 49, 2021, section 3).

The race ends too when one of the bots that are left is shown to differ from each of the others
that are left by less than the margin. Each side of each pair is shown at 1 / (2 n) of the error, with n
bots. If there is a best bot, the named one is wrongly said to be near it only if the best one dropped
out, or if a wrong side was shown in one of its n - 1 pairs. The chance of that is below the error. Of the
other pairs that are left, each single one is wrong with a chance of at most 1 / (2 n) of the error. All
n (n - 1) / 2 pairs together sum up to (n - 1) / 4 of the error, which is more than half of it from four
bots on.

Racing, in which candidates stop as soon as they are shown to be worse, is from O. Maron and
A. Moore, "Hoeffding races", NIPS 1993.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import exp, fsum, inf, log

from arena.comparison.betting import Scored
from arena.comparison.question import Evidence, Precision


class RaceFinding(enum.Enum):
    """How a race ended."""

    BEST = "best"
    NO_DIFFERENCE = "no difference"
    NO_BEST = "no best"


class Race:
    """The state of a race.

    Args:
        bots: the entrants.
        precision: its error is the most probability that the finding is wrong; its margin is the
            smallest difference that matters.

    Attributes:
        left: the entrants that may still be the best, in their order.
        out: after how many rounds each other entrant dropped out.
        rounds: the number of rounds so far.
        finding: how the race ended: with one entrant left (`BEST`); with several, each of which differs
            from `named` by less than the margin (`NO_DIFFERENCE`); or with none left, so that there is no
            best (`NO_BEST`). None as long as it goes on.
        named: the entrant that is left, or from which the others that are left do not differ; None
            without such an entrant.
    """

    def __init__(self, bots: Sequence[int], precision: Precision) -> None:
        self.left = list(bots)
        self.out: dict[int, int] = {}
        self.rounds = 0
        self.finding: RaceFinding | None = None
        self.named: int | None = None
        self._bots = len(bots)
        self._enough_out = log(2 / precision.error) if precision.error else inf
        self._enough_named = log(2 * len(bots) / precision.error) if precision.error else inf
        self._evidence = {
            (one, other): Evidence(precision) for place, one in enumerate(bots) for other in bots[place + 1 :]
        }
        self._not_better: set[tuple[int, int]] = set()  # (a, b): b does not beat a by the margin

    def leave(self, bots: Collection[int]) -> None:
        """Takes withdrawn entrants out, before the first round."""
        assert not self.rounds
        self.left = [bot for bot in self.left if bot not in bots]
        self._decide()

    def add_round(self, scores: Mapping[tuple[int, int], float]) -> None:
        """Adds a round.

        Args:
            scores: the score of the first of each two entrants that are left, from 0 to 1.
        """
        self.rounds += 1
        for pair, score in scores.items():
            evidence = self._evidence[pair]
            evidence.see([Scored(score, 0.0)])
            if evidence.above_least.log_wealth >= self._enough_named:
                self._not_better.add(pair)
            if evidence.below_most.log_wealth >= self._enough_named:
                self._not_better.add(pair[::-1])
        self._decide()

    def _decide(self) -> None:
        while self.left:
            most = max(self.left, key=self.against)
            if self.against(most) < self._enough_out:
                break
            self.left.remove(most)
            self.out[most] = self.rounds
        if len(self.left) <= 1:
            self.named = self.left[0] if self.left else None
            self.finding = RaceFinding.BEST if self.left else RaceFinding.NO_BEST
            return
        for bot in self.left:
            others = [other for other in self.left if other != bot]
            if {*((bot, other) for other in others), *((other, bot) for other in others)} <= self._not_better:
                self.finding, self.named = RaceFinding.NO_DIFFERENCE, bot
                return

    def rounds_expected(self, scores: Mapping[tuple[int, int], Sequence[float]]) -> dict[int, float]:
        """After how many rounds each entrant that is left will probably stop, if all goes on as before.

        Args:
            scores: all scores so far of each two entrants that are left.
        """
        out = dict.fromkeys(self.left, inf)
        level = dict.fromkeys(self.left, 0.0)
        alone = self._enough_out + log(max(1, self._bots - 1))  # by one bet of the mean alone
        for pair, of in scores.items():
            evidence = self._evidence[pair]
            counts = Counter([evidence.next_board([Scored(score, 0.0)]) for score in (0.0, 1.0, *of)])
            for bot, bets in zip(pair, (evidence.worse, evidence.better), strict=True):
                out[bot] = min(out[bot], bets.boards_to(alone, counts))
            sides = evidence.above_least, evidence.below_most
            both = max(side.boards_to(self._enough_named, counts) for side in sides)
            for bot in pair:
                level[bot] = max(level[bot], both)
        end = min(*level.values(), sorted(out.values())[-2]) if len(self.left) > 1 else self.rounds
        return {bot: max(self.rounds + 1, min(rounds, end)) for bot, rounds in out.items()}

    def against(self, bot: int) -> float:
        """The logarithm of the mean wealth of the bets that a bot is beaten."""
        logs = [
            (evidence.worse if bot == pair[0] else evidence.better).log_wealth
            for pair, evidence in self._evidence.items()
            if bot in pair
        ]
        most = max(logs, default=-inf)
        return most + log(fsum(exp(each - most) for each in logs) / len(logs)) if logs else -inf
