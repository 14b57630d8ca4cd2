"""One seat of a game as a Gymnasium environment; the other seats are played for it.

Importing this module registers each game with Gymnasium, for programs that take the id of an
environment: `gymnasium.make("arena.rl.gym:arena/kleftis-v1", seats=3)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from arena.games.game import Seat
from arena.policies import greedy
from arena.rl import ENCODINGS
from arena.rl.environment import RENDER_MODES, GameEnv, Saved

Vector = NDArray[np.float32]
Mask = NDArray[np.int8]
Policy = Callable[[Vector, Mask], int | np.integer[Any]]
"""Chooses a number from an observation and the mask of the legal actions, as `SeatEnv` gives them."""

Opponent = str | Policy
"""`greedy`, `random` or a policy."""

BUILT_IN: Final = ("greedy", "random")
RANDOM_SEAT: Final = "random"
FORFEIT: Final = -1.0
"""The reward for an illegal action: that of the last place."""


class SavedSeat(NamedTuple):
    """A position of a `SeatEnv`, to be restored."""

    table: Saved
    seat: Seat
    over: bool
    chance: Mapping[str, Any]


class SeatEnv(gymnasium.Env[Vector, Any]):
    """One seat of a game of the arena.

    Args: as for `arena.rl.gym_env`; `options` are those of the game.

    Attributes:
        table: the whole game.
        seat: the seat of this episode, from the first `reset` on.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]  # Gymnasium declares no class variable
        "render_modes": list(RENDER_MODES),
        "render_fps": 1,  # Gymnasium warns if there is none
    }

    def __init__(
        self,
        game: str,
        seats: int = 2,
        *,
        seat: Seat | str = 0,
        opponents: Opponent | Sequence[Opponent] = "greedy",
        starter: Seat = 0,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.table = GameEnv(game, seats, starter, render_mode, options)
        self.render_mode = render_mode
        check_seat(seat, seats)
        self._seat = seat
        self._opponents = opponents_of(opponents, seats)
        encoding = self.table.encoding
        self.observation_space = spaces.Box(-1, 1, (encoding.length,), np.float32)
        self.action_space = spaces.Discrete(encoding.actions)
        self._over = True  # until the first reset

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Vector, dict[str, Any]]:
        """Begins a game, and plays the others' turns before the seat's first one.

        A game that ends before the seat has had a choice is no episode: the next board is dealt.

        Args:
            seed: deals the same board as `arena play --seed`; all chance follows from it. Without
                a seed the next board of the last seed follows.
            options: `seat` of this game, and `starter` and `board` as for `arena.rl.env`.
        """
        super().reset(seed=seed)
        given = dict(options or {})
        seat = given.get("seat", self._seat)
        check_seat(seat, self.table.seats)
        self.seat: Seat = int(self.np_random.integers(self.table.seats)) if seat == RANDOM_SEAT else seat
        self.table.reset(seed, given)
        self._play_others()
        given.pop("board", None)
        while self.table.outcome is not None:
            self.table.reset(None, given)
            self._play_others()
        self._over = False
        return self._vector(self._agent), {"action_mask": self._mask()}

    def step(self, action: int | np.integer[Any]) -> tuple[Vector, float, bool, bool, dict[str, Any]]:
        """Plays the action with this number, and the others' turns until the seat's next one.

        An illegal action forfeits the game: it is over, with the reward of the last place.
        """
        if self._over:
            raise ResetNeeded("no game is being played: call reset()")
        reward = FORFEIT
        if legal := int(action) in self.table.legal():
            self.table.step(action)
            self._play_others()
            reward = self.table.rewards[self._agent]
        self._over = not legal or self.table.outcome is not None
        return self._vector(self._agent), reward, self._over, False, {"action_mask": self._mask()}

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of the legal actions now, by the name that MaskablePPO of sb3-contrib looks for."""
        return self._mask().astype(bool)

    def save(self) -> SavedSeat:
        """The position now and the state of the seeded chance, for `restore`."""
        return SavedSeat(self.table.save(), self.seat, self._over, self.np_random.bit_generator.state)

    def restore(self, saved: SavedSeat) -> None:
        """Goes back to a position that this environment, or one of the same arguments, has saved."""
        self.table.restore(saved.table)
        self.seat, self._over = saved.seat, saved.over
        self.np_random.bit_generator.state = saved.chance

    def render(self) -> Any:
        """Renders a spectator's observation: returned (`ansi`), or printed (`human`)."""
        return self.table.render()

    @property
    def _agent(self) -> str:
        return self.table.possible_agents[self.seat]

    def _mask(self) -> Mask:
        mask = self.table.mask(self._agent)
        return np.zeros_like(mask) if self._over else mask  # a forfeited game has legal actions left

    def _vector(self, agent: str) -> Vector:
        encoding = self.table.encoding
        return encoding.flat(encoding.arrays(self.table.seen(agent)))

    def _play_others(self) -> None:
        """Plays the turns of the others until the seat is to act or the game is over."""
        table = self.table
        while table.outcome is None and (agent := table.agent_selection) != self._agent:
            after = (table.possible_agents.index(agent) - self.seat) % table.seats
            table.step(self._choice(self._opponents[after - 1], agent))

    def _choice(self, opponent: Opponent, agent: str) -> int | np.integer[Any]:
        table, legal = self.table, self.table.legal()
        if opponent == "random":
            return list(legal)[self.np_random.integers(len(legal))]
        if opponent == "greedy":
            seen = table.seen(agent)
            return table.encoding.number(seen, greedy(seen, list(legal.values())))
        assert callable(opponent)
        return opponent(self._vector(agent), table.mask(agent))


def check_seat(seat: Any, seats: int) -> None:
    """Raises ValueError unless it is one of the seats, or `random`."""
    if seat != RANDOM_SEAT and (type(seat) is not int or not 0 <= seat < seats):
        raise ValueError(f"the seat is 0 to {seats - 1} or 'random', not {seat!r}")


def opponents_of(
    given: Opponent | Sequence[Opponent], seats: int, built_in: Sequence[str] = BUILT_IN
) -> Sequence[Opponent]:
    """The opponent at each other seat, from the next one on.

    Raises ValueError for another number of opponents than other seats, or one that is neither
    `built_in` nor a function.
    """
    each = [given] * (seats - 1) if isinstance(given, str) or callable(given) else list(given)
    if len(each) != seats - 1:
        raise ValueError(f"{seats} seats need one opponent, or a list of {seats - 1}, not of {len(each)}")
    for opponent in each:
        if opponent not in built_in and not callable(opponent):
            raise ValueError(f"an opponent is {', '.join(built_in)} or a policy function, not {opponent!r}")
    return each


for _game in ENCODINGS:
    gymnasium.register(
        f"arena/{_game}-v1",
        "arena.rl.gym:SeatEnv",
        vector_entry_point="arena.rl:vector_env",
        kwargs={"game": _game},
    )
