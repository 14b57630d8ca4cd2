"""What every game's encoding fulfils: its actions as numbers, what a seat sees as arrays.

An encoding is made for a game's options and number of seats, and stays the same
for all positions. It is given what the seat is told, an `Observation`, and
nothing else, so it cannot tell more; a bot uses the same encoding over the
protocol. Needs numpy, and none of the libraries of the extra `rl`.

Seats are counted **from the seat that looks**: 0 is itself, 1 the next in play
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
"""More than any seat scores in a series, and less than minus the least."""


Fill = Callable[[Any, Seat, NDArray[Any]], None]
"""Writes a value into an array of zeros, as a seat sees it."""


class Field(NamedTuple):
    """One array of an observation.

    Attributes:
        shape: its shape.
        about: what it holds.
        high, low: the highest and the lowest number in it. Where these are 1
            and 0 the array is of int8, else of int32.
        fill: how the part of the observation with the field's name is written into it;
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
        """The array with nothing in it."""
        return np.zeros(self.shape, np.int8 if self.flags else np.int32)


def cards(about: str, count: int = 52) -> Field:
    """A field of cards by number less 1, or of faces: ones at those seen, be it several, one or none."""
    return Field((count,), about, fill=lambda seen, _, array: mark(array, seen, -1))


def seats(count: int, about: str) -> Field:
    """A field of seats: ones at those seen, be it several, one or none."""
    return Field((count,), about, fill=lambda seen, seat, array: mark(array, seen, -seat))


def number(about: str, high: int = 1) -> Field:
    """A field of one number."""
    return Field((1,), about, high, fill=write)


def by_seat(count: int, about: str, high: int, low: int = 0) -> Field:
    """A field of a number for each seat; zeros where nothing is seen."""
    return Field(
        (count,), about, high, low, lambda seen, seat, array: write(from_seat(seat, seen) or 0, seat, array)
    )


def mark(array: NDArray[Any], seen: int | Iterable[int] | None, shift: int) -> None:
    """Writes ones at what is seen, its numbers shifted."""
    for each in () if seen is None else (seen,) if isinstance(seen, int) else seen:
        array[(each + shift) % len(array)] = 1


def write(seen: Any, _seat: Seat, array: NDArray[Any]) -> None:
    """Writes a number, or a row of them."""
    array[:] = seen


class Encoding(abc.ABC):
    """The numbers of a game's actions, and the arrays of what its seats see.

    Args:
        seats: the number of seats.
        options: the game's options, from `Game.parse_options`.

    Attributes:
        actions: how many actions have a number: 0 to `actions - 1`.
        fields: the arrays of an observation, by name, in their fixed order.
        game: the game's id.
        phases: the phases of its observations, in the order of the field `phase`.
        listed: the actions whose number is their place in a list; here, the lowest numbers.
        deal_options: the options whose sum is the most deals that make one game.
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
        """The fields beside `phase` and those of a series."""

    def meaning(self, number: int) -> str:
        """What a number stands for, in words: the same in every position."""
        return str(self.listed.actions[: self.actions][number])

    def number_in(self, seen: Any, action: Any) -> int:
        """The number of an action of the seat that sees this deal."""
        return self.listed.places[action]

    @abc.abstractmethod
    def fill(self, seen: Any, arrays: Arrays) -> None:
        """Writes what is seen of a deal into the fields that have no `fill` of their own, and hold zeros."""

    def number(self, seen: Observation, action: Action) -> int:
        """The number of a legal action of the seat that sees this.

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
        """What a seat sees, as the arrays that `fields` lists."""
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
        """The arrays one after the other, in the order of `fields`, as one vector from -1 to 1.

        Each number is divided by the largest that its field can hold.
        """
        parts = [arrays[name].ravel() / max(field.high, -field.low) for name, field in self.fields.items()]
        return np.concatenate(parts).astype(np.float32)

    @property
    def length(self) -> int:
        """The length of the vector that `flat` makes."""
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
    """What is listed by seat, with that of `seat` first and the others in play order."""
    return (*by_seat[seat:], *by_seat[:seat])


@dataclasses.dataclass(frozen=True)
class Listed:
    """Numbers of actions by their place in a list.

    Attributes:
        actions: every action there is, once.
    """

    actions: tuple[Any, ...]
    places: dict[Any, int] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", {action: place for place, action in enumerate(self.actions)})
