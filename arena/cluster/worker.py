"""What the engine calls at a worker. Everything comes and goes as bytes, which the engine leaves alone.

To import this loads nothing else of the arena, so that gRPC is set up before it is loaded.
"""

from __future__ import annotations

import importlib
from typing import Any

from arena.link import use_grpc_settings


def facts() -> bytes:
    """What the referee has to know of this worker: see `desk.Facts`."""
    return _call("facts")


def play(data: bytes) -> bytes:
    """Plays a batch: takes an Order, and returns an Answer."""
    return _call("play", data)


def introduce(data: bytes) -> bytes:
    """Asks a bot what it is: takes the run, the bot's number and a Bot; returns an Answer."""
    return _call("introduce", data)


def keep(data: bytes) -> bytes:
    """Keeps a Bundle; returns an Answer."""
    return _call("keep", data)


def leave(data: bytes) -> bytes:
    """Lets go what a run has here; returns nothing of interest."""
    return _call("leave", data)


def _call(function: str, *arguments: bytes) -> bytes:
    use_grpc_settings()
    result: Any = getattr(importlib.import_module("arena.cluster.desk"), function)(*arguments)
    assert isinstance(result, bytes)
    return result
