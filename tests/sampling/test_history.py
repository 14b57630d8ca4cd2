"""A sampled position is possible after the whole game so far: the viewer would have been told the same.

From a sample a deck is made, with which the game is played again from its first
card. A card that a seat let go of, and that was not known before, is given to
any place from which that seat got a card by then; what is left goes to where
the sample has it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from arena.games import GAMES
from arena.games.forty_one import FortyOneState
from arena.games.game import SPECTATOR, State
from arena.games.nur_mut_values import lying
from arena.sampling.nur_mut import NurMutSampler, _fitting
from tests.games.random_play import Setup, random_options, random_setup
from tests.sampling.watching import Moment, moments, mostly_greedy

ONE_DEAL = {"series": 1, "rounds": 1, "runoff": 0, "replay": 0}


class Places:
    """The place in the deck from which each card of a hand came, if the card does not tell.

    Args:
        setup: the game.
        size: the cards dealt to a hand.
    """

    def __init__(self, setup: Setup, size: int, rng: random.Random) -> None:
        dealt = size * setup.seats
        self.rng = rng
        self.deck: dict[int, Any] = {}
        self.known: list[set[Any]] = [set() for _ in range(setup.seats)]
        self.open: list[list[int]] = [
            list(range((seat - setup.starter) % setup.seats, dealt, setup.seats))
            for seat in range(setup.seats)
        ]
        self.next = dealt

    def draw(self, seat: int) -> None:
        self.open[seat].append(self.next)
        self.next += 1

    def fill(self, seat: int, cards: Sequence[Any]) -> None:
        """The last places that are open hold these cards."""
        for card in cards:
            self.deck[self.open[seat].pop()] = card
            self.known[seat].add(card)

    def let_go(self, seat: int, card: Any) -> None:
        if card in self.known[seat]:
            self.known[seat].remove(card)
        else:
            self.deck[self.open[seat].pop(self.rng.randrange(len(self.open[seat])))] = card

    def take(self, seat: int, cards: Sequence[Any]) -> None:
        self.known[seat] |= set(cards)

    def note(self, event: Any, spend: bool) -> None:
        """An event's information about hands."""
        match event.kind:
            case "dealt":
                self.fill(event.seat, event.cards)
            case "drew" | "drew_stock":
                self.draw(event.seat)
                self.fill(event.seat, () if event.card is None else (event.card,))
            case "took_discard":
                self.take(event.seat, (event.card,))
            case "discarded" | "played" | "built":
                self.let_go(event.seat, event.card)
            case "swapped":
                self.let_go(event.seat, event.discarded)
                self.draw(event.seat)
                self.fill(event.seat, () if event.drawn is None else (event.drawn,))
            case "placed":
                self.take(event.seat, event.taken_back)
                for card in (event.base, event.guard):
                    if card is not None:
                        self.let_go(event.seat, card)
            case "claimed":
                self.show(event.seat, event.cards)
            case "stole" if hasattr(event, "pile"):  # Nyuri
                self.show(event.seat, event.cards)
                for card in event.cards if spend else ():
                    self.let_go(event.seat, card)
                self.take(event.seat, event.pile)
            case "stole":  # Kleftis
                self.let_go(event.seat, event.card)
            case "penalty":
                self.let_go(event.seat, event.card)
                self.take(event.owner, (event.card,))

    def show(self, seat: int, cards: Sequence[Any]) -> None:
        for card in cards:
            self.let_go(seat, card)
            self.take(seat, (card,))


def deck_of(setup: Setup, moment: Moment, world: Any, rng: random.Random) -> list[Any]:
    """A deck with which the game may have come to a sampled position."""
    places = Places(setup, 4 if setup.game.id == "forty-one" else 7, rng)
    for event in moment.told:
        places.note(event, getattr(setup.options, "spend_cards", False))
    if isinstance(world, FortyOneState) and world._drawn is not None:
        (seat,) = world.to_act
        if world._drawn not in places.known[seat]:
            places.fill(seat, [world._drawn])
        places.let_go(seat, world._drawn)
    for seat, hand in enumerate(world._hands):
        for card in hand:
            places.let_go(seat, card)
    assert not any(places.open)
    assert not any(places.known)
    stock = world._deck if hasattr(world, "_deck") else world._stock[::-1]
    places.deck.update(enumerate(stock, places.next))
    return [places.deck[place] for place in range(len(places.deck))]


def board_of_nur_mut(setup: Setup, moment: Moment, rng: random.Random) -> Any:
    """The board of the walk's cards: their deal, how they came to lie, and each shuffle."""
    sampler = moment.sampler._deal
    assert isinstance(sampler, NurMutSampler)
    shuffles = iter(sampler._shuffles)
    cards = setup.game.deck(setup.options)
    true_deal = setup.board.deal(0)

    def ways(spots: Sequence[Any]) -> list[int]:
        return [
            card_ways.index(rng.choice(_fitting(sampler._ways[spot.card], spot.seen)))
            for spot in spots
            for card_ways in [lying(cards[spot.card]).ways]
        ]

    class Chance:
        def __init__(self, purpose: str, chance: Any) -> None:
            self.purpose, self.chance = purpose, chance
            self.spots = next(shuffles) if purpose != "highest" else []
            self.spots = self.spots[::-1] if purpose == "reshuffle" else self.spots  # the top is first there
            self.turned = 0

        def below(self, n: int) -> int:  # which of the highest piles was told
            return int(self.chance.below(n))

        def each_below(self, bounds: Sequence[int]) -> list[int]:
            spots = self.spots[self.turned : self.turned + len(bounds)]
            self.turned += len(bounds)
            return ways(spots)

        def shuffle(self, items: Sequence[Any]) -> list[Any]:
            order = [lying(cards[spot.card]) for spot in self.spots]
            assert sorted(item.card for item in order) == sorted(item.card for item in items)
            return order

    dealt = [cards[spot.card] for spot in sampler._shuffles[0]]

    class Dealt:
        deck = dealt

        def chance(self, purpose: str, seat: int, count: int) -> Chance:
            return Chance(purpose, true_deal.chance(purpose, seat, count))

    class Board:
        def deal(self, number: int) -> Dealt:
            return Dealt()

    return Board()


class ToldBoard:
    """A board with a deck, and the penalties that were told.

    Attributes:
        state: the game that is played on it.
    """

    def __init__(self, deck: Sequence[Any], told: Sequence[Any]) -> None:
        self.deck = deck
        self.penalties = iter([event for event in told if event.kind == "penalty"])
        self.state: Any = None

    def deal(self, number: int) -> ToldBoard:
        return self

    def chance(self, purpose: str, seat: int, count: int) -> ToldBoard:
        return self

    def below(self, n: int) -> int:
        penalty = next(self.penalties)
        place: int = self.state._hands[penalty.seat].index(penalty.card)
        return place


def check(setup: Setup, moment: Moment, viewer: int | None, rng: random.Random) -> None:
    world: Any = moment.sampler.draws(moment.seen)(rng)
    if setup.game.id == "nur-mut":
        shuffles = 1 + sum(event.kind == "took_pile" for event in moment.told)
        assert len(moment.sampler._deal._shuffles) == shuffles  # type: ignore[attr-defined]  # it is Nur Mut's
        board = board_of_nur_mut(setup, moment, rng)
    else:
        board = ToldBoard(deck_of(setup, moment, world, rng), moment.told)
    state: State = setup.start(board)
    board.state = state
    told = [happening.told_to(viewer) for happening in state.opening]
    for seat, action in moment.actions:
        told += [happening.told_to(viewer) for happening in state.apply(seat, action)]
    assert told == moment.told
    assert state.observation(viewer) == moment.seen
    if viewer is not None:
        assert list(state.legal_actions(viewer)) == list(moment.state.legal_actions(viewer))
    for seat in range(setup.seats):
        if setup.game.id != "nur-mut":
            assert state.observation(seat) == world.observation(seat)
    assert sorted(state.cards()) == sorted(world.cards())


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("number", range(6))
def test_the_game_may_have_been_so(game: str, number: int) -> None:
    rng = random.Random(f"{game} {number}")
    options = random_options(GAMES[game], rng)
    single = {name: value for name, value in ONE_DEAL.items() if hasattr(options, name)}
    setup = random_setup(GAMES[game], rng, type(options)(**{**_values(options), **single}))
    viewer = rng.choice([*range(setup.seats), SPECTATOR])
    for moment in moments(setup, viewer, mostly_greedy, rng):
        if any(event.kind == "penalty" and event.card is None for event in moment.told):  # type: ignore[attr-defined]  # Nyuri's
            break  # which card it was is tried in test_exact.py
        chance_rules = getattr(options, "mode", "") == "chance"
        if chance_rules and len(moment.state.to_act) < setup.seats:
            continue  # what is sealed was not told
        if len(moment.actions) % 5 == 0:
            check(setup, moment, viewer, rng)
        if len(moment.actions) > 70:
            break


def _values(options: Any) -> dict[str, Any]:
    return {name: getattr(options, name) for name in options.__dataclass_fields__}
