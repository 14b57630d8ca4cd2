"""Which multiple of its luck is taken from the score of a board: learnt from the boards before it.

Any multiple that is settled before the board is dealt leaves the expectation of
its score as it is. The best one is the slope of scores on luck; it is near 1
where the luck of a pair of bots is known well, and near 0 where hardly anything
is known (see `arena.comparison.luck`).
"""

from __future__ import annotations

from typing import Final

from arena.comparison.betting import Bounds
from arena.comparison.luck import MOST_OF_BOARD

LARGEST: Final = 0.5
"""The largest multiple. A larger one would take away little more variance, and widen what a score can be."""
FIRST: Final = 0.4
"""The multiple for the first board."""
BELIEF: Final = 1.0
"""How much that counts: as boards whose lucks squared sum up to so much, some 15 of them."""
TRIAL: Final = 40
"""After so many boards it is settled whether luck is taken away at all."""
WORTH: Final = 1.15
"""It is where it has divided the variance of the scores at least by so much."""

CORRECTED: Final = Bounds(-LARGEST * MOST_OF_BOARD, 1 + LARGEST * MOST_OF_BOARD)
"""Between what the score of a board lies once luck is taken from it."""


class Coefficient:
    """The multiple for the next board.

    Args:
        largest: the largest that it may be: 1 where no bound is needed.

    Attributes:
        boards: how many boards were seen.
        pays: whether it is worth while to know the luck of the next board;
            where it is not, nothing is taken away any more.
    """

    def __init__(self, largest: float = LARGEST) -> None:
        self._largest = largest
        self.boards = 0
        self.pays = True
        self._scores = self._squares = self._lucks = self._lucks_squared = self._products = 0.0
        self._corrected = self._corrected_squared = 0.0

    @property
    def value(self) -> float:
        """The multiple of its luck to take from the score of the next board."""
        if not self.pays:
            return 0.0
        together = self._products - self._scores * self._lucks / max(1, self.boards)
        slope = (BELIEF * FIRST + together) / (BELIEF + self._lucks_squared)
        return min(self._largest, max(0.0, slope))

    def take(self, score: float, luck: float) -> float:
        """Takes the luck of the next board from its score, and learns from it.

        Args:
            score: the mean score of the board, from 0 to 1.
            luck: its mean luck; anything where it does not pay.

        Returns:
            the score without it; within CORRECTED, if luck and multiple are bounded as they are by default.
        """
        corrected = score - self.value * luck
        self.boards += 1
        if self.pays:
            self._scores += score
            self._squares += score * score
            self._lucks += luck
            self._lucks_squared += luck * luck
            self._products += score * luck
            self._corrected += corrected
            self._corrected_squared += corrected * corrected
            if self.boards == TRIAL:
                self.pays = self.factor >= WORTH
        return corrected

    @property
    def factor(self) -> float:
        """By how much the variance of the scores was divided, over the boards whose luck was known."""
        seen = min(self.boards, TRIAL) if not self.pays else self.boards
        if not seen:
            return 1.0
        before = self._squares - self._scores**2 / seen
        after = self._corrected_squared - self._corrected**2 / seen
        return before / after if after > 0 else 1.0
