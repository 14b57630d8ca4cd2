"""Enumerates all deals and all chance of a small game: the positions that fit the events, with probabilities.

Nothing of the samplers is used here: each possible game is played by the rules
from its first card, with the actions that were really played, and counts if the
viewer would have been told the very same.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from arena.games.game import Action, Event, IllegalAction, Seat, State, Viewer
from tests.games.random_play import Setup


class TriedChance:
    """Chance whose draws are given beforehand; without one it draws the first.

    Attributes:
        picks: the draws.
        bounds: of each draw, how many outcomes it has.
    """

    def __init__(self, picks: list[int]) -> None:
        self.picks = picks
        self.bounds: list[int] = []

    def below(self, n: int) -> int:
        if len(self.bounds) == len(self.picks):
            self.picks.append(0)
        self.bounds.append(n)
        return self.picks[len(self.bounds) - 1]

    def each_below(self, bounds: Sequence[int]) -> list[int]:
        return [self.below(n) for n in bounds]

    def shuffle(self, items: Sequence[Any]) -> list[Any]:
        left, order = list(items), []
        while left:
            order.append(left.pop(self.below(len(left))))
        return order

    def after(self) -> list[int] | None:
        """The draws to try next; None if all have been tried."""
        picks = self.picks[: len(self.bounds)]
        while picks and picks[-1] + 1 == self.bounds[len(picks) - 1]:
            picks.pop()
        if not picks:
            return None
        return [*picks[:-1], picks[-1] + 1]


class TriedBoard:
    """A board with this deck and this chance."""

    def __init__(self, deck: Sequence[Any], chance: TriedChance) -> None:
        self.deck, self._chance = deck, chance

    def deal(self, number: int) -> TriedBoard:
        return self

    def chance(self, purpose: str, seat: int, count: int) -> TriedChance:
        return self._chance


def orders(cards: Sequence[Any], own: Sequence[Any] = (), places: Sequence[int] = ()) -> Iterator[list[Any]]:
    """The different orders of some cards, of which several may be equal; own ones in their places."""
    if not cards:
        yield []
    last = len(cards) - 1
    for card in dict.fromkeys(cards):
        if (card in own) == (last in places):
            rest = list(cards)
            rest.remove(card)
            for order in orders(rest, own, places):
                yield [*order, card]


def own_cards(setup: Setup, viewer: Viewer, told: Sequence[Any]) -> tuple[tuple[Any, ...], list[int]]:
    """The cards that a viewer was dealt, if it was, and their places in the deck."""
    for event in told:
        if event.kind == "dealt" and getattr(event, "cards", ()):
            assert viewer is not None
            first = (viewer - setup.starter) % setup.seats
            return event.cards, list(range(first, event.count * setup.seats, setup.seats))
    return (), []


def all_worlds(
    setup: Setup,
    viewer: Viewer,
    actions: Sequence[tuple[Seat, Action]],
    told: Sequence[Event],
    unseen: Sequence[Any] = (),
) -> Iterator[tuple[State, float]]:
    """Every position that there may be after these actions if the viewer was told this, with its weight.

    `unseen`: cards that no action and no event names, so that each may be in the place of each other.
    Only one of their orders is tried.
    """
    cards = [None if card in unseen else card for card in setup.game.deck(setup.options)]
    for order in orders(cards, *own_cards(setup, viewer, told)):
        left = iter(unseen)
        deck = [next(left) if card is None else card for card in order]
        picks: list[int] | None = []
        while picks is not None:
            chance = TriedChance(picks)
            state = played(setup, viewer, actions, told, TriedBoard(deck, chance))
            if state is not None:
                yield state, 1 / math.prod(chance.bounds)
            picks = chance.after()


def played(setup: Setup, viewer: Viewer, actions: Any, told: Sequence[Event], board: Any) -> State | None:
    """The position after some actions; None if they are impossible, or the events would differ."""
    state = setup.start(board)
    heard = [happening.told_to(viewer) for happening in state.opening]
    if heard != list(told[: len(heard)]):
        return None
    for seat, action in actions:
        try:
            news = state.apply(seat, action)
        except IllegalAction:
            return None
        before = len(heard)
        heard += [happening.told_to(viewer) for happening in news]
        if heard[before:] != list(told[before : len(heard)]):
            return None
    return state


def surprise(counts: Counter[Any], weights: Counter[Any]) -> float:
    """The distance of counts from those expected by weights: a chi-square, in standard normal deviations.

    What is expected less than eight times is counted together.
    """
    total, whole = counts.total(), sum(weights.values())
    rare_count = rare_expected = chi_square = 0.0
    degrees = -1
    for key, weight in weights.items():
        expected = total * weight / whole
        if expected < 8:
            rare_count += counts[key]
            rare_expected += expected
        else:
            chi_square += (counts[key] - expected) ** 2 / expected
            degrees += 1
    if rare_expected >= 8:
        chi_square += (rare_count - rare_expected) ** 2 / rare_expected
        degrees += 1
    assert degrees > 0, "there is too little to compare"
    share = 2 / (9 * degrees)  # Wilson and Hilferty
    return (math.cbrt(chi_square / degrees) - (1 - share)) / math.sqrt(share)


def drawn(
    draw: Callable[[random.Random], State], key: Callable[[Any], Any], times: int, seed: int
) -> Counter[Any]:
    """How often each kind of position is drawn."""
    rng = random.Random(seed)
    return Counter(key(draw(rng)) for _ in range(times))


def weighed(worlds: Iterable[tuple[State, float]], key: Callable[[Any], Any]) -> Counter[Any]:
    """The weight of each kind of position."""
    weights: Counter[Any] = Counter()
    for state, weight in worlds:
        weights[key(state)] += weight  # type: ignore[assignment]  # weights of a Counter may be floats
    return weights
