"""The bots of the house: opponents for a person who has no bot at hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from arena.cli.options import entrant_of
from arena.kits import kits_folder
from arena.league.entrants import Entrant


class HouseBot(NamedTuple):
    """A bot of the house.

    Attributes:
        about: how it plays, for people.
        folder: the example bot.
        module: the module of it that is started; empty for the bot as it stands.
    """

    about: str
    folder: str
    module: str = ""


HOUSE: Mapping[str, HouseBot] = {
    "random": HouseBot("plays any card", "random-python"),
    "greedy": HouseBot("takes what looks best now", "greedy-python"),
    "thoughtful": HouseBot("remembers the cards, and works out the odds", "thoughtful-python"),
    "strong": HouseBot(
        "the same, and tries its actions out before it plays", "thoughtful-python", "thoughtful.ahead"
    ),
}
"""The bots of the house by name, the weakest first."""

USUAL = "thoughtful"
"""The opponent if the person names none."""


def house_bot(name: str, sandbox: str | None) -> Entrant:
    """The bot of the house with this name; `sandbox`: see `entrant_of`. Raises SandboxMissing."""
    _, folder, module = HOUSE[name]
    entrant = entrant_of(str(kits_folder() / folder), sandbox)
    if module:
        assert entrant.bot is not None
        started = dataclasses.replace(entrant.bot, name=name, command=("python", "-m", module))
        entrant = dataclasses.replace(entrant, name=name, bot=started)
    return entrant
