"""High card, a small game that stands outside the arena, as a package of somebody else's does.

Each seat is dealt a hand of spades. In each trick all play a card, one after the other; the highest
takes the trick and leads the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from arena.cards import DECK, Card
from arena.games.game import (
    Action,
    Board,
    Game,
    Happening,
    Outcome,
    Seat,
    State,
    Viewer,
    WrongOption,
    places_by,
)

from .values import Dealt, HighCardOptions, Observation, Play, Played, TrickWon

SPADES = DECK[39:]


class HighCardState(State):
    """One position."""

    __slots__ = ("_hands", "_rest", "_trick", "_won")

    def __init__(self, hands: list[list[Card]], rest: list[Card], leader: Seat) -> None:
        self._hands, self._rest = hands, rest
        self._trick: list[Played] = []
        self._won = [0] * len(hands)
        self.to_act = (leader,)
        self.opening = [
            Happening(Dealt(seat, (), len(hand)), Dealt(seat, tuple(hand), len(hand)), (seat,))
            for seat, hand in enumerate(hands)
        ]

    @classmethod
    def as_seen(cls, seen: Observation, hands: list[list[Card]], rest: list[Card]) -> Self:
        """The position that looks like `seen` and hides these cards."""
        assert seen.to_act is not None
        state = cls(hands, rest, seen.to_act)
        state._trick, state._won, state.opening = list(seen.trick), list(seen.won), ()
        state._rest = [*rest, *seen.gone]
        return state

    def legal_actions(self, seat: Seat) -> Sequence[Play]:
        return [Play(card) for card in sorted(self._hands[seat])] if seat in self.to_act else ()

    def apply(self, seat: Seat, action: Action) -> Sequence[Happening]:
        chosen = self._listed(seat, action)
        self._hands[seat].remove(chosen.card)
        self._trick.append(Played(seat, chosen.card))
        told = [Happening(self._trick[-1])]
        self.to_act = ((seat + 1) % len(self._hands),)
        if len(self._trick) == len(self._hands):
            best = max(self._trick, key=lambda played: played.card.rank)
            self._won[best.seat] += 1
            told.append(Happening(TrickWon(best.seat)))
            self._rest += [played.card for played in self._trick]
            self._trick = []
            self.to_act = (best.seat,) if self._hands[best.seat] else ()
        return told

    def observation(self, viewer: Viewer) -> Observation:
        hidden = len(SPADES) - sum(map(len, self._hands)) - len(self._trick)
        gone = sum(self._won) * len(self._hands)
        assert hidden >= gone
        return Observation(
            phase="play" if self.to_act else "over",
            seat=viewer,
            hand=() if viewer is None else tuple(sorted(self._hands[viewer])),
            hand_sizes=tuple(map(len, self._hands)),
            trick=tuple(self._trick),
            won=tuple(self._won),
            gone=tuple(self._rest[len(self._rest) - gone :]),
            to_act=self.to_act[0] if self.to_act else None,
        )

    @property
    def outcome(self) -> Outcome | None:
        return None if self.to_act else Outcome(places_by(self._won), tuple(self._won), "hands_empty")

    def clone(self) -> Self:
        twin = object.__new__(type(self))
        twin._hands = [hand.copy() for hand in self._hands]
        twin._rest, twin._trick, twin._won = self._rest.copy(), self._trick.copy(), self._won.copy()
        twin.to_act, twin.opening = self.to_act, self.opening
        return twin

    def redrawn(self, board: Board) -> Self:
        return self.clone()  # no chance is to come

    def cards(self) -> list[Card]:
        held = [card for hand in self._hands for card in hand]
        return held + self._rest + [played.card for played in self._trick]


class HighCard(Game):
    """The rules of High card, and where its parts stand."""

    id = "high-card"
    title = "High card"
    Options = HighCardOptions
    values = "high_card.values"
    sampler = "high_card.parts:HighCardSampler"
    greedy = "high_card.parts:choose"
    usual_decisions = 3

    def seats(self, options: HighCardOptions) -> range:
        return range(2, 5)

    def deck(self, options: HighCardOptions) -> Sequence[Card]:
        return SPADES

    def new(self, board: Board, seats: int, options: HighCardOptions, starter: Seat = 0) -> State:
        if seats not in self.seats(options):
            raise WrongOption(f"high-card is for 2 to 4 seats, not {seats}")
        deck = list(board.deal(0).deck)
        dealt = seats * options.hand
        return HighCardState([deck[seat:dealt:seats] for seat in range(seats)], deck[dealt:], starter)

    def max_decisions(self, seats: int, options: HighCardOptions) -> int:
        return seats * options.hand


GAME = HighCard()
