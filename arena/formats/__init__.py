"""Pairing: the formats of a stage, as pure functions of entrants and results."""

from __future__ import annotations

from collections.abc import Sequence

from arena.formats.knockout import Knockout
from arena.formats.movement import Movement
from arena.formats.movement_seating import MovementSeatings
from arena.formats.round_robin import RoundRobin
from arena.formats.seating import CyclicSeatings, ListedSeatings, Rule, Seatings
from arena.formats.stage import Stage


def round_robin(
    number: int, entrants: Sequence[int], seats: int = 2, cycles: int = 1
) -> RoundRobin | Movement:
    """Everybody meets everybody: the circle method at two-seat tables, else a balanced movement.

    Args:
        number: the stage's number in the tournament, from 0.
        entrants: who takes part, best seed first; at least as many as seats.
        seats: the size of a table, 2 to 7.
        cycles: how many times the whole is played.

    Raises:
        ValueError: too few entrants or cycles, an entrant twice, or no such table.
    """
    return RoundRobin(number, entrants, cycles) if seats == 2 else Movement(number, entrants, seats, cycles)


def seatings(stage: Stage, boards: int, rule: Rule) -> Seatings:
    """Who sits where in the games of a stage.

    Args:
        stage: the stage; of its entrants only their number matters.
        boards: how many regular boards a match has.
        rule: how the tournament seats its tables.
    """
    if rule == "cyclic":
        return CyclicSeatings()
    if isinstance(stage, Movement) and stage.cycle_rounds > 1:
        return MovementSeatings(stage, boards)
    return ListedSeatings(boards)


FORMATS = {"round-robin": round_robin, "knockout": Knockout}
"""The formats by the name that a tournament file gives them: called with the
stage's number, the entrants in seed order and the format's own parameters."""
