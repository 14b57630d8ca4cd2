"""Plays an action of a kind that it likes: a bot to begin with, and to change."""

from __future__ import annotations

from arena.bot import Action, Bot, Turn, serve


class First(Bot):
    """A bot with a taste. Where it likes nothing it plays any legal action."""

    name = "first"
    version = "1.0"
    author = "the arena"

    likes = "steal", "secure", "place", "end_play"  # kinds of actions: change them, and compare again

    def choose(self, turn: Turn) -> Action:
        liked = [action for action in turn.actions if action.kind in self.likes]
        return self.rng.choice(liked or turn.actions)


if __name__ == "__main__":
    serve(First)
