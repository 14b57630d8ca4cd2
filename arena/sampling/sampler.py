"""Samplers of a game at a table: of one deal, of a series of deals, and random boards."""

from __future__ import annotations

import abc
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from arena.games.game import Game, Seat, State, Viewer
from arena.games.series import DealEnded, SeriesObservation, SeriesState
from arena.sampling import native
from arena.sampling.hidden import Assigned, Unseen

T = TypeVar("T")

Draw = Callable[[random.Random], State]
"""Draws a position, whose later chance comes from the same random numbers."""


class GameOver(ValueError):
    """There is no position to draw: the game is over."""

    def __init__(self) -> None:
        super().__init__("the game is over: there is nothing left to sample")


class Sampler(abc.ABC):
    """Samples one deal of one game, as one viewer sees it.

    Args:
        options: the game's options.
        seats: the number of seats.
        viewer: the seat that gets the events; None for a spectator.
        starter: the seat that started the deal.
    """

    def __init__(self, options: Any, seats: int, viewer: Viewer, starter: Seat) -> None:
        self.options = options
        self.seats = seats
        self.viewer = viewer
        self.starter = starter

    def tell(self, event: Any) -> None:  # noqa: B027 - in some games an observation is enough
        """Notes an event; called for every event that the viewer is told in the deal, in order."""

    @abc.abstractmethod
    def draws(self, seen: Any) -> Draw:
        """A function that draws positions that fit all that was told.

        Args:
            seen: the viewer's observation of the deal after the last event; it is not over.
        """

    def hidden(self, seen: Any) -> Unseen | Assigned | None:
        """What is hidden from the viewer, if it is a seat that is to act; the engine draws positions from it.

        None if only `draws` does.

        Args:
            seen: as for `draws`.
        """
        return None


def hands_of(seen: Any) -> list[list[Any] | None]:
    """The hand of each seat, None for those that the viewer does not see."""
    return [list(seen.hand) if seat == seen.seat else None for seat in range(len(seen.hand_sizes))]


def dealt_anew(seen: Any, pool: Sequence[T], rng: random.Random) -> tuple[list[list[T]], list[T]]:
    """Hands of the right sizes, and the stock: the viewer's own hand, and the other cards in any order.

    Args:
        seen: the viewer's observation.
        pool: the cards that may lie in the other hands and in the stock.
        rng: the random numbers.
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

    The deals of a series have only their scores in common, which all viewers
    see. So the events of a deal are forgotten after it, and the next deals are
    drawn from all possible deals.

    Args:
        game: the rules.
        sampler: the sampler of one deal.
        options: the game's options.
        seats: the number of seats.
        viewer: the seat that gets the events; None for a spectator.
        starter: the seat that starts the first deal.
    """

    def __init__(
        self, game: Game, sampler: type[Sampler], options: Any, seats: int, viewer: Viewer, starter: Seat
    ) -> None:
        self._game = game
        self._new = sampler
        self._options, self._seats, self._viewer = options, seats, viewer
        self._series: SeriesState | None = None  # any position of this series
        self._begin(starter)

    def _begin(self, starter: Seat) -> None:
        self._starter = starter
        self._deal = self._new(self._options, self._seats, self._viewer, starter)

    def tell(self, event: Any) -> None:
        """Notes an event; called for every event that the viewer is told, in order."""
        if not isinstance(event, DealEnded):
            self._deal.tell(event)
        elif event.next_starter is not None:
            self._begin(event.next_starter)

    def draws(self, seen: Any) -> Draw:
        """A function that draws positions that fit all that was told.

        Args:
            seen: the viewer's observation after the last event.

        Raises GameOver if the game is over.
        """
        if by_engine := self._draws_by_engine(seen):
            return by_engine
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

    def _draws_by_engine(self, seen: Any) -> Draw | None:
        current = seen.current if isinstance(seen, SeriesObservation) else seen
        if current.phase == "over" or self._viewer is None or not native.plays(self._game.id):
            return None
        hidden = self._deal.hidden(current)
        if hidden is None:
            return None
        deal = native.Deal(self._game.id, self._options, self._seats, self._viewer, self._starter)
        return native.draws(deal, seen, hidden)


class RandomDeal:
    """A deal in random order, with its chance (`Deal` and `Chance` of `arena.games.game`).

    All chance is drawn anew at each call, for any name, so the deal cannot be played a second time.

    Args:
        rng: the random numbers.
        ordered_deck: the cards of the deal; empty if they are dealt already.
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
    """A board whose deals are each in a new random order (`Board` of `arena.games.game`).

    Args:
        rng: the random numbers.
        ordered_deck: the cards of a deal.
    """

    __slots__ = ("_ordered_deck", "_rng")

    def __init__(self, rng: random.Random, ordered_deck: Sequence[Any]) -> None:
        self._rng = rng
        self._ordered_deck = ordered_deck

    def deal(self, number: int) -> RandomDeal:
        """A new deal."""
        return RandomDeal(self._rng, self._ordered_deck)
