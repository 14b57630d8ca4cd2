"""The legal actions of Nur Mut: which face fits on which, and the lists of actions.

M1 to M28 are explained in `rules/nur-mut.md`.
"""

from __future__ import annotations

from typing import Final

from arena.games.game import Action
from arena.games.nur_mut_values import PILES, ChoosePile, Courage, Face, Lying, PassTurn, Place, TryTop, Tuck

PASS, TUCK, TRY, COURAGE = PassTurn(), Tuck(), TryTop(), Courage()
PLACES = tuple(Place(pile) for pile in range(PILES))
CHOICES = tuple(ChoosePile(pile) for pile in range(PILES))

# The fitting piles are a mask: bit i stands for pile i.
PILES_IN: Final = tuple(tuple(pile for pile in range(PILES) if mask >> pile & 1) for mask in range(8))
SHOWN_TURN: Final[tuple[tuple[Action, ...], ...]] = tuple(
    # M8: a card that fits cannot be tucked; M9: any pile that it fits
    (PASS, *((PLACES[pile] for pile in piles) if piles else (TUCK,)), COURAGE)
    for piles in PILES_IN
)
CHOOSE: Final = tuple(tuple(CHOICES[pile] for pile in piles) for piles in PILES_IN)
HIDDEN_TURN: Final = (PASS, TRY, COURAGE)  # M2: under model one a try commits before the flip
CHAINED_TURN: Final = (PASS, COURAGE)
FORCED_TURN: Final = (COURAGE,)


def _fits(face: int, top: int) -> bool:
    # M4: one up or down, no wrap; a joker fits everywhere; M24: everything fits on a starting joker
    return abs(face - top) == 1 or Face.JOKER in (face, top)


FITS: Final = tuple(tuple(int(_fits(face, top)) for top in range(len(Face))) for face in range(len(Face)))
"""FITS[face][top] is 1 if a card showing `face` may be laid on a pile showing `top`, else 0."""


def fit_mask(face: Face, piles: list[list[Lying]]) -> int:
    """The piles on which a card showing `face` may be laid."""
    on = FITS[face]
    first, second, third = piles
    return on[first[-1].up] | on[second[-1].up] << 1 | on[third[-1].up] << 2
