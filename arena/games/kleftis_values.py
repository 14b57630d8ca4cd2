"""The plain values of Kleftis: its actions, its events and what a seat may see.

Each mirrors the message of the same name in `arena/v1/kleftis.proto`.

A bot gets these: `turn.actions` are Play, Build, Steal and Secure;
`turn.events` are Dealt, Drew, Played, Built, Stole, Secured and Counted;
`turn.observation` is an Observation. The last field, `kind`, says which one a
value is. `seat` is the seat that did it, `owner` the seat that had the group,
`group` the group's number. `table.options` are
`arena.games.kleftis.KleftisOptions`.
"""

from __future__ import annotations

from typing import NamedTuple

from arena.cards import Card, format_cards
from arena.games.game import Seat


class Play(NamedTuple):
    """Play a single card as a new group."""

    card: Card
    kind: str = "play"

    def __str__(self) -> str:
        return f"play {self.card}"


class Build(NamedTuple):
    """Add a card to an own group."""

    card: Card
    group: int
    kind: str = "build"

    def __str__(self) -> str:
        return f"build {self.card} on group {self.group}"


class Steal(NamedTuple):
    """Add a card to an opponent's group and take the group."""

    card: Card
    owner: Seat
    group: int
    kind: str = "steal"

    def __str__(self) -> str:
        return f"steal group {self.group} from seat {self.owner} with {self.card}"


class Secure(NamedTuple):
    """Secure own groups, by ascending number, at the end of the turn; none is a choice too."""

    groups: tuple[int, ...]
    kind: str = "secure"

    def __str__(self) -> str:
        if not self.groups:
            return "secure nothing"
        return f"secure group{'s' * (len(self.groups) > 1)} {' '.join(map(str, self.groups))}"


class Dealt(NamedTuple):
    """A hand was dealt; `cards` is empty for all but its seat."""

    seat: Seat
    cards: tuple[Card, ...]
    count: int  # type: ignore[assignment]  # the message's field; tuple.count is not needed
    kind: str = "dealt"

    def __str__(self) -> str:
        hand = f": {format_cards(self.cards)}" if self.cards else ""
        return f"seat {self.seat} is dealt {self.count} cards{hand}"


class Drew(NamedTuple):
    """A card was drawn from the stock; `card` is None for all but the seat that drew it."""

    seat: Seat
    card: Card | None
    kind: str = "drew"

    def __str__(self) -> str:
        return f"seat {self.seat} draws {'a card' if self.card is None else self.card}"


class Played(NamedTuple):
    """A single card was played as a new group."""

    seat: Seat
    card: Card
    group: int
    kind: str = "played"

    def __str__(self) -> str:
        return f"seat {self.seat} plays {self.card} as group {self.group}"


class Built(NamedTuple):
    """A card was added to an own group; `cards` is the group with it."""

    seat: Seat
    card: Card
    group: int
    cards: tuple[Card, ...]
    kind: str = "built"

    def __str__(self) -> str:
        return f"seat {self.seat} builds {self.card} on group {self.group}: {format_cards(self.cards)}"


class Stole(NamedTuple):
    """A card was added to an opponent's group, and the group was taken; `cards` is the group with it."""

    seat: Seat
    card: Card
    owner: Seat
    group: int
    cards: tuple[Card, ...]
    kind: str = "stole"

    def __str__(self) -> str:
        return (
            f"seat {self.seat} steals group {self.group} from seat {self.owner} "
            f"with {self.card}: {format_cards(self.cards)}"
        )


class Secured(NamedTuple):
    """A group was secured: turned face down, out of reach."""

    seat: Seat
    group: int
    cards: tuple[Card, ...]
    kind: str = "secured"

    def __str__(self) -> str:
        return f"seat {self.seat} secures group {self.group}: {format_cards(self.cards)}"


class Counted(NamedTuple):
    """A seat's final count: secured less unsecured cards."""

    seat: Seat
    secured: int
    unsecured: int
    kind: str = "counted"

    def __str__(self) -> str:
        points = self.secured - self.unsecured
        return f"seat {self.seat} counts {self.secured} secured, {self.unsecured} unsecured: {points}"


class Group(NamedTuple):
    """An unsecured group: a single card, a set or a run.

    Attributes:
        group: its number, unique in the deal and kept when it is stolen.
        cards: a run from low to high, a set in the order in which it grew.
        touched: whether a card was added in this turn, so that it cannot be secured now.
    """

    group: int
    cards: tuple[Card, ...]
    touched: bool

    def __str__(self) -> str:
        return f"[{self.group}{'*' * self.touched}: {format_cards(self.cards)}]"


class Dashboard(NamedTuple):
    """A seat's dashboard: its groups in the order in which they came, and how many cards it has secured."""

    groups: tuple[Group, ...]
    secured: int

    def __str__(self) -> str:
        return f"{self.secured} secured {' '.join(map(str, self.groups))}".rstrip()


class Observation(NamedTuple):
    """One viewer's observation of a position.

    Attributes:
        phase: `main`, `secure` or `over`.
        seat: the viewer's seat, None for a spectator.
        to_act: the seat to act, None when the game is over.
        hand: the viewer's hand in card-number order.
        hand_sizes: the cards in each hand, by seat.
        dashboards: what lies in front of each seat, by seat.
        stock: the cards left in the stock.
    """

    phase: str
    seat: Seat | None
    to_act: Seat | None
    hand: tuple[Card, ...]
    hand_sizes: tuple[int, ...]
    dashboards: tuple[Dashboard, ...]
    stock: int
    kind: str = "kleftis"

    def __str__(self) -> str:
        demand = {"main": "play, build or steal", "secure": "secure"}
        turn = "play is over" if self.phase == "over" else f"seat {self.to_act} is to {demand[self.phase]}"
        lines = [f"{turn}; {self.stock} cards in the stock"]
        for seat, (size, dashboard) in enumerate(zip(self.hand_sizes, self.dashboards, strict=True)):
            lines.append(f"seat {seat}: {size} in hand, {dashboard}")
        if self.seat is not None:
            lines.append(f"seat {self.seat} holds {format_cards(self.hand)}")
        return "\n".join(lines)
