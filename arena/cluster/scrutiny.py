"""Whether a game can have been played as a worker tells it. Pure.

Its record is played again by the rules, and next to each action there has to be
what a table tells of it: a time that its clock allows, or a fault and the
default action. What a bot chose, and what it did wrong, the worker alone knows;
but a seal shows whether it is still as it was when the game was over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from arena.cluster.parcels import Told
from arena.link.streams.bot_fault import BotFault
from arena.link.wire.records import decode_record, encode_record
from arena.runner.rooms.room import Played, Seating
from arena.table.clock import Clock
from arena.table.record import Fault, Record, first_position, replay
from arena.table.table import DEFAULT_ACTION, TableRules, with_forfeits

_STRAY = "unknown_turn"  # the fault that ends no turn


class Untrue(Exception):
    """What came from a worker cannot be true; the text says what, as a sentence goes on after `for`."""


def require(fits: bool, what: str) -> None:
    """Raises Untrue where something does not fit."""
    if not fits:
        raise Untrue(what)


def counts(value: object) -> bool:
    """Whether this is a whole number that is not negative, and that a league can hold."""
    return type(value) is int and 0 <= value < 1 << 63


def require_fault(reason: str, message: str) -> None:
    """Raises where a bot cannot be charged so."""
    BotFault(reason, message)


def sealed(position: int, played: Played) -> Told:
    """A game that was played at a worker, as the worker tells it; `position` is that in the batch."""
    parts = played.times, played.seat_times, played.decisions
    return Told(position, played.record, *parts, _seal(played.record, parts))


def _seal(record: Record, times: tuple[tuple[int, ...], ...]) -> bytes:
    return hashlib.sha256(encode_record(record) + repr(times).encode()).digest()


def game_told(told: Told, seating: Seating, limit: float) -> Told:
    """What a worker tells of a game that it was given, in the form in which it can be stored.

    Args:
        told: what it tells; nothing of it is believed, not even the types.
        seating: the game that it was given.
        limit: how long it says that it played, in seconds.

    Raises Untrue where the game cannot have been played so, and whatever
    errors where what is told is not even a game.
    """
    record = decode_record(encode_record(told.record))  # its parts are of the right types then
    parts = told.times, told.seat_times, told.decisions
    require(told.seal == _seal(record, parts), "what it tells of a game is not what it was")
    rules = seating.rules
    asked = rules.game.id, rules.options, rules.seats, rules.starter, seating.board_key
    there = record.game, record.options, record.seats, record.starter, record.board_key
    require(there == asked, "it tells of another game than it was given")
    require(
        tuple(map(len, parts)) == (len(record.actions), record.seats, record.seats), "it tells half a game"
    )
    require(all(map(counts, (*told.times, *told.seat_times, *told.decisions))), "its times are no times")
    _require_faults(record, rules)
    seats = [_Seat(rules, seat, record) for seat in range(record.seats)]
    state = first_position(record)
    for seat in state.to_act:
        seats[seat].come_due(0)
    for position, step in enumerate(replay(record, state)):
        seats[step.seat].act(record.actions[position], step.choices, told.times[position])
        for seat in state.to_act:
            seats[seat].come_due(position + 1)
    outcome = state.outcome
    require(outcome is not None, "it tells of a game that is not over")
    assert outcome is not None
    outcome = outcome._replace(places=with_forfeits(outcome.places, record.forfeits))
    require(outcome == record.outcome, "it tells of an outcome that is not the game's")
    for each, time, decisions in zip(seats, told.seat_times, told.decisions, strict=True):
        each.end(time, decisions)
        require(time <= limit * 1e9, "it tells of games that took longer than all of them")
    return told._replace(record=record)


def _require_faults(record: Record, rules: TableRules) -> None:
    """Raises Untrue where no table charges so; each fault's turn is for its seat to look at."""
    steps = [step for _, step, _ in record.faults]
    fits = steps == sorted(steps) and all(step < len(record.actions) for step in steps)
    charged = [0] * record.seats
    for seat, _, fault in record.faults:
        require_fault(fault.reason, fault.message)
        charged[seat] += 1
    forfeits = tuple(seat for seat, faults in enumerate(charged) if faults == rules.max_faults)
    fits = fits and record.forfeits == forfeits and max(charged) <= rules.max_faults
    require(fits, "it tells of faults that no table charges")


class _Seat:
    """What is told of one seat, action by action."""

    def __init__(self, rules: TableRules, seat: int, record: Record) -> None:
        faults = [(step, fault) for charged, step, fault in record.faults if charged == seat]
        self._clock = Clock(rules.clock_of(seat))
        self._missed = _turns_missed(faults)
        self._last: tuple[int, Fault] | None = faults[-1] if seat in record.forfeits else None
        self._turns = 0  # that it was asked
        self._perhaps = 0  # turns of which it cannot be told whether they were asked
        self._over = False  # it is asked no more
        self._least = self._most = 0  # nanoseconds that its decisions took
        self._due: int | None = None  # how many actions there were when it came to act

    def come_due(self, position: int) -> None:
        """It is to act after so many actions, if it was not already."""
        if self._due is None:
            self._due = position

    def act(self, index: int, choices: int, elapsed: int) -> None:
        """The next action is the seat's. Raises Untrue."""
        if choices == 1 or self._over:
            require(index == DEFAULT_ACTION and not elapsed, _NOT_ASKED)
        elif self._turns + 1 in self._missed:
            self._miss(index, elapsed)
        elif self._last is not None and self._due is not None and self._due >= self._last[0]:
            self._stray(index, elapsed)
        else:
            self._answer(elapsed)
        self._due = None

    def end(self, time: int, decisions: int) -> None:
        """The game is over, and took the seat so long for so many decisions. Raises Untrue."""
        require(all(0 < turn <= self._turns for turn in self._missed), _OTHER_TURNS)
        require(self._least <= time <= self._most, "it tells of times that do not add up")
        most = self._turns + self._perhaps
        require(self._turns <= decisions <= most, "it tells of decisions that nobody was asked for")

    def _answer(self, elapsed: int) -> None:
        """It was asked, and answered in time."""
        require(self._clock.charge(elapsed), "it tells of a time that is too long, and of no fault")
        self._turns += 1
        self._least += elapsed
        self._most += elapsed

    def _miss(self, index: int, elapsed: int) -> None:
        """It was asked, and its turn ended by a fault."""
        self._turns += 1
        require(index == DEFAULT_ACTION and self._missed[self._turns] == self._due, _OTHER_TURNS)
        self._clock.charge(elapsed)
        self._most += elapsed  # or less, where the clock was not its own any more
        if self._last is not None:
            fault = self._last[1]
            self._over = fault.reason != _STRAY and fault.turn == self._turns

    def _stray(self, index: int, elapsed: int) -> None:
        """It forfeited by an answer that nobody waited for, perhaps while it was asked."""
        self._over = True
        if index != DEFAULT_ACTION or elapsed:  # chosen before
            self._answer(elapsed)
        else:
            self._perhaps += 1


_NOT_ASKED = "it tells of a choice where there was none"
_OTHER_TURNS = "it tells of faults in other turns than there were"


def _turns_missed(faults: Sequence[tuple[int, Fault]]) -> dict[int, int]:
    """The turns that ended by a fault, each with the number of actions before it. Raises Untrue."""
    missed = {fault.turn: step for step, fault in faults if fault.reason != _STRAY}
    strays = sum(fault.reason == _STRAY for _, fault in faults)
    require(len(missed) + strays == len(faults), _OTHER_TURNS)
    return missed
