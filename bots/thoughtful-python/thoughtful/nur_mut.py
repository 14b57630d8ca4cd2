"""Nur Mut, thoughtfully: courage by the odds of the hidden face, and piles that do not help the next seat.

The deck is known, so a card's upper face says how likely each lower face is;
cards of which both faces were seen, and which still lie on the piles, are left
out. Every action is weighed in cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from arena.bot import TableInfo
from arena.games.nur_mut import GAME
from arena.games.nur_mut_actions import FITS
from arena.games.nur_mut_values import (
    ChoosePile,
    Courage,
    Face,
    Flipped,
    Laid,
    Observation,
    PassTurn,
    PileStarted,
    Place,
    TookPile,
    TopShown,
    TryTop,
    Tuck,
)
from thoughtful.player import Player

NurMutAction = PassTurn | Tuck | Place | TryTop | Courage | ChoosePile
Pair = tuple[Face, Face]

GOING_ON = 0.6
"""What a further turn after successful courage is worth."""
FRESH_TOP = 0.2
"""What a new top card is worth that a tuck brings."""
DENIAL = 0.3
"""What it costs when the next seat can lay its top card."""
WIN = 10.0


class NurMutPlayer(Player):
    """Plays a deal of Nur Mut; it remembers the cards on the piles as far as both their faces were seen."""

    def __init__(self, table: TableInfo) -> None:
        super().__init__(table)
        self._deck = Counter(pair(card.front, card.back) for card in GAME.deck(table.options))
        self._tops: dict[int, Face] = {}
        self._flipped: Pair | None = None
        self._piles: dict[int, Counter[Pair]] = {pile: Counter() for pile in range(3)}

    def told(self, event: Any) -> None:
        match event:
            case TopShown(seat, face):
                self._tops[seat] = face
            case Flipped(seat, face):
                self._flipped = pair(self._tops.get(seat, Face.HIDDEN), face)
            case Laid(_, pile, face, _) | PileStarted(pile, face):
                if self.table.options.model == "one":
                    self._piles[pile][pair(face, Face.HIDDEN)] += 1
                elif self._flipped is not None:
                    self._piles[pile][self._flipped] += 1
                self._flipped = None
            case TookPile(_, pile, _):
                self._piles[pile].clear()
                self._flipped = None

    def choose(self, seen: Observation, actions: Sequence[NurMutAction]) -> NurMutAction:
        return max(actions, key=lambda action: self._worth(seen, action))

    def _worth(self, seen: Observation, action: NurMutAction) -> float:
        """What an action is worth, in cards got rid of."""
        assert seen.seat is not None
        own = seen.deck_sizes[seen.seat]
        top = seen.top_faces[seen.seat]
        laid = WIN if own == 1 else 1.0
        match action:
            case ChoosePile(pile) | Place(pile):
                piles = [*seen.piles]
                piles[pile] = seen.flipped or top
                return laid - self._help(seen, piles)
            case Courage():
                fits = self._chance_to_fit(top, seen.piles)
                going_on = 0.0 if own == 1 else GOING_ON
                return fits * (laid + going_on) - (1 - fits) * self._price(seen)
            case TryTop():
                return laid * self._chance_to_fit(top, seen.piles)
            case Tuck():
                return FRESH_TOP - self._help(seen, seen.piles)
            case PassTurn():
                return -self._help(seen, seen.piles)

    def _price(self, seen: Observation) -> float:
        """What failed courage costs: the highest pile, and a card that the next seat gets rid of."""
        highest = max(seen.piles)
        size = max(size for face, size in zip(seen.piles, seen.pile_sizes, strict=True) if face is highest)
        if seen.deck_sizes[self._following(seen)] == 1:
            return size + WIN
        others = self.table.seats - 1
        return size + (1 / others if others > 1 else 0.0)  # M18: of two seats the same one goes on

    def _help(self, seen: Observation, piles: Sequence[Face]) -> float:
        """How much piles help the next seat to lay its top card."""
        following = self._following(seen)
        top = seen.top_faces[following]
        flip = self._chance_to_fit(top, piles)
        shown = top is not Face.HIDDEN and fits_some(top, piles)
        if seen.deck_sizes[following] == 1:
            return WIN * (1.0 if shown else flip)
        return DENIAL * (1.0 if shown else 0.3 * flip)

    def _following(self, seen: Observation) -> int:
        assert seen.seat is not None
        return (seen.seat + 1) % self.table.seats

    def _chance_to_fit(self, top: Face, piles: Sequence[Face]) -> float:
        """The chance that the hidden face of a card fits, by the face that it shows."""
        odds = self._hidden_faces(top)
        fitting = sum(weight for face, weight in odds.items() if fits_some(face, piles))
        return fitting / (sum(odds.values()) or 1)

    def _hidden_faces(self, top: Face) -> Mapping[Face, int]:
        """How many cards there are with each hidden face, of those that show `top`."""
        left = self._deck - self._piles[0] - self._piles[1] - self._piles[2]
        odds: Counter[Face] = Counter()
        for (low, high), copies in left.items():
            if top is high:
                odds[low] += copies
            elif top is low:
                odds[high] += copies
        return odds


def pair(face: Face, other: Face) -> Pair:
    """A card by its faces, the lower first."""
    return (face, other) if face <= other else (other, face)


def fits_some(face: Face, piles: Sequence[Face]) -> bool:
    """Whether a face may be laid on some pile."""
    return any(FITS[face][top] for top in piles)
