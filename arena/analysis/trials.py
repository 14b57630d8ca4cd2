"""Trials: actions of a turn are tried in the same sampled positions, which greedy policies play to the end."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from arena.analysis.turns import Turn
from arena.comparison.luck import played_out
from arena.games import GAMES
from arena.table.deal import KEY_BYTES, KeyedBoard

Scores = npt.NDArray[np.float64]
"""The score of the seat for each world (row) and each tried action (column)."""
Trial = Callable[[Sequence[int], int], Scores]
"""Tries actions of a turn, named by their indices, in so many worlds that were not used before."""


def greedy_trial(turn: Turn, game: str, options: object, seed: bytes) -> Trial:
    """Tries actions in sampled worlds that all seats play on greedily (`arena.policies`).

    A world is a position that fits all that the seat was told, and all later chance. It is the same for all
    actions of one call.

    Args:
        turn: the turn.
        game: the game's id.
        options: its options.
        seed: the worlds follow from it.
    """
    rng = random.Random(seed)
    deck = GAMES[game].deck(options)

    def trial(actions: Sequence[int], worlds: int) -> Scores:
        scores = np.empty((worlds, len(actions)))
        for world in range(worlds):
            drawn = turn.draw(rng)
            position = drawn.redrawn(KeyedBoard(rng.randbytes(KEY_BYTES), deck))
            for column, index in enumerate(actions):
                state = position.clone()
                state.apply(turn.seat, turn.actions[index])
                scores[world, column] = played_out(state)[turn.seat]
        return scores

    return trial
