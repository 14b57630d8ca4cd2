"""The bot: reads each turn as the environment showed it in training, and asks the network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from arena.bot import Action, Bot, TableInfo, Turn
from arena.rl import encoding_of
from learned.network import Network, features

WEIGHTS = Path(__file__).parents[1] / "weights.npz"
NETWORK = Network.load(WEIGHTS)


class Learned(Bot):
    """Plays the action that the network likes best."""

    name = "learned"
    version = "1.0"
    author = "the arena"
    games = ("forty-one",)

    def __init__(self, table: TableInfo) -> None:
        super().__init__(table)
        self.encoding = encoding_of(table.game, table.seats, table.options)

    def choose(self, turn: Turn) -> Action:
        seen: Any = turn.observation
        logits, _ = NETWORK.evaluate(features(self.encoding.arrays(seen))[np.newaxis])
        return max(turn.actions, key=lambda action: logits[0, self.encoding.number(seen, action)])
