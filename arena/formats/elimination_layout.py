"""How an elimination is laid out: which places meet in which round, whoever they turn out to be."""

from __future__ import annotations

from typing import NamedTuple


class From(NamedTuple):
    """Who came `place`-th (from 0) at `table` of `round`."""

    round: int
    table: int
    place: int


Source = int | From
"""Where an entrant comes from: the seeds, of which this is one (from 0), or an earlier table."""


class TablePlan(NamedTuple):
    """A table.

    Attributes:
        label: what people call its match.
        sources: where its entrants come from, better position first.
        qualify: how many of them go on.
        prize: which place in the stage, from 1, the first of it takes; None where it only leads on.
    """

    label: str
    sources: tuple[Source, ...]
    qualify: int = 1
    prize: int | None = None


class RoundLayout(NamedTuple):
    """A round: its tables, and who goes on without a match."""

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
        drawn: how a bracket shows them; what a table needs stands before it.
        third_place: the table of the match for the third place, if there is one; not in `drawn`.
    """

    rounds: tuple[RoundLayout, ...]
    drawn: tuple[DrawnRound, ...]
    third_place: TableAt | None = None
