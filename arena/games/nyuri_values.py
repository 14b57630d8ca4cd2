"""The plain values of Nyuri: its options, actions, events and observation, and the values of cards.

The rules are in `arena.games.nyuri`. Every
value has the fields of its message in `nyuri.proto`, in the same order.

A bot gets these: `turn.actions` are Leave, Place, Draw and Steal;
`turn.events` are Dealt, Placed, Left, Skipped, Drew, Claimed, Overbid, Stole,
Penalty and Counted; `turn.observation` is an Observation. The last field,
`kind`, says which one a value is. `seat` is the seat that did it, `owner` the
seat whose pile it is about. `table.options` are NyuriOptions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.cards import ACE, DECK, Card, format_cards
from arena.games.game import option
from arena.games.series import DealEnded

Cards = tuple[Card, ...]

VALUES: Final = (0, *(14 if card.rank == ACE else card.rank for card in DECK))
"""The value of a card, by card number: 2 to 10 as printed, J 11, Q 12, K 13, A 14."""


def worth(cards: Sequence[Card]) -> int:
    """The sum of the values of some cards."""
    return sum([VALUES[card] for card in cards])


@dataclasses.dataclass(frozen=True, slots=True)
class NyuriOptions:
    """The options of Nyuri; the rules page explains the rulings."""

    players: int = option(4, "N1: the most seats a table may have", low=2, high=6)
    spend_cards: bool = option(False, "N6: the cards shown for a successful steal leave the game")
    contest: str = option(
        "open", "N7: steals are open claims, or take effect in an instant", choices=("open", "instant")
    )
    placer_draws: bool = option(False, "N10: the placer draws a card too, after placing")
    reuse_base: bool = option(False, "N12: the base just picked up may be the new base")
    stall: int = option(
        40, "N17: steal turns in a row without a draw that end a two-seat game", low=1, high=1000
    )
    replay: int = option(0, "N18: the most further deals played to break a tie", high=100)
    series: int = option(1, "N19: deals played in a row, the start moving on by one seat", low=1, high=100)


# Actions ---------------------------------------------------------------------


class Leave(NamedTuple):
    """Leave one's pile in place."""

    kind: str = "leave"

    def __str__(self) -> str:
        return "leave"


class Place(NamedTuple):
    """Put down a new pile; a pile still there goes back to the hand."""

    base: Card
    guard: Card | None
    kind: str = "place"

    def __str__(self) -> str:
        guarded = f" guarded by {self.guard}" if self.guard else ""
        return f"place {self.base}{guarded}"


class Draw(NamedTuple):
    """Draw a card from the stock instead of stealing."""

    kind: str = "draw"

    def __str__(self) -> str:
        return "draw"


class Steal(NamedTuple):
    """Claim the pile of `owner` by showing one to three cards, in card-number order."""

    owner: int
    cards: Cards
    kind: str = "steal"

    def __str__(self) -> str:
        return f"steal from seat {self.owner} with {format_cards(self.cards)}"


NyuriAction = Leave | Place | Draw | Steal

# Events ----------------------------------------------------------------------


class Dealt(NamedTuple):
    """A hand was dealt; `cards` is empty for all but its seat."""

    seat: int
    cards: Cards
    count: int  # type: ignore[assignment]  # hides tuple.count, which is not needed
    kind: str = "dealt"

    def __str__(self) -> str:
        what = format_cards(self.cards) if self.cards else f"{self.count} cards"
        return f"seat {self.seat} is dealt {what}"


class Placed(NamedTuple):
    """A pile was put down; `taken_back` are the cards of the old pile."""

    seat: int
    base: Card
    guard: Card | None
    taken_back: Cards
    kind: str = "placed"

    def __str__(self) -> str:
        back = f"takes back {format_cards(self.taken_back)} and " if self.taken_back else ""
        guarded = f" guarded by {self.guard}" if self.guard else ""
        return f"seat {self.seat} {back}places {self.base}{guarded}"


class Left(NamedTuple):
    """A pile was left in place."""

    seat: int
    kind: str = "left"

    def __str__(self) -> str:
        return f"seat {self.seat} leaves its pile in place"


class Skipped(NamedTuple):
    """A seat without cards and without a pile could not place (N16)."""

    seat: int
    kind: str = "skipped"

    def __str__(self) -> str:
        return f"seat {self.seat} has no card to place"


class Drew(NamedTuple):
    """A card was drawn from the stock; `card` is None for all but its seat."""

    seat: int
    card: Card | None
    kind: str = "drew"

    def __str__(self) -> str:
        return f"seat {self.seat} draws {self.card or 'a card'}"


class Claimed(NamedTuple):
    """A pile was claimed, to be resolved when the window ends (N7)."""

    seat: int
    owner: int
    cards: Cards
    kind: str = "claimed"

    def __str__(self) -> str:
        return f"seat {self.seat} claims the pile of seat {self.owner} with {format_cards(self.cards)}"


class Overbid(NamedTuple):
    """A claim lost to a higher one (N8)."""

    seat: int
    owner: int
    kind: str = "overbid"

    def __str__(self) -> str:
        return f"seat {self.seat} is outbid for the pile of seat {self.owner}"


class Stole(NamedTuple):
    """A pile changed hands: `pile` is what was taken, `cards` what was shown for it."""

    seat: int
    owner: int
    pile: Cards
    cards: Cards
    kind: str = "stole"

    def __str__(self) -> str:
        return (
            f"seat {self.seat} steals {format_cards(self.pile)} from seat {self.owner} "
            f"with {format_cards(self.cards)}"
        )


class Penalty(NamedTuple):
    """The victim `owner` of three cards drew blindly from the hand of the thief `seat` (N13).

    `card` is None for all but these two.
    """

    seat: int
    owner: int
    card: Card | None
    kind: str = "penalty"

    def __str__(self) -> str:
        return f"seat {self.owner} draws {self.card or 'a card'} from the hand of seat {self.seat}"


class Counted(NamedTuple):
    """Play ended and the cards of each seat, in hand and pile, were counted."""

    counts: tuple[int, ...]
    kind: str = "counted"

    def __str__(self) -> str:
        return "the count: " + ", ".join(f"seat {seat} {count}" for seat, count in enumerate(self.counts))


NyuriEvent = (
    Dealt | Placed | Left | Skipped | Drew | Claimed | Overbid | Stole | Penalty | Counted | DealEnded
)

# Observation -----------------------------------------------------------------


class Pile(NamedTuple):
    """The pile of one seat; both are None if there is none."""

    base: Card | None
    guard: Card | None

    def __str__(self) -> str:
        return format_cards(card for card in self if card is not None)


class Claim(NamedTuple):
    """A claim on the pile of `owner`, not yet resolved."""

    seat: int
    owner: int
    cards: Cards

    def __str__(self) -> str:
        return f"seat {self.seat} claims seat {self.owner}'s with {format_cards(self.cards)}"


class Observation(NamedTuple):
    """One viewer's observation of a position.

    Attributes:
        phase: what the seat to act has to do: `place`, `steal` (draw or steal), or `over`.
        seat: the viewer's seat, None for a spectator.
        hand: the viewer's hand in card-number order; empty for a spectator.
        hand_sizes: the cards in each hand, by seat; piles are not counted.
        piles: the pile in front of each seat, by seat.
        stock: the cards left in the stock.
        placer: the seat that placed, or is to place, in this window.
        claims: the claims made in this window, oldest first; empty under instant steals.
        stalled: the consecutive steal turns without a draw from the stock (N17).
        spent: the cards that have left the game, as they were spent; empty
            unless the option `spend_cards` is set (N6).
        to_act: the seat to act, None when the game is over.
    """

    phase: str
    seat: int | None
    hand: Cards
    hand_sizes: tuple[int, ...]
    piles: tuple[Pile, ...]
    stock: int
    placer: int
    claims: tuple[Claim, ...]
    stalled: int
    spent: Cards
    to_act: int | None
    kind: str = "nyuri"

    def __str__(self) -> str:
        to_do = "draw or steal" if self.phase == "steal" else self.phase
        turn = self.phase if self.to_act is None else f"seat {self.to_act} is to {to_do}"
        lines = [
            f"{turn}: window of seat {self.placer}, {self.stock} cards in the stock, "
            f"{self.stalled} steal turns without a draw"
        ]
        lines += [
            f"seat {seat}: pile {pile}, {size} cards in hand"
            for seat, (pile, size) in enumerate(zip(self.piles, self.hand_sizes, strict=True))
        ]
        lines += [str(claim) for claim in self.claims]
        if self.spent:
            lines.append(f"spent: {format_cards(self.spent)}")
        if self.seat is not None:
            lines.append(f"hand of seat {self.seat}: {format_cards(self.hand)}")
        return "\n".join(lines)
