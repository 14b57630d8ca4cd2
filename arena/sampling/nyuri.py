"""Samples Nyuri by weighted hypotheses: only thief and owner know which card went as a penalty.

A card that was shown, stolen or taken back is certainly in that hand until a penalty card leaves it that
the viewer was not told. Then any card of the hand may have gone, and there are **hypotheses**: each
says in which hand each **unsure** card is, and has a weight. The penalty card splits each hypothesis: each
seen card of the hand may have gone, with weight 1, or one of the unseen cards, with their number as the
weight; this changes only the sizes of the hands. The unseen cards of a hand may be any cards that
were never seen. If a seat shows a card that was not seen, each hypothesis is multiplied by the number of
unseen cards that the seat has in it, because that makes the card more likely. If a seat shows an
unsure card, the hypotheses that have it elsewhere are dropped, and the card is certain again.

With two seats all penalties are known to the seats, and the one hypothesis is certain.

**The approximation.** If a penalty would make more than `LIMIT` hypotheses, so many of them are kept:
the heavy ones as they are, of the light ones a fair sample, each of the same weight (Fearnhead and Clifford,
2003). So each hypothesis has the right weight on average, before the weights are made to sum to 1. It may
happen that no kept hypothesis is right. Then each of them lets the card that was shown trade places with
another card that may be in that hand.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterable
from operator import itemgetter
from typing import Any, Final

from arena.cards import DECK, Card, card
from arena.games.game import Seat, State, Viewer
from arena.games.nyuri import NyuriState
from arena.games.nyuri_values import Claimed, Dealt, Drew, Penalty, Placed, Stole
from arena.sampling.hidden import Unseen
from arena.sampling.sampler import Draw, RandomDeal, Sampler

Hypothesis = int
"""The unsure cards of each hand: bit `1 << seat * WIDTH + card` for each card."""

WIDTH: Final = 64
HAND: Final = (1 << WIDTH) - 1

LIMIT: Final = 2000
"""The most hypotheses."""


class NyuriSampler(Sampler):
    """Draws a hypothesis, and permutes the cards that it leaves unseen over hands and stock.

    Args:
        options, seats, viewer, starter: see `Sampler`.
        limit: the most hypotheses.
    """

    def __init__(self, options: Any, seats: int, viewer: Viewer, starter: Seat, limit: int = LIMIT) -> None:
        super().__init__(options, seats, viewer, starter)
        self._limit = limit
        self._sizes = [0] * seats
        self._certain = [0] * seats  # the cards that are certainly in each hand, as bits
        self._seen = 0  # all cards that were seen, as bits
        self._hypotheses: dict[Hypothesis, float] = {0: 1.0}
        # For each seat, the cards that it has seen in each hand, and in no other since, as bits.
        self._holdings = [[0] * seats for _ in range(seats)]
        self._chance = random.Random(0)  # always the same: the hypotheses depend only on the events

    def tell(self, event: Any) -> None:
        match event:
            case Dealt(seat, cards, count):
                self._sizes[seat] = count
                self._see(seat, cards)
            case Drew(seat, drawn):
                self._sizes[seat] += 1
                self._see(seat, () if drawn is None else (drawn,))
            case Placed(seat, base, guard, taken_back):
                self._take(seat, taken_back)
                self._hold(seat, taken_back)
                pile = (base,) if guard is None else (base, guard)
                self._see(seat, pile)
                self._leave(seat, pile)
            case Claimed(seat, _, cards):
                self._see(seat, cards)
                self._hold(seat, cards)
            case Stole(seat, _, pile, cards):
                self._see(seat, cards)
                if self.options.spend_cards:  # N6
                    self._leave(seat, cards)
                self._take(seat, pile)
                self._hold(seat, (*pile, *cards))
            case Penalty(seat, owner, lost):
                if lost is None:
                    self._lose_any(seat, owner)
                else:
                    self._see(seat, (lost,))
                    self._leave(seat, (lost,))
                    self._take(owner, (lost,))
                    self._hold(owner, (lost,), (seat, owner))

    def _hold(self, seat: Seat, cards: Iterable[Card], seen_by: Iterable[Seat] | None = None) -> None:
        """Notes that some seats, by default all, have seen cards come to a hand."""
        bits = sum(1 << each for each in cards)
        for viewer in range(self.seats) if seen_by is None else seen_by:
            holdings = [held & ~bits for held in self._holdings[viewer]]
            holdings[seat] |= bits
            self._holdings[viewer] = holdings

    def _take(self, seat: Seat, cards: Iterable[Card]) -> None:
        """Notes that cards that all saw came to a hand."""
        bits = sum(1 << each for each in cards)
        self._sizes[seat] += bits.bit_count()
        self._certain[seat] |= bits
        self._seen |= bits

    def _leave(self, seat: Seat, cards: Iterable[Card]) -> None:
        """Notes that certain cards left a hand."""
        bits = sum(1 << each for each in cards)
        self._sizes[seat] -= bits.bit_count()
        self._certain[seat] -= bits

    def _see(self, seat: Seat, cards: Iterable[Card]) -> None:
        """Notes that a hand holds these cards."""
        for each in cards:
            bit = 1 << each
            if not self._certain[seat] & bit:
                fitting = self._with_unsure(seat, bit) if self._seen & bit else self._with_unseen(seat)
                self._set(fitting or self._traded(seat, bit))
                self._seen |= bit
                self._certain[seat] |= bit

    def _with_unsure(self, seat: Seat, bit: int) -> dict[Hypothesis, float]:
        """The hypotheses in which an unsure card is in a hand, without the card."""
        here = bit << seat * WIDTH
        return {held - here: weight for held, weight in self._hypotheses.items() if held & here}

    def _with_unseen(self, seat: Seat) -> dict[Hypothesis, float]:
        """The hypotheses, weighted by the number of unseen cards in a hand."""
        return {
            held: weight * unseen
            for held, weight in self._hypotheses.items()
            if (unseen := self._unseen(seat, held))
        }

    def _traded(self, seat: Seat, bit: int) -> dict[Hypothesis, float]:
        """The hypotheses if a card comes to a hand in exchange for another that may be there."""
        split = Split()
        for held, weight in self._hypotheses.items():
            mine = held >> seat * WIDTH & HAND
            for other in range(self.seats):
                if held & (there := bit << other * WIDTH):
                    split.add(held - there, weight, self._unseen(seat, held), mine, seat, other)
                elif not self._seen & bit and other != seat:
                    split.add(held, weight * self._unseen(other, held), 0, mine, seat, other)
        return split.most(self._limit, self._chance)

    def _unseen(self, seat: Seat, held: Hypothesis) -> int:
        """The number of unseen cards that a seat has in a hypothesis."""
        mine = held >> seat * WIDTH & HAND
        return self._sizes[seat] - (self._certain[seat] | mine).bit_count()

    def _lose_any(self, thief: Seat, owner: Seat) -> None:
        """Notes that some card of the thief's hand went to the owner."""
        certain = self._certain[thief] << thief * WIDTH
        split = Split()
        for held, weight in self._hypotheses.items():
            mine = (held | certain) >> thief * WIDTH & HAND
            split.add(held | certain, weight, self._unseen(thief, held), mine, thief, owner)
        self._certain[thief] = 0
        self._sizes[thief] -= 1
        self._sizes[owner] += 1
        self._set(split.most(self._limit, self._chance))

    def _set(self, hypotheses: dict[Hypothesis, float]) -> None:
        total = sum(hypotheses.values())
        self._hypotheses = {held: weight / total for held, weight in hypotheses.items()}

    def hidden(self, seen: Any) -> Unseen | None:
        if seen.to_act != self.viewer:
            return None
        certain = [_cards(bits) if seat != self.viewer else [] for seat, bits in enumerate(self._certain)]
        length = self.seats * WIDTH // 8
        hypotheses = b"".join([held.to_bytes(length, "little") for held in self._hypotheses])
        weights = list(itertools.accumulate(self._hypotheses.values()))
        return Unseen(certain, self._sizes, self._pool(), hypotheses, weights, self._holdings)

    def _pool(self) -> list[Card]:
        return [each for each in DECK if not self._seen >> each & 1]

    def draws(self, seen: Any) -> Draw:
        options = self.options
        certain, hypotheses = self._certain.copy(), list(self._hypotheses)
        weights = list(itertools.accumulate(self._hypotheses.values()))
        pool = self._pool()
        sizes = self._sizes.copy()

        def draw(rng: random.Random) -> State:
            stock = pool.copy()
            rng.shuffle(stock)
            held = hypotheses[0] if len(hypotheses) == 1 else rng.choices(hypotheses, cum_weights=weights)[0]
            hands = []
            for seat, size in enumerate(sizes):
                hand = _cards(certain[seat] | held >> seat * WIDTH & HAND)
                if missing := size - len(hand):
                    hand += stock[-missing:]
                    del stock[-missing:]
                hands.append(hand)
            return NyuriState.as_seen(seen, options, hands, stock, RandomDeal(rng))

        return draw


def _cards(bits: int) -> list[Card]:
    cards = []
    while bits:
        cards.append(card((bits & -bits).bit_length() - 1))
        bits &= bits - 1
    return cards


class Split:
    """Hypotheses of which each is split, because a card of a hand went to another hand."""

    def __init__(self) -> None:
        # Groups of equal weights: the weight of each, their number, the hypothesis before the card went,
        # the cards that may have gone, and the factor that makes of such a card the hypothesis' change.
        self._groups: list[tuple[float, int, Hypothesis, int, int]] = []

    def add(self, held: Hypothesis, weight: float, unseen: int, seen: int, seat: Seat, other: Seat) -> None:
        """Adds a hypothesis: from a seat to another went one of the seen cards or of so many unseen cards."""
        if unseen:
            self._groups.append((weight * unseen, 1, held, 0, 0))
        if seen and weight:
            way = 1 << seat * WIDTH | 1 << other * WIDTH
            self._groups.append((weight, seen.bit_count(), held, seen, way))

    def most(self, limit: int, chance: random.Random) -> dict[Hypothesis, float]:
        """The new hypotheses; if they are more than a limit, a fair sample of so many.

        The heavy ones stay. The light ones are laid end to end, as long as they are heavy, and in
        each stretch of the same length a random point is drawn: the one that lies there gets the weight of
        the stretch.
        """
        groups = sorted(self._groups, key=itemgetter(0), reverse=True)
        left, rest = limit, sum(each * count for each, count, *_ in groups)
        all_stay = sum(count for _, count, *_ in groups) <= limit
        split: dict[Hypothesis, float] = defaultdict(float)
        heavy = 0
        for each, count, held, seen, way in groups:
            if not all_stay and each * left <= rest:
                break
            for place in range(count):
                split[held ^ _nth(seen, place) * way] += each
            rest -= each * count
            left -= count
            heavy += 1
        stretch = rest / left if left else 0.0
        begin, number = 0.0, 0
        point = chance.random() * stretch
        for each, count, held, seen, way in groups[heavy:]:
            end = begin + each * count
            while point < end:
                place = min(int((point - begin) / each), count - 1)
                split[held ^ _nth(seen, place) * way] += stretch
                number += 1
                point = (number + chance.random()) * stretch
            begin = end
        return split


def _nth(bits: int, place: int) -> int:
    """The lowest bit of some bits but for so many."""
    for _ in range(place):
        bits &= bits - 1
    return bits & -bits
