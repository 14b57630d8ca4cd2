"""Forty-one: draw, discard, and collect four high cards of one suit.

The rules, with the rulings F1 to F17 cited here, are in `rules/forty-one.md`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Self

from arena.cards import ACE, DECK, Card, Suit
from arena.games.forty_one_values import (
    Dealt,
    Discard,
    Discarded,
    DrawStock,
    DrewStock,
    EndPlay,
    Observation,
    PlayEnded,
    Shown,
    TakeDiscard,
    TookDiscard,
)
from arena.games.game import (
    Action,
    Board,
    Deal,
    Game,
    Happening,
    Outcome,
    Seat,
    State,
    Viewer,
    WrongOption,
    in_order_of,
    option,
    places_by,
)
from arena.games.series import SeriesPlan, points, start_series, wins

HAND_SIZE: Final = 4


@dataclasses.dataclass(frozen=True, slots=True)
class FortyOneOptions:
    """The options of Forty-one."""

    players: int = option(4, "F1: the most seats a table may have", low=2, high=6)
    min_stop_score: int = option(0, "F5: the least score with which a seat may stop", high=41)
    stall: int = option(8, "F9: turns without a stock draw, per seat, that end play", low=1, high=100)
    fixed_rotation: bool = option(False, "F14: in a series the start goes round instead of to the winner")
    cumulative: bool = option(False, "F15: a series is won by the sum of scores, not by deals won")
    series: int = option(1, "F14: deals played in a row at one table", low=1, high=100)


def card_value(card: Card) -> int:
    """The value of a card: an ace 11, king, queen, jack and ten 10, others their rank."""
    return 11 if card.rank == ACE else min(card.rank, 10)


def hand_values(hand: Iterable[Card]) -> tuple[int, ...]:
    """The signed values of a hand's cards, lowest first: one suit counts for the holder, the others against.

    The suit that counts for the holder is the one with the highest sum (F10),
    and among equal sums the one with the better values (F12). The sum is the hand's
    score; hands of the same score compare by these values, higher first (F11).
    """
    cards = list(hand)

    def values(suit: Suit | None) -> tuple[int, ...]:
        return tuple(sorted(card_value(card) if card.suit is suit else -card_value(card) for card in cards))

    return max(map(values, {card.suit for card in cards}), key=lambda signed: (sum(signed), signed))


def next_starter(outcome: Outcome, starter: Seat) -> Seat:
    """The winner of a deal starts the next (F14); of tied winners, the first in turn order (F13)."""
    seats = len(outcome.places)
    turn_order = ((starter + turn) % seats for turn in range(seats))
    return next(seat for seat in turn_order if outcome.places[seat] == 1)


def rotated_starter(outcome: Outcome, starter: Seat) -> Seat:
    """The next seat starts the next deal (F14, `fixed_rotation`)."""
    return (starter + 1) % len(outcome.places)


# Equal values are made once, so that a legal action is usually found by identity.
_DRAW, _TAKE, _END = DrawStock(), TakeDiscard(), EndPlay()
_DISCARD: Final = {card: Discard(card) for card in DECK}
_DRAW_PHASE: Final[Mapping[tuple[bool, bool, bool], Sequence[Action]]] = {
    # by whether there is a stock to draw from, a discard to take, and a right to end play
    (stock, discard, end): (*[_DRAW] * stock, *[_TAKE] * discard, *[_END] * end)
    for stock in (False, True)
    for discard in (False, True)
    for end in (False, True)
}


@functools.cache
def _turns_of(seats: int) -> tuple[tuple[Seat], ...]:
    return tuple((seat,) for seat in range(seats))


@functools.cache
def _drew(seat: Seat, card: Card) -> tuple[Happening]:
    return (Happening(DrewStock(seat, None), DrewStock(seat, card), (seat,)),)


@functools.cache
def _took(seat: Seat, card: Card) -> tuple[Happening]:
    return (Happening(TookDiscard(seat, card)),)


@functools.cache
def _discarded(seat: Seat, card: Card) -> tuple[Happening]:
    return (Happening(Discarded(seat, card)),)


class FortyOneState(State):
    """One position of a deal of Forty-one (see `GAME.new`)."""

    # _hands are sorted; the card that the seat to act has drawn is kept apart,
    # in _drawn. _stock is drawn from its end. _legal is never changed in place.
    __slots__ = (
        "_discards", "_drawn", "_hands", "_legal", "_min_stop_score", "_outcome", "_seat",
        "_stall_limit", "_stalled", "_starter", "_stock", "_taken", "_turns",
    )  # fmt: skip

    def __init__(self, deal: Deal, seats: int, options: FortyOneOptions, starter: Seat) -> None:
        dealt = seats * HAND_SIZE
        self._hands: list[list[Card]] = [[] for _ in range(seats)]
        for seat in range(seats):  # one card at a time, beginning with the starter
            self._hands[(starter + seat) % seats] = sorted(deal.deck[seat:dealt:seats])
        self._stock: list[Card] = list(reversed(deal.deck[dealt:]))
        self._discards: list[Card] = []
        self._taken: list[bool] = []
        self._drawn: Card | None = None
        self._stalled = 0
        self._stall_limit = options.stall * seats
        self._min_stop_score = options.min_stop_score
        self._starter = self._seat = starter
        self._turns = _turns_of(seats)
        self._outcome: Outcome | None = None
        self.opening = tuple(
            Happening(Dealt(seat, (), HAND_SIZE), Dealt(seat, tuple(hand), HAND_SIZE), (seat,))
            for seat, hand in enumerate(self._hands)
        )
        self._start_turn(starter)

    @classmethod
    def as_seen(
        cls,
        seen: Observation,
        options: FortyOneOptions,
        hands: list[list[Card]],
        drawn: Card | None,
        stock: list[Card],
    ) -> Self:
        """The position with the observation `seen` and these hidden cards.

        Args:
            seen: any viewer's observation of a game that is not over.
            options: the game's options.
            hands: the hand of each seat, in card-number order, without the card drawn.
            drawn: the card that the seat to act has drawn, before it discards.
            stock: the next card last.
        """
        seats = len(hands)
        state = object.__new__(cls)
        state._hands, state._drawn, state._stock = hands, drawn, stock
        state._discards, state._taken = list(seen.discards), list(seen.taken)
        state._stalled, state._stall_limit = seen.stalled, options.stall * seats
        state._min_stop_score = options.min_stop_score
        state._starter = seen.starter
        state._turns = _turns_of(seats)
        state._outcome = None
        state.opening = ()
        state._start_turn((seen.starter + len(seen.discards)) % seats)  # every turn so far left a discard
        if drawn is not None:
            state._legal = state._discards_of(drawn, taken=bool(seen.taken) and seen.taken[-1])
        return state

    def _start_turn(self, seat: Seat) -> None:
        self._seat = seat
        self.to_act = self._turns[seat]
        hand = self._hands[seat]
        stock = bool(self._stock)
        may_end = not stock or (  # F7, F8; F17: with any hand
            hand[0].suit is hand[-1].suit  # sorted, so all four are of one suit
            and (not self._min_stop_score or sum(map(card_value, hand)) >= self._min_stop_score)  # F5
        )
        self._legal: Sequence[Action] = _DRAW_PHASE[stock, bool(self._discards), may_end]  # F2

    def legal_actions(self, seat: Seat) -> Sequence[Action]:
        return self._legal if seat == self._seat else ()

    def apply(self, seat: Seat, action: Action) -> Sequence[Happening]:
        chosen = self._listed(seat, action)
        if isinstance(chosen, Discard):
            return self._discard(chosen.card)
        if isinstance(chosen, DrawStock):
            drawn = self._drawn = self._stock.pop()
            self._stalled = 0
            self._legal = self._discards_of(drawn, taken=False)
            return _drew(seat, drawn)
        if isinstance(chosen, TakeDiscard):
            drawn = self._drawn = self._discards[-1]
            self._taken[-1] = True
            self._stalled += 1
            self._legal = self._discards_of(drawn, taken=True)
            return _took(seat, drawn)
        return self._end_play(seat, "stopped" if self._stock else "stock_empty")

    def _discards_of(self, drawn: Card, taken: bool) -> Sequence[Action]:
        hand = [_DISCARD[card] for card in self._hands[self._seat]]
        return hand if taken else [_DISCARD[drawn], *hand]  # F4

    def _discard(self, card: Card) -> Sequence[Happening]:
        seat, drawn = self._seat, self._drawn
        assert drawn is not None
        if card != drawn:
            hand = self._hands[seat]
            hand[hand.index(card)] = drawn
            hand.sort()
        self._drawn = None
        self._discards.append(card)
        self._taken.append(False)
        if self._stalled >= self._stall_limit:  # F9; F16: now that the turn is complete
            return (*_discarded(seat, card), *self._end_play(None, "stalled"))
        seat_after = seat + 1
        self._start_turn(seat_after if seat_after < len(self._hands) else 0)
        return _discarded(seat, card)

    def _end_play(self, seat: Seat | None, reason: str) -> Sequence[Happening]:
        values = [hand_values(hand) for hand in self._hands]
        scores = tuple(map(sum, values))  # F6: nothing but the hand counts
        places = places_by(list(zip(scores, values, strict=True)))  # F11
        self._outcome = Outcome(places, scores, reason)
        self.to_act = ()
        self._legal = ()
        return (
            Happening(PlayEnded(seat)),
            *(
                Happening(Shown(holder, tuple(hand), score))
                for holder, (hand, score) in enumerate(zip(self._hands, scores, strict=True))
            ),
        )

    def observation(self, viewer: Viewer) -> Observation:
        hand, drawn = [] if viewer is None else self._hands[viewer], None
        hand_sizes = [len(held) for held in self._hands]
        phase = "over" if self._outcome is not None else "draw"
        if self._drawn is not None:
            phase = "discard"
            hand_sizes[self._seat] += 1
            if viewer == self._seat:
                drawn = self._drawn
                hand = sorted([*hand, drawn])
        return Observation(
            phase=phase,
            seat=viewer,
            hand=tuple(hand),
            drawn=drawn,
            hand_sizes=tuple(hand_sizes),
            discards=tuple(self._discards),  # F3
            taken=tuple(self._taken),
            stock=len(self._stock),
            starter=self._starter,
            stalled=self._stalled,
        )

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    def clone(self) -> Self:
        twin = object.__new__(type(self))
        twin.opening, twin.to_act = self.opening, self.to_act
        twin._discards = self._discards.copy()
        twin._drawn = self._drawn
        twin._hands = [hand.copy() for hand in self._hands]
        twin._legal = self._legal
        twin._min_stop_score = self._min_stop_score
        twin._outcome = self._outcome
        twin._seat = self._seat
        twin._stall_limit = self._stall_limit
        twin._stalled = self._stalled
        twin._starter = self._starter
        twin._stock = self._stock.copy()
        twin._taken = self._taken.copy()
        twin._turns = self._turns
        return twin

    def redrawn(self, board: Board) -> Self:
        twin = self.clone()
        twin._stock = in_order_of(board.deal(0).deck, self._stock)
        return twin

    def cards(self) -> list[Card]:
        lying = [card for card, taken in zip(self._discards, self._taken, strict=True) if not taken]
        drawn = [] if self._drawn is None else [self._drawn]
        return sum(self._hands, start=lying + drawn + self._stock)


class FortyOne(Game):
    """The rules of Forty-one."""

    id = "forty-one"
    title = "Forty-one"
    Options = FortyOneOptions
    values = "arena.games.forty_one_values"
    sampler = "arena.sampling.forty_one:FortyOneSampler"
    greedy = "arena.policies.forty_one:choose"
    encoding = "arena.rl.forty_one:FortyOneEncoding"
    picture = "arena.view.pictures.games:FortyOnePicture"
    usual_decisions = 12
    luck_baselines = ("greedy", "thoughtful")

    def seats(self, options: FortyOneOptions) -> range:
        """2 to `players` seats (F1)."""
        return range(2, options.players + 1)

    def deck(self, options: FortyOneOptions) -> Sequence[Card]:
        """The 52 cards."""
        return DECK

    def new(self, board: Board, seats: int, options: FortyOneOptions, starter: Seat = 0) -> State:
        """The first position: four cards each, the starter to draw."""
        if seats not in self.seats(options):
            raise WrongOption(f"{self.id} is for 2 to {options.players} seats, not {seats}")
        plan = SeriesPlan(
            deals=options.series,
            tie_breaks=0,
            score=points if options.cumulative else wins,  # F15
            next_starter=rotated_starter if options.fixed_rotation else next_starter,  # F14
        )
        return start_series(
            plan, lambda deal, first: FortyOneState(deal, seats, options, first), board, seats, starter
        )

    def max_decisions(self, seats: int, options: FortyOneOptions) -> int:
        """Two actions for each turn, for the most turns in each deal of the series.

        A deal begins with a draw or ends. Each of the s stock cards is drawn in
        one turn, and is followed by at most l - 1 turns without a draw before
        the next draw, or by l at the end, where l = stall * seats (F9): at most
        s + (s - 1)(l - 1) + l = s * l + 1 turns.
        """
        stock = len(DECK) - seats * HAND_SIZE
        return options.series * 2 * (stock * options.stall * seats + 1)


GAME: Final = FortyOne()
