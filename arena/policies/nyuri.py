"""Nyuri, greedily: steal the biggest pile with the fewest cards; lay the highest single card."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.nyuri_values import VALUES, NyuriAction, Observation, Place, Steal, worth


def choose(seen: Observation, actions: Sequence[NyuriAction]) -> NyuriAction:
    """The action that gains most at once, and of those that gain the same the one that shows least."""
    # Guards never gain, and they are most of the list.
    unguarded = [action for action in actions if not isinstance(action, Place) or action.guard is None]
    return max(unguarded, key=lambda action: gain(seen, action))


def gain(seen: Observation, action: NyuriAction) -> tuple[int, int, int]:
    """What an action gains in cards on the seat it touches, and two reasons to prefer it to others."""
    match action:
        case Steal(owner, cards):
            pile = [card for card in seen.piles[owner] if card is not None]
            net = len(pile) - (len(cards) == 3)  # N13: three cards shown cost one
            return 2 * net, -len(cards), -worth(cards)  # what one seat wins the other loses
        case Place(base, None):
            return 1, VALUES[base], 0
        case Place():
            return 0, 0, 0  # a guard would only make the loss bigger
    return 1, 0, 0  # draw a card; or leave a pile that nobody has stolen
