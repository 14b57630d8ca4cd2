"""The record of a finished game, and its replay.

A record holds indices into the lists of legal actions. The order of these lists is
part of each game's rules, so a record can always be replayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from arena.games import GAMES
from arena.games.game import Action, Event, Happening, Outcome, Seat, State
from arena.table.deal import KeyedBoard


class Fault(NamedTuple):
    """Something a bot did against the protocol.

    Attributes:
        reason: one of `arena.results.FAULT_REASONS`.
        message: the fault in words, for people.
        turn: the number of the turn, 0 for no turn.
    """

    reason: str
    message: str
    turn: int


class Record(NamedTuple):
    """All that is needed to replay a finished game.

    Attributes:
        game: the game's id.
        options: the game's options.
        seats: the number of seats.
        starter: the seat that started.
        board_key: the 32-byte key of the board.
        actions: every action, oldest first, as an index into the legal actions
            of the first seat that had to act; forced ones included.
        faults: (seat, actions played before it, fault), oldest first.
        outcome: its outcome, with forfeits ranked last.
        forfeits: the seats that forfeited.
        seating: for each seat, the position of its entrant in the match; empty
            for the cyclic seating, and if there was no match.
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


class Thought(NamedTuple):
    """What a bot said that it thought when it chose. No result depends on it, and no opponent is told it.

    Attributes:
        estimate: the score that it expected of the game, from 0 to 1; None if it gave none.
        values: what it thought that actions are worth, by their indices, in its own unit; more is better.
        text: a remark on one line; may be empty.
    """

    estimate: float | None
    values: Mapping[int, float]
    text: str


def asked_until(record: Record, seat: Seat) -> int:
    """The number of actions before which the seat was asked; behind them it had no choice.

    A seat that has forfeited is not asked any more, and nobody is once all seats but one have forfeited. Then
    the first legal action is played to the end. (Earlier versions went on asking the last seat, so that it
    chose other actions too.)
    """
    last = {who: (number, fault) for who, number, fault in record.faults if who in record.forfeits}
    if seat in last:
        number, fault = last[seat]
        return number + (fault.turn > 0 or fault.reason == "unknown_turn")  # the turn that it ended counts
    if seat not in record.forfeits and 0 < len(last) == record.seats - 1:
        decided = max(number for number, _ in last.values())
        return decided if not any(record.actions[decided:]) else len(record.actions)
    return len(record.actions)


class Step(NamedTuple):
    """One action of a replayed game, with its seat, its happenings and the position after it."""

    seat: Seat
    action: Action
    choices: int
    happenings: tuple[Happening, ...]
    state: State

    @property
    def events(self) -> tuple[Event, ...]:
        """The events, as everybody together was told them."""
        return tuple(each.full for each in self.happenings)


class BrokenRecord(ValueError):
    """The record breaks the rules; the text says at which action."""


def first_position(record: Record) -> State:
    """The position before the first action. Raises BrokenRecord if the game cannot be set up."""
    game = GAMES[record.game]
    try:
        board = KeyedBoard(record.board_key, game.deck(record.options))
        return game.new(board, record.seats, record.options, record.starter)
    except ValueError as error:
        raise BrokenRecord(f"the game cannot be set up: {error}") from error


def replay(record: Record, state: State) -> Iterator[Step]:
    """Replays a record action by action; changes `state`, its first position.

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
