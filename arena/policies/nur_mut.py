"""Nur Mut, greedily: lay the card that fits; else be brave when it is likely and cheap, or tuck."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.nur_mut_values import ChoosePile, Courage, Face, Observation, PassTurn, Place, TryTop, Tuck

NurMutAction = PassTurn | Tuck | Place | TryTop | Courage | ChoosePile

LIKELY = 0.5
CHEAP = 2
"""Courage is shown where the flip fits so likely, and else the pile to take is no bigger than this."""


def choose(seen: Observation, actions: Sequence[NurMutAction]) -> NurMutAction:
    """The first that there is of: lay a card, show courage where it pays, try or tuck, anything."""
    by_kind = {action.kind: action for action in reversed(actions)}  # of several piles the first
    if "courage" in by_kind and chance_to_fit(seen.piles) >= LIKELY and highest_size(seen) <= CHEAP:
        brave = "courage"
    else:
        brave = ""
    for kind in ("choose_pile", "place", brave, "try_top", "tuck"):
        if kind in by_kind:
            return by_kind[kind]
    return actions[0]


def chance_to_fit(piles: Sequence[Face]) -> float:
    """How likely a card that nobody has seen fits one of the piles, jokers left out."""
    fitting = {face for top in piles for face in (top - 1, top + 1) if Face.ONE <= face <= Face.NINE}
    return len(fitting) / Face.NINE


def highest_size(seen: Observation) -> int:
    """How many cards failed courage would cost: those of the highest pile."""
    highest = max(seen.piles)
    return max(size for top, size in zip(seen.piles, seen.pile_sizes, strict=True) if top == highest)
