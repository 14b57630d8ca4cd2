"""Greedy Nyuri: steal the biggest pile with the fewest cards; lay the highest single card."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from arena.games.nyuri_values import VALUES, Cards, Draw, NyuriAction, Observation, Place, Steal, worth

_CARD = 1_000
"""The value of a card that the seat gains. A stolen card counts twice: the other seat loses it."""
_SHOWN = 100
"""The cost of a shown card besides its worth, which is less: so fewer cards first, then cheaper ones."""


def choose(seen: Observation, actions: Sequence[NyuriAction]) -> NyuriAction:
    """The action that gains most at once; of equal gains the one that shows least."""
    if isinstance(actions[0], Draw):
        return _draw_or_steal(seen, actions)
    # To leave a pile that was not stolen, or to lay one. Guards would only make the loss bigger.
    unguarded = [action for action in actions if isinstance(action, Place) and action.guard is None]
    return max(unguarded, key=_base_value) if unguarded else actions[0]


def _draw_or_steal(seen: Observation, actions: Sequence[NyuriAction]) -> NyuriAction:
    sizes = [2 * _CARD * (2 - pile.count(None)) for pile in seen.piles]
    steals = [sizes[action.owner] - _cost(action.cards) for action in actions if isinstance(action, Steal)]
    best = max(steals, default=0)
    return actions[steals.index(best) + 1] if best > _CARD else actions[0]


def _base_value(action: Place) -> int:
    return VALUES[action.base]


@cache
def _cost(cards: Cards) -> int:
    """The cost of showing some cards. Three cost a card of the hand too (N13)."""
    return (2 * _CARD if len(cards) == 3 else 0) + _SHOWN * len(cards) + worth(cards)
