"""The host's word to begin without guests who are missing, from another process: a file beside the league.

Whoever waits for guests holds it, so it is believed only as long as somebody does.
"""

from __future__ import annotations

import os
from pathlib import Path

import trio

from arena.store.holding import Held, is_held

_GLANCE = 0.25  # seconds


def waits_for_guests(league: Path) -> bool:
    """Whether a tournament that is to begin, or to go on, in a league waits for guests."""
    return is_held(_file_of(league))


def ask_to_start(league: Path) -> bool:
    """Has it wait no longer; returns whether it waited."""
    if not waits_for_guests(league):
        return False
    try:
        _file_of(league).write_text("start\n")
    except OSError:
        return False
    return True


async def asked_to_start(league: Path) -> None:
    """Returns when the host asks for it; to be called by who waits for guests. Where nobody can, never."""
    path = _file_of(league)
    try:
        path.unlink(missing_ok=True)  # of one that was killed
        held = Held(path)
    except OSError:
        await trio.sleep_forever()
    try:
        while not path.stat().st_size:
            await trio.sleep(_GLANCE)
    except OSError:
        await trio.sleep_forever()  # somebody has removed it
    finally:
        held.release()


def _file_of(league: Path) -> Path:
    return Path(f"{os.path.realpath(league)}-waiting")
