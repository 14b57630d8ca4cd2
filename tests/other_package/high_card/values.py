"""High card's values: turn.actions are Play; turn.events are Dealt, Played and TrickWon."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from arena.cards import Card, format_cards
from arena.games.game import option


@dataclasses.dataclass(frozen=True, slots=True)
class HighCardOptions:
    """The options of High card."""

    hand: int = option(3, "C1: the cards that each seat is dealt", low=1, high=3)


class Play(NamedTuple):
    """Play a card."""

    card: Card
    kind: str = "play"

    def __str__(self) -> str:
        return f"play {self.card}"


class Dealt(NamedTuple):
    """A hand was dealt; `cards` is empty for all but its seat."""

    seat: int
    cards: tuple[Card, ...]
    size: int
    kind: str = "dealt"

    def __str__(self) -> str:
        return f"seat {self.seat} is dealt {format_cards(self.cards) if self.cards else self.size}"


class Played(NamedTuple):
    """A card was played."""

    seat: int
    card: Card
    kind: str = "played"

    def __str__(self) -> str:
        return f"seat {self.seat} plays {self.card}"


class TrickWon(NamedTuple):
    """A trick was won."""

    seat: int
    kind: str = "trick_won"

    def __str__(self) -> str:
        return f"seat {self.seat} takes the trick"


class Observation(NamedTuple):
    """What one viewer may see.

    The phase is `play` or `over`; `gone` are the cards of earlier tricks, as they were played.
    """

    phase: str
    seat: int | None
    hand: tuple[Card, ...]
    hand_sizes: tuple[int, ...]
    trick: tuple[Played, ...]
    won: tuple[int, ...]
    gone: tuple[Card, ...]
    to_act: int | None
    kind: str = "high_card"

    def __str__(self) -> str:
        lines = [
            f"seat {seat}: {size} cards, {won} tricks"
            for seat, (size, won) in enumerate(zip(self.hand_sizes, self.won, strict=True))
        ]
        lines += map(str, self.trick)
        if self.seat is not None:
            lines.append(f"hand of seat {self.seat}: {format_cards(self.hand)}")
        return "\n".join(lines)
