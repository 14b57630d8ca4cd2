"""Kleftis, thoughtfully: what each group will be worth, by the chance that somebody can steal it.

Every action is weighed by the position it leaves: what is secured at once, own
groups that must outlast the others' turns, groups that others will secure, and
how many unseen cards the hand could steal once they are played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena.bot import TableInfo
from arena.cards import DECK, Card
from arena.games.kleftis_groups import groups_made, joining_bits
from arena.games.kleftis_values import Build, Observation, Play, Secure, Secured, Steal
from thoughtful.player import Player, chance_of_none

Cards = tuple[Card, ...]
KleftisAction = Play | Build | Steal | Secure

PREY = 0.5
"""What another's single card is worth that the hand could steal next turn."""
REACH = 3.0
"""What it would be worth to be able to steal any unseen card that is played."""


class KleftisPlayer(Player):
    """Plays a deal of Kleftis; it remembers what was secured, which lies face down."""

    def __init__(self, table: TableInfo) -> None:
        super().__init__(table)
        self._secured = 0

    def told(self, event: Any) -> None:
        if isinstance(event, Secured):
            self._secured |= bits(event.cards)

    def choose(self, seen: Observation, actions: Sequence[KleftisAction]) -> KleftisAction:
        if seen.phase == "secure":
            return max(actions, key=lambda action: len(action.groups) if isinstance(action, Secure) else 0)
        lying = [card for board in seen.dashboards for group in board.groups for card in group.cards]
        unseen = bits(DECK) & ~(self._secured | bits(lying) | bits(seen.hand))
        return max(actions, key=lambda action: self._worth(seen, action, unseen))

    def _worth(self, seen: Observation, action: KleftisAction, unseen: int) -> float:
        """What the position is worth after an action, in cards."""
        assert not isinstance(action, Secure)
        hand = bits(card for card in seen.hand if card != action.card)
        worth = 0.0
        touched: Cards = (action.card,)
        for seat, board in enumerate(seen.dashboards):
            for group in board.groups:
                size = len(group.cards)
                if not isinstance(action, Play) and group.group == action.group:
                    touched = groups_made(group.cards)[action.card]
                elif seat != seen.seat:
                    in_reach = bool(joining_bits(group.cards) & hand)
                    worth += PREY * in_reach if size == 1 else -size  # its owner will secure it
                elif size > 1:
                    worth += size  # to be secured at once
                else:
                    worth += self._exposed(seen, group.cards, hand, unseen)
        reach = 0
        for card in seen.hand:
            if card != action.card:
                reach |= joining_bits((card,))
        share = (reach & unseen).bit_count() / max(1, unseen.bit_count())
        return worth + REACH * share + self._exposed(seen, touched, hand, unseen)

    def _exposed(self, seen: Observation, cards: Cards, hand: int, unseen: int) -> float:
        """What an own group is worth that lies open until the next turn, if there is one."""
        size, joining = len(cards), joining_bits(cards)
        if seen.stock == 0 and not hand:
            return -size  # it was the last turn
        others = sum(seen.hand_sizes) - len(seen.hand)
        safe = chance_of_none((joining & unseen).bit_count(), unseen.bit_count(), others)
        alone = 1.0 if joining & hand else -0.5  # it can be built on, or is likely to stay alone
        return safe * (alone if size == 1 else size) - (1 - safe) * (size + 1)


def bits(cards: Iterable[Card]) -> int:
    """A set of cards as a number: bit n for card number n."""
    return sum(1 << card for card in set(cards))
