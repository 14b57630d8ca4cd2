"""Greedy Nur Mut: lay the card that fits; else show courage if it is likely to work and cheap, or tuck."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.nur_mut_values import ChoosePile, Courage, Face, Observation, PassTurn, Place, TryTop, Tuck

NurMutAction = PassTurn | Tuck | Place | TryTop | Courage | ChoosePile

LIKELY = 0.5
CHEAP = 2
"""Courage is shown if a flip fits with probability `LIKELY` and failure costs at most `CHEAP` cards."""


def choose(seen: Observation, actions: Sequence[NurMutAction]) -> NurMutAction:
    """The first possible one of these: lay a card, show courage if it pays, try or tuck, anything."""
    by_kind = {action.kind: action for action in reversed(actions)}  # the first of several piles
    if "courage" in by_kind and chance_to_fit(seen.piles) >= LIKELY and highest_size(seen) <= CHEAP:
        brave = "courage"
    else:
        brave = ""
    for kind in ("choose_pile", "place", brave, "try_top", "tuck"):
        if kind in by_kind:
            return by_kind[kind]
    return actions[0]


def chance_to_fit(piles: Sequence[Face]) -> float:
    """The probability that an unseen card fits one of the piles, without jokers."""
    fitting = {face for top in piles for face in (top - 1, top + 1) if Face.ONE <= face <= Face.NINE}
    return len(fitting) / Face.NINE


def highest_size(seen: Observation) -> int:
    """How many cards failed courage would cost: the size of the highest pile."""
    highest = max(seen.piles)
    return max(size for top, size in zip(seen.piles, seen.pile_sizes, strict=True) if top == highest)
