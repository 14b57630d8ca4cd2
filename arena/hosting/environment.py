"""What a standing league offers bots: games, clock, limits, and the languages that are installed."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from arena.hosting.settings import Settings
from arena.table.clock import SECOND

_PROGRAMS: Final = {
    "Python": ("python3", "--version"),
    "Go": ("go", "version"),
    "Rust": ("rustc", "--version"),
    "Cargo": ("cargo", "--version"),
    "Java": ("javac", "-version"),
    "Maven": ("mvn", "--version"),
    "Node.js": ("node", "--version"),
    "npm": ("npm", "--version"),
    "C++ (g++)": ("g++", "--version"),
    "CMake": ("cmake", "--version"),
    "protoc": ("protoc", "--version"),
}
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)+[-+.\w]*")
_PATIENCE = 20.0  # seconds for a program to tell its version


def environment(settings: Settings) -> dict[str, Any]:
    """What the league offers, as data; asks the programs of the languages once."""
    trust, limits, rules = settings.trust, settings.limits, settings.rules
    return {
        "name": settings.name,
        "games": list(settings.games),
        "options": {game: dataclasses.asdict(chosen) for game, chosen in rules.all_options.items()},
        "level": str(trust.level),
        "clock": {key: _duration(value) for key, value in rules.clock._asdict().items()},
        "limits": {
            "memory": trust.memory,
            "threads": trust.threads,
            "network": trust.network,
            "disk": limits.disk,
            "size": limits.size,
            "bots": limits.bots,
            "builds": limits.builds,
            "build_time": limits.build_time,
            "challenges": limits.challenges,
        },
        "registries": list(settings.registries),
        "languages": [{"name": name, "version": number} for name, number in languages()],
        "version": version("bot-arena"),
    }


@cache
def languages() -> tuple[tuple[str, str], ...]:
    """The languages on the search path of bots and of their builds, with their versions."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    found = []
    for name, (program, option) in _PROGRAMS.items():
        where = shutil.which(program, path=path)
        if where is not None and (number := _version(where, option, path)):
            found.append((name, number))
    return tuple(found)


def _version(program: str, option: str, path: str) -> str:
    """The version that a program tells; empty if it does not work."""
    try:
        told = subprocess.run(
            [program, option], env=os.environ | {"PATH": path},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=_PATIENCE, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    number = _NUMBER.search(told.stdout.decode("utf-8", "replace"))
    return number[0] if number else ""


def _duration(nanoseconds: int) -> str:
    seconds = nanoseconds / SECOND
    return f"{seconds:g}s" if seconds >= 1 else f"{1000 * seconds:g}ms"
