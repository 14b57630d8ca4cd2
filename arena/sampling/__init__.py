"""Sampling: whole positions that fit all that one viewer of a game was told, each as likely as it is.

A sampler is a pure function of what its viewer was told: the start of the
table, the events and an observation, all of them the values that go over the
wire, and of the random numbers that it is given. It never sees a position.

**As likely as it is** means: given the deals and the chance that are possible,
all alike, and given what every seat did, but not why. That a seat did something
says that it could, and nothing of what it had to gain by it; who wants to infer
from the others' choices weighs samples himself.

Where every card is either known to be in one place or not known at all, any
permutation of the unknown cards over the unknown places turns one possible deal
into another: so is it in Forty-one, Kleftis and Hyrule. Nyuri and Nur Mut need
more; their modules say what.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.games import PerGame, find_game
from arena.games.game import Seat, Viewer
from arena.sampling.sampler import Draw, GameOver, Sampler, SeriesSampler

__all__ = ["SAMPLERS", "Draw", "GameOver", "Sampler", "new_sampler"]

SAMPLERS: Final[Mapping[str, type[Sampler]]] = PerGame("sampler")
"""How one deal of each game is sampled, by game id."""


def new_sampler(game: str, options: Any, seats: int, viewer: Viewer, starter: Seat) -> SeriesSampler:
    """What samples a game at one table, before anything was told.

    Args:
        game: the game's id.
        options: its options, an instance of `GAMES[game].Options`.
        seats: the number of seats.
        viewer: the seat that is told what happens; None for a spectator.
        starter: the seat that starts the first deal.

    Raises MissingPart where the game has no sampler.
    """
    return SeriesSampler(find_game(game), SAMPLERS[game], options, seats, viewer, starter)
