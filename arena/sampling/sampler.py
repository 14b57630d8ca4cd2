"""What every sampler is: told what its viewer is told, it draws positions that fit."""

from __future__ import annotations

import abc
import random
from collections.abc import Callable
from typing import Any

from arena.games.game import Seat, State, Viewer

Draw = Callable[[random.Random], State]
"""Draws a position, whose chance to come is of the same random numbers."""


class GameOver(ValueError):
    """There is no position to draw: the game is over."""

    def __init__(self) -> None:
        super().__init__("the game is over: there is nothing left to sample")


class Sampler(abc.ABC):
    """Samples one deal of one game, as one viewer sees it.

    Args:
        options: the game's options.
        seats: the number of seats.
        viewer: the seat that is told what happens; None for a spectator.
        starter: the seat that started the deal.
    """

    def __init__(self, options: Any, seats: int, viewer: Viewer, starter: Seat) -> None:
        self.options = options
        self.seats = seats
        self.viewer = viewer
        self.starter = starter

    def tell(self, event: Any) -> None:  # noqa: B027 - in some games an observation holds all there is to know
        """Takes note of an event; called for every event of the deal as the viewer was told it, in order."""

    @abc.abstractmethod
    def draws(self, seen: Any) -> Draw:
        """What draws positions that fit all that was told.

        Args:
            seen: the deal as the viewer sees it after the last event; it is not over.
        """


def hands_of(seen: Any) -> list[list[Any] | None]:
    """The hand of each seat, None for those that the viewer does not see."""
    return [list(seen.hand) if seat == seen.seat else None for seat in range(len(seen.hand_sizes))]
