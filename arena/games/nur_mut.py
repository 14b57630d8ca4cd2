"""Nur Mut: get rid of your deck, card by card, or show courage and flip.

The rulings M1 to M28 are explained in `rules/nur-mut.md`, and named here
at the lines that implement them. Decks and piles are lists with their top card
last. A card's lower face, and the cards under a top card, are read only
when the rules turn them up.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from arena.games.game import (
    Action,
    Board,
    Chance,
    Deal,
    Event,
    Game,
    Happening,
    Outcome,
    Seat,
    State,
    Viewer,
    WrongOption,
    places_by,
)
from arena.games.nur_mut_actions import (
    CHAINED_TURN,
    CHOOSE,
    FORCED_TURN,
    HIDDEN_TURN,
    PILES_IN,
    SHOWN_TURN,
    fit_mask,
)
from arena.games.nur_mut_values import (
    PILES,
    Card,
    ChoosePile,
    Courage,
    Dealt,
    Face,
    Flipped,
    JokerSetAside,
    Laid,
    Lying,
    NurMutOptions,
    Observation,
    Passed,
    PassTurn,
    PileStarted,
    Place,
    TookPile,
    TopShown,
    TryTop,
    Tuck,
    Tucked,
    card_deck,
    lying,
)
from arena.games.series import SeriesPlan, points, start_series

DECK_CARDS = 10  # dealt to each seat
MOST_SEATS = 7


@functools.cache
def _told(event: Callable[..., Event], *fields: Any) -> Happening:
    """The public happening of an event; the few that exist are cached."""
    return Happening(event(*fields))


TO_ACT: Final = tuple((seat,) for seat in range(MOST_SEATS))


class _Terms(NamedTuple):
    """The constants of a deal."""

    seats: int
    deal: Deal
    hidden: bool  # M1: model one, where decks lie face down
    chain_courage_only: bool
    joker_replay: bool
    stall: int  # M21: turns of all seats
    last_turn: int  # M22: turns of all seats


def _terms(seats: int, deal: Deal, options: NurMutOptions) -> _Terms:
    return _Terms(
        seats,
        deal,
        options.model == "one",
        options.chain_courage_only,
        options.joker_replay,
        options.stall * seats,
        options.max_turns * seats,
    )


class NurMutState(State):
    """One position of a deal of Nur Mut."""

    __slots__ = (
        "_again", "_choosing", "_decks", "_failures", "_legal", "_outcome",
        "_passes", "_piles", "_rest", "_stalled", "_terms", "_tucked", "_turns",
    )  # fmt: skip

    def __init__(self, deal: Deal, seats: int, options: NurMutOptions, starter: Seat) -> None:
        self._terms = _terms(seats, deal, options)
        self._again = False  # the seat to act goes on after successful courage
        self._choosing = ""  # why the flipped card will be laid, while its pile is chosen; else empty
        self._failures = [0] * seats
        self._tucked = [0] * seats  # since the deck was last mixed
        self._passes = self._stalled = self._turns = 0
        self._legal: Sequence[Action] | None = None
        self._outcome: Outcome | None = None
        self.to_act = TO_ACT[starter]
        self._deal_out([lying(card) for card in deal.deck], starter)

    @classmethod
    def as_seen(
        cls,
        seen: Observation,
        options: NurMutOptions,
        decks: list[list[Lying]],
        piles: list[list[Lying]],
        rest: list[Lying],
        deal: Deal,
    ) -> Self:
        """The position with the observation `seen` and these cards as they lie.

        Args:
            seen: any viewer's observation of a game that is not over.
            options: the game's options.
            decks: the deck of each seat, its top card last.
            piles: the centre piles, their top cards last.
            rest: the cards out of play.
            deal: the chance of all shuffles from here on.
        """
        assert seen.to_act is not None, "the game is over"
        seats = len(decks)
        state = object.__new__(cls)
        state._terms = _terms(seats, deal, options)
        state._decks, state._piles, state._rest = decks, piles, rest
        state._failures = [0] * seats
        state._again, state._choosing = seen.again, ""
        if seen.phase == "choose_pile":
            state._choosing = "courage" if seen.by_courage else "place"
        state._passes, state._stalled, state._turns = seen.passes, seen.stalled, seen.turns
        state._tucked = [0] * len(state._decks)  # the number is not visible, nor needed to play on
        state._legal = state._outcome = None
        state.to_act = TO_ACT[seen.to_act]
        state.opening = ()
        return state

    def _deal_out(self, cards: list[Lying], starter: Seat) -> None:
        """Deals the decks and starts the piles; `cards` are front up, in dealing order."""
        seats = self._terms.seats
        chance = self._terms.deal.chance("orientation", 0, 0)
        dealt = seats * DECK_CARDS
        lies = self._laid_down(cards[:dealt], chance)
        # M25: one card at a time from the starter on; the first is the top of its deck
        self._decks = [lies[(seat - starter) % seats :: seats][::-1] for seat in range(seats)]
        told = [_told(Dealt, seat, DECK_CARDS) for seat in range(seats)]
        for seat in range(seats):
            self._show_top(seat, told)
        self._piles: list[list[Lying]] = []
        jokers = []
        rest = iter(cards[dealt:])
        for card in rest:
            [card] = map(self._turned_up, self._laid_down([card], chance))
            pile = len(self._piles)
            if card.up is Face.JOKER:  # M6
                jokers.append(card)
                told.append(_told(JokerSetAside, pile))
                continue
            self._piles.append([card])
            told.append(_told(PileStarted, pile, card.up))
            if len(self._piles) == PILES:
                break
        while len(self._piles) < PILES:  # M24: out of numbers, so jokers start piles
            told.append(_told(PileStarted, len(self._piles), Face.JOKER))
            self._piles.append([jokers.pop(0)])
        self._rest = [*rest, *jokers]  # out of play
        self.opening = told

    def _laid_down(self, cards: Sequence[Lying], chance: Chance) -> list[Lying]:
        """The cards as they come to lie in a deck: face down (model one), or each either way up at random."""
        if self._terms.hidden:
            return [card.ways[1] for card in cards]
        ways = chance.each_below((2,) * len(cards))
        return [card.ways[way] for card, way in zip(cards, ways, strict=True)]

    def _turned_up(self, card: Lying) -> Lying:
        """A card from a deck as it shows on a pile: as it lies, but face up under model one."""
        return card.over if self._terms.hidden else card

    def _show_top(self, seat: Seat, told: list[Happening]) -> None:
        deck = self._decks[seat]
        if deck and not self._terms.hidden:
            told.append(_told(TopShown, seat, deck[-1].up))

    def legal_actions(self, seat: Seat) -> Sequence[Action]:
        """Pass turn, tuck, place by pile, try top, courage; after a flip, choose pile by pile."""
        if seat not in self.to_act:
            return ()
        if self._legal is None:
            self._legal = self._find_legal(seat)
        return self._legal

    def _find_legal(self, seat: Seat) -> Sequence[Action]:
        terms = self._terms
        if self._choosing:  # M9
            return CHOOSE[fit_mask(self._decks[seat][-1].up, self._piles)]
        if self._passes >= terms.seats or self._stalled >= terms.stall:  # M20, M21
            return FORCED_TURN
        if self._again and terms.chain_courage_only:  # M10
            return CHAINED_TURN
        if terms.hidden:
            return HIDDEN_TURN
        return SHOWN_TURN[fit_mask(self._decks[seat][-1].up, self._piles)]  # M12: a joker may be passed too

    def apply(self, seat: Seat, action: Action) -> Sequence[Happening]:
        chosen = self._listed(seat, action)
        self._legal = None
        told: list[Happening] = []
        match chosen:
            case PassTurn():
                told.append(_told(Passed, seat))
                if not self._again:  # M20: a pass after successful courage is not a pure pass
                    self._passes += 1
                    self._stalled += 1
                self._end_turn(seat + 1)
            case Courage():
                self._flip(seat, "courage", told)
            case Place(pile):
                self._lay(seat, pile, "place", told)
            case Tuck():
                self._tuck(seat, told)
            case TryTop():
                self._flip(seat, "place", told)
            case ChoosePile(pile):
                reason, self._choosing = self._choosing, ""
                self._lay(seat, pile, reason, told)
        return told

    def _flip(self, seat: Seat, reason: str, told: list[Happening]) -> None:
        """Turns the top card over; it must be laid if it fits (M12)."""
        deck = self._decks[seat]
        card = deck[-1] = deck[-1].over  # M26: it stays on its deck until it is laid
        told.append(_told(Flipped, seat, card.up))
        fitting = PILES_IN[fit_mask(card.up, self._piles)]
        if len(fitting) > 1:  # M9
            self._choosing = reason
        elif fitting:
            self._lay(seat, fitting[0], reason, told)
        elif reason == "courage":
            self._fail(seat, told)
        else:
            self._tuck(seat, told)

    def _tuck(self, seat: Seat, told: list[Happening]) -> None:
        deck = self._decks[seat]
        card = deck.pop()
        told.append(_told(Tucked, seat, card.up))
        deck.insert(0, card.over if self._terms.hidden else card)
        self._tucked[seat] += 1
        self._show_top(seat, told)
        self._passes = 0  # M20: not a pass
        if not self._again:
            self._stalled += 1
        self._end_turn(seat + 1)  # M7

    def _lay(self, seat: Seat, pile: int, reason: str, told: list[Happening]) -> None:
        """Lays the top card, which is face up, and goes on with the turn or ends it."""
        deck = self._decks[seat]
        card = deck.pop()
        self._put(seat, pile, card, reason, told)
        rewarded = reason == "courage" and (card.up is not Face.JOKER or self._terms.joker_replay)  # M11
        if rewarded and deck:  # M10
            self._again = True
        else:
            self._end_turn(seat + 1)  # M7

    def _put(self, seat: Seat, pile: int, card: Lying, reason: str, told: list[Happening]) -> None:
        """Puts a card on a pile and, while a joker shows, the next card of the deck on it (M13, M14)."""
        deck, stack = self._decks[seat], self._piles[pile]
        stack.append(card)
        told.append(_told(Laid, seat, pile, card.up, reason))
        while card.up is Face.JOKER and deck:
            card = self._turned_up(deck.pop())
            stack.append(card)
            told.append(_told(Laid, seat, pile, card.up, "cover"))
        self._passes = self._stalled = 0  # M27
        self._show_top(seat, told)

    def _fail(self, seat: Seat, told: list[Happening]) -> None:
        """Failed courage: the seat takes the highest pile, and the next one refills it."""
        terms, failures = self._terms, self._failures[seat]
        self._failures = [*self._failures]
        self._failures[seat] += 1
        tops = [stack[-1].up for stack in self._piles]
        most = max(tops)
        highest = [pile for pile in range(PILES) if tops[pile] == most]
        pile = highest[0]
        if len(highest) > 1:  # M16
            pile = highest[terms.deal.chance("highest", seat, failures).below(len(highest))]
        taken = self._piles[pile]
        told.append(_told(TookPile, seat, pile, len(taken)))
        chance = terms.deal.chance("reshuffle", seat, failures)
        mixed = chance.shuffle([*reversed(self._decks[seat]), *reversed(taken)])  # M15
        self._decks[seat] = self._laid_down(mixed, chance)[::-1]
        self._tucked[seat] = 0
        self._show_top(seat, told)
        self._piles[pile] = []
        refiller = (seat + 1) % terms.seats  # M17
        self._put(refiller, pile, self._turned_up(self._decks[refiller].pop()), "refill", told)  # M19
        self._end_turn(refiller + 1)  # M18

    def _end_turn(self, following: int) -> None:
        self._turns += 1
        self._again = False
        if not all(self._decks):
            self._end("deck_empty")  # M14, M19
        elif self._turns >= self._terms.last_turn:
            self._end("turn_limit")  # M22
        else:
            self.to_act = TO_ACT[following % self._terms.seats]

    def _end(self, reason: str) -> None:
        left = tuple(-len(deck) for deck in self._decks)  # M23
        self._outcome = Outcome(places_by(left), left, reason)
        self.to_act = ()

    def observation(self, viewer: Viewer) -> Observation:
        tops = tuple(deck[-1].up if deck else Face.HIDDEN for deck in self._decks)
        phase = "over" if not self.to_act else "choose_pile" if self._choosing else "turn"
        return Observation(
            phase,
            viewer,
            self.to_act[0] if self.to_act else None,
            tuple([stack[-1].up for stack in self._piles]),
            tuple([len(stack) for stack in self._piles]),
            tuple([len(deck) for deck in self._decks]),
            tops,
            tops[self.to_act[0]] if phase == "choose_pile" else None,
            self._passes,
            self._stalled,
            self._turns,
            self._again,
            self._choosing == "courage",
        )

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    def clone(self) -> Self:
        twin = object.__new__(type(self))
        twin.opening, twin.to_act = self.opening, self.to_act
        twin._terms, twin._rest = self._terms, self._rest
        twin._decks = [deck[:] for deck in self._decks]
        twin._piles = [stack[:] for stack in self._piles]
        twin._failures = self._failures  # replaced, never changed
        twin._tucked = self._tucked[:]
        twin._again, twin._choosing = self._again, self._choosing
        twin._passes, twin._stalled, twin._turns = self._passes, self._stalled, self._turns
        twin._legal, twin._outcome = self._legal, self._outcome
        return twin

    def redrawn(self, board: Board) -> Self:
        """As in every game. The cards of each deck are taken as known, but not their order.

        Known too are the tucked cards, at the bottom, and the face that the top card shows.
        """
        twin = self.clone()
        deal = board.deal(0)
        twin._terms = self._terms._replace(deal=deal)
        for seat, deck in enumerate(twin._decks):
            tucked = min(self._tucked[seat], len(deck))
            turned = bool(self._choosing) and seat in self.to_act  # both faces of its top card are known
            untouched = deck[tucked : len(deck) - turned]
            if untouched:
                face = None if turned or self._terms.hidden else deck[-1].up
                mixed = self._mixed(untouched, face, deal.chance("redrawn", seat, 0))
                deck[tucked : len(deck) - turned] = mixed
        return twin

    def _mixed(self, cards: list[Lying], face: Face | None, chance: Chance) -> list[Lying]:
        """Shuffles cards and the way they lie; the last shows `face` if that is given."""
        last = []
        if face is not None:
            ways = [way for card in cards for way in card.ways if way.up is face]
            last = [ways[chance.below(len(ways))]]
            place = next(place for place, card in enumerate(cards) if card.card == last[0].card)
            cards = cards[:place] + cards[place + 1 :]
        return self._laid_down(chance.shuffle(cards), chance) + last

    def cards(self) -> list[Card]:
        return [card.card for cards in (*self._decks, *self._piles, self._rest) for card in cards]


class NurMut(Game):
    """The rules of Nur Mut."""

    id = "nur-mut"
    title = "Nur Mut"
    Options = NurMutOptions
    values = "arena.games.nur_mut_values"
    sampler = "arena.sampling.nur_mut:NurMutSampler"
    greedy = "arena.policies.nur_mut:choose"
    encoding = "arena.rl.nur_mut:NurMutEncoding"
    picture = "arena.view.pictures.games:NurMutPicture"
    usual_decisions = 25
    luck_baselines = ("greedy", "thoughtful")

    def parse_options(self, given: Mapping[str, Any]) -> NurMutOptions:
        """The options with `given` values in place of defaults.

        Raises WrongOption as every game does, and if a text of the option
        `deck` is no card of the chosen model (M3) or the deck is too small.
        """
        options: NurMutOptions = super().parse_options(given)
        if not self.seats(options):
            raise WrongOption(self._too_small(2, options))
        return options

    def _too_small(self, seats: int, options: NurMutOptions) -> str:
        return (
            f"{self.id} with {seats} seats needs a deck of at least {seats * DECK_CARDS + PILES} cards"
            f" (10 a seat and 3 piles); this one has {len(card_deck(options))}"
        )

    def deck(self, options: NurMutOptions) -> tuple[Card, ...]:
        """The deck of M3, or that of the option `deck`; raises WrongOption for a text that is no card."""
        return card_deck(options)

    def seats(self, options: NurMutOptions) -> range:
        """M5: 2 to 7, as far as the deck is enough for 10 cards a seat and three piles."""
        return range(2, min(MOST_SEATS, (len(card_deck(options)) - PILES) // DECK_CARDS) + 1)

    def new(self, board: Board, seats: int, options: NurMutOptions, starter: Seat = 0) -> State:
        """The first position; raises WrongOption for a number of seats, or a deck too small for it (M5)."""
        if not 2 <= seats <= MOST_SEATS:
            raise WrongOption(f"{self.id} is played by 2 to {MOST_SEATS} seats, not {seats}")
        if seats not in self.seats(options):
            raise WrongOption(self._too_small(seats, options))
        plan = SeriesPlan(options.rounds, 0, points, _next_starter)  # M23
        return start_series(
            plan, lambda deal, first: NurMutState(deal, seats, options, first), board, seats, starter
        )

    def max_decisions(self, seats: int, options: NurMutOptions) -> int:
        """The turns of M22, each of at most 18 * seats + 2 decisions.

        Of the 10n+3 cards in play, three piles and the other n-1 decks hold at
        least one each, so the deck to act has at most D = 9n+1. Each card that
        a turn lays from it takes at most two decisions, courage and the choice
        of a pile; one that lays no card ends the turn: at most 2D in all.
        """
        return options.rounds * options.max_turns * seats * 2 * ((DECK_CARDS - 1) * seats + 1)


def _next_starter(outcome: Outcome, starter: Seat) -> Seat:
    return (starter + 1) % len(outcome.places)  # M28


GAME: Final = NurMut()
