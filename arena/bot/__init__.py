"""What the author of a Python bot imports.

    from arena.bot import Bot, Turn, serve

    class Careful(Bot):
        name = "careful"

        def choose(self, turn: Turn):
            return turn.actions[0]

    serve(Careful)

A turn's actions, observation and events are the values of the game's own
module, such as `arena.games.kleftis`.
"""

from arena.bot.player import Action, Bot, TableInfo, Turn
from arena.bot.server import serve

__all__ = ["Action", "Bot", "TableInfo", "Turn", "serve"]
