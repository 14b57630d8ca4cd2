"""The messages between the page and the process that plays for a person: a line of JSON each.

The page starts that process (`arena/seat/person.py`, `arena/seat/friendly/games.py`). The page first sends
the words that open the seat, such as a token, and then the person's choices.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Words = list[str | int]
"""A sentence in parts: texts, and numbers of seats in place of the players' names."""


class Welcome(TypedDict):
    """The person is in the tournament."""

    kind: Literal["welcome"]
    entrant: str
    tournament: str


class Table(TypedDict):
    """A game begins: where the person sits, and the clock, in seconds.

    `swapped` says that the person sits elsewhere than in the friendly game before.
    """

    kind: Literal["table"]
    game: str
    title: str
    seats: int
    seat: int
    names: list[str]
    bank: float
    move: float
    increment: float
    swapped: NotRequired[bool]


class LegalAction(TypedDict):
    """A legal action: in words, its cards, what it does, and the places of the picture that it touches.

    An action of a game that the page does not know touches no places (`arena/seat/targets.py`).
    """

    say: Words
    cards: list[int]
    verb: str
    targets: list[str]


class Turn(TypedDict):
    """It is the person's turn: the table, the events since the last turn, and the legal actions.

    `asks` says in a few words what the person may do; empty for a game that the page does not know.
    """

    kind: Literal["turn"]
    turn: int
    left: float
    picture: dict[str, Any]
    events: list[Words]
    actions: list[LegalAction]
    asks: NotRequired[str]


class Late(TypedDict):
    """The time for a turn is over: the default action was played."""

    kind: Literal["late"]
    turn: int


class End(TypedDict):
    """A game is over: by seat, the places and points; who won in a sentence, and how the person finished."""

    kind: Literal["end"]
    places: list[int]
    points: list[int]
    reason: str
    say: Words
    own: str


class Void(TypedDict):
    """The game is void, and is played again."""

    kind: Literal["void"]


class Replay(TypedDict):
    """A friendly game is over, and can be watched at an address of the page.

    `ending` is how it went (`arena.view.pictures.moments.Ending.as_data`).
    """

    kind: Literal["replay"]
    address: str
    ending: NotRequired[dict[str, Any]]


class Said(TypedDict):
    """The referee of a friendly game says something, such as that a bot is started again."""

    kind: Literal["said"]
    text: str


class Over(TypedDict):
    """The tournament is over, or the person cannot play: `why` is a sentence without its full stop."""

    kind: Literal["over"]
    why: str


FromSeat = Welcome | Table | Turn | Late | End | Void | Replay | Said | Over
"""A message of the process to the page."""


class Choice(TypedDict):
    """The person's choice: the index of an action, for the turn with a number."""

    kind: Literal["choice"]
    turn: int
    action: int


class Again(TypedDict):
    """The person wants another friendly game."""

    kind: Literal["again"]


ToSeat = Choice | Again
"""A message of the page to the process, after the words that open the seat."""
