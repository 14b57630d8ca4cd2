"""A friendly game of a person with bots."""

from __future__ import annotations

from typing import NamedTuple

from arena.league.entrants import Entrant
from arena.table.deal import board_key
from arena.table.table import TableRules
from arena.tournament.seating import Seating


class Friendly(NamedTuple):
    """A friendly game.

    Attributes:
        rules: the game, with the person's own clock.
        bots: the bots, in the order of their seats.
        seat: where the person sits.
    """

    rules: TableRules
    bots: tuple[Entrant, ...]
    seat: int

    def with_person(self, person: Entrant) -> list[Entrant]:
        """The players, by seat."""
        return [*self.bots[: self.seat], person, *self.bots[self.seat :]]

    def seating(self, key: object, deal_key: bytes, board: str = "friendly") -> Seating:
        """The game with a player at each seat; `board` names its deal."""
        game, seats = self.rules.game.id, self.rules.seats
        return Seating(key, self.rules, board_key(deal_key, game, board), tuple(range(seats)))
