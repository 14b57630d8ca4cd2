"""Greedy Forty-one: raise the score of the hand with every card, and stop when it is high."""

from __future__ import annotations

from collections.abc import Sequence

from arena.cards import Card
from arena.games.forty_one import hand_values
from arena.games.forty_one_values import Discard, DrawStock, EndPlay, Observation, TakeDiscard

STOP_AT = 30

FortyOneAction = DrawStock | TakeDiscard | EndPlay | Discard


def choose(seen: Observation, actions: Sequence[FortyOneAction]) -> FortyOneAction:
    """Ends play with a high score; else takes the discard if it helps, and drops the worst card."""
    if seen.phase == "discard":
        return max(actions, key=lambda action: score_without(seen.hand, action))
    by_kind = {action.kind: action for action in actions}
    now = sum(hand_values(seen.hand))
    if "end_play" in by_kind and (now >= STOP_AT or seen.stock == 0):
        return by_kind["end_play"]
    if "take_discard" in by_kind:
        five = (*seen.hand, seen.discards[-1])
        if max(sum(hand_values(_without(five, card))) for card in seen.hand) > now:
            return by_kind["take_discard"]
    return by_kind.get("draw_stock") or actions[0]


def score_without(hand: Sequence[Card], action: FortyOneAction) -> int:
    """The score of the hand after a discard."""
    assert isinstance(action, Discard)
    return sum(hand_values(_without(hand, action.card)))


def _without(hand: Sequence[Card], card: Card) -> list[Card]:
    return [held for held in hand if held != card]
