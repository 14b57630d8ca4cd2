"""What the pictures of all games have in common."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from arena.games.game import Event, Observation, Seat, State
from arena.text import one_line

Places = dict[str, Any]


class Sight(NamedTuple):
    """What whoever looks may see of a position.

    Attributes:
        public: what an onlooker sees.
        own: by seat, what that seat sees, for the seats whose view is shown.
        state: the position itself where all is shown, after the game; else None.
    """

    public: Any
    own: Mapping[Seat, Any]
    state: State | None

    def hands(self) -> list[list[int] | None]:
        """The cards of each hand; None for one that is not seen."""
        sizes: Sequence[int] = self.public.hand_sizes
        return [
            list(map(int, self.own[seat].hand)) if seat in self.own else None for seat in range(len(sizes))
        ]


class Picture(abc.ABC):
    """A table of one game, told of every step and asked what lies where.

    Args:
        seats: the number of seats.
        options: the game's options.
    """

    tones: ClassVar[Mapping[str, str]] = {}
    """Which events are moments, by their kind, and the colour in which they are marked."""

    untold: ClassVar[str | None] = None
    """What is said of an action of which nobody is told anything, behind the name of its seat; None where
    the action itself is hidden, in a game where all choose before anything is seen."""

    def __init__(self, seats: int, options: Any) -> None:
        self.seats = seats
        self.options = options

    def tell(self, event: Event) -> None:  # noqa: B027  # most pictures need no memory
        """Tells what has happened, as whoever looks is told it, event by event."""

    def begin_step(self) -> None:  # noqa: B027  # likewise
        """Says that another action begins, before its events are told."""

    @abc.abstractmethod
    def places(self, sight: Sight) -> Places:
        """What lies where, after the events that were told."""


class PlainPicture(Picture):
    """A table of a game that has no picture of its own: what is seen, in words."""

    def places(self, sight: Sight) -> Places:
        """See `Picture`."""
        told = {seat: _lines(sight.own[seat]) if seat in sight.own else [] for seat in range(self.seats)}
        return {
            "act": getattr(sight.public, "to_act", None),
            "table": _lines(sight.public),
            **{f"told.{seat}": lines for seat, lines in told.items()},
        }


def _lines(observation: Observation) -> list[str]:
    return [one_line(line) for line in str(observation).splitlines()]


def of_hands(sight: Sight) -> Places:
    """The hands, and how many cards are in each."""
    places: Places = {}
    for seat, (hand, size) in enumerate(zip(sight.hands(), sight.public.hand_sizes, strict=True)):
        places[f"hand.{seat}"] = hand
        places[f"count.{seat}"] = size
    return places


def current(observation: Observation) -> Any:
    """The observation of the deal that is played, also in a series."""
    return getattr(observation, "current", observation)
