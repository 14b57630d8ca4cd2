"""Samples Nur Mut by a Markov chain: of a card one face was seen, or both, or none; piles are reshuffled.

From one shuffle to the next a card lies in one **spot**. The deal is the first
shuffle, of all cards into all spots. A seat that takes a pile shuffles its cards
and those of the deck from their old spots into new ones. The faces that were up in each spot
are known. Every assignment of cards to spots that
shows these faces is possible. Its weight is the product of the ways in which each card
can lie: 2 for a card with the same face on both sides, 1 otherwise. There
are too many assignments to count, and filling spot by spot would favour some: 3/7 cards
hold the two tops 3 and 7 more rarely than other cards.

So a Markov chain walks through the assignments (`arena.sampling.nur_mut_walk`), from any one.
Before the first position of a turn, the assignment is mended where it does not fit what was seen since the
last sampled turn (`arena.sampling.nur_mut_mend`).

**The approximation.** The work for a turn is bounded. So walks through many shuffles are shorter. If mending
takes too long, some faces in old spots are forgotten. After `MOST_SHUFFLES` shuffles, all faces from
before the later half of them are forgotten.
"""

from __future__ import annotations

import itertools
import random
from typing import Any, Final

from arena.games.game import Seat, State, Viewer
from arena.games.nur_mut import DECK_CARDS, NurMutState
from arena.games.nur_mut_values import (
    PILES,
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
from arena.sampling.hidden import Assigned
from arena.sampling.nur_mut_mend import WORK, Mender
from arena.sampling.nur_mut_walk import Seen, Spot, Walk
from arena.sampling.sampler import Draw, RandomDeal, Sampler

MOST_SHUFFLES: Final = 64
"""The most shuffles of which the faces are remembered."""


class NurMutSampler(Sampler):
    """Walks through the possible assignments of cards to spots.

    Args:
        options, seats, viewer, starter: see `Sampler`.
        work: see `Mender.mend`.
        most_shuffles: the most shuffles, the deal included, of which the faces are remembered.

    Attributes:
        weighed: how many changes of two cards were weighed to mend the assignment for the last sampled turn.
    """

    def __init__(
        self,
        options: Any,
        seats: int,
        viewer: Viewer,
        starter: Seat,
        work: int = WORK,
        most_shuffles: int = MOST_SHUFFLES,
    ) -> None:
        super().__init__(options, seats, viewer, starter)
        self._work, self._most_shuffles = work, most_shuffles
        self.weighed = 0
        self._hidden = options.model == "one"
        deck = card_deck(options)
        self._ways: list[tuple[Lying, ...]] = [
            lying(card).ways[1:] if self._hidden else lying(card).ways for card in deck
        ]
        dealt = seats * DECK_CARDS
        spots: list[Spot] = []
        spots += [Spot(spots, 0, card) for card in range(len(deck))]
        self._shuffles = [spots]
        self._decks = [spots[(seat - starter) % seats : dealt : seats][::-1] for seat in range(seats)]
        self._piles: list[list[Spot]] = []
        self._rest = spots[dealt:][::-1]  # the next card last
        self._aside: list[Spot] = []
        self._weights: dict[Seen, tuple[int, ...] | None] = {}
        self._lies: dict[tuple[Seen, bool], list[tuple[Lying, ...]]] = {}
        self._rng = random.Random(0)  # only for mending
        # Both faces of cards on the piles that were seen of them, and of the card that was flipped.
        self._known: list[list[tuple[int, int]]] = [[] for _ in range(PILES)]
        self._flipped: tuple[int, int] | None = None

    # Events ---------------------------------------------------------------------

    def tell(self, event: Any) -> None:
        match event:
            case TopShown(seat, face):
                self._see(self._decks[seat][-1], face)
            case JokerSetAside():
                self._aside.append(self._uncovered(self._rest.pop(), Face.JOKER))
            case PileStarted(pile, face):
                from_rest = bool(self._rest)
                start = self._uncovered(self._rest.pop(), face) if from_rest else self._aside.pop(0)
                self._piles.append([start])
                self._note_laid(pile, face)
            case Flipped(seat, face):
                top = self._decks[seat][-1]
                before = None if self._hidden else top.seen[top.turned]
                self._flipped = _pair(before or Face.HIDDEN, face)
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
                self._note_laid(pile, face)
            case TookPile(seat, pile):
                self._shuffle(seat, pile)
                self._known[pile], self._flipped = [], None

    def _note_laid(self, pile: int, face: Face) -> None:
        if self._hidden:
            self._known[pile].append((face, Face.HIDDEN))
        elif self._flipped is not None:
            self._known[pile].append(self._flipped)
        self._flipped = None

    def _uncovered(self, card: Spot, face: Face) -> Spot:
        """The spot of a card that was turned up on a pile."""
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
        spot.seen, spot.weights = seen, weights
        if weights is not None:
            spot.fitting = tuple([card for card, weight in enumerate(weights) if weight])

    def _weigh(self, seen: Seen) -> tuple[int, ...] | None:
        weights = tuple([len(_fitting(ways, seen)) for ways in self._ways])
        return None if min(weights) == max(weights) else weights

    def _shuffle(self, seat: Seat, pile: int) -> None:
        if len(self._shuffles) == self._most_shuffles:
            self._forget()
        mixed: list[Spot] = []
        for old in [*self._decks[seat], *self._piles[pile]]:
            old.after = Spot(mixed, len(self._shuffles), old.card, old)
            mixed.append(old.after)
        self._shuffles.append(mixed)
        self._decks[seat] = mixed.copy()
        self._piles[pile] = []

    def _forget(self) -> None:
        """Forgets the faces from before the later half of the shuffles, and begins with a deal there."""
        half = len(self._shuffles) // 2 + 1
        early, late = self._shuffles[:half], self._shuffles[half:]
        deal: list[Spot] = []
        for spot in itertools.chain(*early):
            if spot.after is None or any(spot.after.shuffle is shuffle for shuffle in late):
                deal.append(spot)
        for spot in deal:
            spot.shuffle, spot.before = deal, None
        self._shuffles = [deal, *late]
        for number, shuffle in enumerate(self._shuffles):
            for spot in shuffle:
                spot.number = number

    # Drawing -------------------------------------------------------------------

    def _mend(self) -> None:
        mender = Mender(self._shuffles, self._rng)
        mender.mend(self._work)
        self.weighed = mender.weighed

    def hidden(self, seen: Any) -> Assigned | None:
        if seen.to_act != self.viewer:
            return None
        self._mend()
        spots = [spot for shuffle in self._shuffles for spot in shuffle]
        places = {spot: place for place, spot in enumerate(spots)}
        return Assigned(
            [
                # The faces in an old spot were forgotten if they have no weights.
                (
                    spot.number,
                    spot.card,
                    *((0, 0) if spot.after and not spot.weights else (spot.seen[0] or 0, spot.seen[1] or 0)),
                    spot.turned,
                    None if spot.before is None else places[spot.before],
                )
                for spot in spots
            ],
            [[places[spot] for spot in deck] for deck in self._decks],
            [[places[spot] for spot in pile] for pile in self._piles],
            self._known,
            self._flipped,
        )

    def draws(self, seen: Any) -> Draw:
        options = self.options
        self._mend()
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
        """The card of a spot, in one of the ways in which it may lie now."""
        key = spot.seen, spot.turned
        by_card = self._lies.get(key)
        if by_card is None:
            by_card = self._lies[key] = [
                tuple([way.over if spot.turned else way for way in _fitting(ways, spot.seen)])
                for ways in self._ways
            ]
        ways = by_card[spot.card]
        return ways[0] if len(ways) == 1 else ways[rng.random() < 0.5]


def _pair(one: Face, other: Face) -> tuple[int, int]:
    return (one, other) if one <= other else (other, one)


def _fitting(ways: tuple[Lying, ...], seen: Seen) -> list[Lying]:
    """The ways to lie at first that show the seen faces."""
    first, second = seen
    return [way for way in ways if first in (None, way.up) and second in (None, way.down)]
