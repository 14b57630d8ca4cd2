"""The bot: keeps a player for the deal at its table, and hands it what happens and what to choose."""

from __future__ import annotations

from arena.bot import Action, Bot, Choice, TableInfo, Turn
from arena.games.series import DealEnded, SeriesObservation
from thoughtful import forty_one, hyrule, kleftis, nur_mut, nyuri
from thoughtful.player import Player

PLAYERS: dict[str, type[Player]] = {
    "nyuri": nyuri.NyuriPlayer,
    "forty-one": forty_one.FortyOnePlayer,
    "nur-mut": nur_mut.NurMutPlayer,
    "kleftis": kleftis.KleftisPlayer,
    "hyrule": hyrule.HyrulePlayer,
}


class Thoughtful(Bot):
    """A bot that plays by memory and odds."""

    name = "thoughtful"
    version = "1.0"
    author = "the arena"
    games = tuple(PLAYERS)

    def __init__(self, table: TableInfo) -> None:
        super().__init__(table)
        self.player = PLAYERS[table.game](table)

    def choose(self, turn: Turn) -> Action | Choice:
        return self.usual(turn)

    def usual(self, turn: Turn) -> Action:
        """What it plays by memory and odds."""
        for event in turn.events:
            if isinstance(event, DealEnded):  # in a series: what is remembered is of no use any more
                self.player = PLAYERS[self.table.game](self.table)
            else:
                self.player.told(event)
        seen = turn.observation
        if isinstance(seen, SeriesObservation):
            seen = seen.current
        return self.player.choose(seen, turn.actions)
