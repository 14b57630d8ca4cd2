"""The values of `arena check-bot`: its settings and results, and the remedies for failures."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from arena.referee.sitting.keeper import DESCRIBE_TIMEOUT
from arena.table.clock import TimeControl
from arena.tournament.plan import DEFAULT_CLOCK

PASSED, FAILED, SKIPPED, NOTED = "passed", "failed", "skipped", "noted"
"""The results of a check; NOTED is not a failure, but its text has a warning."""


@dataclasses.dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a checkup.

    Attributes:
        games: the ids of the games to check; empty for all that the bot plays.
        clock: the clock of every game.
        patience: how long the bot may take to start, and to describe itself, in seconds of `BotTime`.
        tables: how many tables the check of many tables plays.
        thorough: whether every number of seats and every option is tried, instead of only the least
            and the greatest number of seats with the default options.
        joins: whether it is checked that the bot can join, which no bot of a standing league does.
    """

    games: Sequence[str] = ()
    clock: TimeControl = DEFAULT_CLOCK
    patience: float = DESCRIBE_TIMEOUT
    tables: int = 64
    thorough: bool = True
    joins: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class Check:
    """One check and its result.

    Attributes:
        number: its number, from 1.
        name: what is checked, such as `plays nyuri`.
        status: PASSED, FAILED, SKIPPED or NOTED.
        text: one line: what was found, or why it was skipped; empty for a failed one.
        expected, came, fix: for a failed check what was expected, what came and
            how to repair it, each one line; else empty.
        output: for a failed check the last lines of the bot or of its build, may be empty.
        same_as: for a failed check the number of an earlier one with the same repair; 0 for none.
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


def found(text: str, measured: Mapping[str, float] | None = None, status: str = PASSED) -> Check:
    """A check that did not fail; the checklist adds its number and name."""
    return Check(0, "", status, text, measured=measured or {})


class Failed(Exception):
    """A check failed; see Check for the arguments."""

    def __init__(self, expected: str, came: str, fix: str, output: str = "") -> None:
        super().__init__(came)
        self.check = Check(0, "", FAILED, expected=expected, came=came, fix=fix, output=output)


class Skipped(Exception):
    """A check is not possible or makes no sense for this bot; the text says why."""


LAST_LINES = "mend what the bot's last lines say"

FIXES = {
    "timeout": "answer sooner; a bot that thinks long says max_tables = 1 in Describe, "
    "since the clocks of all its waiting turns run together",
    "illegal_action": "answer with the index of one of the turn's legal_actions, counted from 0; "
    "in Python, return one of turn.actions itself",
    "unknown_turn": "answer every turn once, with the table and the turn number that it came with",
    "crash": LAST_LINES,
    "disconnect": "keep the Play stream open until the referee ends it, and read on after an empty batch",
    "protocol": "answer each turn with one Decision of the PlayResponse in bot.proto, and nothing else",
}
"""The remedy for each reason of a fault."""

SERVE = (
    "let the program serve until SIGTERM, at the address in the environment variable ARENA_LISTEN; "
    "in Python its last line is serve(MyBot)"
)
"""The remedy for a program that ends with exit code 0."""

LISTEN = "serve at the address in the environment variable ARENA_LISTEN, and before anything that takes long"
"""The remedy for a program that does not listen."""


def remedy(fix: str, output: str) -> tuple[str, str]:
    """A key that is equal for failures with the same remedy: the fix, and perhaps the bot's last line."""
    return fix, output.rpartition("\n")[2] if fix == LAST_LINES else ""
