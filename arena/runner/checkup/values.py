"""What a checkup is told and what it finds."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from arena.runner.sitting.keeper import DESCRIBE_TIMEOUT
from arena.runner.tournament_file import DEFAULT_CLOCK
from arena.table.clock import TimeControl

PASSED, FAILED, SKIPPED, NOTED = "passed", "failed", "skipped", "noted"
"""How a check can end; a noted one is no failure, and its text says what to know."""


@dataclasses.dataclass(frozen=True, slots=True)
class Conditions:
    """Under what conditions a bot is checked.

    Attributes:
        games: the ids of the games to check; empty for all that the bot plays.
        clock: the clock of every game.
        patience: how long the bot may take to come up, and to describe itself, in seconds.
        tables: how many tables are many.
        thorough: whether every number of seats and every option is tried, not only the least and the
            greatest number of seats under the usual options.
    """

    games: Sequence[str] = ()
    clock: TimeControl = DEFAULT_CLOCK
    patience: float = DESCRIBE_TIMEOUT
    tables: int = 64
    thorough: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class Check:
    """One point of the checklist.

    Attributes:
        number: its number, from 1.
        name: what is checked, such as `plays nyuri`.
        status: PASSED, FAILED, SKIPPED or NOTED.
        text: one line: what was found, or why it was skipped; empty for a failed one.
        expected, came, fix: for a failed check what was to come, what came and
            how to mend it, each one line; else empty.
        output: for a failed check the last lines of the bot or of its build, may be empty.
        same_as: for a failed check the number of an earlier one that is mended alike; 0 for none.
        measured: figures by name, with the unit in the name.
    """

    number: int
    name: str
    status: str
    text: str = ""
    expected: str = ""
    came: str = ""
    fix: str = ""
    output: str = ""
    same_as: int = 0
    measured: Mapping[str, float] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """What a check that did not fail found; see Check."""

    text: str
    measured: Mapping[str, float] = dataclasses.field(default_factory=dict)
    status: str = PASSED


class Failed(Exception):
    """A check failed; see Check for the attributes."""

    def __init__(self, expected: str, came: str, fix: str, output: str = "") -> None:
        super().__init__(came)
        self.expected = expected
        self.came = came
        self.fix = fix
        self.output = output


class Skipped(Exception):
    """A check cannot be made, or means nothing for this bot; the text says why."""
