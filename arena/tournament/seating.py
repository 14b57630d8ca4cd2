"""A game that is to be played, and a game that was played."""

from __future__ import annotations

import dataclasses
from typing import Any

from arena.games.game import Seat
from arena.table.record import Record
from arena.table.table import TableRules
from arena.tournament.instances import instance_number


@dataclasses.dataclass(frozen=True, slots=True)
class Seating:
    """A game to be played, and the bots at its seats.

    Attributes:
        key: the caller's identification of the game.
        rules: what is played.
        board_key: the 32-byte key of the board.
        players: the number of the bot at each seat, all different.
        names: the names that the bots are told, by seat; empty to hide them.
        instances: which instance of the bot plays at each seat, from 0; empty if all have one instance.
    """

    key: Any
    rules: TableRules
    board_key: bytes
    players: tuple[int, ...]
    names: tuple[str, ...] = ()
    instances: tuple[int, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The number of the instance at each seat."""
        if not self.instances:
            return self.players
        return tuple(map(instance_number, self.players, self.instances))


@dataclasses.dataclass(frozen=True, slots=True)
class Played:
    """A finished game: its record, the time of each action, and the turns asked of each seat.

    `thoughts` is what bots thought: the seat, the turn, and an encoded Thought.
    """

    seating: Seating
    record: Record
    times: tuple[int, ...]
    seat_times: tuple[int, ...]
    decisions: tuple[int, ...]
    thoughts: tuple[tuple[Seat, int, bytes], ...] = ()
