"""The encodings of the games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.games import PerGame, find_game
from arena.rl.encoding import Encoding

ENCODINGS: Final[Mapping[str, type[Encoding]]] = PerGame("encoding")
"""The encodings by the ids of their games."""


def encoding_of(game: str, seats: int, options: Any) -> Encoding:
    """The encoding of a game.

    Args:
        game: the game's id.
        seats: the number of seats.
        options: the game's options, from `Game.parse_options`; a bot has them as `table.options`.

    Raises ValueError, naming the valid ids, where there is no such game, and MissingPart
    where it has no encoding.
    """
    return ENCODINGS[find_game(game).id](seats, options)
