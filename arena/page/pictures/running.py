"""A running game as pictures, as an onlooker sees it, step by step as it is played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.games import GAMES
from arena.page.pictures.picture import Places
from arena.page.pictures.replay import Parts, Pictures, changes
from arena.report.game_log import ONLOOKER, opening_lines, step_lines
from arena.table.record import Record, first_position, replay
from arena.text import one_line


class RunningPictures:
    """A running game that is being drawn.

    Args:
        record: its beginning, without an action.
        names: the entrants by seat.
    """

    def __init__(self, record: Record, names: Sequence[str]) -> None:
        self._record = record
        self._names = [one_line(name) for name in names]
        self._state = first_position(record)
        self._pictures = Pictures(record, ONLOOKER)
        self._played = 0
        self._places: Places = {}

    def heading(self) -> dict[str, Any]:
        """What is known of it from the start."""
        game = self._record.game
        return {"game": game, "title": GAMES[game].title, "seats": self._record.seats, "names": self._names}

    def opening(self) -> dict[str, Any]:
        """The first position, as the first step."""
        lines = opening_lines(self._record, self._state, self._names, ONLOOKER)
        return self._step(lines, *self._pictures.opening(self._state))

    def after(self, actions: Sequence[int]) -> Iterator[dict[str, Any]]:
        """The steps that these actions make, which come next. Raises BrokenRecord."""
        for step in replay(self._record._replace(actions=tuple(actions)), self._state):
            lines = step_lines(self._played, step, self._names, ONLOOKER)
            self._played += 1
            yield self._step(lines, *self._pictures.after(step))

    def _step(self, lines: Sequence[str], say: Parts, tone: str, places: Places) -> dict[str, Any]:
        changed = changes(self._places, places)
        self._places = places
        return {"changed": changed, "say": say, "tone": tone, "log": [*map(one_line, lines)]}
