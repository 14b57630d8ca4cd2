"""What the players of the five games have in common, and the one formula that most of them need."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from math import comb
from typing import Any

from arena.bot import Action, TableInfo


class Player(abc.ABC):
    """Plays one deal of one game at one table."""

    def __init__(self, table: TableInfo) -> None:
        self.table = table

    def told(self, event: Any) -> None:  # noqa: B027 - most players need nothing but what lies on the table
        """Remembers what happened; called for every event of the deal, in order."""

    @abc.abstractmethod
    def choose(self, seen: Any, actions: Sequence[Any]) -> Action:
        """Chooses one of the legal actions, from what is seen and what is remembered."""


def chance_of_none(wanted: int, unseen: int, drawn: int) -> float:
    """The chance that of `drawn` unseen cards none is among the `wanted` ones."""
    drawn = min(drawn, unseen)
    return comb(unseen - wanted, drawn) / comb(unseen, drawn)
