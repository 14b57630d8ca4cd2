"""Series: several deals in a row at one table.

Any game can be played as a series. The roles move between the deals by that
game's rules (N19, F14, M23, H13), the scores add up, and a tie at the top
may be broken by further deals (N18, H16). All seats play a
tie-breaking deal, but it can change only the order of the seats that tied.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

from arena.games.game import (
    Action,
    Board,
    Deal,
    Happening,
    Observation,
    Outcome,
    Seat,
    State,
    Viewer,
    places_by,
)

WIN = 420
"""The score of a won deal in a series scored by wins; divisible by 1 to 7, for shared wins."""


def wins(outcome: Outcome) -> tuple[int, ...]:
    """The score of each seat in a deal if only wins count: `WIN / k` each for k winners."""
    share = WIN // outcome.places.count(1)
    return tuple(share if place == 1 else 0 for place in outcome.places)


def points(outcome: Outcome) -> tuple[int, ...]:
    """The score of each seat in a deal if the game's own points add up."""
    return outcome.points


@dataclasses.dataclass(frozen=True, slots=True)
class SeriesPlan:
    """The number of deals, and how they count.

    Attributes:
        deals: the number of deals without tie-breaks, at least 1.
        tie_breaks: the most further deals while the top is tied.
        score: the score of each seat in one deal.
        next_starter: the seat that starts the next deal, from a deal's outcome
            and starter.
    """

    deals: int
    tie_breaks: int
    score: Callable[[Outcome], tuple[int, ...]]
    next_starter: Callable[[Outcome, Seat], Seat]


class DealEnded(NamedTuple):
    """A deal of a series ended.

    Attributes:
        deal: the number of the deal, from 0.
        places, points: as in an Outcome, by seat.
        next_starter: the seat that starts the next deal; None after the last one.
    """

    deal: int
    places: tuple[int, ...]
    points: tuple[int, ...]
    next_starter: Seat | None
    kind: str = "deal_ended"

    def __str__(self) -> str:
        result = ", ".join(
            f"seat {seat} place {place} ({points} points)"
            for seat, (place, points) in enumerate(zip(self.places, self.points, strict=True))
        )
        then = "" if self.next_starter is None else f"; seat {self.next_starter} starts the next"
        return f"deal {self.deal} ends: {result}{then}"


class SeriesObservation(NamedTuple):
    """A viewer's observation of a series: the running deal, and the scores.

    Attributes:
        deal: the number of the running deal, from 0.
        deals: the number of deals without tie-breaks.
        scores: the score of each seat over the finished deals of these.
        level: in a tie-breaking deal the seats that are level at the top; only
            their order depends on it. Empty in every other deal.
        tie_scores: the score of each seat over the finished tie-breaking deals
            in which it was level; empty if `level` is.
        current: the viewer's observation of the running deal.
    """

    deal: int
    deals: int
    scores: tuple[int, ...]
    level: tuple[Seat, ...]
    tie_scores: tuple[int, ...]
    current: Observation
    kind: str = "series"

    @property
    def phase(self) -> str:
        """The phase of the running deal."""
        return self.current.phase

    def __str__(self) -> str:
        scores = f"scores: {_by_seat(self.scores)}"
        if self.level:
            level = " and ".join(map(str, self.level))
            scores += f"; level at the top: seats {level}; tie-breaking scores: {_by_seat(self.tie_scores)}"
        return f"deal {self.deal} of a series of {self.deals}; {scores}\n{self.current}"


def _by_seat(scores: Sequence[int]) -> str:
    return ", ".join(f"seat {seat} {score}" for seat, score in enumerate(scores))


NewDeal = Callable[[Deal, Seat], State]


def start_series(plan: SeriesPlan, new_deal: NewDeal, board: Board, seats: int, starter: Seat) -> State:
    """The first position of a series; for a single deal, the first position of that deal.

    Args:
        plan: the number of deals, and how they count.
        new_deal: makes the first position of a deal, given the deal and its starter.
        board: the source of the deals; deal i of the series is `board.deal(i)`.
        seats: the number of seats.
        starter: the seat that starts the first deal.
    """
    if plan.deals == 1 and plan.tie_breaks == 0:
        return new_deal(board.deal(0), starter)
    return SeriesState(plan, new_deal, board, seats, starter)


class SeriesState(State):
    """One position of a series (see `start_series`)."""

    __slots__ = (
        "_board",
        "_current",
        "_deal",
        "_level",
        "_new_deal",
        "_outcome",
        "_plan",
        "_scores",
        "_starter",
        "_tie",
    )

    def __init__(self, plan: SeriesPlan, new_deal: NewDeal, board: Board, seats: int, starter: Seat) -> None:
        self._plan, self._new_deal, self._board = plan, new_deal, board
        self._deal = 0
        self._starter = starter
        self._scores = (0,) * seats
        self._level: tuple[Seat, ...] = ()  # the seats that a tie-breaking deal decides between
        self._tie: tuple[int, ...] = (0,) * seats  # their scores in such deals
        self._outcome: Outcome | None = None
        self._current = new_deal(board.deal(0), starter)
        self.opening = self._current.opening
        self.to_act = self._current.to_act

    def as_seen(self, seen: SeriesObservation, starter: Seat, current: State, board: Board) -> Self:
        """The position with the observation `seen` in a series of the same plan.

        Args:
            seen: any viewer's observation of a series that is not over.
            starter: the seat that started the running deal.
            current: the position of that deal.
            board: the source of the next deals.
        """
        twin = object.__new__(type(self))
        twin._plan, twin._new_deal, twin._board = self._plan, self._new_deal, board
        twin._deal, twin._starter = seen.deal, starter
        twin._scores, twin._level = seen.scores, seen.level
        twin._tie = seen.tie_scores or (0,) * len(seen.scores)
        twin._outcome = None
        twin._current = current
        twin.opening, twin.to_act = (), current.to_act
        return twin

    def legal_actions(self, seat: Seat) -> Sequence[Action]:
        return self._current.legal_actions(seat) if self.to_act else ()

    def apply(self, seat: Seat, action: Action) -> Sequence[Happening]:
        happenings = list(self._current.apply(seat, action))
        while (outcome := self._current.outcome) is not None and self._outcome is None:
            happenings += self._end_deal(outcome)
        self.to_act = self._current.to_act if self._outcome is None else ()
        return happenings

    def _end_deal(self, outcome: Outcome) -> list[Happening]:
        scores = self._plan.score(outcome)
        if self._deal < self._plan.deals:
            self._scores = tuple(map(sum, zip(self._scores, scores, strict=True)))
        else:
            self._tie = tuple(
                tie + (scores[seat] if seat in self._level else 0) for seat, tie in enumerate(self._tie)
            )
        ended = self._deal
        places = places_by(tuple(zip(self._scores, self._tie, strict=True)))
        level = tuple(seat for seat, place in enumerate(places) if place == 1)
        more_deals = ended + 1 < self._plan.deals
        tie_break = ended + 1 < self._plan.deals + self._plan.tie_breaks and len(level) > 1
        if not (more_deals or tie_break):
            self._outcome = Outcome(places, self._scores, outcome.reason)
            return [Happening(DealEnded(ended, outcome.places, outcome.points, None))]
        self._level = () if more_deals else level
        self._starter = self._plan.next_starter(outcome, self._starter)
        self._deal += 1
        self._current = self._new_deal(self._board.deal(self._deal), self._starter)
        return [
            Happening(DealEnded(ended, outcome.places, outcome.points, self._starter)),
            *self._current.opening,
        ]

    def observation(self, viewer: Viewer) -> SeriesObservation:
        return SeriesObservation(
            deal=self._deal,
            deals=self._plan.deals,
            scores=self._scores,
            level=self._level,
            tie_scores=self._tie if self._level else (),
            current=self._current.observation(viewer),
        )

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    def clone(self) -> Self:
        twin: Any = object.__new__(type(self))
        for name in SeriesState.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.opening, twin.to_act = self.opening, self.to_act
        twin._current = self._current.clone()
        return twin  # type: ignore[no-any-return]  # built without __init__, so typed Any above

    def redrawn(self, board: Board) -> Self:
        twin = self.clone()
        twin._current = self._current.redrawn(board)
        twin._board = board  # its deal 0 is the later chance of the running deal
        return twin

    def cards(self) -> list[Any]:
        return self._current.cards()
