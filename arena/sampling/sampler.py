"""What samples a game at a table: one deal of it, a series of deals, and the chance that is drawn."""

from __future__ import annotations

import abc
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from arena.games.game import Game, Seat, State, Viewer
from arena.games.series import DealEnded, SeriesObservation, SeriesState

T = TypeVar("T")

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


def dealt_anew(seen: Any, pool: Sequence[T], rng: random.Random) -> tuple[list[list[T]], list[T]]:
    """Hands as large as those that are seen, and the stock: the viewer's hand, all else in any order.

    Args:
        seen: what the viewer sees.
        pool: the cards that may lie in the other hands and in the stock.
        rng: what draws the order.
    """
    stock = [*pool]
    rng.shuffle(stock)
    hands = []
    for hand, size in zip(hands_of(seen), seen.hand_sizes, strict=True):
        if hand is None:
            hand = sorted(stock[:size])
            del stock[:size]
        hands.append(hand)
    return hands, stock


class SeriesSampler:
    """Samples the game at one table, as one viewer sees it.

    The deals of a series have nothing in common but their scores, which everybody
    sees: so what is told of a deal is forgotten with it, and the deals to come are
    drawn from all there are.

    Args:
        game: the rules.
        sampler: what samples one deal.
        options: the game's options.
        seats: the number of seats.
        viewer: the seat that is told what happens; None for a spectator.
        starter: the seat that starts the first deal.
    """

    def __init__(
        self, game: Game, sampler: type[Sampler], options: Any, seats: int, viewer: Viewer, starter: Seat
    ) -> None:
        self._game = game
        self._new = sampler
        self._options, self._seats, self._viewer = options, seats, viewer
        self._series: SeriesState | None = None  # any position of such a series
        self._begin(starter)

    def _begin(self, starter: Seat) -> None:
        self._starter = starter
        self._deal = self._new(self._options, self._seats, self._viewer, starter)

    def tell(self, event: Any) -> None:
        """Takes note of an event; called for every event as the viewer was told it, in order."""
        if not isinstance(event, DealEnded):
            self._deal.tell(event)
        elif event.next_starter is not None:
            self._begin(event.next_starter)

    def draws(self, seen: Any) -> Draw:
        """What draws positions that fit all that was told.

        Args:
            seen: what the viewer sees after the last event.

        Raises GameOver where the game is over.
        """
        if not isinstance(seen, SeriesObservation):
            return self._draws_of_deal(seen)
        draw_deal = self._draws_of_deal(seen.current)
        deck, starter = self._game.deck(self._options), self._starter
        if self._series is None:
            board = RandomBoard(random.Random(0), deck)
            first = self._game.new(board, self._seats, self._options, starter)
            assert isinstance(first, SeriesState)
            self._series = first
        series = self._series

        def draw(rng: random.Random) -> State:
            return series.as_seen(seen, starter, draw_deal(rng), RandomBoard(rng, deck))

        return draw

    def _draws_of_deal(self, seen: Any) -> Draw:
        if seen.phase == "over":
            raise GameOver
        return self._deal.draws(seen)


class RandomDeal:
    """A deal in random order, and all its chance (`Deal` and `Chance` of the game contract).

    Whatever is asked is drawn anew, for any name: nothing here can be played a second time.

    Args:
        rng: where chance comes from.
        ordered_deck: the cards of the deal; none where they are dealt already.
    """

    __slots__ = ("_rng", "deck")

    def __init__(self, rng: random.Random, ordered_deck: Sequence[Any] = ()) -> None:
        self._rng = rng
        self.deck: Sequence[Any] = self.shuffle(ordered_deck)

    def chance(self, purpose: str, seat: Seat, count: int) -> RandomDeal:
        """The draws of any event."""
        return self

    def below(self, n: int) -> int:
        """A uniform integer from 0 to n-1."""
        return int(self._rng.random() * n)

    def each_below(self, bounds: Sequence[int]) -> list[int]:
        """`below(n)` for each n of `bounds`."""
        return [self.below(n) for n in bounds]

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """The items in a uniform random order, as a new list."""
        shuffled = list(items)
        self._rng.shuffle(shuffled)
        return shuffled


class RandomBoard:
    """A board whose every deal is in a new random order (the `Board` of the game contract).

    Args:
        rng: where chance comes from.
        ordered_deck: the cards of a deal.
    """

    __slots__ = ("_ordered_deck", "_rng")

    def __init__(self, rng: random.Random, ordered_deck: Sequence[Any]) -> None:
        self._rng = rng
        self._ordered_deck = ordered_deck

    def deal(self, number: int) -> RandomDeal:
        """A new deal."""
        return RandomDeal(self._rng, self._ordered_deck)
