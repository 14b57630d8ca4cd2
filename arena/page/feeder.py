"""The process that makes pictures of running tables for the page, as an onlooker may see them.

Its standard input is a connection to the process that plays (`arena.runner.night.control`): a line of JSON
for each delta, with the key of the board. So it plays along, and the page itself knows no deals. On its
standard output come lines of JSON with what an onlooker may see, and nothing else. It ends with either.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from collections.abc import Iterable
from typing import Any

from arena.games import GAMES
from arena.games.game import Outcome
from arena.page.pictures.running import RunningPictures
from arena.table.record import Record

_NICENESS = 10  # games go before those who look at them


def main() -> None:
    """Makes pictures until nobody plays, or nobody looks."""
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


def _steps(tables: dict[int, RunningPictures], told: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """What is seen of a delta: of a new table first what is known of it, and how it begins."""
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
    """Ends this process when nobody reads its standard output any more, also while nothing is played."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)  # which tells of errors alone
    poll.poll()
    os._exit(0)
