"""Pairing: the formats of a stage, as pure functions of entrants and results.

To add a format, write a module with its `Format` and its `Stage`, and name it here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.formats.comparison import ComparisonFormat
from arena.formats.double_elimination import DoubleEliminationFormat
from arena.formats.format import Format
from arena.formats.gauntlet import GauntletFormat
from arena.formats.groups import GroupsFormat
from arena.formats.knockout import KnockoutFormat
from arena.formats.ladder import LadderFormat
from arena.formats.round_robin import RoundRobinFormat
from arena.formats.swiss import SwissFormat

__all__ = ["FORMATS", "Format", "format_of_then"]

FORMATS: Final[dict[str, type[Format]]] = {
    each.id: each
    for each in (
        RoundRobinFormat,
        GroupsFormat,
        SwissFormat,
        GauntletFormat,
        KnockoutFormat,
        DoubleEliminationFormat,
        LadderFormat,
        ComparisonFormat,
    )
}
"""The formats by their names in tournament files, in the order of lists."""


def format_of_then(values: Mapping[str, Any]) -> Format:
    """The format whose stored values these are. Raises LookupError or TypeError if there is none."""
    return FORMATS[values["format"]].from_values(values)
