"""The turns of one seat in a recorded game, each with the positions that the seat had to reckon with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.games.game import Action, Event, Observation, Seat, State
from arena.sampling import Draw, new_sampler
from arena.table.record import BrokenRecord, Record, asked_until, first_position, replay

_NO_CHOICE = "unknown_turn"
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
    sampler = new_sampler(record.game, record.options, record.seats, seat, record.starter)
    told = hashlib.sha256(repr((record.game, record.options, record.seats, seat, record.starter)).encode())
    events: list[Event] = []
    charged = [(number, fault) for who, number, fault in record.faults if who == seat]
    missed = {fault.turn: fault.reason for _, fault in charged if fault.reason != _NO_CHOICE}

    def tell(event: Event) -> None:
        events.append(event)
        sampler.tell(event)
        told.update(repr(event).encode())

    for happening in state.opening:
        tell(happening.told_to(seat))
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
                digest = hashlib.sha256(told.digest() + repr(seen).encode()).digest()
                fault = missed.get(number, "")
                view = tuple(events), seen, actions
                yield Turn(ply, number, seat, actions, index, fault, sampler.draws(seen), view, digest)
        for happening in next(steps).happenings:
            tell(happening.told_to(seat))
