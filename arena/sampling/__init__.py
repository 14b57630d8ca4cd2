"""Sampling: draws whole positions that fit all that one viewer of a game was told, by their likelihood.

A sampler is a pure function of the values that its viewer was told - the start of the
table, the events and an observation, all as they go over the
wire - and of the random numbers that it is given. It never sees a position.

**The likelihood** of a position is its probability if all deals and all chance are equally
likely, given the actions of every seat, but not the reasons for them. An action
shows that the seat could take it, not what the seat had to gain by it. A bot that wants to infer
more from the others' choices must weigh the samples itself.

If every card is either known to be in one place or not known at all, any
permutation of the unknown cards over the unknown places turns one possible deal
into another. That is so in Forty-one, Kleftis and Hyrule. Nyuri and Nur Mut need
more, as their modules explain.

For a seat that is to act, the native engine draws the positions if it is installed
(`arena.sampling.native`): as often, in less time, but other ones from the same random numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.games import PerGame, find_game
from arena.games.game import Seat, Viewer
from arena.sampling.sampler import Draw, GameOver, Sampler, SeriesSampler

__all__ = ["SAMPLERS", "Draw", "GameOver", "Sampler", "new_sampler"]

SAMPLERS: Final[Mapping[str, type[Sampler]]] = PerGame("sampler")
"""The sampler of one deal of each game, by game id."""


def new_sampler(game: str, options: Any, seats: int, viewer: Viewer, starter: Seat) -> SeriesSampler:
    """Makes the sampler of a game at one table, before the first event.

    Args:
        game: the game's id.
        options: its options, an instance of `GAMES[game].Options`.
        seats: the number of seats.
        viewer: the seat that gets the events; None for a spectator.
        starter: the seat that starts the first deal.

    Raises MissingPart if the game has no sampler.
    """
    return SeriesSampler(find_game(game), SAMPLERS[game], options, seats, viewer, starter)
