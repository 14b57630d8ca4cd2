"""A Markov chain through all assignments of Nur Mut's cards to spots (Metropolis algorithm).

**A step** takes two spots of one shuffle and lets the cards in them change places, there and
in the spots that follow, until both are shuffled together again. It is accepted by
the Metropolis rule; the weight of an assignment counts the ways in which each card can lie in its spots. The
chain visits each assignment in proportion to its weight, wherever it begins. (To change places for longer
is several independent steps.) If all cards are half known, perhaps no two
can change places, so there are two more kinds of steps: **rings** of three to five
spots; and **reroutes**, in which two cards take each other's places from a later shuffle on, and
other cards are dealt in their stead.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from typing import Final

from arena.games.nur_mut_values import Face

Seen = tuple[Face | None, Face | None]
"""The face that was up when a card came to its spot, and the other face; None if not seen."""

FIRST_ROUNDS: Final = 30
"""Rounds before a turn's first position; a round has as many steps as there are spots that matter."""

FIRST_STEPS: Final = 5000
"""The most steps of the first rounds; there are fewer rounds if there are many spots."""

ROUNDS: Final = 8
"""Rounds between two positions. Each has the right likelihood, but two in a row are a little more alike than
two that were drawn far apart, as in any Markov chain."""

STEPS: Final = 2000
"""The most steps between two positions, but for a whole round."""

RINGS: Final = 8
"""For each so many steps of two spots there is one ring."""

REROUTES: Final = 10
"""For each so many spots of later shuffles there is one reroute in a round."""


class Spot:
    """A place of a card from one shuffle to the next.

    Attributes:
        shuffle: the spots of the shuffle that brought the card here.
        number: the number of that shuffle, in order; 0 for the deal.
        seen: the faces that were seen here.
        turned: whether it was turned over since it came.
        card: the card that is assigned to the spot, by its place in the unshuffled deck.
        before, after: the spots from which this card came and to which it went, in this assignment.
        weights: by card, how many ways it can lie here; None if they are the same for all.
        fitting: the cards that have a weight, if there are weights.
    """

    __slots__ = ("after", "before", "card", "fitting", "number", "seen", "shuffle", "turned", "weights")

    def __init__(self, shuffle: list[Spot], number: int, card: int, before: Spot | None = None) -> None:
        self.shuffle, self.number = shuffle, number
        self.seen: Seen = (None, None)
        self.turned = False
        self.card = card
        self.before, self.after = before, None
        self.weights: tuple[int, ...] | None = None
        self.fitting: tuple[int, ...] = ()

    after: Spot | None


class Walk:
    """A walk through the assignments of cards to spots.

    Args:
        shuffles: the spots of each shuffle, the deal first.
    """

    def __init__(self, shuffles: list[list[Spot]]) -> None:
        self._deal = shuffles[0]
        spots = [spot for shuffle in shuffles for spot in shuffle]
        # The cards in other spots change nothing that was seen, or will be.
        self._matter = [spot for spot in spots if spot.weights or spot.after]
        self._late = [spot for spot in self._matter if spot.shuffle is not self._deal]
        free = [[spot for spot in shuffle if not (spot.weights or spot.after)] for shuffle in shuffles]
        self._free = [shuffle for shuffle in free if len(shuffle) > 1]
        self._begun = False

    def go(self, rng: random.Random) -> None:
        """Walks on to a new assignment."""
        rounds, steps = (ROUNDS, STEPS) if self._begun else (FIRST_ROUNDS, FIRST_STEPS)
        self._begun = True
        for _ in range(max(1, min(rounds, steps // max(1, len(self._matter))))):
            self._round(rng)

    def _round(self, rng: random.Random) -> None:
        if self._matter:
            self._steps(rng)
            self._turn_rings(rng)
        for _ in range(-(-len(self._late) // REROUTES)):
            self._reroute(rng)
        self._mix(rng)

    def _steps(self, rng: random.Random) -> None:
        """Takes as many steps as there are spots that matter.

        In the deal, which has every card, a spot with known faces proposes one of the cards that
        fit it. All of them are equally likely, whatever card is there now, so the proposal is symmetric.
        """
        chance = rng.random
        matter = self._matter
        count = len(matter)
        deal = self._deal
        where = {spot.card: spot for spot in deal}
        for _ in range(count):
            one = matter[int(chance() * count)]
            shuffle = one.shuffle
            in_deal = shuffle is deal
            if in_deal and one.weights is not None:
                other = where[one.fitting[int(chance() * len(one.fitting))]]
            else:
                other = shuffle[int(chance() * len(shuffle))]
            if one is other:
                continue
            card, other_card = one.card, other.card
            odds = 1.0
            if (weights := one.weights) is not None:
                odds *= weights[other_card] / weights[card]
            if (weights := other.weights) is not None:
                odds *= weights[card] / weights[other_card]
            spot, mate = one.after, other.after
            while odds and spot is not mate:  # until both end, or come to a shuffle of both
                if mate is None or (spot is not None and spot.number < mate.number):
                    assert spot is not None
                    if (weights := spot.weights) is not None:
                        odds *= weights[other_card] / weights[card]
                    spot = spot.after
                elif spot is None or mate.number < spot.number:
                    if (weights := mate.weights) is not None:
                        odds *= weights[card] / weights[other_card]
                    mate = mate.after
                else:
                    break
            if odds < 1.0 and chance() >= odds:
                continue
            exchange(one, other)
            if spot is not None and mate is not None:
                exchange(spot, mate)
            if in_deal:
                where[card], where[other_card] = other, one

    def _turn_rings(self, rng: random.Random) -> None:
        """Takes steps of three to five spots, each of which gets the card of the next."""
        for _ in range(len(self._matter) // RINGS + 1):
            shuffle = rng.choice(self._matter).shuffle
            size = rng.randint(3, 5)
            if len(shuffle) < size:
                continue
            ring = rng.sample(shuffle, size)
            odds = 1.0
            for spot, following in zip(ring, [*ring[1:], ring[0]], strict=True):
                for each in way_of(spot):
                    if each.weights is not None:
                        odds *= each.weights[following.card] / each.weights[spot.card]
            if odds and rng.random() < odds:
                for spot, following in itertools.pairwise(ring):
                    exchange(spot, following)

    def _reroute(self, rng: random.Random) -> None:
        """Takes a step in which two cards swap places from a later shuffle on, and others are dealt.

        For each of the two, the new card is any card that fits all spots on its way. The number of such cards
        may change by the step; the odds correct for that.
        """
        one = rng.choice(self._late)
        other = rng.choice(one.shuffle)
        if one is other:
            return
        dealt = [_first(one), _first(other)]
        before = math.prod(len(self._cards_for(spot)) for spot in dealt)
        after = 1
        done = [(one, other)]
        exchange(one, other)
        changed = dealt.copy()
        new: list[int] = []
        for spot in dealt:
            cards = self._cards_for(spot)
            card = rng.choice(cards) if cards else -1
            after *= len(cards) * (card not in new)  # else the step could not be undone
            if not after:
                break
            holder = next(each for each in self._deal if each.card == card)
            new.append(card)
            changed.append(holder)
            done.append((spot, holder))
            exchange(spot, holder)
        odds = _odds(changed) * after / before
        for pair in reversed(done):
            exchange(*pair)
        if odds and rng.random() < odds / _odds(changed):
            for pair in done:
                exchange(*pair)

    def _cards_for(self, spot: Spot) -> Sequence[int]:
        """The cards that fit a spot and all later spots of its card."""
        cards: Sequence[int] | None = None
        for each in way_of(spot):
            weights = each.weights
            if weights is not None:
                cards = each.fitting if cards is None else [card for card in cards if weights[card]]
        return range(len(self._deal)) if cards is None else cards

    def _mix(self, rng: random.Random) -> None:
        """Shuffles the cards in the unseen spots of a shuffle: all orders are equally likely."""
        for shuffle in self._free:
            held = [(spot.card, spot.before) for spot in shuffle]
            rng.shuffle(held)
            for spot, (card, before) in zip(shuffle, held, strict=True):
                spot.card, spot.before = card, before
                if before is not None:
                    before.after = spot


def way_of(spot: Spot | None) -> Iterator[Spot]:
    """A spot, and the later spots of its card."""
    while spot is not None:
        yield spot
        spot = spot.after


def _first(spot: Spot) -> Spot:
    """The spot in the deal from which the card of a spot came."""
    while spot.before is not None:
        spot = spot.before
    return spot


def _odds(dealt: list[Spot]) -> float:
    """The product of the weights of the cards in some spots of the deal and their later spots."""
    ways = {id(spot): spot for spot in dealt}.values()
    return math.prod(
        [spot.weights[spot.card] for first in ways for spot in way_of(first) if spot.weights is not None]
    )


def exchange(one: Spot, other: Spot) -> None:
    """Lets the cards of two spots of a shuffle change places, there and later."""
    card, other_card = one.card, other.card
    one.before, other.before = other.before, one.before
    if one.before is not None:
        one.before.after = one
    if other.before is not None:
        other.before.after = other
    for spot in way_of(one):
        spot.card = other_card
    for spot in way_of(other):
        spot.card = card
