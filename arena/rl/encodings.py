"""The encodings of the games. A game that is added needs one: write its module and name it here."""

from __future__ import annotations

from typing import Any, Final

from arena.games import find_game
from arena.rl.encoding import Encoding
from arena.rl.forty_one import FortyOneEncoding
from arena.rl.hyrule import HyruleEncoding
from arena.rl.kleftis import KleftisEncoding
from arena.rl.nur_mut import NurMutEncoding
from arena.rl.nyuri import NyuriEncoding

ENCODINGS: Final[dict[str, type[Encoding]]] = {
    each.game: each
    for each in (NyuriEncoding, FortyOneEncoding, NurMutEncoding, KleftisEncoding, HyruleEncoding)
}
"""The encodings by the ids of their games."""


def encoding_of(game: str, seats: int, options: Any) -> Encoding:
    """The encoding of a game.

    Args:
        game: the game's id.
        seats: the number of seats.
        options: the game's options, from `Game.parse_options`; a bot has them as `table.options`.

    Raises ValueError, naming the valid ids, where there is no such game.
    """
    return ENCODINGS[find_game(game).id](seats, options)
