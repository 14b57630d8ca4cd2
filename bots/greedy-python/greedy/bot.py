"""The bot: takes what looks best right now. How, game by game, is in `arena.bot.policies`."""

from __future__ import annotations

from arena.bot import Action, Bot, Turn
from arena.bot.policies import GREEDY, greedy


class Greedy(Bot):
    """A bot that looks one step ahead."""

    name = "greedy"
    version = "1.0"
    author = "the arena"
    games = tuple(GREEDY)

    def choose(self, turn: Turn) -> Action:
        return greedy(turn.observation, turn.actions)
