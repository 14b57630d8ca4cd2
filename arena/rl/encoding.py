"""The interface of every game's encoding: actions as numbers, observations as arrays.

An encoding is made for a game's options and number of seats, and stays the same
for all positions. It gets only the seat's `Observation`, so it cannot reveal
more. A bot uses the same encoding over the
protocol. It needs numpy, and none of the libraries of the extra `rl`.

Seats are counted **from the viewing seat**: 0 is itself, 1 the next in play
order. So one policy plays from every seat.
"""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.games.game import Action, Observation, Seat
from arena.games.series import SeriesObservation

Arrays = dict[str, NDArray[Any]]

HIGHEST_SCORE: Final = 100_000
"""A bound of scores: a seat's score in a series is always between its negative and itself."""


Fill = Callable[[Any, Seat, NDArray[Any]], None]
"""Writes a seat's view of a value into an array of zeros."""


class Field(NamedTuple):
    """One array of an observation.

    Attributes:
        shape: its shape.
        about: a description of its content.
        high, low: the highest and the lowest number in it. If these are 1
            and 0, the array is of int8, else of int32.
        fill: writes the part of the observation with the field's name into it;
            None for a field that `Encoding.fill` writes.
    """

    shape: tuple[int, ...]
    about: str
    high: int = 1
    low: int = 0
    fill: Fill | None = None

    @property
    def flags(self) -> bool:
        """Whether it holds zeros and ones."""
        return (self.low, self.high) == (0, 1)

    def zeros(self) -> NDArray[Any]:
        """An array of zeros."""
        return np.zeros(self.shape, np.int8 if self.flags else np.int32)


def cards(about: str, count: int = 52) -> Field:
    """A field of cards by number less 1, or of faces: ones at those seen, which may be several or none."""
    return Field((count,), about, fill=lambda seen, _, array: mark(array, seen, -1))


def seats(count: int, about: str) -> Field:
    """A field of seats: ones at those seen, which may be several or none."""
    return Field((count,), about, fill=lambda seen, seat, array: mark(array, seen, -seat))


def number(about: str, high: int = 1) -> Field:
    """A field of one number."""
    return Field((1,), about, high, fill=write)


def by_seat(count: int, about: str, high: int, low: int = 0) -> Field:
    """A field of a number for each seat; zeros if the observation has none."""
    return Field(
        (count,), about, high, low, lambda seen, seat, array: write(from_seat(seat, seen) or 0, seat, array)
    )


def mark(array: NDArray[Any], seen: int | Iterable[int] | None, shift: int) -> None:
    """Writes ones at the given numbers plus `shift`."""
    for each in () if seen is None else (seen,) if isinstance(seen, int) else seen:
        array[(each + shift) % len(array)] = 1


def write(seen: Any, _seat: Seat, array: NDArray[Any]) -> None:
    """Writes a number, or a row of numbers."""
    array[:] = seen


class Encoding(abc.ABC):
    """The numbers of a game's actions, and the arrays of its observations.

    Args:
        seats: the number of seats.
        options: the game's options, from `Game.parse_options`.

    Attributes:
        actions: how many actions have a number: 0 to `actions - 1`.
        fields: the arrays of an observation, by name, in their fixed order.
        game: the game's id.
        phases: the phases of its observations, in the order of the field `phase`.
        listed: the actions whose number is their place in a list; they have the lowest numbers.
        deal_options: the options whose sum is the most deals of one game.
    """

    game: ClassVar[str]
    phases: ClassVar[tuple[str, ...]]
    listed: ClassVar[Listed]
    deal_options: ClassVar[tuple[str, ...]] = ("series",)
    actions: int

    def __init__(self, seats: int, options: Any) -> None:
        self.seats, self.options = seats, options
        deals = sum(getattr(options, name) for name in self.deal_options)
        self._of_deal = {
            "phase": Field((len(self.phases),), f"one of {', '.join(self.phases)}"),
            **self.own_fields(),
        }
        self._of_series = _series_fields(seats, deals) if deals > 1 else {}
        self.fields = {**self._of_deal, **self._of_series}

    @abc.abstractmethod
    def own_fields(self) -> dict[str, Field]:
        """The fields besides `phase` and those of a series."""

    def meaning(self, number: int) -> str:
        """The meaning of a number, in words: the same in every position."""
        return str(self.listed.actions[: self.actions][number])

    def number_in(self, seen: Any, action: Any) -> int:
        """The number of an action of the seat with this observation of a deal."""
        return self.listed.places[action]

    @abc.abstractmethod
    def fill(self, seen: Any, arrays: Arrays) -> None:
        """Writes an observation of a deal into the fields without a `fill` of their own, which hold zeros."""

    def number(self, seen: Observation, action: Action) -> int:
        """The number of a legal action of the seat with this observation.

        Different legal actions of a position have different numbers.
        """
        return self.number_in(_deal(seen), action)

    def mask(self, seen: Observation, actions: Iterable[Action]) -> NDArray[np.int8]:
        """Ones at the numbers of the actions, zeros elsewhere."""
        mask = np.zeros(self.actions, np.int8)
        deal = _deal(seen)
        for action in actions:
            mask[self.number_in(deal, action)] = 1
        return mask

    def arrays(self, seen: Observation) -> Arrays:
        """An observation as the arrays that `fields` lists."""
        deal: Any = _deal(seen)
        arrays = {name: field.zeros() for name, field in self.fields.items()}
        arrays["phase"][self.phases.index(deal.phase)] = 1
        self.fill(deal, arrays)
        parts = [(self._of_deal, deal)]
        if isinstance(seen, SeriesObservation):
            parts.append((self._of_series, seen))
        for fields, values in parts:
            for name, field in fields.items():
                if field.fill is not None:
                    field.fill(getattr(values, name), deal.seat, arrays[name])
        return arrays

    def flat(self, arrays: Arrays) -> NDArray[np.float32]:
        """The arrays one after another, in the order of `fields`, as one vector from -1 to 1.

        Each number is divided by the largest that its field can hold.
        """
        parts = [arrays[name].ravel() / max(field.high, -field.low) for name, field in self.fields.items()]
        return np.concatenate(parts).astype(np.float32)

    @property
    def length(self) -> int:
        """The length of the vector from `flat`."""
        return sum(math.prod(field.shape) for field in self.fields.values())


def _deal(seen: Any) -> Any:
    return seen.current if isinstance(seen, SeriesObservation) else seen


def _series_fields(count: int, deals: int) -> dict[str, Field]:
    high, low = HIGHEST_SCORE, -HIGHEST_SCORE
    return {
        "deal": number("the deal being played, from 0", deals),
        "scores": by_seat(count, "by seat, over the deals played in any case", high, low),
        "level": seats(count, "the seats between which a tie-breaking deal decides"),
        "tie_scores": by_seat(count, "by seat, over the tie-breaking deals", high, low),
    }


def from_seat(seat: Seat, by_seat: Sequence[Any]) -> Sequence[Any]:
    """A list by seat, rotated so that the item of `seat` is first and the others follow in play order."""
    return (*by_seat[seat:], *by_seat[:seat])


@dataclasses.dataclass(frozen=True)
class Listed:
    """Numbers of actions by their place in a list.

    Attributes:
        actions: every possible action, once.
    """

    actions: tuple[Any, ...]
    places: dict[Any, int] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", {action: place for place, action in enumerate(self.actions)})
