"""A table: one running game between seats, as a state machine without I/O.

The table asks for turns (`Ask`), gets answers or faults with their durations, and
in the end has a `Record`. It knows no bots, no ticking clocks and no network: its
caller passes the asks to bots, and their answers to the table.

    table = Table(...)
    for ask in table.asks(): ...        # hand out
    table.answer(seat, turn, index, elapsed)   # or table.fault(...)
    for ask in table.asks(): ...        # what this made possible
    table.over, table.record()

A seat's turn goes through these states:

    not asked --asks()--> asked --answer()--> chosen
                          asked --fault()---> chosen (the default action)
    forced (one legal action), or not to be asked any more: chosen at once, never asked

A seat that has forfeited is not asked any more, and nobody is once all seats but one have forfeited.

When every seat that is to act has chosen, the choices are applied in seat order.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

from arena.games.game import Game, Outcome, Seat
from arena.table.clock import Clock, TimeControl
from arena.table.deal import KeyedBoard
from arena.table.position import Position, V_co, ValuePosition, View
from arena.table.record import Fault, Record

V = TypeVar("V")

DEFAULT_ACTION = 0
"""The index of the default action: the first legal one, for a seat that does not choose."""


@dataclasses.dataclass(frozen=True, slots=True)
class TableRules:
    """The rules of a table.

    Attributes:
        game: the rules.
        options: the game's options, from `Game.parse_options`.
        seats: the number of seats.
        time_control: the clock of each seat that has none of its own.
        max_faults: with so many faults a seat forfeits the game, at least 1.
        starter: the seat that starts.
        own_clocks: the clocks of single seats.
    """

    game: Game
    options: Any
    seats: int
    time_control: TimeControl
    max_faults: int
    starter: Seat = 0
    own_clocks: Mapping[Seat, TimeControl] = dataclasses.field(default_factory=dict)

    def clock_of(self, seat: Seat) -> TimeControl:
        """The clock of a seat."""
        return self.own_clocks.get(seat, self.time_control)


@dataclasses.dataclass(slots=True)  # twice as fast as a named tuple
class Ask(Generic[V_co]):
    """A turn for the bot of a seat.

    Attributes:
        seat: the seat.
        turn: the number of the turn at this seat, from 1.
        view: what the seat is told, with at least two legal actions: a `View`, or what another
            `Position` gives.
        time_left: how long the answer may take, in nanoseconds.
    """

    seat: Seat
    turn: int
    view: V_co
    time_left: int


class Answered(enum.Enum):
    """The result of an answer."""

    TAKEN = enum.auto()
    LATE = enum.auto()  # its turn is already over
    FAULT = enum.auto()


class _Seat:
    """The state of one seat."""

    __slots__ = ("asked", "clock", "faults", "forfeit", "missed", "turn")

    def __init__(self, control: TimeControl) -> None:
        self.clock = Clock(control)
        self.turn = 0  # the number of the last turn asked
        self.asked: int | None = None  # how many legal actions the waiting turn has
        self.missed: set[int] = set()  # turns whose answer did not come in time
        self.faults: list[Fault] = []
        self.forfeit = False


class Table(Generic[V]):
    """One running game.

    Args:
        rules: the rules of the table.
        board_key: the 32-byte key of the board.
        position: the first position of this game; a `ValuePosition` if it is not given.

    Attributes:
        over: whether the game has ended.
    """

    __slots__ = (
        "_actions",
        "_board_key",
        "_chosen",
        "_decided",
        "_faults",
        "_new_asks",
        "_position",
        "_rules",
        "_seats",
        "_times",
        "over",
    )

    @overload
    def __init__(self: Table[View], rules: TableRules, board_key: bytes) -> None: ...
    @overload
    def __init__(self, rules: TableRules, board_key: bytes, position: Position[V]) -> None: ...

    def __init__(self, rules: TableRules, board_key: bytes, position: Any = None) -> None:
        self._rules = rules
        self._board_key = board_key
        if position is None:
            position = value_position(rules, board_key)
        self._position: Position[V] = position
        self._seats = [_Seat(rules.clock_of(seat)) for seat in range(rules.seats)]
        self._actions: list[int] = []
        self._times: list[int] = []
        self._faults: list[tuple[Seat, int, Fault]] = []
        self._chosen: dict[Seat, tuple[int, int]] = {}  # seat -> index of the action, elapsed
        self._new_asks: list[Ask[V]] = []
        self._decided = False  # whether all seats but one have forfeited
        self.over = False
        self._advance()

    def asks(self) -> list[Ask[V]]:
        """The turns that became due since the last call, without those that have ended meanwhile."""
        asks, self._new_asks = self._new_asks, []
        return asks

    def waits_for(self, seat: Seat, turn: int) -> bool:
        """Whether this turn was asked and is still open."""
        player = self._seats[seat]
        return player.asked is not None and player.turn == turn

    def time_left(self, seat: Seat) -> int:
        """The time the seat's turn may take, in nanoseconds."""
        return self._seats[seat].clock.time_left

    def answer(self, seat: Seat, turn: int, index: int, elapsed: int) -> Answered:
        """Takes an answer: the action with this index, `elapsed` nanoseconds after the turn was asked.

        An index out of range, or a turn that was not asked, is a fault. A late
        answer is a timeout, unless the turn has already ended by one.
        """
        player = self._seats[seat]
        if self.over or player.forfeit or turn in player.missed:
            return Answered.LATE
        if player.asked is None or turn != player.turn:
            self._charge(seat, Fault("unknown_turn", f"turn {turn} was not waiting for an answer", turn))
            return Answered.FAULT
        if not player.clock.charge(elapsed):
            self._miss(seat, Fault("timeout", _late_text(elapsed), turn), elapsed)
            return Answered.FAULT
        if not 0 <= index < player.asked:
            text = f"action {index} chosen of {player.asked} legal actions, 0 to {player.asked - 1}"
            self._miss(seat, Fault("illegal_action", text, turn), elapsed)
            return Answered.FAULT
        self._choose(seat, index, elapsed)
        return Answered.TAKEN

    def fault(self, seat: Seat, reason: str, message: str, elapsed: int) -> None:
        """Ends the seat's open turn with a fault, and plays the default action for it.

        Args:
            reason: one of `arena.results.FAULT_REASONS`.
            message: the fault in words, for people.
            elapsed: how long the turn took, in nanoseconds.

        Raises RuntimeError if the seat was not asked.
        """
        player = self._seats[seat]
        if player.asked is None:
            raise RuntimeError(f"seat {seat} has no turn that could fail")
        player.clock.charge(elapsed)
        self._miss(seat, Fault(reason, message, player.turn), elapsed)

    def stray(self, seat: Seat, message: str) -> None:
        """Charges a fault for an answer of the seat's bot that belongs to no known table.

        The fault may forfeit the game, which also ends the seat's open turn. A seat
        that has forfeited is charged no more.
        """
        if not self.over and not self._seats[seat].forfeit:
            self._charge(seat, Fault("unknown_turn", message, 0))

    def forfeit(self, seat: Seat, reason: str, message: str) -> None:
        """Charges so many faults that the seat forfeits the game, unless it has or the game is over.

        Args:
            seat: the seat.
            reason, message: see `fault`.
        """
        while not self.over and not self._seats[seat].forfeit:
            self._charge(seat, Fault(reason, message, 0))

    def retell(self, seat: Seat) -> None:
        """Lets the seat's next turn repeat all events, for a bot that is new at the table."""
        self._position.retell(seat)

    def closing_view(self, seat: Seat) -> V:
        """The last events for a seat and the final position as it may see it, once the game is over."""
        return self._position.view(seat)

    def faults_of(self, seat: Seat) -> list[Fault]:
        """The faults charged to a seat so far, oldest first."""
        return self._seats[seat].faults

    def turns_of(self, seat: Seat) -> int:
        """How many turns the seat was asked so far."""
        return self._seats[seat].turn

    def played_since(self, first: int) -> tuple[int, ...]:
        """The actions so far, as in a record, without the first `first` ones."""
        return tuple(self._actions[first:])

    def record(self) -> Record:
        """The record of the game, once it is over."""
        if self._position.outcome is None:
            raise RuntimeError("a game has no record before it is over")
        outcome = Outcome(*self._position.outcome)
        forfeits = tuple(seat for seat, player in enumerate(self._seats) if player.forfeit)
        return Record(
            game=self._rules.game.id,
            options=self._rules.options,
            seats=self._rules.seats,
            starter=self._rules.starter,
            board_key=self._board_key,
            actions=tuple(self._actions),
            faults=tuple(self._faults),
            outcome=outcome._replace(places=with_forfeits(outcome.places, forfeits)),
            forfeits=forfeits,
        )

    def times(self) -> tuple[int, ...]:
        """The time of each action of the record in nanoseconds; 0 if its seat was not asked."""
        return tuple(self._times)

    def _charge(self, seat: Seat, fault: Fault) -> None:
        """Charges a fault, and plays on if that ends turns."""
        player = self._seats[seat]
        player.faults.append(fault)
        self._faults.append((seat, len(self._actions), fault))
        if len(player.faults) >= self._rules.max_faults:
            player.forfeit = True
            self._decided = sum(not each.forfeit for each in self._seats) <= 1
            for each in range(len(self._seats)) if self._decided else [seat]:
                self._take_back(each)
        self._advance()

    def _take_back(self, seat: Seat) -> None:
        """Ends the seat's open turn, if there is one, with the default action."""
        player = self._seats[seat]
        if player.asked is not None:
            player.asked = None
            self._chosen[seat] = (DEFAULT_ACTION, 0)
            unknown = [ask for ask in self._new_asks if ask.seat == seat]
            if unknown:  # nobody was told of it
                player.turn -= 1
                self._new_asks.remove(unknown[0])

    def _miss(self, seat: Seat, fault: Fault, elapsed: int) -> None:
        """Ends the open turn with a fault, and plays the default action for it."""
        player = self._seats[seat]
        player.asked = None
        player.missed.add(player.turn)
        self._chosen[seat] = (DEFAULT_ACTION, elapsed)
        self._charge(seat, fault)

    def _choose(self, seat: Seat, index: int, elapsed: int) -> None:
        self._seats[seat].asked = None
        self._chosen[seat] = (index, elapsed)
        self._advance()

    def _advance(self) -> None:
        """Applies choices and asks for turns, until a seat has to answer or the game is over."""
        position, chosen = self._position, self._chosen
        while to_act := position.to_act:
            waiting = False
            for seat in to_act:
                if seat not in chosen:
                    waiting = self._ask_or_force(seat) or waiting
            if waiting:
                return
            while to_act and (seat := to_act[0]) in chosen:
                index, elapsed = chosen.pop(seat)
                position.play(seat, index)
                self._actions.append(index)
                self._times.append(elapsed)
                to_act = position.to_act
        self.over = True

    def _ask_or_force(self, seat: Seat) -> bool:
        """Asks a seat that has to act, unless it was asked; returns whether it has to answer."""
        player = self._seats[seat]
        if player.asked is not None:
            return True
        choices = self._position.choices(seat)
        if choices == 1 or player.forfeit or self._decided:
            self._chosen[seat] = (DEFAULT_ACTION, 0)
            return False
        player.turn += 1
        player.asked = choices
        self._new_asks.append(Ask(seat, player.turn, self._position.view(seat), player.clock.time_left))
        return True


def value_position(rules: TableRules, board_key: bytes) -> ValuePosition:
    """The first position of a game by the rules in Python."""
    board = KeyedBoard(board_key, rules.game.deck(rules.options))
    state = rules.game.new(board, rules.seats, rules.options, rules.starter)
    return ValuePosition(state, rules.seats)


def _late_text(elapsed: int) -> str:
    return f"the answer took {elapsed / 1e9:.3f} s"


def with_forfeits(places: Sequence[int], forfeits: Sequence[Seat]) -> tuple[int, ...]:
    """The places with forfeited seats together last; the others keep their order."""
    keys = [(seat in forfeits, 0 if seat in forfeits else place) for seat, place in enumerate(places)]
    return tuple(1 + sum(other < key for other in keys) for key in keys)
