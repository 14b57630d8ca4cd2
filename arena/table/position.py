"""What a table plays on: a position of a game that knows what each seat was told.

`ValuePosition` plays by the rules in Python and gives plain values. The engine (`arena.engine`) has
another implementation, which gives encoded messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar

from arena.games.game import Action, Event, Happening, Observation, Outcome, Seat, State

V_co = TypeVar("V_co", covariant=True)


class View(NamedTuple):
    """What a seat is told at a turn, or when the game is over.

    Attributes:
        events: the new events for the seat, oldest first.
        observation: the position as the seat may see it.
        actions: the legal actions; none when the game is over.
    """

    events: tuple[Event, ...]
    observation: Observation
    actions: Sequence[Action]


EncodedView = tuple[bytes, bytes]
"""The encoded message SeriesObservation, empty for a single deal, and the encoded view of the game."""


class Position(Protocol[V_co]):
    """One position of a running game."""

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats that must choose now (see `State.to_act`)."""

    @property
    def outcome(self) -> tuple[tuple[int, ...], tuple[int, ...], str] | None:
        """The fields of the outcome once the game is over, else None."""

    def choices(self, seat: Seat) -> int:
        """How many legal actions a seat has."""

    def play(self, seat: Seat, index: int) -> None:
        """Plays the legal action of a seat with this index."""

    def view(self, seat: Seat) -> V_co:
        """What a seat is told now, with the events since its last view."""

    def retell(self, seat: Seat) -> None:
        """Lets the seat's next view repeat all events."""


class ValuePosition:
    """A position by the rules in Python.

    Args:
        state: the first position.
        seats: the number of seats.
    """

    __slots__ = ("_happenings", "_state", "_told")

    def __init__(self, state: State, seats: int) -> None:
        self._state = state
        self._happenings: list[Happening] = list(state.opening)
        self._told = [0] * seats  # how many happenings each seat has been told

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """See `Position`."""
        return self._state.to_act

    @property
    def outcome(self) -> Outcome | None:
        """See `Position`."""
        return self._state.outcome

    def choices(self, seat: Seat) -> int:
        """See `Position`."""
        return len(self._state.legal_actions(seat))

    def play(self, seat: Seat, index: int) -> None:
        """See `Position`."""
        state = self._state
        self._happenings += state.apply(seat, state.legal_actions(seat)[index])

    def view(self, seat: Seat) -> View:
        """See `Position`."""
        state = self._state
        news = tuple([happening.told_to(seat) for happening in self._happenings[self._told[seat] :]])
        self._told[seat] = len(self._happenings)
        return View(news, state.observation(seat), state.legal_actions(seat))

    def retell(self, seat: Seat) -> None:
        """See `Position`."""
        self._told[seat] = 0
