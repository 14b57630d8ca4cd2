"""The bots of the house, by level: opponents for a person who has no bot at hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from arena.cli.options import entrant_of
from arena.kits import kits_folder
from arena.league.entrants import Entrant


class Level(NamedTuple):
    """How strong a bot of the house plays.

    Attributes:
        about: how it plays, for people.
        folder: the example bot.
        module: the module of it that is started; empty for the bot as it stands.
    """

    about: str
    folder: str
    module: str = ""


LEVELS: Mapping[str, Level] = {
    "random": Level("plays any card", "random-python"),
    "greedy": Level("takes what looks best now", "greedy-python"),
    "thoughtful": Level("remembers the cards, and works out the odds", "thoughtful-python"),
    "strong": Level(
        "the same, and tries its actions out before it plays", "thoughtful-python", "thoughtful.ahead"
    ),
}
"""The levels, weakest first."""

USUAL = "thoughtful"
"""The level of an opponent if the person names none."""


def house_bot(level: str, sandbox: str | None) -> Entrant:
    """The bot of a level; `sandbox`: see `entrant_of`. Raises SandboxMissing."""
    _, folder, module = LEVELS[level]
    entrant = entrant_of(str(kits_folder() / folder), sandbox)
    if module:
        assert entrant.bot is not None
        started = dataclasses.replace(entrant.bot, name=level, command=("python", "-m", module))
        entrant = dataclasses.replace(entrant, name=level, bot=started)
    return entrant
