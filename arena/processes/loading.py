"""Loads Python modules fast, and starts and ends other processes of the arena."""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any


@contextmanager
def uncollected() -> Iterator[None]:
    """Turns Python's cyclic garbage collection off in here: it took a fifth of the time of a start.

    The first collection afterwards does not look through what was made in here.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # else there are objects that the program itself has frozen
            gc.freeze()
            gc.unfreeze()  # into the oldest generation
        if was_on:
            gc.enable()


def loaded(module: str) -> ModuleType:
    """Imports a module for a process that runs nothing else; its objects are never garbage-collected."""
    with uncollected():
        found = importlib.import_module(module)
    gc.freeze()
    return found


@cache
def compile_package(package: Path = Path(__file__).parents[1]) -> None:
    """Compiles the arena's modules, once in a process, for bots that may not write there.

    An installation has compiled them. In a clone each contained bot would compile all that it loads.
    """
    if not sys.dont_write_bytecode and os.access(package, os.W_OK):
        import compileall  # only here: most processes start no bots

        compileall.compile_dir(package, quiet=2)


def program_of(module: str, *words: str) -> tuple[str, ...]:
    """The command of a process that calls the `main` of a module with words."""
    program = (
        f"import sys; sys.path[:] = {sys.path!r}; from arena.processes.loading import loaded; "
        f"loaded({module!r}).main(*sys.argv[1:])"
    )
    return sys.executable, "-P", "-c", program, *words


def command_of(module: str, *words: str | Path) -> tuple[str | Path, ...]:
    """The command of a process that runs a module as `python -m` does, with words.

    It imports from where this process does. So a file of the current folder, such as `random.py`, is never
    taken for a module.
    """
    program = (
        f"import runpy, sys; sys.path[:] = {sys.path!r}; "
        f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return sys.executable, "-P", "-c", program, *words


def await_end(process: subprocess.Popen[Any], patience: float) -> None:
    """Waits for the end of a process that was asked to end; kills it after so many seconds."""
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
