"""A game as pictures, step by step, so that a browser can show it without knowing its rules.

Each step holds the places that changed, a sentence, and its lines in the log: the action, and what followed
from it. Every 50 steps the whole picture is there too, so that a viewer can go to any step at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from arena.games import GAMES
from arena.games.game import SPECTATOR, Event, Happening, Seat, State
from arena.report.game_log import ONLOOKER, options_text, thoughts_by_step
from arena.table.record import Record, Step, Thought, first_position, replay
from arena.text import one_line
from arena.view.pictures.emblem import emblem_of
from arena.view.pictures.games import Parts, Places, new_picture
from arena.view.pictures.moments import Ending, ending

KEY_EVERY: Final = 50
"""The number of steps between two whole pictures."""

_SEAT = re.compile(r"\bseat (\d+)\b")
_SEALING = ["All choose a card and lay it face down."]


def game_pictures(
    record: Record,
    names: Sequence[str],
    view: Seat | None = None,
    thoughts: Sequence[Mapping[int, Thought]] = (),
) -> dict[str, Any]:
    """A finished game as plain data.

    Args:
        record: the game.
        names: the entrants by seat.
        view: the seat whose view is shown; None for all hidden cards; or `ONLOOKER`.
        thoughts: what each seat's bot thought, by its turns; of a seat's view, only its own are told.

    Raises BrokenRecord if the record does not follow the rules.
    """
    told = ending(record, view)
    state = first_position(record)
    pictures = Pictures(record, view)
    steps = [pictures.opening(state)]
    keys = {0: pictures.places}
    faults, thought = _faults(record), thoughts_by_step(record, thoughts)
    for number, step in enumerate(replay(record, state), 1):
        steps.append(pictures.after(step))
        if number in faults:
            steps[number]["tone"] = "fault"
            steps[number]["log"][1:1] = faults[number]
        if number - 1 in thought and view in (None, step.seat):
            steps[number]["log"].append([step.seat, f" thought: {thought[number - 1]}"])
        if number % KEY_EVERY == 0:
            keys[number] = pictures.places
    steps[0]["changed"] = {}  # the first picture is a whole one
    return {
        "game": record.game,
        "title": GAMES[record.game].title,
        "seats": record.seats,
        "names": [one_line(name) for name in names],
        "emblems": [emblem_of(name).drawn for name in names],
        "view": {None: "all", ONLOOKER: "public"}.get(view, view),
        "keys": keys,
        "steps": steps,
        "end": [*faults.get(len(steps), ()), told.sentence, *_ranking(record, told)],
        "places": list(record.outcome.places),
        "points": list(record.outcome.points),
        "forfeits": list(record.forfeits),
        "ending": told.as_data(),
        "guess": _guess(record, told, view),
    }


def _guess(record: Record, told: Ending, view: Seat | None) -> dict[str, Any] | None:
    """The decision at the last lead change, for a viewer to guess.

    Returns its step, its seat, all legal actions in words and the index of the one that was played; None if
    there was nothing to choose, if it is a fault, or if the actions would tell the viewer a hand.
    """
    if told.marked is None or told.tag == "fault":
        return None
    state, game = first_position(record), GAMES[record.game]
    for _ in islice(replay(record, state), told.marked - 1):
        pass
    seat = state.to_act[0]
    actions = state.legal_actions(seat)
    if len(actions) == 1 or view not in (None, seat):
        return None
    seen = state.observation(SPECTATOR)
    return {
        "step": told.marked,
        "seat": seat,
        "actions": [parts_of(one_line(game.words(action, seen=seen))) for action in actions],
        "chosen": record.actions[told.marked - 1],
    }


def picture_at(game: Mapping[str, Any], step: int) -> Places:
    """What lies where after a step of a finished game, as `game_pictures` tells it."""
    first = step // KEY_EVERY * KEY_EVERY
    picture = dict(game["keys"][first])
    for each in game["steps"][first + 1 : step + 1]:
        picture |= each["changed"]
    return picture


def _faults(record: Record) -> dict[int, list[Parts]]:
    """The lines of the log about faults, by the number of the action that follows them."""
    lines: dict[int, list[Parts]] = {}
    for seat, number, fault in record.faults:
        words = one_line(f"{fault.reason.replace('_', ' ')}{': ' if fault.message else ''}{fault.message}")
        lines.setdefault(number + 1, []).append([seat, f" is charged with a fault: {words}"])
    return lines


def _ranking(record: Record, told: Ending) -> Iterator[Parts]:
    """The lines of the log with the place of each seat, best first."""
    places = record.outcome.places
    for seat in sorted(range(record.seats), key=lambda seat: (places[seat], seat)):
        forfeit = ", forfeited" if seat in record.forfeits else ""
        yield [f"{places[seat]}. ", seat, f": {told.points_of(seat)}{forfeit}"]


class Pictures:
    """Makes the pictures of a game, step by step.

    Args:
        record: the game, or the beginning of a running one.
        view: see `game_pictures`.

    Attributes:
        places: the picture after the last step.
    """

    def __init__(self, record: Record, view: Seat | None) -> None:
        self._view = view
        self._record = record
        self._viewers: Sequence[Seat] = range(record.seats) if view is None else [view]
        self._picture = new_picture(record.game, record.seats, record.options)
        self._game = GAMES[record.game]
        self.places: Places = {}

    def opening(self, state: State) -> dict[str, Any]:
        """The first position as a step: changed places, a sentence, the tone of its last moment, the log."""
        say: Parts = ["The cards are dealt."]
        options = options_text(self._record)
        log = [say, *([[options]] if options else []), *map(self._line, self._tell(state.opening))]
        return self._step(say, "", state) | {"log": log}

    def after(self, step: Step) -> dict[str, Any]:
        """The next action as a step."""
        self._picture.begin_step()
        events = self._tell(step.happenings)
        say, tone = self._sentence(step.seat, events)
        log = [*map(self._line, events)]
        if not events:
            hidden = step.choices == 1 or self._view not in (None, step.seat)
            log = [say if hidden else [step.seat, f": {self._game.words(step.action)}"]]
        return self._step(say, tone, step.state) | {"log": log}

    def _tell(self, happenings: Iterable[Happening]) -> list[Event]:
        events = [
            happening.full if self._view is None else happening.told_to(self._view)
            for happening in happenings
        ]
        for event in events:
            self._picture.tell(event)
        return events

    def _sentence(self, seat: Seat, events: Sequence[Event]) -> tuple[Parts, str]:
        """The words for a seat's step, a sentence or two, and the tone of its last moment."""
        if not events:
            untold = self._picture.untold
            return list(_SEALING) if untold is None else [seat, f" {untold}."], ""
        tones = self._picture.tones
        moments = [event for event in events[1:] if event.kind in tones]
        parts = parts_of("; ".join(map(self._game.words, (events[0], *moments))) + ".")
        tone = next((tones[event.kind] for event in reversed(events) if event.kind in tones), "")
        return parts, tone

    def _step(self, say: Parts, tone: str, state: State) -> dict[str, Any]:
        own = {seat: state.observation(seat) for seat in self._viewers if seat != ONLOOKER}
        everything = state if self._view is None else None
        before = self.places
        self.places = self._picture.shown(state.observation(None), own, everything)
        return {"changed": changes(before, self.places), "say": say, "tone": tone}

    def _line(self, event: Event) -> Parts:
        """The line of the log about an event."""
        return parts_of(one_line(self._game.words(event)))


def parts_of(text: str) -> Parts:
    """A text about seats in parts: texts, and numbers of seats."""
    pieces = _SEAT.split(text)
    parts: Parts = [int(piece) if number % 2 else piece for number, piece in enumerate(pieces)]
    return [part for part in parts if part != ""]


def changes(before: Places, after: Places) -> Places:
    """The places whose contents differ."""
    return {place: lies for place, lies in after.items() if place not in before or before[place] != lies}
