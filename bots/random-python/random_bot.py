"""Plays any legal action, each as likely as every other: the least that a bot can do."""

from __future__ import annotations

from arena.bot import Action, Bot, Turn, serve


class Random(Bot):
    """A bot without a thought."""

    name = "random"
    version = "1.0"
    author = "the arena"

    def choose(self, turn: Turn) -> Action:
        return self.rng.choice(turn.actions)


if __name__ == "__main__":
    serve(Random)
