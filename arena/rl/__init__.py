"""Reinforcement learning: the games as environments, and encodings for trained bots.

    from arena.rl import env, gym_env
    kleftis = env("kleftis", seats=3, final_secure=True)  # all seats, by PettingZoo
    one_seat = gym_env("kleftis", seats=3, opponents="greedy")  # one seat, by Gymnasium
    many = vector_env("kleftis", 64, seats=3)  # one seat of many games at once

The environments need the extra: `pip install '.[rl]'` in a clone of the arena. `encoding_of`,
with which a trained bot encodes its turns, does not.
See `docs/training.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from arena.engine import engine
from arena.games import BUILT_IN, PerGame, find_game
from arena.rl.encoding import Encoding as Encoding
from arena.text import installing

if TYPE_CHECKING:
    from gymnasium.vector import VectorEnv
    from pettingzoo import AECEnv

    from arena.rl.environment import GameEnv
    from arena.rl.gym import Opponent, SeatEnv


ENCODINGS: Final[Mapping[str, type[Encoding]]] = PerGame("encoding")
"""The encodings by the ids of their games."""


def encoding_of(game: str, seats: int, options: Any) -> Encoding:
    """The encoding of a game.

    Args:
        game: the game's id.
        seats: the number of seats.
        options: the game's options, from `Game.parse_options`; a bot has them as `table.options`.

    Raises ValueError, naming the valid ids, if there is no such game, and MissingPart if it has no encoding.
    """
    return ENCODINGS[find_game(game).id](seats, options)


def env(
    game: str, seats: int = 2, *, starter: int = 0, render_mode: str | None = None, **options: Any
) -> AECEnv[str, Any, Any]:
    """A game as a PettingZoo environment, in which agents act one after the other (AEC).

    Args:
        game: the game's id, such as `kleftis`.
        seats: the number of seats; the agents are `seat_0`, `seat_1` and so on.
        starter: the seat that starts.
        render_mode: `human` prints the table, `ansi` has `render()` return it as text.
        options: the game's options, as `arena games` lists them; others have their defaults.

    Raises ValueError if there is no such game, number of seats, starter or
    option, and ImportError if the extra is not installed.
    """
    _require_extra()
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper

    return OrderEnforcingWrapper(raw_env(game, seats, starter=starter, render_mode=render_mode, **options))


def raw_env(
    game: str, seats: int = 2, *, starter: int = 0, render_mode: str | None = None, **options: Any
) -> GameEnv:
    """The environment of `env` without the wrapper that checks the order of calls: somewhat faster."""
    _require_extra()
    from arena.rl.environment import GameEnv

    return GameEnv(game, seats, starter, render_mode, options)


def gym_env(
    game: str,
    seats: int = 2,
    *,
    seat: int | Literal["random"] = 0,
    opponents: Opponent | Sequence[Opponent] = "greedy",
    starter: int = 0,
    render_mode: str | None = None,
    **options: Any,
) -> SeatEnv:
    """One seat of a game as a Gymnasium environment; opponents play the other seats.

    Args:
        game: the game's id, such as `kleftis`.
        seats: the number of seats.
        seat: the seat of each episode; `random` draws it anew for each.
        opponents: `greedy`, `random` or a function of an observation and its `action_mask` that
            returns an action's number, for all other seats; or a list with one of these for each
            other seat, from the next one on.
        starter, render_mode, options: as for `env`.

    Raises ValueError if there is no such game, number of seats, seat, opponent,
    starter or option, and ImportError if the extra is not installed.
    """
    _require_extra()
    from arena.rl.gym import SeatEnv

    return SeatEnv(
        game, seats, seat=seat, opponents=opponents, starter=starter, render_mode=render_mode, **options
    )


def vector_env(
    game: str,
    num_envs: int,
    seats: int = 2,
    *,
    seat: int | Literal["random"] = 0,
    opponents: Opponent | Sequence[Opponent] = "greedy",
    starter: int = 0,
    **options: Any,
) -> VectorEnv[Any, Any, Any]:
    """Many environments of `gym_env` as one; a finished game begins anew in the same step.

    The native engine plays them if it is installed and no opponent is a function. Else Gymnasium's
    `SyncVectorEnv` does, which gives the same, except for the choices of random opponents.

    Args:
        num_envs: how many games are played at once, at least 1.
        opponents: as for `gym_env`; with the engine `thoughtful` too.
        others: as for `gym_env`.

    Raises ValueError and ImportError as `gym_env` does.
    """
    _require_extra()
    from gymnasium.vector import AutoresetMode, SyncVectorEnv

    from arena.rl.gym import SeatEnv

    if num_envs < 1:
        raise ValueError(f"{num_envs} games are too few: give at least 1")
    given: dict[str, Any] = {"seat": seat, "opponents": opponents, "starter": starter, **options}
    if engine().module is not None and game in BUILT_IN and not _has_functions(opponents):
        from arena.rl.vector import SeatVectorEnv

        return SeatVectorEnv(num_envs, game, seats, **given)
    made = [lambda: SeatEnv(game, seats, **given)] * num_envs
    return SyncVectorEnv(made, autoreset_mode=AutoresetMode.SAME_STEP)


def _has_functions(opponents: Opponent | Sequence[Opponent]) -> bool:
    each = [opponents] if isinstance(opponents, str) or callable(opponents) else opponents
    return any(map(callable, each))


def _require_extra() -> None:
    try:
        import gymnasium as gymnasium
        import pettingzoo as pettingzoo
    except ImportError:
        raise ImportError(
            f"environments need PettingZoo: {installing('rl')} in a clone of the arena"
        ) from None
