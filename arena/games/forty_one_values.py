"""The plain values of Forty-one: its actions, its events and what a seat may see.

Each mirrors the message of the same name in `arena/v1/forty_one.proto`.

A bot gets these: `turn.actions` are DrawStock, TakeDiscard, EndPlay and
Discard; `turn.events` are Dealt, DrewStock, TookDiscard, Discarded, PlayEnded
and Shown; `turn.observation` is an Observation. The last field, `kind`, says
which one a value is. `seat` is the seat that did it. `table.options` are
`arena.games.forty_one.FortyOneOptions`.
"""

from __future__ import annotations

from typing import NamedTuple

from arena.cards import Card, format_cards
from arena.games.game import Seat


class DrawStock(NamedTuple):
    """Draw the top card of the stock."""

    kind: str = "draw_stock"

    def __str__(self) -> str:
        return "draw from the stock"


class TakeDiscard(NamedTuple):
    """Take the previous seat's discard."""

    kind: str = "take_discard"

    def __str__(self) -> str:
        return "take the discard"


class EndPlay(NamedTuple):
    """End play: all hands are shown and scored."""

    kind: str = "end_play"

    def __str__(self) -> str:
        return "end play"


class Discard(NamedTuple):
    """Discard a card."""

    card: Card
    kind: str = "discard"

    def __str__(self) -> str:
        return f"discard {self.card}"


class Dealt(NamedTuple):
    """A hand was dealt; `cards` is empty for all but its seat."""

    seat: Seat
    cards: tuple[Card, ...]
    count: int  # type: ignore[assignment]  # the message's field; tuple.count is not needed
    kind: str = "dealt"

    def __str__(self) -> str:
        hand = f": {format_cards(self.cards)}" if self.cards else ""
        return f"seat {self.seat} is dealt {self.count} cards{hand}"


class DrewStock(NamedTuple):
    """A card was drawn from the stock; `card` is None for all but the seat that drew it."""

    seat: Seat
    card: Card | None
    kind: str = "drew_stock"

    def __str__(self) -> str:
        return f"seat {self.seat} draws {'a card' if self.card is None else self.card} from the stock"


class TookDiscard(NamedTuple):
    """The previous seat's discard was taken."""

    seat: Seat
    card: Card
    kind: str = "took_discard"

    def __str__(self) -> str:
        return f"seat {self.seat} takes the discard {self.card}"


class Discarded(NamedTuple):
    """A card was discarded."""

    seat: Seat
    card: Card
    kind: str = "discarded"

    def __str__(self) -> str:
        return f"seat {self.seat} discards {self.card}"


class PlayEnded(NamedTuple):
    """Play ended: by a seat, or (None) because too many turns went by without a draw (F9)."""

    seat: Seat | None
    kind: str = "play_ended"

    def __str__(self) -> str:
        if self.seat is None:
            return "play ends: too many turns without a draw from the stock"
        return f"seat {self.seat} ends play"


class Shown(NamedTuple):
    """A hand was shown and scored, in card-number order."""

    seat: Seat
    cards: tuple[Card, ...]
    score: int
    kind: str = "shown"

    def __str__(self) -> str:
        return f"seat {self.seat} shows {format_cards(self.cards)}: {self.score}"


class Observation(NamedTuple):
    """One viewer's observation of a position.

    Attributes:
        phase: `draw`, `discard` or `over`.
        seat: the viewer's seat, None for a spectator.
        hand: the viewer's hand in card-number order, with the card drawn.
        drawn: the card the viewer drew or took this turn, while it has to discard.
        hand_sizes: the cards in each hand, by seat.
        discards: every discard, oldest first; number i is by seat (starter + i) % seats.
        taken: for each discard, whether the next seat took it.
        stock: the cards left in the stock.
        starter: the seat that started the deal.
        stalled: the consecutive turns without a draw from the stock (F9).
    """

    phase: str
    seat: Seat | None
    hand: tuple[Card, ...]
    drawn: Card | None
    hand_sizes: tuple[int, ...]
    discards: tuple[Card, ...]
    taken: tuple[bool, ...]
    stock: int
    starter: Seat
    stalled: int
    kind: str = "forty_one"

    def __str__(self) -> str:
        to_act = (self.starter + len(self.discards)) % len(self.hand_sizes)
        turn = "play is over" if self.phase == "over" else f"seat {to_act} is to {self.phase}"
        lines = [f"{turn}; {self.stock} cards in the stock; turns without a draw from it: {self.stalled}"]
        discards = (
            f"{card} (taken)" if taken else card.text
            for card, taken in zip(self.discards, self.taken, strict=True)
        )
        lines.append(f"discards from seat {self.starter} on: {' '.join(discards) or '-'}")
        if self.seat is not None:
            drawn = "" if self.drawn is None else f", just drawn {self.drawn}"
            lines.append(f"seat {self.seat} holds {format_cards(self.hand)}{drawn}")
        return "\n".join(lines)
