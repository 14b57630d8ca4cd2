"""The bot: hands each turn to what it knows of that game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arena.bot import Action, Bot, Turn
from arena.games.series import SeriesObservation
from greedy import forty_one, hyrule, kleftis, nur_mut, nyuri

CHOOSERS: dict[str, Callable[[Any, Sequence[Any]], Action]] = {
    "nyuri": nyuri.choose,
    "forty-one": forty_one.choose,
    "nur-mut": nur_mut.choose,
    "kleftis": kleftis.choose,
    "hyrule": hyrule.choose,
}
"""How to choose in each game, from what is seen and what is legal; greed needs no memory."""


class Greedy(Bot):
    """A bot that looks one step ahead."""

    name = "greedy"
    version = "1.0"
    author = "the arena"
    games = tuple(CHOOSERS)

    def choose(self, turn: Turn) -> Action:
        seen = turn.observation
        if isinstance(seen, SeriesObservation):
            seen = seen.current
        return CHOOSERS[turn.game](seen, turn.actions)
