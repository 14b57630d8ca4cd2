"""The record of a finished game, and how it is played again.

A record holds indices into the lists of legal actions; the order of these
lists is part of each game's rules, so a record stays replayable.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from arena.games import GAMES
from arena.games.game import Action, Happening, Outcome, Seat, State
from arena.table.deal import KeyedBoard


class Fault(NamedTuple):
    """Something a bot did against the protocol.

    Attributes:
        reason: one of `arena.results.FAULT_REASONS`.
        message: what was wrong, for people.
        turn: the number of the turn in question, 0 if there is none.
    """

    reason: str
    message: str
    turn: int


class Record(NamedTuple):
    """All that is needed to play a finished game again.

    Attributes:
        game: the game's id.
        options: the game's options.
        seats: the number of seats.
        starter: the seat that started.
        board_key: the 32-byte key of the board.
        actions: every action, oldest first, as an index into the legal actions
            of the first seat that was to act; forced ones included.
        faults: (seat, actions played before it, fault), oldest first.
        outcome: how it ended, with forfeits ranked last.
        forfeits: the seats that forfeited.
        seating: for each seat, which of the entrants of its match sat there;
            empty for the cyclic seating, and if there was no match.
    """

    game: str
    options: Any
    seats: int
    starter: Seat
    board_key: bytes
    actions: tuple[int, ...]
    faults: tuple[tuple[Seat, int, Fault], ...]
    outcome: Outcome
    forfeits: tuple[Seat, ...]
    seating: tuple[int, ...] = ()


class Step(NamedTuple):
    """One action of a replayed game: who chose what, what happened, and the position after it."""

    seat: Seat
    action: Action
    choices: int
    happenings: tuple[Happening, ...]
    state: State


class BrokenRecord(ValueError):
    """A record that the rules do not allow; the text says at which action."""


def first_position(record: Record) -> State:
    """The position before the first action. Raises BrokenRecord for a game that cannot be set up."""
    game = GAMES[record.game]
    try:
        board = KeyedBoard(record.board_key, game.deck(record.options))
        return game.new(board, record.seats, record.options, record.starter)
    except ValueError as error:
        raise BrokenRecord(f"the game cannot be set up: {error}") from error


def replay(record: Record, state: State) -> Iterator[Step]:
    """Plays a record action by action from `state`, its first position, which is played on.

    Raises BrokenRecord at an action that the rules do not allow.
    """
    for number, index in enumerate(record.actions):
        if not state.to_act:
            raise BrokenRecord(f"the game is over before action {number + 1} of {len(record.actions)}")
        seat = state.to_act[0]
        actions = state.legal_actions(seat)
        if index >= len(actions):
            raise BrokenRecord(
                f"action {number + 1} is choice {index}, but seat {seat} has {len(actions)} choices"
            )
        action = actions[index]
        yield Step(seat, action, len(actions), tuple(state.apply(seat, action)), state)
