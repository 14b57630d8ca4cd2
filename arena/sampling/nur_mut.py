"""Nur Mut: cards of which one face was seen, or both, or none, and piles shuffled with them in.

From one shuffle to the next a card lies in one **spot**; the deal is the first
shuffle, of all cards into all spots, and whoever takes a pile shuffles its cards
and those of the deck from their old spots into new ones. Of each spot it is
known which faces were up in it. All ways to put the cards into the spots that
have such faces are possible, each as likely as the number of ways in which it
can lie there: 2 for a card with the same face on both sides, 1 otherwise. There
are too many ways to count, and to fill spot by spot would favour some: two tops
3 and 7 are both held by 3/7 cards more rarely than by others.

So the ways are walked through: **a step** takes two spots of one shuffle, lets
the cards in them change places, there and wherever they are shuffled to later,
and is taken if that is possible (the Metropolis rule, by the weights above). Some
steps let three to five cards change places in a ring, for where all cards are
half known no two may be able to.
Such a walk comes by each way as often as it is likely, wherever it began. It
begins with any cards in any spots; where a face is seen that does not fit, it
goes on until it comes to one that does.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any, Final

from arena.games.game import Seat, State, Viewer
from arena.games.nur_mut import DECK_CARDS, NurMutState
from arena.games.nur_mut_values import (
    Face,
    Flipped,
    JokerSetAside,
    Laid,
    Lying,
    PileStarted,
    TookPile,
    TopShown,
    Tucked,
    card_deck,
    lying,
)
from arena.sampling.chance import RandomDeal
from arena.sampling.sampler import Draw, Sampler

Seen = tuple[Face | None, Face | None]
"""The face that was up when a card came to its spot, and the other one; None if it was not seen."""

FIRST_ROUNDS: Final = 30
"""Rounds before a turn's first position: in a round there are as many steps as spots that matter."""

ROUNDS: Final = 8
"""Rounds between two positions. Each is as likely as it is; but two in a row are a little more alike than two
that were drawn far apart, as in any walk."""

RINGS: Final = 8
"""To so many steps of two spots there is one of more."""

PATIENCE: Final = 1000
"""Rounds until a walk gives up to come to a card that fits what is seen. That is so in games with more than
some ten shuffles, and rarely; then what was seen before the later half of them is forgotten."""


class Spot:
    """Where a card lies from one shuffle to the next.

    Attributes:
        shuffle: the spots of the shuffle by which it came here.
        seen: the faces that were seen here.
        turned: whether it was turned over since it came.
        card: the card that is thought to be here, by its place in the deck before it was shuffled.
        before, after: the spots that this card is thought to have come from and gone to.
        weights: by card, how many ways it can lie here; None where it is the same for all.
        fitting: the cards that have a weight, where there are weights.
    """

    __slots__ = ("after", "before", "card", "fitting", "seen", "shuffle", "turned", "weights")

    def __init__(self, shuffle: list[Spot], card: int, before: Spot | None = None) -> None:
        self.shuffle = shuffle
        self.seen: Seen = (None, None)
        self.turned = False
        self.card = card
        self.before, self.after = before, None
        self.weights: tuple[int, ...] | None = None
        self.fitting: tuple[int, ...] = ()

    after: Spot | None


class NurMutSampler(Sampler):
    """Walks through the ways in which the cards can lie."""

    def __init__(self, options: Any, seats: int, viewer: Viewer, starter: Seat) -> None:
        super().__init__(options, seats, viewer, starter)
        self._hidden = options.model == "one"
        deck = card_deck(options)
        self._ways: list[tuple[Lying, ...]] = [
            lying(card).ways[1:] if self._hidden else lying(card).ways for card in deck
        ]
        dealt = seats * DECK_CARDS
        spots: list[Spot] = []
        spots += [Spot(spots, card) for card in range(len(deck))]
        self._shuffles = [spots]
        self._decks = [spots[(seat - starter) % seats : dealt : seats][::-1] for seat in range(seats)]
        self._piles: list[list[Spot]] = []
        self._rest = spots[dealt:][::-1]  # the next card last, as everywhere
        self._aside: list[Spot] = []
        self._weights: dict[Seen, tuple[int, ...] | None] = {}
        self._lies: dict[tuple[Seen, bool], list[tuple[Lying, ...]]] = {}
        self._rng = random.Random(0)  # only for where a turn's walk begins

    # What is told --------------------------------------------------------------

    def tell(self, event: Any) -> None:
        match event:
            case TopShown(seat, face):
                self._see(self._decks[seat][-1], face)
            case JokerSetAside():
                self._aside.append(self._uncovered(self._rest.pop(), Face.JOKER))
            case PileStarted(_, face):
                from_rest = bool(self._rest)
                start = self._uncovered(self._rest.pop(), face) if from_rest else self._aside.pop(0)
                self._piles.append([start])
            case Flipped(seat, face):
                top = self._decks[seat][-1]
                top.turned = not top.turned
                self._see(top, face)
            case Tucked(seat, face):
                card = self._decks[seat].pop()
                self._see(card, face)
                card.turned = card.turned and not self._hidden
                self._decks[seat].insert(0, card)
            case Laid(seat, pile, face, reason):
                card = self._decks[seat].pop()
                if reason in ("cover", "refill"):
                    self._uncovered(card, face)
                self._piles[pile].append(card)
            case TookPile(seat, pile):
                self._shuffle(seat, pile)

    def _uncovered(self, card: Spot, face: Face) -> Spot:
        """The card as it lies face up on a pile."""
        card.turned = card.turned or self._hidden
        self._see(card, face)
        return card

    def _see(self, spot: Spot, face: Face) -> None:
        first, second = spot.seen
        seen = (first, face) if spot.turned else (face, second)
        if seen == spot.seen:
            return
        if seen not in self._weights:
            self._weights[seen] = self._weigh(seen)
        weights = self._weights[seen]
        while weights is not None and not Walk(self._shuffles).until(spot, weights, self._rng):
            self._forget()
        spot.seen, spot.weights = seen, weights
        if weights is not None:
            spot.fitting = tuple([card for card, weight in enumerate(weights) if weight])

    def _weigh(self, seen: Seen) -> tuple[int, ...] | None:
        weights = tuple([len(_fitting(ways, seen)) for ways in self._ways])
        return None if min(weights) == max(weights) else weights

    def _shuffle(self, seat: Seat, pile: int) -> None:
        mixed: list[Spot] = []
        for old in [*self._decks[seat], *self._piles[pile]]:
            old.after = Spot(mixed, old.card, old)
            mixed.append(old.after)
        self._shuffles.append(mixed)
        self._decks[seat] = mixed.copy()
        self._piles[pile] = []

    def _forget(self) -> None:
        """Forgets what was seen before the later half of the shuffles: the cards come from one deal since."""
        half = len(self._shuffles) // 2 + 1
        early, late = self._shuffles[:half], self._shuffles[half:]
        deal: list[Spot] = []
        for spot in itertools.chain(*early):
            if spot.after is None or any(spot.after.shuffle is shuffle for shuffle in late):
                deal.append(spot)
        for spot in deal:
            spot.shuffle, spot.before = deal, None
        self._shuffles = [deal, *late]

    # What is drawn -------------------------------------------------------------

    def draws(self, seen: Any) -> Draw:
        options = self.options
        walk = Walk(self._shuffles)
        lying_now = self._lying_now
        decks, piles = [deck.copy() for deck in self._decks], [pile.copy() for pile in self._piles]
        rest = [*self._rest, *self._aside]

        def draw(rng: random.Random) -> State:
            walk.go(rng)
            return NurMutState.as_seen(
                seen,
                options,
                [[lying_now(spot, rng) for spot in deck] for deck in decks],
                [[lying_now(spot, rng) for spot in pile] for pile in piles],
                [lying_now(spot, rng) for spot in rest],
                RandomDeal(rng),
            )

        return draw

    def _lying_now(self, spot: Spot, rng: random.Random) -> Lying:
        """The card of a spot as it may lie there by now."""
        key = spot.seen, spot.turned
        by_card = self._lies.get(key)
        if by_card is None:
            by_card = self._lies[key] = [
                tuple([way.over if spot.turned else way for way in _fitting(ways, spot.seen)])
                for ways in self._ways
            ]
        ways = by_card[spot.card]
        return ways[0] if len(ways) == 1 else ways[rng.random() < 0.5]


def _fitting(ways: tuple[Lying, ...], seen: Seen) -> list[Lying]:
    """Those of the ways to lie at first that show what was seen."""
    first, second = seen
    return [way for way in ways if first in (None, way.up) and second in (None, way.down)]


class Walk:
    """A walk through the ways to put cards into spots.

    Args:
        shuffles: the spots of each shuffle, the deal first.
    """

    def __init__(self, shuffles: list[list[Spot]]) -> None:
        self._deal = shuffles[0]
        spots = [spot for shuffle in shuffles for spot in shuffle]
        # What is in other spots changes nothing that was seen, or ever will be.
        self._matter = [spot for spot in spots if spot.weights or spot.after]
        free = [[spot for spot in shuffle if not (spot.weights or spot.after)] for shuffle in shuffles]
        self._free = [shuffle for shuffle in free if len(shuffle) > 1]
        self._begun = False

    def go(self, rng: random.Random) -> None:
        """Walks on to a new way."""
        for _ in range(ROUNDS if self._begun else FIRST_ROUNDS):
            self._round(self._matter, rng)
        self._begun = True

    def until(self, spot: Spot, weights: tuple[int, ...], rng: random.Random) -> bool:
        """Walks until the card of a spot is one that has a weight; returns whether it came to that."""
        matter = self._matter if spot in self._matter else [*self._matter, spot]
        for _ in range(PATIENCE):
            if weights[spot.card]:
                return True
            self._round(matter, rng)
        return False

    def _round(self, matter: list[Spot], rng: random.Random) -> None:
        if matter:
            self._steps(matter, rng)
            self._turn_rings(matter, rng)
        self._mix(rng)

    def _steps(self, matter: list[Spot], rng: random.Random) -> None:
        """As many steps as there are spots that matter.

        In the deal, where each card is, a spot of which something is known asks for one of the cards that
        fit it: all of them are asked for alike, whatever is there now, so back and forth are as likely.
        """
        chance = rng.random
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
            card, other_card = one.card, other.card
            odds = 1.0
            spot: Spot | None = one
            while spot is not None:
                if (weights := spot.weights) is not None:
                    odds *= weights[other_card] / weights[card]
                spot = spot.after
            if not odds:
                continue
            spot = other
            while spot is not None:
                if (weights := spot.weights) is not None:
                    odds *= weights[card] / weights[other_card]
                spot = spot.after
            if odds < 1.0 and chance() >= odds:
                continue
            _exchange(one, other)
            if in_deal:
                where[card], where[other_card] = other, one

    def _turn_rings(self, matter: list[Spot], rng: random.Random) -> None:
        """Steps of three to five spots, each of which gets the card of the next."""
        for _ in range(len(matter) // RINGS + 1):
            shuffle = rng.choice(matter).shuffle
            size = rng.randint(3, 5)
            if len(shuffle) < size:
                continue
            ring = rng.sample(shuffle, size)
            odds = 1.0
            for spot, following in zip(ring, [*ring[1:], ring[0]], strict=True):
                for each in _way_of(spot):
                    if each.weights is not None:
                        odds *= each.weights[following.card] / each.weights[spot.card]
            if odds and rng.random() < odds:
                for spot, following in itertools.pairwise(ring):
                    _exchange(spot, following)

    def _mix(self, rng: random.Random) -> None:
        """Lets all cards of a shuffle change places of which nothing was seen: any order is as likely."""
        for shuffle in self._free:
            held = [(spot.card, spot.before) for spot in shuffle]
            rng.shuffle(held)
            for spot, (card, before) in zip(shuffle, held, strict=True):
                spot.card, spot.before = card, before
                if before is not None:
                    before.after = spot


def _way_of(spot: Spot | None) -> Iterator[Spot]:
    """A spot, and those that its card goes to later."""
    while spot is not None:
        yield spot
        spot = spot.after


def _exchange(one: Spot, other: Spot) -> None:
    """Lets the cards of two spots of a shuffle change places, there and later."""
    card, other_card = one.card, other.card
    one.before, other.before = other.before, one.before
    if one.before is not None:
        one.before.after = one
    if other.before is not None:
        other.before.after = other
    for spot in _way_of(one):
        spot.card = other_card
    for spot in _way_of(other):
        spot.card = card
