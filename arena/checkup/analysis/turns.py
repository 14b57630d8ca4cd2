"""The turns of one seat in a recorded game, each with the positions that the seat had to reckon with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from arena.games.game import Action, Event, Observation, Seat, State
from arena.sampling import Draw, new_sampler
from arena.table.record import BrokenRecord, Record, asked_until, first_position, replay

NO_CHOICE = "unknown_turn"
"""The fault of an answer to a turn that was not asked: no action was played for it."""


class Turn(NamedTuple):
    """A turn at which a seat had a choice.

    Attributes:
        ply: the number of actions before it, of all seats and forced ones too.
        number: the number of the turn at its seat, from 1, as the bot was told it.
        seat: the seat.
        actions: the legal actions, at least two.
        chosen: the index of the action that was played.
        fault: why the default action was played for the seat (`arena.results.FAULT_REASONS`); empty if its
            bot chose.
        draw: draws a position that fits all that the seat was told.
        view: all events that the seat was told so far, what it sees, and the legal actions.
        told: a digest, 32 bytes, of all that the seat was told.
    """

    ply: int
    number: int
    seat: Seat
    actions: Sequence[Action]
    chosen: int
    fault: str
    draw: Draw
    view: tuple[tuple[Event, ...], Observation, Sequence[Action]]
    told: bytes


class Setup(NamedTuple):
    """What is played at a table.

    Attributes:
        game: the game's id.
        options: its options.
        seats: the number of seats.
        starter: the seat that starts the first deal.
    """

    game: str
    options: Any
    seats: int
    starter: Seat


class Told:
    """All that a seat was told so far.

    Args:
        setup: what is played.
        seat: the seat.

    Raises MissingPart if the game has no sampler.
    """

    def __init__(self, setup: Setup, seat: Seat) -> None:
        self._seat = seat
        self._sampler = new_sampler(setup.game, setup.options, setup.seats, seat, setup.starter)
        begun = setup.game, setup.options, setup.seats, seat, setup.starter
        self._digest = hashlib.sha256(repr(begun).encode())
        self._events: list[Event] = []

    def tell(self, event: Event) -> None:
        """The seat is told of an event."""
        self._events.append(event)
        self._sampler.tell(event)
        self._digest.update(repr(event).encode())

    def turn(
        self, ply: int, number: int, seen: Observation, actions: Sequence[Action], chosen: int, fault: str
    ) -> Turn:
        """The turn at which the seat sees `seen`; the other arguments are attributes of the turn."""
        digest = hashlib.sha256(self._digest.digest() + repr(seen).encode()).digest()
        view = tuple(self._events), seen, actions
        draw = self._sampler.draws(seen)
        return Turn(ply, number, self._seat, actions, chosen, fault, draw, view, digest)


def setup_of(record: Record) -> Setup:
    """What was played in a recorded game."""
    return Setup(record.game, record.options, record.seats, record.starter)


def turns_of(record: Record, seat: Seat, state: State | None = None) -> Iterator[Turn]:
    """The turns of a seat, in order; a turn's `draw` is valid until the next turn is asked for.

    Turns after forfeits that it was not asked any more are left out. Nothing depends on a card that the seat
    was not told, but for the actions in the record.

    Args:
        record: the game.
        seat: the seat.
        state: the first position, if it is not that of the record's board; it is played on.

    Raises BrokenRecord as `replay` does, and MissingPart if the game has no sampler.
    """
    state = first_position(record) if state is None else state
    told = Told(setup_of(record), seat)
    charged = [(number, fault) for who, number, fault in record.faults if who == seat]
    missed = {fault.turn: fault.reason for _, fault in charged if fault.reason != NO_CHOICE}
    for happening in state.opening:
        told.tell(happening.told_to(seat))
    steps = replay(record, state)
    number = 0
    for ply, index in enumerate(record.actions[: asked_until(record, seat)]):
        if seat == next(iter(state.to_act), None):
            actions = state.legal_actions(seat)
            if len(actions) > 1:
                if index >= len(actions):
                    raise BrokenRecord(f"action {ply + 1} is choice {index} of {len(actions)}")
                number += 1
                seen = state.observation(seat)
                yield told.turn(ply, number, seen, actions, index, missed.get(number, ""))
        for happening in next(steps).happenings:
            told.tell(happening.told_to(seat))
