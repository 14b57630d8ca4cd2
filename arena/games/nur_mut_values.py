"""The plain values of Nur Mut: its faces, cards, options, actions, events and observation.

Field names and order are those of `proto/arena/v1/nur_mut.proto`. Piles are
numbered 0 to 2, seats from 0. The rules are in `arena.games.nur_mut`.

A bot gets these: `turn.actions` are PassTurn, Tuck, Place, TryTop,
Courage and ChoosePile; `turn.events` are Dealt, JokerSetAside, PileStarted,
TopShown, Passed, Tucked, Flipped, Laid and TookPile; `turn.observation` is an
Observation. The last field, `kind`, says which one a value is. `seat` is the
seat that did it, `pile` the centre pile it is about. `table.options` are
NurMutOptions.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Sequence
from typing import NamedTuple

from arena.games.game import Seat, WrongOption, option

PILES = 3
HIGHEST = 9


class Face(enum.IntEnum):
    """A face of a card: a number, a joker, or a hidden face."""

    ONE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    JOKER = 10
    HIDDEN = 11

    def __str__(self) -> str:
        return FACE_TEXTS[self]


FACE_TEXTS = ("", "1", "2", "3", "4", "5", "6", "7", "8", "9", "J", "?")
"""The text of each face, by its number."""

_FACE_BY_TEXT = {FACE_TEXTS[face]: face for face in Face if face is not Face.HIDDEN}


class Card(NamedTuple):
    """A card as a thing, however it lies: its front and its back.

    Under model one the back bears nothing and is Face.HIDDEN.
    """

    front: Face
    back: Face

    def __str__(self) -> str:
        return f"{self.front}" if self.back is Face.HIDDEN else f"{self.front}/{self.back}"


class Lying:
    """A card as it lies on a deck or a pile: which face is up.

    There is one such value for each way a card can lie; take it from `lying()`.

    Attributes:
        card: the card.
        up, down: the upper and the lower face.
        over: the card the other way up.
        ways: the card with its front up, and with its back up.
    """

    __slots__ = ("card", "down", "over", "up", "ways")

    card: Card
    up: Face
    down: Face
    over: Lying
    ways: tuple[Lying, Lying]

    def __repr__(self) -> str:
        return f"{self.up} on {self.down}"


@functools.cache
def lying(card: Card) -> Lying:
    """The card with its front up."""
    front, back = Lying(), Lying()
    front.up = back.down = card.front
    front.down = back.up = card.back
    front.over, back.over = back, front
    for way in (front, back):
        way.card, way.ways = card, (front, back)
    return front


@dataclasses.dataclass(frozen=True, slots=True)
class NurMutOptions:
    """The options of Nur Mut, mirroring the protocol's NurMutOptions."""

    model: str = option("two", "M1: two-faced cards lying in sight, or one face", choices=("two", "one"))
    deck: tuple[str, ...] = option((), "M3: the cards, as 3/7 or J/4 (model one: 3 or J); empty: standard")
    min_value: int = option(1, "M4: the lowest number", low=1, high=HIGHEST)
    chain_courage_only: bool = option(False, "M10: after successful courage only courage or passing")
    joker_replay: bool = option(False, "M11: a joker laid by courage earns a further turn")
    stall: int = option(3, "M21: turns without a card laid, per seat, that force courage", low=1, high=1000)
    max_turns: int = option(500, "M22: turns, per seat, that end the game", low=1, high=100_000)
    rounds: int = option(1, "M23: deals played in a row at one table", low=1, high=1000)


@functools.cache
def card_deck(options: NurMutOptions) -> tuple[Card, ...]:
    """The deck before shuffling: that of the option `deck`, or the standard one (M3).

    Raises WrongOption, naming the text, if a text of the option is no card
    of the model or has a number below the lowest (M4).
    """
    if options.deck:
        return tuple(_parse_card(text, options) for text in options.deck)
    numbers = [Face(number) for number in range(options.min_value, HIGHEST + 1)]
    if options.model == "two":
        pairs = [Card(low, high) for low in numbers for high in numbers if low < high for _ in range(2)]
        return (*pairs, *(Card(Face.JOKER, number) for number in numbers))
    return tuple(Card(face, Face.HIDDEN) for face in numbers for _ in range(8)) + tuple(
        Card(Face.JOKER, Face.HIDDEN) for _ in numbers
    )


def _parse_card(text: str, options: NurMutOptions) -> Card:
    two_faced = options.model == "two"
    faces = [_FACE_BY_TEXT.get(word) for word in text.split("/")]
    known = [face for face in faces if face is not None and face >= options.min_value]
    if len(known) != len(faces) or len(faces) != (2 if two_faced else 1):
        wanted = "front/back, as in 3/7 or J/4" if two_faced else "one face, as in 3 or J"
        raise WrongOption(
            f"nur-mut option deck: {text!r} is not a card of model {options.model}:"
            f" write {wanted}; a face is {options.min_value} to {HIGHEST} or J"
        )
    return Card(known[0], known[1] if two_faced else Face.HIDDEN)


class PassTurn(NamedTuple):
    """Pass the turn."""

    kind: str = "pass_turn"

    def __str__(self) -> str:
        return "pass"


class Tuck(NamedTuple):
    """Put the visible top card under one's deck (model two)."""

    kind: str = "tuck"

    def __str__(self) -> str:
        return "tuck the top card"


class Place(NamedTuple):
    """Lay the visible top card on a pile (model two)."""

    pile: int
    kind: str = "place"

    def __str__(self) -> str:
        return f"place the top card on pile {self.pile}"


class TryTop(NamedTuple):
    """Flip the top card: it is laid if it fits, else tucked (model one)."""

    kind: str = "try_top"

    def __str__(self) -> str:
        return "try the top card"


class Courage(NamedTuple):
    """Flip the top card: lay it and play again, or take a pile."""

    kind: str = "courage"

    def __str__(self) -> str:
        return "courage"


class ChoosePile(NamedTuple):
    """Lay the flipped card on a pile."""

    pile: int
    kind: str = "choose_pile"

    def __str__(self) -> str:
        return f"lay the flipped card on pile {self.pile}"


class Dealt(NamedTuple):
    """A deck of `count` cards was dealt to a seat."""

    seat: Seat
    count: int  # type: ignore[assignment]  # a field of the protocol; the tuple's method is not needed
    kind: str = "dealt"

    def __str__(self) -> str:
        return f"seat {self.seat} is dealt {self.count} cards"


class JokerSetAside(NamedTuple):
    """A joker came up to start a pile and was put back among the cards out of play (M6)."""

    pile: int
    kind: str = "joker_set_aside"

    def __str__(self) -> str:
        return f"a joker comes up for pile {self.pile} and is set aside"


class PileStarted(NamedTuple):
    """A centre pile was started."""

    pile: int
    face: Face
    kind: str = "pile_started"

    def __str__(self) -> str:
        return f"pile {self.pile} starts with {self.face}"


class TopShown(NamedTuple):
    """A deck has a new visible top card (model two)."""

    seat: Seat
    face: Face
    kind: str = "top_shown"

    def __str__(self) -> str:
        return f"seat {self.seat}'s deck shows {self.face}"


class Passed(NamedTuple):
    """A seat passed."""

    seat: Seat
    kind: str = "passed"

    def __str__(self) -> str:
        return f"seat {self.seat} passes"


class Tucked(NamedTuple):
    """A seat put its top card under its deck."""

    seat: Seat
    face: Face
    kind: str = "tucked"

    def __str__(self) -> str:
        return f"seat {self.seat} tucks {self.face}"


class Flipped(NamedTuple):
    """A seat flipped its top card, for courage or a try."""

    seat: Seat
    face: Face
    kind: str = "flipped"

    def __str__(self) -> str:
        return f"seat {self.seat} flips {self.face}"


class Laid(NamedTuple):
    """A card was laid on a pile; `reason` is place, courage, cover or refill."""

    seat: Seat
    pile: int
    face: Face
    reason: str
    kind: str = "laid"

    def __str__(self) -> str:
        return f"seat {self.seat} lays {self.face} on pile {self.pile} ({self.reason})"


class TookPile(NamedTuple):
    """A seat took a pile of `count` cards and shuffled it with its deck."""

    seat: Seat
    pile: int
    count: int  # type: ignore[assignment]  # a field of the protocol; the tuple's method is not needed
    kind: str = "took_pile"

    def __str__(self) -> str:
        cards = "1 card" if self.count == 1 else f"{self.count} cards"
        return f"seat {self.seat} takes pile {self.pile} ({cards}) and shuffles its deck"


class Observation(NamedTuple):
    """A viewer's observation: the same for all viewers, except `seat`.

    Attributes:
        phase: what the seat to act has to do: turn, choose_pile, or over.
        seat: the viewing seat; None for a spectator.
        to_act: the seat to act; None when the game is over.
        piles: the top face of each centre pile.
        pile_sizes: the cards in each centre pile.
        deck_sizes: the cards in each seat's deck, a flipped one included.
        top_faces: the upper face of each deck's top card; Face.HIDDEN for an
            empty deck and, unless it has just been flipped, under model one.
        flipped: the face flipped by the seat to act, if it must choose a
            pile for it; else None.
        passes: consecutive pure passes (M20).
        stalled: consecutive turns in which no card was laid (M21).
        turns: turns played (M22).
        again: whether the seat to act has laid a card by courage in this turn,
            so that a pass is not a pure one (M20).
        by_courage: whether the flipped card was flipped by courage, not by a
            try, so that the seat plays on after laying it (M10).
    """

    phase: str
    seat: Seat | None
    to_act: Seat | None
    piles: tuple[Face, ...]
    pile_sizes: tuple[int, ...]
    deck_sizes: tuple[int, ...]
    top_faces: tuple[Face, ...]
    flipped: Face | None
    passes: int
    stalled: int
    turns: int
    again: bool
    by_courage: bool
    kind: str = "nur_mut"

    def __str__(self) -> str:
        if self.to_act is None:
            to_do = "the game is over"
        elif self.flipped is None:
            to_do = f"seat {self.to_act} is to act{' again' * self.again}"
        else:
            how = " by courage" * self.by_courage
            to_do = f"seat {self.to_act} has flipped {self.flipped}{how} and chooses a pile"
        counts = f"turns played {self.turns}, passes {self.passes}, without a card laid {self.stalled}"
        piles = _stacks(self.piles, self.pile_sizes)
        return f"{to_do}; {counts}\npiles: {piles}\ndecks: {_stacks(self.top_faces, self.deck_sizes)}"


def _stacks(faces: Sequence[Face], sizes: Sequence[int]) -> str:
    stacks = enumerate(zip(faces, sizes, strict=True))
    return ", ".join(f"{number}: {face} ({size})" for number, (face, size) in stacks)
