"""Hyrule: seven tricks with a cycle of suits, jokers and fives; most captured cards win.

Rulings are cited by their numbers in `rules/hyrule.md`. The two ways of taking
turns (H2) are two classes of position with a common base class: `Strategy`, in which
the cards are played one after another, and `ChanceRules`, in which all seats
seal a card at once.
"""

from __future__ import annotations

import abc
import bisect
import dataclasses
import functools
from collections.abc import Iterable, Sequence
from typing import Any, Final, Self

from arena.cards import ALL_CARDS, JOKERS, Card, Suit
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
from arena.games.hyrule_values import (
    Dealt,
    Observation,
    Play,
    Played,
    PlayedCard,
    Swap,
    Swapped,
    TrickWon,
)
from arena.games.series import SeriesPlan, start_series, wins

HAND_SIZE = 7
MAX_SEATS = 7


@dataclasses.dataclass(frozen=True, slots=True)
class HyruleOptions:
    """The options of Hyrule."""

    mode: str = option("strategy", "H2: how turns are taken", choices=("strategy", "chance"))
    double_joker: str = option("first", "H7: which of two jokers wins", choices=("first", "last"))
    last_winner: bool = option(False, "H12: of some seats that tie, the last trick's winner leads")
    runoff: int = option(0, "H16: how many further deals may break a tie", high=100)
    series: int = option(1, "H13: deals in a row, the tallest seat going round", low=1, high=100)
    no_swap_after_swap: bool = option(False, "H10: no swap in the trick after one with a swap", before=False)


# --- winners of tricks, and leaders of the next -----------------------------------------------------


def _suit_strength(*lowest_first: Suit) -> dict[Card, int]:
    """The strength of each card, by the order of the suits, then by rank, ace low."""
    return {
        card: 20 * lowest_first.index(card.suit) + card.rank for card in ALL_CARDS if card.suit is not None
    }


_diamonds_top: Final = _suit_strength(Suit.HEARTS, Suit.SPADES, Suit.CLUBS, Suit.DIAMONDS).__getitem__
_hearts_top: Final = _suit_strength(Suit.SPADES, Suit.CLUBS, Suit.DIAMONDS, Suit.HEARTS).__getitem__
_FIVES: Final = (Suit.DIAMONDS, Suit.CLUBS, Suit.SPADES, Suit.HEARTS)  # weakest first
_against_joker: Final = {
    card: 1 if card.suit is None else 2 + _FIVES.index(card.suit) if card.rank == 5 else 0
    for card in ALL_CARDS
}.__getitem__


def trick_winner(cards: Sequence[Card], *, last_joker: bool = False) -> Card:
    """The winning card of a trick.

    Args:
        cards: at least one card, in the order played.
        last_joker: whether the last of two jokers wins, not the first (H7).
    """
    if max(cards) >= JOKERS[0]:
        # With a joker the best five wins, whatever else was played (H5), else the joker. max() takes
        # the first of equals (H7).
        in_order: Iterable[Card] = reversed(cards) if last_joker else cards
        return max(in_order, key=_against_joker)
    # Without a joker a five is an ordinary card (H6).
    winner = max(cards, key=_diamonds_top)
    if winner.suit is Suit.DIAMONDS:
        # Hearts beat diamonds, and decide the trick whatever other suits are in it (H3, H4).
        winner = max(cards, key=_hearts_top)
    return winner


def next_leader(captured: Sequence[int], tallest: Seat, last_winner: Seat | None = None) -> Seat:
    """The seat that opens a trick: the one with most captured cards.

    Args:
        captured: the cards captured by each seat.
        tallest: the seat that leads when all are equal (H13).
        last_winner: the winner of the last trick if it is preferred in
            a tie (H12, option `last_winner`); else None.
    """
    most = max(captured)
    tied = captured.count(most)
    if tied == 1:
        return captured.index(most)
    seats = len(captured)
    if tied < seats and last_winner is not None and captured[last_winner] == most:
        return last_winner
    return next(  # H12: nearest to the tallest in play order, the tallest first
        seat for step in range(seats) if captured[seat := (tallest + step) % seats] == most
    )


# --- tables of values that are made once ------------------------------------------------------------

_play: Final = {card: Play(card) for card in ALL_CARDS}.__getitem__
_swap: Final = {card: Swap(card) for card in ALL_CARDS}.__getitem__
_PLAYED: Final = tuple(
    {card: (Happening(Played(seat, card)),) for card in ALL_CARDS} for seat in range(MAX_SEATS)
)
_ALONE: Final = tuple((seat,) for seat in range(MAX_SEATS))


@functools.cache
def _trick_won(seat: Seat, card: Card, count: int) -> tuple[Happening]:
    return (Happening(TrickWon(seat, card, count)),)


# --- positions --------------------------------------------------------------------------------------


class HyruleState(State):
    """The common part of the two ways of taking turns: hands, captures and finished tricks."""

    __slots__ = (
        "_captured", "_deck", "_discards", "_drawn", "_hands", "_leader", "_options", "_outcome",
        "_played", "_seats", "_tallest",
    )  # fmt: skip

    def __init__(self, deal: Deal, seats: int, options: HyruleOptions, tallest: Seat) -> None:
        self._options, self._seats, self._tallest = options, seats, tallest
        self._deck: Sequence[Card] = deal.deck
        self._drawn = HAND_SIZE * seats  # how many cards have left the stock, from the deck's start
        self._hands: list[list[Card]] = [
            # one card at a time, beginning with the tallest; kept in card-number order
            sorted(self._deck[(seat - tallest) % seats : self._drawn : seats])
            for seat in range(seats)
        ]
        self._captured = [0] * seats
        self._played: list[Card] = []
        self._discards: list[Card] = []  # H15: out of play, and not captured
        self._outcome: Outcome | None = None
        self._leader = tallest
        self.opening = [
            Happening(Dealt(seat, (), HAND_SIZE), Dealt(seat, tuple(self._hands[seat]), HAND_SIZE), (seat,))
            for step in range(seats)
            for seat in ((tallest + step) % seats,)
        ]

    @classmethod
    def as_seen(
        cls, seen: Observation, options: HyruleOptions, hands: list[list[Card]], stock: Sequence[Card]
    ) -> Self:
        """The position with the observation `seen` and these hidden cards; chance rules: none is sealed.

        Args:
            seen: any viewer's observation of a game that is not over.
            options: the game's options.
            hands: the hand of each seat, in card-number order.
            stock: the next card first.
        """
        state = object.__new__(cls)
        state._options, state._seats, state._tallest = options, len(hands), seen.tallest
        state._deck, state._drawn = stock, 0
        state._hands = hands
        state._captured, state._played = list(seen.captured), list(seen.played)
        state._discards = list(seen.discards)
        state._outcome, state._leader = None, seen.leader
        state.opening = ()
        state._resume_turn(seen)
        return state

    @abc.abstractmethod
    def _resume_turn(self, seen: Observation) -> None:
        """Sets a subclass's part of the position."""

    def _capture(self, first: Seat, trick: list[Card]) -> tuple[Happening]:
        """Gives a full trick, whose first card was played by seat `first`, to its winner."""
        card = trick_winner(trick, last_joker=self._options.double_joker == "last")
        winner = (first + trick.index(card)) % self._seats
        count = len(trick)
        self._captured[winner] += count
        self._played += trick
        if any(self._hands):
            preferred = winner if self._options.last_winner else None
            self._leader = next_leader(self._captured, self._tallest, preferred)
        else:
            captured = tuple(self._captured)
            self._outcome = Outcome(places_by(captured), captured, "tricks_played")  # H16: ties share
        return _trick_won(winner, card, count)

    def _observe(
        self,
        viewer: Viewer,
        phase: str,
        to_act: Seat | None = None,
        trick: tuple[PlayedCard, ...] = (),
        swapped: bool = False,
        no_swap: bool = False,
    ) -> Observation:
        return Observation(
            phase=phase if self._outcome is None else "over",
            seat=viewer,
            hand=() if viewer is None else tuple(self._hands[viewer]),
            hand_sizes=tuple(map(len, self._hands)),
            trick=trick,
            leader=self._leader,
            tallest=self._tallest,
            swapped=swapped,
            captured=tuple(self._captured),
            played=tuple(self._played),
            discards=tuple(self._discards),
            stock=len(self._deck) - self._drawn,
            to_act=to_act,
            must_lead=swapped and not trick,
            no_swap=no_swap and self._outcome is None,
        )

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    def clone(self) -> Self:
        twin: Any = object.__new__(type(self))
        twin.opening, twin.to_act = self.opening, self.to_act
        twin._options, twin._seats, twin._tallest = self._options, self._seats, self._tallest
        twin._deck, twin._drawn = self._deck, self._drawn
        twin._hands = [hand[:] for hand in self._hands]
        twin._captured = self._captured[:]
        twin._played = self._played[:]
        twin._discards = self._discards[:]
        twin._outcome, twin._leader = self._outcome, self._leader
        self._clone_turn(twin)
        return twin  # type: ignore[no-any-return]  # built without __init__, so typed Any above

    def redrawn(self, board: Board) -> Self:
        twin = self.clone()
        left, stock = self._deck[: self._drawn], self._deck[self._drawn :]
        twin._deck = [*left, *in_order_of(board.deal(0).deck, stock)]
        return twin

    @abc.abstractmethod
    def _clone_turn(self, twin: Any) -> None:
        """Copies a subclass's part of the position to the twin."""

    def cards(self) -> list[Card]:
        hands = [card for hand in self._hands for card in hand]
        return [*hands, *self._played, *self._discards, *self._deck[self._drawn :]]


class Strategy(HyruleState):
    """Strategy rules: the opener plays or swaps, and the others follow in play order."""

    __slots__ = ("_first", "_legal", "_no_swap", "_swapped", "_trick")

    def __init__(self, deal: Deal, seats: int, options: HyruleOptions, tallest: Seat) -> None:
        super().__init__(deal, seats, options, tallest)
        self._trick: list[Card] = []
        self._swapped = False
        self._open()

    def _open(self) -> None:
        self._first = self._leader  # the seat that plays the trick's first card
        self._no_swap = self._swapped and self._options.no_swap_after_swap  # H10
        self._swapped = False
        self._legal: list[Play | Swap] | None = None  # the legal actions of the seat to act, once asked for
        self.to_act = _ALONE[self._leader] if self._outcome is None else ()

    def _resume_turn(self, seen: Observation) -> None:
        assert seen.to_act is not None, "the game is over"
        self._first = seen.trick[0].seat if seen.trick else seen.to_act
        self._swapped, self._no_swap = seen.swapped, seen.no_swap
        self._legal = None
        self._trick = [played.card for played in seen.trick]
        self.to_act = _ALONE[seen.to_act]

    def legal_actions(self, seat: Seat) -> Sequence[Play | Swap]:
        if seat not in self.to_act:
            return ()
        if self._legal is None:
            hand = self._hands[seat]
            self._legal = list(map(_play, hand))  # H14: any card
            # H8: only the opener; H10: once a trick; H11: not from an empty stock
            may_swap = not (self._trick or self._swapped or self._no_swap)
            if may_swap and self._drawn < len(self._deck):
                self._legal += map(_swap, hand)
        return self._legal

    def apply(self, seat: Seat, action: Action) -> Sequence[Happening]:
        chosen: Play | Swap = self._listed(seat, action)
        card = chosen.card
        if isinstance(chosen, Swap):
            return self._swap(seat, card)
        self._legal = None
        self._hands[seat].remove(card)
        trick = self._trick
        trick.append(card)
        if len(trick) < self._seats:
            self.to_act = _ALONE[(seat + 1) % self._seats]
            return _PLAYED[seat][card]
        won = self._capture(self._first, trick)
        self._trick = []
        self._open()
        return _PLAYED[seat][card] + won

    def _swap(self, seat: Seat, card: Card) -> tuple[Happening]:
        drawn = self._deck[self._drawn]
        self._drawn += 1
        hand = self._hands[seat]
        hand.remove(card)
        bisect.insort(hand, drawn)  # H11: hands stay equal
        self._discards.append(card)
        self._legal = None
        self._swapped = True
        self._first = (seat + 1) % self._seats  # H9: the next seat must lead, the swapper plays last
        self.to_act = _ALONE[self._first]
        return (Happening(Swapped(seat, card, None), Swapped(seat, card, drawn), (seat,)),)

    def observation(self, viewer: Viewer) -> Observation:
        trick = tuple(
            PlayedCard((self._first + turn) % self._seats, card) for turn, card in enumerate(self._trick)
        )
        phase = "follow" if trick or self._swapped else "open"
        to_act = self.to_act[0] if self.to_act else None
        return self._observe(viewer, phase, to_act, trick, self._swapped, self._no_swap)

    def _clone_turn(self, twin: Any) -> None:
        twin._first, twin._legal = self._first, self._legal
        twin._swapped, twin._no_swap = self._swapped, self._no_swap
        twin._trick = self._trick[:]

    def cards(self) -> list[Card]:
        return super().cards() + self._trick


class ChanceRules(HyruleState):
    """Chance rules: all seats seal a card, and then all are shown. There is no swap."""

    __slots__ = ("_sealed",)

    def __init__(self, deal: Deal, seats: int, options: HyruleOptions, tallest: Seat) -> None:
        super().__init__(deal, seats, options, tallest)
        self._open()

    def _open(self) -> None:
        self._sealed: list[Card | None] = [None] * self._seats  # still in the hands as well
        self.to_act = self._order() if self._outcome is None else ()

    def _resume_turn(self, seen: Observation) -> None:
        self._open()

    def _order(self) -> tuple[Seat, ...]:
        """The seats in the order in which their cards count as played: from the would-be leader (H7)."""
        return tuple((self._leader + step) % self._seats for step in range(self._seats))

    def legal_actions(self, seat: Seat) -> Sequence[Play | Swap]:
        return list(map(_play, self._hands[seat])) if seat in self.to_act else ()

    def apply(self, seat: Seat, action: Action) -> Sequence[Happening]:
        chosen: Play = self._listed(seat, action)
        self._sealed[seat] = chosen.card  # H18: no viewer is told
        self.to_act = tuple(other for other in self.to_act if other != seat)
        return () if self.to_act else self._show()

    def _show(self) -> tuple[Happening, ...]:
        shown: tuple[Happening, ...] = ()
        trick = []
        first = self._leader
        for seat in self._order():
            card = self._sealed[seat]
            assert card is not None
            self._hands[seat].remove(card)
            trick.append(card)
            shown += _PLAYED[seat][card]
        won = self._capture(first, trick)
        self._open()
        return shown + won

    def observation(self, viewer: Viewer) -> Observation:
        return self._observe(viewer, "seal")  # H18: the same before and after a seat seals

    def _clone_turn(self, twin: Any) -> None:
        twin._sealed = self._sealed[:]


# --- the game ---------------------------------------------------------------------------------------


class Hyrule(Game):
    """The rules of Hyrule."""

    id = "hyrule"
    title = "Hyrule"
    Options = HyruleOptions
    values = "arena.games.hyrule_values"
    sampler = "arena.sampling.hyrule:HyruleSampler"
    greedy = "arena.policies.hyrule:choose"
    encoding = "arena.rl.hyrule:HyruleEncoding"
    picture = "arena.view.pictures.games:HyrulePicture"
    usual_decisions = 10

    def seats(self, options: HyruleOptions) -> range:
        return range(2, MAX_SEATS + 1)

    def deck(self, options: HyruleOptions) -> Sequence[Card]:
        return ALL_CARDS  # H1

    def new(self, board: Board, seats: int, options: HyruleOptions, starter: Seat = 0) -> State:
        """The first position; `starter` is the tallest seat, and in a series the next one follows (H13)."""
        if seats not in self.seats(options):
            raise WrongOption(f"{self.id} is for 2 to {MAX_SEATS} seats, not {seats}")
        state = Strategy if options.mode == "strategy" else ChanceRules
        plan = SeriesPlan(
            deals=options.series,
            tie_breaks=options.runoff,  # H16
            score=wins,  # H17
            next_starter=lambda outcome, tallest: (tallest + 1) % seats,  # H13
        )
        return start_series(
            plan, lambda deal, tallest: state(deal, seats, options, tallest), board, seats, starter
        )

    def max_decisions(self, seats: int, options: HyruleOptions) -> int:
        """Every card dealt is played once. Each of the seven tricks, or by option every second one, has at
        most one swap (H10), which takes a card from the stock (H11)."""
        plays = HAND_SIZE * seats
        tricks = (HAND_SIZE + 1) // 2 if options.no_swap_after_swap else HAND_SIZE
        swaps = min(tricks, len(ALL_CARDS) - plays) if options.mode == "strategy" else 0
        return (plays + swaps) * (options.series + options.runoff)


GAME = Hyrule()
