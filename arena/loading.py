"""How modules are loaded: what they hold stays, and is not searched for garbage meanwhile."""

from __future__ import annotations

import gc
import importlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


@contextmanager
def uncollected() -> Iterator[None]:
    """Lets Python look for no cyclic garbage in here: that was an eighth of the time that a start took."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def loaded(module: str) -> ModuleType:
    """A module by its name, for a process that runs it and nothing else: it is never searched for garbage."""
    with uncollected():
        found = importlib.import_module(module)
    gc.freeze()
    return found


def program_of(module: str, *words: object) -> tuple[str, ...]:
    """The command of a process that runs the `main` of a module with such words, as Python writes them."""
    told = ", ".join(map(repr, words))
    program = (
        f"import sys; sys.path[:] = {sys.path!r}; from arena.loading import loaded; "
        f"loaded({module!r}).main({told})"
    )
    return sys.executable, "-P", "-c", program


def await_end(process: subprocess.Popen[Any], patience: float) -> None:
    """Waits for the end of a process that was told to end; kills it after so many seconds."""
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
