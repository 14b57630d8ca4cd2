"""A finished game as pictures, step by step: what a browser needs to show it without knowing its rules.

Each step holds what changed, a sentence, and the lines that `arena replay`
prints of it. Every so often the whole picture is there too, so that one can
go anywhere at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from arena.games import GAMES, PerGame
from arena.games.game import Event, Happening, Seat, State
from arena.page.pictures.picture import Picture, Places, PlainPicture, Sight, current
from arena.report.game_log import ONLOOKER, game_steps
from arena.table.record import Record, Step, first_position, replay
from arena.text import one_line

KEY_EVERY: Final = 50
"""How many steps lie between two whole pictures."""

PICTURES: Final[Mapping[str, type[Picture]]] = PerGame("picture")

_SEAT = re.compile(r"\bseat (\d+)\b")
_SEALING = ["All choose a card and lay it face down."]

Parts = list[str | int]
"""A sentence: texts, and the numbers of seats whose names stand there."""


def new_picture(game: str, seats: int, options: Any) -> Picture:
    """The picture of a table: that of its game, or what is seen in words where the game has none."""
    return PICTURES.get(game, PlainPicture)(seats, options)


def game_pictures(record: Record, names: Sequence[str], view: Seat | None = None) -> dict[str, Any]:
    """A game as plain data.

    Args:
        record: the game.
        names: the entrants by seat.
        view: whose view; None for everyone's, with all hidden cards; or `ONLOOKER`.

    Raises BrokenRecord where the record does not follow the rules.
    """
    return Pictures(record, view).data([one_line(name) for name in names])


class Pictures:
    """A game that is being drawn.

    Args:
        record: the game; of a running one its beginning.
        view: see `game_pictures`.
    """

    def __init__(self, record: Record, view: Seat | None) -> None:
        self._record = record
        self._view = view
        self._picture = new_picture(record.game, record.seats, record.options)

    def data(self, names: Sequence[str]) -> dict[str, Any]:
        """All of it; see `game_pictures`."""
        record = self._record
        log = [[*map(one_line, lines)] for lines in game_steps(record, names, self._view)]
        whole: list[Places] = []
        told: list[tuple[Parts, str]] = []
        for parts, tone, places in self._steps():
            whole.append(places)
            told.append((parts, tone))
        faults = {number for _, number, _ in record.faults}
        return {
            "game": record.game,
            "title": GAMES[record.game].title,
            "seats": record.seats,
            "names": list(names),
            "view": {None: "all", ONLOOKER: "public"}.get(self._view, self._view),
            "keys": {number: whole[number] for number in range(0, len(whole), KEY_EVERY)},
            "steps": [
                {
                    "changed": changes(whole[number - 1], whole[number]) if number else {},
                    "say": told[number][0],
                    "tone": "fault" if number and number - 1 in faults else told[number][1],
                    "log": log[number],
                }
                for number in range(len(whole))
            ],
            "end": log[len(whole)],
            "places": list(record.outcome.places),
            "points": list(record.outcome.points),
            "forfeits": list(record.forfeits),
        }

    def _steps(self) -> Iterator[tuple[Parts, str, Places]]:
        """For each position from the first on: a sentence, its tone, and what lies where."""
        state = first_position(self._record)
        yield self.opening(state)
        for step in replay(self._record, state):
            yield self.after(step)

    def opening(self, state: State) -> tuple[Parts, str, Places]:
        """The first position: a sentence, its tone, and what lies where."""
        self._tell(state.opening)
        return ["The cards are dealt."], "", self._places(state)

    def after(self, step: Step) -> tuple[Parts, str, Places]:
        """The same after the next step."""
        self._picture.begin_step()
        events = self._tell(step.happenings)
        return *self._sentence(step.seat, events), self._places(step.state)

    def _tell(self, happenings: Iterable[Happening]) -> list[Event]:
        events = [
            happening.full if self._view is None else happening.told_to(self._view)
            for happening in happenings
        ]
        for event in events:
            self._picture.tell(event)
        return events

    def _sentence(self, seat: Seat, events: Sequence[Event]) -> tuple[Parts, str]:
        """What happened in a step of a seat, in a sentence or two, and the tone of its last moment."""
        if not events:
            untold = self._picture.untold
            return list(_SEALING) if untold is None else [seat, f" {untold}."], ""
        tones = self._picture.tones
        moments = [event for event in events[1:] if event.kind in tones]
        parts: Parts = []
        for event in (events[0], *moments):
            if parts:
                parts.append("; ")
            parts += parts_of(str(event))
        tone = next((tones[event.kind] for event in reversed(events) if event.kind in tones), "")
        return [*parts, "."], tone

    def _places(self, state: State) -> Places:
        if self._view is None:
            viewers: Iterable[Seat] = range(self._record.seats)
        else:
            viewers = () if self._view == ONLOOKER else (self._view,)
        public = state.observation(None)
        own = {seat: current(state.observation(seat)) for seat in viewers}
        places = self._picture.places(Sight(current(public), own, state if self._view is None else None))
        if public is not current(public):
            series: Any = public
            places["deal"] = f"deal {series.deal + 1} of {max(series.deals, series.deal + 1)}"
            places["scores"] = list(series.scores)
        return places


def parts_of(text: str) -> Parts:
    """A text about seats as parts: texts, and the numbers of seats whose names stand there."""
    pieces = _SEAT.split(text)
    parts: Parts = [int(piece) if number % 2 else piece for number, piece in enumerate(pieces)]
    return [part for part in parts if part != ""]


def changes(before: Places, after: Places) -> Places:
    """The places where something else lies."""
    return {place: lies for place, lies in after.items() if place not in before or before[place] != lies}
