"""The process that makes pictures of running games for the page, which must not know their deals.

The standard input of the process is a connection to the process that plays (`arena.referee.night.control`).
It carries a line of JSON for each delta, with the key of the board. So this process can play the same
actions, and the page itself knows no deals. The process writes only what an onlooker may see to its standard
output, as lines of JSON. It ends when one of the two is closed.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from arena.games import GAMES
from arena.games.game import Outcome
from arena.report.game_log import ONLOOKER
from arena.table.record import Record, first_position, replay
from arena.text import one_line
from arena.view.pictures.emblem import emblem_of
from arena.view.pictures.replay import Pictures

_NICENESS = 10  # low priority: the games come first


class RunningPictures:
    """Makes the pictures of a running game.

    Args:
        record: its beginning, without actions.
        names: the entrants by seat.
    """

    def __init__(self, record: Record, names: Sequence[str]) -> None:
        self._record = record
        self._names = names
        self._state = first_position(record)
        self._pictures = Pictures(record, ONLOOKER)

    def heading(self) -> dict[str, Any]:
        """The data known from the start of the game."""
        game = self._record.game
        return {
            "game": game,
            "title": GAMES[game].title,
            "seats": self._record.seats,
            "names": [one_line(name) for name in self._names],
            "emblems": [emblem_of(name).drawn for name in self._names],
        }

    def opening(self) -> dict[str, Any]:
        """The first position, as the first step."""
        return self._pictures.opening(self._state)

    def after(self, actions: Sequence[int]) -> Iterator[dict[str, Any]]:
        """The steps of the next actions. Raises BrokenRecord."""
        for step in replay(self._record._replace(actions=tuple(actions)), self._state):
            yield self._pictures.after(step)


def main() -> None:
    """Makes pictures until its input or its output is closed."""
    os.nice(_NICENESS)
    threading.Thread(target=_end_with_output, daemon=True).start()
    tables: dict[int, RunningPictures] = {}
    for line in sys.stdin.buffer:
        told = json.loads(line)
        steps = [*_steps(tables, told)]
        if told["end"]:
            del tables[told["table"]]
            steps.append({"end": told["end"]})
        for step in steps:
            sys.stdout.write(json.dumps({"table": told["table"], "t": told["t"], **step}) + "\n")
        sys.stdout.flush()


def _steps(tables: dict[int, RunningPictures], told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages for the page about a delta; a new table begins with its heading and first picture."""
    number = told["table"]
    if "game" in told:
        tables[number] = pictures = RunningPictures(_record(told), told["names"])
        yield {key: told[key] for key in ("key", "players", "delay")} | pictures.heading()
        yield pictures.opening()
    yield from tables[number].after(told["actions"])


def _record(told: dict[str, Any]) -> Record:
    game = GAMES[told["game"]]
    return Record(
        game=game.id,
        options=game.parse_options(told["options"]),
        seats=told["seats"],
        starter=told["starter"],
        board_key=bytes.fromhex(told["board"]),
        actions=(),
        faults=(),
        outcome=Outcome((), (), ""),
        forfeits=(),
    )


def _end_with_output() -> None:
    """Ends this process when nobody reads its standard output, even while nothing is played."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)  # poll always reports errors
    poll.poll()
    os._exit(0)
