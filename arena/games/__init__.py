"""The rules of the games, and the list of them.

To add a game, write its module and name it here; and its sampler in `arena.sampling`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from arena.games import forty_one, hyrule, kleftis, nur_mut, nyuri
from arena.games.game import Game

GAMES: Final[dict[str, Game]] = {
    each.id: each for each in (nyuri.GAME, forty_one.GAME, nur_mut.GAME, kleftis.GAME, hyrule.GAME)
}
"""The games by their ids, in the order in which they are listed everywhere."""

FIRST_GAMES: Final = ("nyuri", "forty-one", "nur-mut", "kleftis", "hyrule")
"""The games of the first release: what a bot plays that does not say, for it may be older than others."""


def find_game(id: str) -> Game:
    """The game with an id. Raises ValueError, naming the valid ids, where there is none."""
    if id not in GAMES:
        raise ValueError(f"there is no game {id!r}; the games are {', '.join(GAMES)}")
    return GAMES[id]


def does_not_play(wanted: Iterable[str], played: Collection[str]) -> str:
    """Says of a bot which of the games that are wanted it does not play; empty where it plays them all."""
    missing = ", ".join(game for game in wanted if game not in played)
    return f"does not play {missing}" if missing else ""
