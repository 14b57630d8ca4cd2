"""Greedy Hyrule: take the trick with the weakest card that wins it, else throw the weakest away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from arena.cards import ALL_CARDS, Card
from arena.games.hyrule import trick_winner
from arena.games.hyrule_values import Observation, Play, Swap

HyruleAction = Play | Swap


@cache
def strength(card: Card) -> int:
    """How many of the other cards a card beats if it is played first."""
    return sum(trick_winner([card, other]) == card for other in ALL_CARDS if other != card)


def choose(seen: Observation, actions: Sequence[HyruleAction]) -> HyruleAction:
    """Swaps the weakest card to play last; wins cheaply if it can; leads its strongest card."""
    swaps = [action for action in actions if isinstance(action, Swap)]
    if swaps:
        return min(swaps, key=lambda swap: strength(swap.card))
    if not seen.trick:
        return max(actions, key=lambda action: strength(action.card))
    trick = [played.card for played in seen.trick]
    winning = [action for action in actions if trick_winner([*trick, action.card]) == action.card]
    return min(winning or actions, key=lambda action: strength(action.card))
