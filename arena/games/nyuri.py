"""Nyuri ("stealing"): lay a pile, steal the piles of others, hold the most cards at the end.

Play is a sequence of windows. In each, the placer puts down a pile or leaves the old
one in place. Then every other seat, clockwise, draws a card or shows cards
to steal a pile. The rules page `rules/nyuri.md` has the rulings N1, N2, ...
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, Self

from arena.cards import DECK, Card
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
    places_by,
)
from arena.games.nyuri_actions import card_set, draw_and_steals, pile_set, placements
from arena.games.nyuri_values import (
    Cards,
    Claim,
    Claimed,
    Counted,
    Dealt,
    Draw,
    Drew,
    Leave,
    Left,
    NyuriAction,
    NyuriOptions,
    Observation,
    Overbid,
    Penalty,
    Pile,
    Place,
    Placed,
    Skipped,
    Steal,
    Stole,
)
from arena.games.series import SeriesPlan, start_series, wins

HAND_SIZE: Final = 7


@cache
def _drew(seat: Seat, card: Card) -> Happening:
    return Happening(Drew(seat, None), Drew(seat, card), (seat,))


@cache
def _penalty(seat: Seat, owner: Seat, card: Card) -> Happening:
    return Happening(Penalty(seat, owner, None), Penalty(seat, owner, card), (seat, owner))


@cache
def _pile_seen(pile: Cards) -> Pile:
    return Pile(*(*pile, None, None)[:2])


class NyuriState(State):
    """One position of a deal of Nyuri.

    Args:
        deal: the deck, and the chance of the penalties (N13).
        seats: the number of seats, 2 to 7.
        options: the options.
        starter: the seat that is dealt to first and places first (N19).
    """

    __slots__ = (
        "_claims",
        "_deal",
        "_hands",
        "_legal",
        "_options",
        "_outcome",
        "_owned",
        "_penalties",
        "_phase",
        "_piles",
        "_placer",
        "_spent",
        "_stalled",
        "_stock",
    )

    def __init__(self, deal: Deal, seats: int, options: NyuriOptions, starter: Seat) -> None:
        self._deal = deal
        self._options = options
        dealt = seats * HAND_SIZE
        # In the order in which the cards came to the hand, so that a blind pick is a place in that order.
        self._hands: list[list[Card]] = [
            list(deal.deck[(seat - starter) % seats : dealt : seats]) for seat in range(seats)
        ]
        self._owned = [card_set(hand) for hand in self._hands]  # hand and pile as a set
        self._stock: list[Card] = list(deal.deck[: dealt - 1 : -1])  # the next card is the last
        self._piles: list[Cards] = [()] * seats
        self._spent: list[Card] = []
        self._claims: list[Claim] = []
        self._penalties = [0] * seats
        self._stalled = 0
        self._placer = starter
        self._phase = "place"
        self._legal: Sequence[NyuriAction] | None = None
        self._outcome: Outcome | None = None
        self.to_act = (starter,)
        self.opening = [
            Happening(
                Dealt(seat, (), HAND_SIZE), Dealt(seat, tuple(sorted(self._hands[seat])), HAND_SIZE), (seat,)
            )
            for seat in (*range(starter, seats), *range(starter))
        ]

    @classmethod
    def as_seen(
        cls,
        seen: Observation,
        options: NyuriOptions,
        hands: list[list[Card]],
        stock: list[Card],
        deal: Deal,
    ) -> Self:
        """The position with the observation `seen` and these hidden cards.

        Args:
            seen: any viewer's observation of a game that is not over.
            options: the game's options.
            hands: the hand of each seat, in any order.
            stock: the next card last.
            deal: the chance of the later penalties, counted from here.
        """
        assert seen.to_act is not None, "the game is over"
        state = object.__new__(cls)
        state._deal, state._options = deal, options
        state._hands, state._stock = hands, stock
        state._piles = [tuple([card for card in pile if card is not None]) for pile in seen.piles]
        held = zip(hands, state._piles, strict=True)
        state._owned = [card_set(hand) + card_set(pile) for hand, pile in held]
        state._spent, state._claims = list(seen.spent), list(seen.claims)
        state._penalties = [0] * len(hands)
        state._stalled, state._placer, state._phase = seen.stalled, seen.placer, seen.phase
        state._legal = state._outcome = None
        state.to_act = (seen.to_act,)
        state.opening = ()
        return state

    # Legal actions ------------------------------------------------------------

    def legal_actions(self, seat: Seat) -> Sequence[NyuriAction]:
        if seat not in self.to_act:
            return ()
        if self._legal is None:
            if self._phase == "place":
                self._legal = placements(self._owned[seat], self._piles[seat], self._options.reuse_base)
            else:
                self._legal = draw_and_steals(seat, self._owned[seat], self._piles, self._claims)
        return self._legal

    # Playing --------------------------------------------------------------------

    def apply(self, seat: Seat, action: Action) -> Sequence[Happening]:
        chosen: NyuriAction = self._listed(seat, action)
        told: list[Happening] = []
        if isinstance(chosen, Draw):
            self._draw(seat, told)
        elif isinstance(chosen, Steal):
            self._steal(seat, chosen, told)
        else:
            self._put_down(seat, chosen, told)
        self._end_turn(seat, told)
        self._legal = None
        return told

    def _put_down(self, seat: Seat, action: Place | Leave, told: list[Happening]) -> None:
        if isinstance(action, Leave):
            told.append(Happening(Left(seat)))
        else:
            hand, old = self._hands[seat], self._piles[seat]
            hand += old
            self._piles[seat] = pile = (action.base,) if action.guard is None else (action.base, action.guard)
            for card in pile:
                hand.remove(card)
            told.append(Happening(Placed(seat, action.base, action.guard, old)))
        self._after_placing(told)

    def _after_placing(self, told: list[Happening]) -> None:
        self._phase = "steal"
        if self._options.placer_draws:  # N10, N23
            self._draw(self._placer, told)

    def _draw(self, seat: Seat, told: list[Happening]) -> None:
        card = self._stock.pop()
        self._hands[seat].append(card)
        self._owned[seat] += 1 << card
        self._stalled = 0  # N24
        told.append(_drew(seat, card))

    def _steal(self, seat: Seat, action: Steal, told: list[Happening]) -> None:
        self._stalled += 1
        claim = Claim(seat, action.owner, action.cards)
        if self._options.contest == "instant":  # N7, N22
            self._take(claim, told)
        else:
            self._claims.append(claim)
            told.append(Happening(Claimed(*claim)))

    def _end_turn(self, seat: Seat, told: list[Happening]) -> None:
        """Goes on to the next steal turn, or ends the window and then opens the next or ends play."""
        following = (seat + 1) % len(self._hands)
        if self._stock and following != self._placer:
            self.to_act = (following,)
            return
        if self._claims:
            self._resolve(told)  # N14: also if the stock ended within the window
        if not self._stock:
            self._count("stock_empty", told)  # N14
        elif len(self._hands) == 2 and self._stalled >= self._options.stall:
            self._count("stalled", told)  # N17
        else:
            self._open_window((self._placer + 1) % len(self._hands), told)

    def _open_window(self, placer: Seat, told: list[Happening]) -> None:
        self._placer = placer
        if self._hands[placer] or self._piles[placer]:
            self._phase = "place"
            self.to_act = (placer,)
        else:
            told.append(Happening(Skipped(placer)))  # N16
            self._after_placing(told)
            self._end_turn(placer, told)

    def _resolve(self, told: list[Happening]) -> None:
        """Settles the claims of the window in their order (N7)."""
        claims, self._claims = self._claims, []
        highest = {claim.owner: claim for claim in claims}  # a later claim on a pile is always higher
        for claim in claims:
            if highest[claim.owner] is claim:
                self._take(claim, told)
            else:
                told.append(Happening(Overbid(claim.seat, claim.owner)))
                if self._stock:  # N14
                    self._draw(claim.seat, told)  # N8

    def _take(self, claim: Claim, told: list[Happening]) -> None:
        """Hands over the pile of a winning claim, and the penalty card if there is one."""
        seat, owner, cards = claim
        hand, pile, owned = self._hands[seat], self._piles[owner], self._owned
        if self._options.spend_cards:  # N6, N21
            for card in cards:
                hand.remove(card)
            owned[seat] -= pile_set(cards)
            self._spent += cards
        self._piles[owner] = ()
        hand += pile
        moved = pile_set(pile)
        owned[owner] -= moved
        owned[seat] += moved
        told.append(Happening(Stole(seat, owner, pile, cards)))
        if len(cards) == 3:  # N13
            chance = self._deal.chance("penalty", seat, self._penalties[seat])
            self._penalties[seat] += 1
            card = hand.pop(chance.below(len(hand)))
            self._hands[owner].append(card)
            owned[seat] -= 1 << card
            owned[owner] += 1 << card
            told.append(_penalty(seat, owner, card))

    def _count(self, reason: str, told: list[Happening]) -> None:
        held = zip(self._hands, self._piles, strict=True)
        counts = tuple(len(hand) + len(pile) for hand, pile in held)  # N15
        self._phase = "over"
        self.to_act = ()
        self._outcome = Outcome(places_by(counts), counts, reason)  # N18
        told.append(Happening(Counted(counts)))

    # Observing ------------------------------------------------------------------

    def observation(self, viewer: Viewer) -> Observation:
        return Observation(
            phase=self._phase,
            seat=viewer,
            hand=() if viewer is None else tuple(sorted(self._hands[viewer])),
            hand_sizes=tuple([len(hand) for hand in self._hands]),
            piles=tuple([_pile_seen(pile) for pile in self._piles]),
            stock=len(self._stock),
            placer=self._placer,
            claims=tuple(self._claims),
            stalled=self._stalled,
            spent=tuple(self._spent),
            to_act=self.to_act[0] if self.to_act else None,
        )

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    def clone(self) -> Self:
        twin = object.__new__(type(self))
        twin._deal = self._deal
        twin._options = self._options
        twin._hands = [hand[:] for hand in self._hands]
        twin._owned = self._owned[:]
        twin._stock = self._stock[:]
        twin._piles = self._piles[:]
        twin._spent = self._spent[:]
        twin._claims = self._claims[:]
        twin._penalties = self._penalties[:]
        twin._stalled = self._stalled
        twin._placer = self._placer
        twin._phase = self._phase
        twin._legal = self._legal
        twin._outcome = self._outcome
        twin.to_act = self.to_act
        twin.opening = self.opening
        return twin

    def redrawn(self, board: Board) -> Self:
        twin = self.clone()
        twin._deal = board.deal(0)
        twin._stock = in_order_of(twin._deal.deck, self._stock)
        return twin

    def cards(self) -> list[Card]:
        held = [card for cards in (*self._hands, *self._piles) for card in cards]
        return held + self._stock + self._spent


class Nyuri(Game):
    """The rules of Nyuri."""

    id = "nyuri"
    title = "Nyuri"
    Options = NyuriOptions
    values = "arena.games.nyuri_values"
    sampler = "arena.sampling.nyuri:NyuriSampler"
    greedy = "arena.policies.nyuri:choose"
    encoding = "arena.rl.nyuri:NyuriEncoding"
    picture = "arena.view.pictures.games:NyuriPicture"
    usual_decisions = 50

    def seats(self, options: NyuriOptions) -> range:
        return range(2, options.players + 1)  # N1

    def deck(self, options: NyuriOptions) -> Sequence[Card]:
        return DECK

    def new(self, board: Board, seats: int, options: NyuriOptions, starter: Seat = 0) -> State:
        allowed = self.seats(options)
        if seats not in allowed:
            raise WrongOption(f"nyuri is for {allowed[0]} to {allowed[-1]} seats, not {seats}")
        plan = SeriesPlan(
            deals=options.series,
            tie_breaks=options.replay,  # N18
            score=wins,  # N25
            next_starter=lambda outcome, last: (last + 1) % seats,  # N19
        )
        return start_series(
            plan, lambda deal, first: NyuriState(deal, seats, options, first), board, seats, starter
        )

    def max_decisions(self, seats: int, options: NyuriOptions) -> int:
        """The bound proved in the rules page.

        A window has at most `seats` actions. Each steal turn has a draw, except
        at most one for each pile laid. So at least `seats - 2` cards leave the stock in
        a window, and one more if the placer draws. If that number is 0,
        N17 allows at most `stall` steal turns for a card.
        """
        stock = len(DECK) - seats * HAND_SIZE
        draws = seats - 2 + options.placer_draws
        windows = -(-stock // draws) if draws else stock * options.stall
        return seats * windows * (options.series + options.replay)


GAME: Final[Game] = Nyuri()
"""The rules, as a value."""
