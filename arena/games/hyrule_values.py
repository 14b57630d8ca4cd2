"""The plain values of Hyrule: its actions, its events and its observation.

Each mirrors the message of `hyrule.proto` of the same name, field by field.

A bot gets these: `turn.actions` are Play and Swap; `turn.events` are
Dealt, Played, Swapped and TrickWon; `turn.observation` is an Observation. The
last field, `kind`, says which one a value is. `seat` is the seat that did it.
`table.options` are `arena.games.hyrule.HyruleOptions`.
"""

from __future__ import annotations

from typing import NamedTuple

from arena.cards import Card, format_cards
from arena.games.game import Seat


class Play(NamedTuple):
    """Play a card to the trick; under chance rules, seal it."""

    card: Card
    kind: str = "play"

    def __str__(self) -> str:
        return f"play {self.card}"


class Swap(NamedTuple):
    """Discard a card, draw one, and make the next seat lead (H8, H9)."""

    card: Card
    kind: str = "swap"

    def __str__(self) -> str:
        return f"swap {self.card}"


class Dealt(NamedTuple):
    """A hand was dealt; `cards` is empty for all but its seat."""

    seat: Seat
    cards: tuple[Card, ...]
    count: int  # type: ignore[assignment]  # the message's field; tuple.count is not needed
    kind: str = "dealt"

    def __str__(self) -> str:
        hand = f": {format_cards(self.cards)}" if self.cards else ""
        return f"seat {self.seat} is dealt {self.count} cards{hand}"


class Played(NamedTuple):
    """A card was played, or a sealed card shown."""

    seat: Seat
    card: Card
    kind: str = "played"

    def __str__(self) -> str:
        return f"seat {self.seat} plays {self.card}"


class Swapped(NamedTuple):
    """A card was swapped; `drawn` is None for all but the swapper."""

    seat: Seat
    discarded: Card
    drawn: Card | None
    kind: str = "swapped"

    def __str__(self) -> str:
        return f"seat {self.seat} discards {self.discarded} and draws {self.drawn or 'a card'}"


class TrickWon(NamedTuple):
    """A trick was won; all its `count` cards are captured."""

    seat: Seat
    card: Card
    count: int  # type: ignore[assignment]  # the message's field; tuple.count is not needed
    kind: str = "trick_won"

    def __str__(self) -> str:
        return f"seat {self.seat} wins {self.count} cards with {self.card}"


class PlayedCard(NamedTuple):
    """A card in a trick, and the seat that played it."""

    seat: Seat
    card: Card

    def __str__(self) -> str:
        return f"seat {self.seat} {self.card}"


class Observation(NamedTuple):
    """One viewer's observation of a deal.

    A sealed card stays in `hand` and in `hand_sizes` until all are shown, and
    `to_act` is None while cards are sealed, so sealing changes nothing that
    a viewer sees (H18).

    Attributes:
        phase: what the seat to act has to do: `open` (play or swap), `follow`,
            `seal` (all seats at once), or `over`.
        seat: the viewer's seat, None for a spectator.
        hand: the viewer's hand in card-number order; empty for a spectator.
        hand_sizes: the cards in each hand, by seat.
        trick: the cards of the current trick in the order played.
        leader: the seat that opened, or is to open, this trick.
        tallest: the seat that leads when captures are equal (H13).
        swapped: whether the opener of this trick swapped (H9).
        captured: the cards that each seat has captured, by seat.
        played: the cards of all finished tricks in the order played.
        discards: the cards discarded by swaps, oldest first.
        stock: the cards left in the stock.
        to_act: the seat to act; None when the game is over, and while all seal.
        must_lead: whether the seat to act leads a trick whose opener swapped
            (H9): the phase is `follow`, but there is no card to follow.
        no_swap: whether nobody may swap in this trick, because the trick before had a swap (H10, by option).
    """

    phase: str
    seat: Seat | None
    hand: tuple[Card, ...]
    hand_sizes: tuple[int, ...]
    trick: tuple[PlayedCard, ...]
    leader: Seat
    tallest: Seat
    swapped: bool
    captured: tuple[int, ...]
    played: tuple[Card, ...]
    discards: tuple[Card, ...]
    stock: int
    to_act: Seat | None
    must_lead: bool
    no_swap: bool
    kind: str = "hyrule"

    def __str__(self) -> str:
        viewer = "a spectator" if self.seat is None else f"seat {self.seat} with {format_cards(self.hand)}"
        to_do = "must lead" if self.must_lead else f"is to {self.phase}"
        turn = self.phase if self.to_act is None else f"seat {self.to_act} {to_do}"
        trick = ", ".join(map(str, self.trick)) or "-"
        swap = " and swapped" if self.swapped else ", and may not swap" if self.no_swap else ""
        opener = f"seat {self.leader} opens{swap}"
        sizes = " ".join(map(str, self.hand_sizes))
        captured = " ".join(map(str, self.captured))
        return (
            f"{turn}, as seen by {viewer}\n"
            f"trick: {trick} ({opener}; the tallest is seat {self.tallest})\n"
            f"hands {sizes}; captured {captured}; stock {self.stock}\n"
            f"finished tricks: {format_cards(self.played)}; discards: {format_cards(self.discards)}"
        )
