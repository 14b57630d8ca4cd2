"""What is decided about a tournament besides its results: by the host, or by its own rules.

Each decision holds all that it means, so that what a tournament comes to depends
on which results and decisions there are, and not on how they are mixed.
"""

from __future__ import annotations

import json
from typing import NamedTuple


class Withdraw(NamedTuple):
    """An entrant plays no more. What becomes of its matches in the stage that is being played:

    Matches that are over count as they ended. At tables of two what is left is
    a walkover: the opponent gets the whole match, also where it had begun, and
    between two that are withdrawn the one that stayed longer. At larger tables the
    others play on, and the default action is played for it, which ranks it
    last. In a round robin (at tables of any size) this holds if it has played
    half of its matches or more; if less, it is left out of all scores there, as
    if it had never entered. (So FIDE's General Regulations for Competitions,
    article 13.3 of the 2023 text, have it for players who leave a tournament.)
    In a Swiss it is paired no more, and every later round counts for it as lost.

    Attributes:
        entrant: its number.
        stage: the stage that is being played, from 0.
        annulled: whether it is left out of that stage's scores.
        round: in a Swiss the first round, from 0, for which it is not paired
            any more; in other formats 0, which nobody reads.
    """

    entrant: int
    stage: int
    annulled: bool
    kind: str = "withdraw"
    round: int = 0


Decision = Withdraw

_KINDS: dict[str, type[Decision]] = {"withdraw": Withdraw}


class WrongDecision(ValueError):
    """A stored text that is no decision."""


def decision_text(decision: Decision) -> str:
    """A decision as it is stored: JSON."""
    return json.dumps(decision._asdict())


def read_decision(text: str) -> Decision:
    """The decision that was stored as this text. Raises WrongDecision."""
    try:
        values = json.loads(text)
        return _KINDS[values["kind"]](**values)
    except (LookupError, TypeError, ValueError):
        raise WrongDecision(f"{text!r} is no decision that this version knows") from None
