"""The views of a tournament: each is an address, a template, and a function that gives its values."""

from __future__ import annotations

from typing import Final

from arena.view.views import games, lists, rivals, standings, tournament
from arena.view.views.view import View

VIEWS: Final = (
    View("/", "home", tournament.home),
    View("/standings", "standings", standings.standings),
    View("/standings/{game}", "game_standings", standings.game_standings),
    View("/crosstable", "crosstable", standings.crosstable),
    View("/bracket", "bracket", tournament.bracket),
    View("/schedule", "schedule", tournament.schedule),
    View("/games", "games", games.games),
    View("/boards/{key:path}", "board", games.board, tells_analyses=True),
    View("/bots", "bots", lists.bots),
    View("/bots/{number}", "bot", lists.bot),
    View("/rivals/{one}/{other}", "rivals", rivals.rivals),
    View("/decisions", "decisions", tournament.decisions),
    View("/season", "season", lists.season),
    View("/screen", "screen", tournament.screen),
)
