"""The no-leak law: with other hidden cards, a seat would have seen the same.

A game is played in the sight of one viewer. What the viewer was rightly told is
gathered from the events alone, by a table of who may see what that is kept
here, apart from the games: so something shown by mistake does not count as
told. Then all the rest of the deck is changed, the same game is played again,
and everything that the viewer was shown must be as before.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from arena.cards import Card
from arena.games.game import Action, Board, Deal, Event, Seat, State, Viewer

FOR_SOME: dict[tuple[str, str], tuple[str, ...]] = {
    ("dealt", "cards"): ("seat",),
    ("drew", "card"): ("seat",),
    ("drew_stock", "card"): ("seat",),
    ("swapped", "drawn"): ("seat",),
    ("penalty", "card"): ("seat", "owner"),
}
"""The event fields that only some seats may see, and the fields that name those; all else is for all."""


class Watched(NamedTuple):
    """A game as one viewer saw it.

    Attributes:
        actions: the actions played, each with its deal and seat.
        told: for each deal the events, as the viewer was told them.
        starters: the starter of each deal.
        shown: all that the viewer was shown, in order.
    """

    actions: list[tuple[int, Seat, Action]]
    told: list[list[Event]]
    starters: list[Seat]
    shown: list[Any]


Choose = Callable[[State, int], tuple[Seat, Action] | None]
"""Gives the next action, from the position and the number of actions so far, or None to stop."""


def watch(state: State, viewer: Viewer, starter: Seat, choose: Choose) -> Watched:
    watched = Watched([], [[]], [starter], [])
    happenings = state.opening
    while True:
        events = [happening.told_to(viewer) for happening in happenings]
        for event in events:
            watched.told[-1].append(event)
            if event.kind == "deal_ended" and event.next_starter is not None:  # type: ignore[attr-defined]
                watched.told.append([])
                watched.starters.append(event.next_starter)  # type: ignore[attr-defined]
        legal = () if viewer is None else tuple(state.legal_actions(viewer))
        watched.shown.append((events, state.observation(viewer), legal, state.to_act))
        chosen = choose(state, len(watched.actions)) if state.to_act else None
        if chosen is None:
            return watched
        watched.actions.append((len(watched.told) - 1, *chosen))
        happenings = state.apply(*chosen)


class ChangedBoard:
    """A board with some decks changed, and the same chance."""

    def __init__(self, board: Board, decks: Sequence[Sequence[Any]]) -> None:
        self.board, self.decks = board, decks

    def deal(self, number: int) -> Deal:
        return ChangedDeal(self.board.deal(number), self.decks[number])


class ChangedDeal:
    """A deal with another deck."""

    def __init__(self, deal: Deal, deck: Sequence[Any]) -> None:
        self.deck = deck
        self.chance = deal.chance


def cards_in(value: Any) -> set[Card]:
    """The cards anywhere within a value."""
    if isinstance(value, Card):
        return {value}
    return set().union(*map(cards_in, value)) if isinstance(value, tuple) else set()


def cards_told(events: Sequence[Event], viewer: Viewer) -> set[Card]:
    """The cards that a viewer is rightly told by these events."""
    told: set[Card] = set()
    for event in events:
        for name, value in event._asdict().items():  # type: ignore[attr-defined]
            holders = FOR_SOME.get((event.kind, name))
            if holders is None or viewer in [getattr(event, holder) for holder in holders]:
                told |= cards_in(value)
    return told


def exchange(value: Any, cards: dict[Card, Card]) -> Any:
    """The value with its cards exchanged."""
    if isinstance(value, Card):
        return cards[value]
    if isinstance(value, tuple):
        items = [exchange(item, cards) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


Replay = tuple[Board, list[tuple[Seat, Action]]]
"""A changed board, and the actions to play on it."""


def change_cards(board: Board, watched: Watched, viewer: Viewer, rng: random.Random) -> Replay:
    """The board with all cards permuted that the viewer was not told, and the same actions on it."""
    decks: list[list[Card]] = []
    exchanges: list[dict[Card, Card]] = []
    for number, events in enumerate(watched.told):
        deck = board.deal(number).deck
        told = cards_told(events, viewer)
        hidden = [card for card in deck if card not in told]
        exchanges.append(
            {card: card for card in told} | dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
        )
        decks.append([exchanges[-1][card] for card in deck])
    actions = [(seat, exchange(action, exchanges[deal])) for deal, seat, action in watched.actions]
    return ChangedBoard(board, decks), actions


class FacesTold:
    """Which faces of which cards of a Nur Mut deck have been told, by the card's place in the deck.

    After a deck is shuffled no seat knows its cards' places, and all of them
    count as told; that is more than is true, never less.
    """

    def __init__(self, deck: Sequence[Any], seats: int, starter: Seat) -> None:
        self.deck = deck
        dealt = 10 * seats
        self.faces: dict[int, set[Any]] = {place: set() for place in range(len(deck))}
        self.decks = [deque(range((seat - starter) % seats, dealt, seats)) for seat in range(seats)]
        self.rest = deque(range(dealt, len(deck)))
        self.aside: list[int] = []
        self.piles: list[list[int]] = []
        self.shuffled: set[Seat] = set()

    def _see(self, place: int, face: Any) -> int:
        assert face in self.deck[place], f"{self.deck[place]} at place {place} has no face {face}"
        self.faces[place].add(face)
        return place

    def tell(self, event: Any) -> None:
        kind: str = event.kind
        seat: Any = getattr(event, "seat", None)
        if kind == "pile_started":
            start = self.rest.popleft() if self.rest else self.aside.pop(0)
            self.piles.append([self._see(start, event.face)])
        elif kind == "joker_set_aside":
            self.aside.append(self._all_told(self.rest.popleft()))
        elif kind == "took_pile":
            self.shuffled.add(seat)
            for place in (*self.decks[seat], *self.piles[event.pile]):
                self._all_told(place)
            self.piles[event.pile].clear()
        elif seat in self.shuffled:
            return
        elif kind in ("top_shown", "flipped"):
            self._see(self.decks[seat][0], event.face)
        elif kind == "tucked":
            self._see(self.decks[seat][0], event.face)
            self.decks[seat].rotate(-1)
        elif kind == "laid":
            self.piles[event.pile].append(self._see(self.decks[seat].popleft(), event.face))

    def _all_told(self, place: int) -> int:
        self.faces[place] |= set(self.deck[place])
        return place


def change_faces(board: Board, watched: Watched, seats: int, rng: random.Random) -> Replay:
    """The Nur Mut board with all hidden faces changed, and the same actions on it."""
    decks = []
    for number, (events, starter) in enumerate(zip(watched.told, watched.starters, strict=True)):
        deck = list(board.deal(number).deck)
        told = FacesTold(deck, seats, starter)
        for event in events:
            told.tell(event)
        unseen = [place for place, faces in told.faces.items() if not faces]
        half_seen = [
            place for place, faces in told.faces.items() if len(faces) == 1 and len(set(deck[place])) == 2
        ]
        changed = deck.copy()
        for place, other in zip(unseen, rng.sample(unseen, len(unseen)), strict=True):
            card = deck[other]
            two_faced = card[1] in range(1, 11)
            changed[place] = type(card)(*rng.sample(card, 2)) if two_faced else card
        for place in half_seen:
            card = deck[place]
            if card[1] in range(1, 11):
                other = rng.choice([face for each in deck for face in each])
                changed[place] = type(card)(*(face if face in told.faces[place] else other for face in card))
        decks.append(changed)
    return ChangedBoard(board, decks), [(seat, action) for _, seat, action in watched.actions]
