"""What other machines do for a tournament that is played, for people: kept beside its league meanwhile."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_FRESH = 15.0  # seconds for which what is kept is true; after that whoever kept it is gone


class Labour(NamedTuple):
    """What a worker has done so far.

    Attributes:
        name: the worker.
        here: whether it is there.
        games, batches: how many it played.
        busy: the share of its time in which it played, from 0 to 1.
    """

    name: str
    here: bool
    games: int
    batches: int
    busy: float


class Labours(NamedTuple):
    """What other machines have done, and do at the moment.

    Attributes:
        workers: all that there were.
        batches: how many batches of games they have.
        rate: how many games a second they played lately.
        at_home: how many games were played on the referee's machine, for bots that cannot travel.
    """

    workers: Sequence[Labour] = ()
    batches: int = 0
    rate: float = 0.0
    at_home: int = 0


def keep_labours(league: Path, labours: Labours) -> None:
    """Keeps them beside a league; where that cannot be, nobody else sees them."""
    path = _beside(league)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        draft.write_text(json.dumps(labours), "utf-8")
        draft.replace(path)


def forget_labours(league: Path) -> None:
    """Nobody plays elsewhere any more."""
    with contextlib.suppress(OSError):
        _beside(league).unlink(missing_ok=True)


def labours_beside(league: Path) -> Labours | None:
    """Those of a tournament of a league that is being played; None where there are none."""
    path = _beside(league)
    try:
        if time.time() - path.stat().st_mtime > _FRESH:
            return None
        workers, batches, rate, at_home = json.loads(path.read_text("utf-8"))
        found = Labours([Labour(*each) for each in workers], int(batches), float(rate), int(at_home))
    except (OSError, ValueError, TypeError):
        return None
    return found


def _beside(league: Path) -> Path:
    return league.with_name(f"{league.name}-cluster")
