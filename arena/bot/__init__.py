"""The SDK for authors of Python bots.

    from arena.bot import Bot, Turn, serve

    class Careful(Bot):
        name = "careful"

        def choose(self, turn: Turn):
            return turn.actions[0]

    serve(Careful)

A turn's actions, observation and events are the values of the game's own
module, such as `arena.games.kleftis_values`: `Turn` names all of them. Every name
here has its own help, such as `help("arena.bot.Turn")`. To look ahead, use
`Turn.sample`, `Turn.playout`, `Turn.think_for`, `arena.bot.policies` and `simulate`. The pages for
authors, README.md and REFERENCE.md, are in the folder that
`arena.kits.kits_folder()` names.
"""

from arena.processes.loading import uncollected

with uncollected():
    from arena.bot.command import serve
    from arena.bot.player import Action, Bot, Choice, Policy, TableInfo, Turn, playout
    from arena.bot.simulation import simulate

__all__ = ["Action", "Bot", "Choice", "Policy", "TableInfo", "Turn", "playout", "serve", "simulate"]
