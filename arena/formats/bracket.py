"""Values for eliminations: the layout (which places meet), and the bracket as people see it."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from arena.results import MatchKey


class From(NamedTuple):
    """The entrant that came `place`-th (from 0) at `table` of `round`."""

    round: int
    table: int
    place: int


Source = int | From
"""The origin of an entrant: a seed number (from 0), or a place at an earlier table."""


class TablePlan(NamedTuple):
    """A table.

    Attributes:
        label: the name of its match for people.
        sources: the origins of its entrants, the better position first.
        qualify: how many of its entrants go on.
        prize: the place in the stage, from 1, of its first; None if the table only leads on.
    """

    label: str
    sources: tuple[Source, ...]
    qualify: int = 1
    prize: int | None = None


class RoundLayout(NamedTuple):
    """A round: its tables, and the sources of its byes."""

    label: str
    tables: tuple[TablePlan, ...]
    byes: tuple[Source, ...] = ()


class TableAt(NamedTuple):
    """A table of the layout, by number."""

    round: int
    table: int


class DrawnRound(NamedTuple):
    """Tables, and the sources of byes, that stand together in a bracket, from top to bottom."""

    label: str
    items: tuple[TableAt | Source, ...]


class Layout(NamedTuple):
    """A whole stage.

    Attributes:
        rounds: its rounds, in playing order.
        drawn: the rounds as a bracket shows them; a table stands after its sources.
        third_place: the table of the match for the third place, if there is one; not in `drawn`.
    """

    rounds: tuple[RoundLayout, ...]
    drawn: tuple[DrawnRound, ...]
    third_place: TableAt | None = None


class Origin(NamedTuple):
    """The origin of a slot's entrant, which came `place`-th (1 is best) in `match` of `round`.

    Both are indices into `Bracket.rounds` and the round's `matches`; a bye is
    a match of one slot, and its entrant comes 1st.
    """

    round: int
    match: int
    place: int


class Slot(NamedTuple):
    """One entrant's part of a match.

    Attributes:
        entrant: the entrant; None while it is not decided.
        seed: the entrant's seed number in the stage, from 1; None with the entrant.
        origin: the match from which the entrant comes; None in the first round.
        score: the mean score in the match, 0 to 1; None before it is over.
        extra: the mean scores on the extra boards, oldest first.
        place: the place in the match, 1 is best, as it was decided (by score,
            extra boards, seed); None before it is over.
        goes_on: whether the place leads on: to the next round, or to the title
            in the final; None before the match is over.
    """

    entrant: int | None
    seed: int | None
    origin: Origin | None
    score: Fraction | None = None
    extra: tuple[Fraction, ...] = ()
    place: int | None = None
    goes_on: bool | None = None


class BracketMatch(NamedTuple):
    """A match of a bracket, played or not, or a bye.

    Attributes:
        key: the match's key; None for a bye.
        label: `quarter-final 2`; `bye` for a bye.
        slots: the entrants, better position first; one for a bye.
        walkover: whether a withdrawal decided it; then the slots have no score on an extra board that was won
            without play.
    """

    key: MatchKey | None
    label: str
    slots: tuple[Slot, ...]
    walkover: bool = False


class BracketRound(NamedTuple):
    """A round of a bracket.

    Attributes:
        label: `round of 16`, `quarter-finals`, `semi-finals`, `final`.
        matches: the matches and byes from top to bottom of a drawing: with
            one winner a match, neighbours feed the same match of the next round.
    """

    label: str
    matches: tuple[BracketMatch, ...]


class Bracket(NamedTuple):
    """An elimination.

    Attributes:
        rounds: from the first round to the final; in a double elimination those of the winners' bracket,
            then those of the losers' bracket, then the grand final.
        third_place: the match for the third place; None if there is none.
        winner: the winner; None before the final is over.
    """

    rounds: tuple[BracketRound, ...]
    third_place: BracketMatch | None
    winner: int | None
