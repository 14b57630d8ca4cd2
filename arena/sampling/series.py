"""Sampling a game at a table, whether it is one deal or a series of them."""

from __future__ import annotations

import random
from typing import Any

from arena.games.game import Game, Seat, State, Viewer
from arena.games.series import DealEnded, SeriesObservation, SeriesState
from arena.sampling.chance import RandomBoard
from arena.sampling.sampler import Draw, GameOver, Sampler


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
