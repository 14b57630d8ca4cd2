"""How many times its luck is subtracted from the score of a board: a number learnt from earlier boards.

Any such multiple that is fixed before the board is dealt does not change the expectation of its score. The
best one is the slope of the regression of scores on luck (`arena.comparison.luck`). It is near 1 if the luck
of a pair of bots is known well, and near 0 if it is hardly known.
"""

from __future__ import annotations

from typing import Final

from arena.games import GAMES

PAYS: Final = frozenset(id for id, game in GAMES.items() if game.luck_pays)
"""The games in which it divided the variance of a comparison by 1.2 or more (docs/fewer-games.md)."""

FIRST: Final = 0.4
"""The multiple for the first board."""
BELIEF: Final = 1.0
"""The weight of `FIRST`: that of boards whose squared lucks have this sum, about 15 boards."""
TRIAL: Final = 40
"""After so many boards it is decided whether luck is subtracted at all."""
WORTH: Final = 1.15
"""It is, if that has divided the variance of the scores by at least so much."""
MOST_IN_BETS: Final = 0.5
"""The largest multiple of bounded luck: larger ones widen the bounds of the bets too much."""


class Coefficient:
    """The multiple for the next board.

    Args:
        most: the largest multiple.

    Attributes:
        boards: the number of boards so far.
        pays: whether the luck of the next board is needed; if not, luck
            is no longer subtracted.
    """

    def __init__(self, most: float = 1.0) -> None:
        self._most = most
        self.boards = 0
        self.pays = True
        self._scores = self._squares = self._lucks = self._lucks_squared = self._products = 0.0
        self._corrected = self._corrected_squared = 0.0

    @property
    def value(self) -> float:
        """The multiple of its luck to subtract from the score of the next board.

        It is rounded, so that few different scores occur.
        """
        if not self.pays:
            return 0.0
        together = self._products - self._scores * self._lucks / max(1, self.boards)
        slope = (BELIEF * FIRST + together) / (BELIEF + self._lucks_squared)
        return round(min(self._most, max(0.0, slope)), 2)

    def take(self, score: float, luck: float) -> float:
        """Subtracts the luck of the next board from its score, and learns from it.

        Args:
            score: the mean score of the board, from 0 to 1.
            luck: its mean luck; not used if it does not pay.

        Returns:
            the score without the luck.
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
        """The factor by which the variance of the scores was divided, over the boards with known luck."""
        seen = min(self.boards, TRIAL) if not self.pays else self.boards
        if not seen:
            return 1.0
        before = self._squares - self._scores**2 / seen
        after = self._corrected_squared - self._corrected**2 / seen
        return before / after if after > 0 else 1.0
