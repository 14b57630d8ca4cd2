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


class Pause(NamedTuple):
    """No further games begin, until it goes on; those that run are played to their end."""

    kind: str = "pause"


class Go(NamedTuple):
    """It goes on after a pause."""

    kind: str = "go"


class End(NamedTuple):
    """The tournament ends here: what is left of it is not played, and what runs is void."""

    kind: str = "end"


class VoidBoard(NamedTuple):
    """A board of a match, in one game, that counts no more, and the number of the board in its place.

    Attributes:
        stage, round, match, game, board: which board, as in a GameKey.
        fresh: the number, above all others, of the board that is played instead;
            the seating is the same.
    """

    stage: int
    round: int
    match: int
    game: str
    board: int
    fresh: int


class Annul(NamedTuple):
    """Games are void and played again, on fresh boards: always a whole board, from all seats.

    Attributes:
        boards: the boards; after them, where others were paired by how they
            came out, all boards of these.
    """

    boards: tuple[VoidBoard, ...]
    kind: str = "annul"


class Extend(NamedTuple):
    """A stage has more cycles, or its matches have more boards, than were planned.

    Attributes:
        stage: the stage that is being played, from 0.
        cycles: how many more cycles.
        boards: how many more boards each match has for each game.
        round: from which round on, from 0: the one that is being played where
            who meets whom depends on how the earlier ones came out, else 0.
    """

    stage: int
    cycles: int
    kind: str = "extend"
    boards: int = 0
    round: int = 0


class Admit(NamedTuple):
    """An entrant comes late, when the first stage is being played.

    From then on it counts as an entrant as all others; into later stages it
    comes only by how it comes out. Each format says what it plays of the stage
    (`Format.late_from`, `Format.changed`).

    Attributes:
        entrant: its number: the next one.
        name: its name, unique in the tournament.
        how: `bot` for a folder, `address` for a bot that runs, `join` for one that dials in.
        source: the folder, or the address; empty for a bot that dials in.
        version, author: of the bot, may be empty.
        since: from which cycle of the stage on it takes part or, in a format
            without them, from which round, from 0.
    """

    entrant: int
    name: str
    how: str
    source: str
    version: str
    author: str
    since: int
    kind: str = "admit"


class Contain(NamedTuple):
    """How the bots are contained that the referee starts, from here on.

    Attributes:
        levels: of each entrant, in their order, the level; empty for a bot that runs elsewhere.
        lacking: what the machine did not have of these levels, for people.
    """

    levels: tuple[str, ...]
    kind: str = "contain"
    lacking: tuple[str, ...] = ()


class Contribute(NamedTuple):
    """What the bots have put into the deals, before the first game (see `arena.table.deal`).

    Attributes:
        pledges: of each entrant that was there at the beginning, in their order,
            its pledge in hexadecimal; empty for one that pledged nothing.
        contributions: the bytes themselves, likewise; empty also where they did not come.
    """

    pledges: tuple[str, ...]
    contributions: tuple[str, ...]
    kind: str = "contribute"

    @property
    def pledged(self) -> dict[int, bytes]:
        """The pledges by the numbers of their entrants."""
        return _present(self.pledges)

    @property
    def given(self) -> dict[int, bytes]:
        """The bytes by the numbers of their entrants."""
        return _present(self.contributions)


def _present(values: tuple[str, ...]) -> dict[int, bytes]:
    return {number: bytes.fromhex(value) for number, value in enumerate(values) if value}


Decision = Withdraw | Pause | Go | End | Annul | Extend | Admit | Contain | Contribute

_KINDS: dict[str, type[Decision]] = {
    "withdraw": Withdraw, "pause": Pause, "go": Go, "end": End, "annul": Annul, "extend": Extend,
    "admit": Admit, "contain": Contain, "contribute": Contribute,
}  # fmt: skip


class WrongDecision(ValueError):
    """A stored text that is no decision."""


def decision_text(decision: Decision) -> str:
    """A decision as it is stored: JSON."""
    values = decision._asdict()
    if values.get("lacking") == ():
        del values["lacking"]  # as the releases write it that do not know of it
    return json.dumps(values)


def read_decision(text: str) -> Decision:
    """The decision that was stored as this text. Raises WrongDecision."""
    try:
        values = json.loads(text)
        values.pop("request", None)  # of which the store knows (`League.has_decided`)
        if values["kind"] == "annul":
            values["boards"] = tuple(VoidBoard(*board) for board in values["boards"])
        if values["kind"] == "contain":
            values["levels"] = tuple(map(str, values["levels"]))
            values["lacking"] = tuple(map(str, values.get("lacking", ())))
        if values["kind"] == "contribute":
            for name in ("pledges", "contributions"):
                values[name] = tuple(bytes.fromhex(value).hex() for value in values[name])
        return _KINDS[values["kind"]](**values)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise WrongDecision(f"{text[:200]!r} is no decision that this version knows") from None
