"""Samples Nyuri by weighted hypotheses: only thief and owner know which card went as a penalty.

A card that was shown, stolen or taken back is known to be in a hand until it is seen
again, unless it went as a penalty. So there are **hypotheses**: each says which
known cards are in which hand, and has a weight. A penalty card that the viewer
was not told splits each hypothesis: each known card of the hand may have gone, with
weight 1, or one of the unknown cards, with their number as the weight; this changes
only the sizes of the hands. The unknown cards of a hand may be any unseen
cards. If a seat shows a card that was not known, each hypothesis is
multiplied by the number of unknown cards that the seat has in it, because that makes the card more likely.
A hypothesis that has the card elsewhere is dropped.

With two seats all penalties are known, and the one hypothesis is certain.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from typing import Any, Final

from arena.cards import DECK, Card, card
from arena.games.game import Seat, State, Viewer
from arena.games.nyuri import NyuriState
from arena.games.nyuri_values import Claimed, Dealt, Drew, Penalty, Placed, Stole
from arena.sampling.sampler import Draw, RandomDeal, Sampler

Known = tuple[int, ...]
"""The known cards of each hand, by seat: bit `1 << card` for each card."""

LIMIT: Final = 20_000
"""The most hypotheses that are kept. Above it they are resampled to about a quarter: each stays with a
probability in proportion to its weight, and its weight is divided by this probability."""


class NyuriSampler(Sampler):
    """Draws a hypothesis, and permutes the cards that it leaves unknown over hands and stock.

    Attributes:
        limit: the most hypotheses that are kept; doubled each time that none of them was right.
    """

    def __init__(self, options: Any, seats: int, viewer: Viewer, starter: Seat, limit: int = LIMIT) -> None:
        super().__init__(options, seats, viewer, starter)
        self._told: list[Any] = []
        self.limit = limit
        self._forget()

    def _forget(self) -> None:
        seats = self.seats
        self._sizes = [0] * seats
        self._seen = 0  # the cards whose place is known, as bits
        self._hypotheses: dict[Known, float] = {(0,) * seats: 1.0}

    def tell(self, event: Any) -> None:
        self._told.append(event)
        self._take_in(event)
        while not self._hypotheses:  # resampling may have dropped all that are right
            self.limit *= 2
            self._forget()
            for told in self._told:
                self._take_in(told)

    def _take_in(self, event: Any) -> None:
        match event:
            case Dealt(seat, cards, count):
                self._sizes[seat] = count
                self._see(seat, cards)
            case Drew(seat, drawn):
                self._sizes[seat] += 1
                self._see(seat, () if drawn is None else (drawn,))
            case Placed(seat, base, guard, taken_back):
                self._take(seat, taken_back)
                pile = (base,) if guard is None else (base, guard)
                self._see(seat, pile)
                self._leave(seat, pile)
            case Claimed(seat, _, cards):
                self._see(seat, cards)
            case Stole(seat, _, pile, cards):
                self._see(seat, cards)
                if self.options.spend_cards:  # N6
                    self._leave(seat, cards)
                self._take(seat, pile)
            case Penalty(seat, owner, lost):
                if lost is None:
                    self._lose_any(seat, owner)
                else:
                    self._see(seat, (lost,))
                    self._leave(seat, (lost,))
                    self._take(owner, (lost,))

    def _see(self, seat: Seat, cards: Iterable[Card]) -> None:
        """Notes that a hand holds these cards."""
        for each in cards:
            bit = 1 << each
            if self._seen & bit:
                left = {known: weight for known, weight in self._hypotheses.items() if known[seat] & bit}
            else:
                size = self._sizes[seat]
                self._seen |= bit
                left = {
                    _changed(known, seat, known[seat] | bit): weight * unknown
                    for known, weight in self._hypotheses.items()
                    if (unknown := size - known[seat].bit_count())
                }
            self._set(left)

    def _take(self, seat: Seat, cards: Iterable[Card]) -> None:
        """Notes that face-up cards came to a hand."""
        bits = sum(1 << each for each in cards)
        self._sizes[seat] += bits.bit_count()
        self._seen |= bits
        self._set(
            {_changed(known, seat, known[seat] | bits): weight for known, weight in self._hypotheses.items()}
        )

    def _leave(self, seat: Seat, cards: Iterable[Card]) -> None:
        """Notes that known cards left a hand."""
        bits = sum(1 << each for each in cards)
        self._sizes[seat] -= bits.bit_count()
        self._set(
            {_changed(known, seat, known[seat] & ~bits): weight for known, weight in self._hypotheses.items()}
        )

    def _lose_any(self, thief: Seat, owner: Seat) -> None:
        """Notes that some card of the thief's hand went to the owner."""
        size = self._sizes[thief]
        split: dict[Known, float] = {}
        for known, weight in self._hypotheses.items():
            held = known[thief]
            if unknown := size - held.bit_count():
                split[known] = split.get(known, 0.0) + weight * unknown
            while held:
                bit = held & -held
                held -= bit
                moved = _changed(_changed(known, thief, known[thief] - bit), owner, known[owner] | bit)
                split[moved] = split.get(moved, 0.0) + weight
        self._sizes[thief] -= 1
        self._sizes[owner] += 1
        self._set(split)

    def _set(self, hypotheses: dict[Known, float]) -> None:
        total = sum(hypotheses.values())
        self._hypotheses = {known: weight / total for known, weight in hypotheses.items()}
        if len(hypotheses) > self.limit:
            self._hypotheses = _thinned(self._hypotheses, self.limit // 4)

    def draws(self, seen: Any) -> Draw:
        options = self.options
        hypotheses = list(self._hypotheses)
        weights = list(itertools.accumulate(self._hypotheses.values()))
        pool = [each for each in DECK if not self._seen >> each & 1]
        sizes = self._sizes.copy()

        def draw(rng: random.Random) -> State:
            stock = pool.copy()
            rng.shuffle(stock)
            known = hypotheses[0] if len(hypotheses) == 1 else rng.choices(hypotheses, cum_weights=weights)[0]
            hands = []
            for bits, size in zip(known, sizes, strict=True):
                hand = _cards(bits)
                if missing := size - len(hand):
                    hand += stock[-missing:]
                    del stock[-missing:]
                hands.append(hand)
            return NyuriState.as_seen(seen, options, hands, stock, RandomDeal(rng))

        return draw


def _changed(known: Known, seat: Seat, bits: int) -> Known:
    return (*known[:seat], bits, *known[seat + 1 :])


def _cards(bits: int) -> list[Card]:
    cards = []
    while bits:
        cards.append(card((bits & -bits).bit_length() - 1))
        bits &= bits - 1
    return cards


def _thinned(hypotheses: dict[Known, float], most: int) -> dict[Known, float]:
    """Resamples about so many hypotheses: the heavy ones, and others in proportion to their weights."""
    chance = random.Random(most)  # always the same: the result depends only on the events
    return {
        known: weight / stays
        for known, weight in hypotheses.items()
        if chance.random() < (stays := min(1.0, weight * most))
    }
