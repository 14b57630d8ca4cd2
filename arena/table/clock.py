"""The clock of one seat: a bank per game, an increment per decision, a limit per decision.

The clock reads no time itself: the caller passes how long a decision took. All
times are whole nanoseconds.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

MILLISECOND = 1_000_000
SECOND = 1_000 * MILLISECOND


_UNITS = {"h": 3600 * SECOND, "m": 60 * SECOND, "s": SECOND, "ms": MILLISECOND}
_NUMBER = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)"
_DURATION = re.compile("".join(f"(?:{_NUMBER}{unit})?" for unit in _UNITS))


def parse_duration(text: str) -> int | None:
    """The nanoseconds of a duration such as `1m30s`, `1.5s` or `100ms`; None if it is not valid."""
    match = _DURATION.fullmatch(text)
    if not text or match is None:
        return None
    parts = zip(match.groups(), _UNITS.values(), strict=True)
    total = sum((Fraction(number) * unit for number, unit in parts if number), Fraction())
    return int(total) if total.denominator == 1 else None


class TimeControl(NamedTuple):
    """The time a seat has, in nanoseconds.

    Attributes:
        bank: the bank at the start of a game.
        increment: what each answered decision adds to it.
        move: the limit of one decision.
    """

    bank: int
    increment: int
    move: int


class Clock:
    """The clock of one seat in one game.

    Attributes:
        bank: the time left in the bank, in nanoseconds.
    """

    __slots__ = ("_increment", "_move", "bank")

    def __init__(self, control: TimeControl) -> None:
        self._increment, self._move = control.increment, control.move
        self.bank = control.bank

    @property
    def time_left(self) -> int:
        """The time a decision may take from now, in nanoseconds: bank or move limit, whichever is less."""
        return self.bank if self.bank < self._move else self._move

    def charge(self, elapsed: int) -> bool:
        """Takes a decision's time from the bank and adds the increment.

        Returns whether the decision came in time. A late decision adds no increment,
        and the bank never falls below zero. So a seat with an empty bank only has
        the increments of later answers.
        """
        if elapsed > self.time_left:
            self.bank = max(0, self.bank - elapsed)
            return False
        self.bank += self._increment - elapsed
        return True
