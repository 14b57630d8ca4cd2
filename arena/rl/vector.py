"""One seat of many games at once as a Gymnasium vector environment, played by the native engine.

It gives what a `SyncVectorEnv` of as many `SeatEnv` gives in the mode `SAME_STEP`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from arena.engine import engine
from arena.games.game import Seat
from arena.link.wire.native import encoded_options
from arena.rl.environment import board_of_seed
from arena.rl.gym import FORFEIT, RANDOM_SEAT, SeatEnv, check_seat, opponents_of
from arena.table.deal import KEY_BYTES, board_key, key_of_seed

OPPONENTS: Final = ("greedy", "random", "thoughtful")
"""The opponents that the engine plays."""

Rows = NDArray[np.float32]
"""An observation of each game."""


class _Deals:
    """The boards and the seats of one of the games.

    Attributes:
        key: the key of the seed.
        boards: how many boards were dealt from it.
        random: draws the seats.
    """

    def __init__(self) -> None:
        self.seed(None)

    def seed(self, seed: int | None) -> None:
        """Begins with the first board of a seed, or of a random key."""
        self.key = secrets.token_bytes(KEY_BYTES) if seed is None else key_of_seed(str(seed))
        self.boards = 0
        self.random, _ = np_random(seed)


class SeatVectorEnv(gymnasium.vector.VectorEnv[Rows, ArrayLike, NDArray[Any]]):
    """One seat of many games of the arena; a finished game begins anew in the same step.

    Args:
        num_envs: how many games are played at once.
        opponents: `greedy`, `random` or `thoughtful` for all other seats, or a list of them.
        others: as for `arena.rl.gym_env`.
    """

    def __init__(
        self,
        num_envs: int,
        game: str,
        seats: int = 2,
        *,
        seat: Seat | str = 0,
        opponents: str | Sequence[str] = "greedy",
        starter: Seat = 0,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        one = SeatEnv(game, seats, seat=seat, starter=starter, render_mode=render_mode, **options)
        table = one.table
        self.num_envs = num_envs
        self.metadata = {**one.metadata, "autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space = one.observation_space
        self.single_action_space = one.action_space
        self.observation_space = batch_space(one.observation_space, num_envs)
        self.action_space = batch_space(one.action_space, num_envs)
        self._game, self._seats, self._seat, self._starter = table.game.id, seats, seat, starter
        self._games = engine().module.SeatGames(
            game,
            encoded_options(game, table.options),
            list(opponents_of(opponents, seats, OPPONENTS)),
            num_envs,
            table.encoding.actions,
        )
        self._deals = [_Deals() for _ in range(num_envs)]
        self._rows: Rows = np.zeros((num_envs, table.encoding.length), np.float32)
        self._masks = np.zeros((num_envs, table.encoding.actions), np.int8)
        self._rewards = np.zeros(num_envs)
        self._over = np.zeros(num_envs, np.int8)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Rows, dict[str, Any]]:
        """Begins all games, or those that `options["reset_mask"]` marks.

        Args:
            seed: a seed for each game; an int stands for itself and the numbers after it.
            options: as for `SeatEnv.reset`, for each game.
        """
        seeds: Sequence[int | None] = [None] * self.num_envs
        if seed is not None:
            seeds = range(seed, seed + self.num_envs) if isinstance(seed, int) else seed
        if len(seeds) != self.num_envs:
            raise ValueError(f"{self.num_envs} games need as many seeds, not {len(seeds)}")
        given = dict(options or {})
        begun = np.array(given.pop("reset_mask", np.ones(self.num_envs, np.bool_)))
        if begun.shape != (self.num_envs,) or begun.dtype != np.bool_:
            raise ValueError(f"reset_mask has a truth value for each of {self.num_envs} games")
        check_seat(given.get("seat", self._seat), self._seats)
        for number, own in enumerate(seeds):
            if begun[number]:
                if own is not None:
                    self._deals[number].seed(own)
                self._begin(number, given)
        return self._rows.copy(), self._told(begun)

    def step(
        self, actions: ArrayLike
    ) -> tuple[Rows, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Plays an action in each game, and the others' turns until the seat's next one.

        An illegal action forfeits its game. `info["final_obs"]` and `info["final_info"]` have the last
        observations and masks of games that ended.
        """
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"{self.num_envs} games need as many actions, not {chosen.shape}")
        self._games.step(chosen, self._rows, self._masks, self._rewards, self._over, FORFEIT)
        over = self._over.astype(np.bool_)
        info: dict[str, Any] = {}
        if over.any():
            last = np.full(self.num_envs, None, object)
            for number in np.flatnonzero(over):
                last[number] = self._rows[number].copy()
            ended = {"action_mask": np.where(over[:, None], self._masks, 0), "_action_mask": over}
            info = {"final_obs": last, "_final_obs": over, "final_info": ended, "_final_info": over}
            for number in np.flatnonzero(over):
                self._begin(int(number), {})
        truncated = np.zeros(self.num_envs, np.bool_)
        info |= self._told(np.ones(self.num_envs, np.bool_))
        return self._rows.copy(), self._rewards.copy(), over, truncated, info

    def _told(self, which: NDArray[np.bool_]) -> dict[str, Any]:
        return {"action_mask": np.where(which[:, None], self._masks, 0), "_action_mask": which}

    def _begin(self, number: int, given: Mapping[str, Any]) -> None:
        """Begins a game in which the seat has a choice, and writes its row and its mask."""
        deals, board = self._deals[number], given.get("board")
        seat = given.get("seat", self._seat)
        if seat == RANDOM_SEAT:
            seat = int(deals.random.integers(self._seats))
        has_choice = False
        while not has_choice:
            key = board_key(deals.key, self._game, board or board_of_seed(deals.boards))
            deals.boards, board = deals.boards + 1, None
            starter = given.get("starter", self._starter)
            has_choice = self._games.begin(number, key, seat, starter, self._rows, self._masks)
