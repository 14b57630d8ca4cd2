"""A game as a PettingZoo environment: agents, spaces, masks, rewards.

The game's encoding makes an agent's observation from the `Observation` and the legal actions that
its seat would get from a referee. As at a table of the arena, a
seat is not asked if it has a single legal action: the action is played for it.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from arena.games import find_game
from arena.games.game import (
    SPECTATOR,
    Action,
    Event,
    Happening,
    IllegalAction,
    Observation,
    Outcome,
    Seat,
    State,
    WrongOption,
)
from arena.results import seat_scores
from arena.rl import encoding_of
from arena.rl.encoding import Encoding, Field
from arena.table.deal import KEY_BYTES, KeyedBoard, board_key, key_of_seed

FIRST_BOARD = "friendly"
"""The name of the first board of a seed: the board of `arena play --seed`."""

RENDER_MODES = ("human", "ansi")


def board_of_seed(number: int) -> str:
    """The name of a seed's board with this number, from 0."""
    return FIRST_BOARD if number == 0 else f"{FIRST_BOARD} {number + 1}"


_CHANGING = (
    "_boards",
    "_cumulative_rewards",
    "_happenings",
    "_key",
    "_legal",
    "_skip_agent_selection",
    "agent_selection",
    "agents",
    "outcome",
    "rewards",
    "terminations",
    "truncations",
)
"""The attributes of an environment that change during a game, besides its state and the empty infos."""


class Saved(NamedTuple):
    """A position of a `GameEnv`, to be restored.

    Attributes:
        table: the game, the seats and the options for which it holds.
        state: the position in the rules.
        values: the attributes of the environment that change during a game, by name.
    """

    table: tuple[str, int, Any]
    state: State
    values: Mapping[str, Any]


class GameEnv(AECEnv):  # type: ignore[misc]  # pettingzoo has no types
    """One game of the arena, in which agents act one after the other.

    Args: as for `arena.rl.env`; `options` are those of the game.

    Attributes:
        game: the rules.
        options: the game's options.
        encoding: the numbers of actions and the arrays of observations.
        outcome: the game's outcome, None before its end.
    """

    metadata: ClassVar[dict[str, Any]]

    def __init__(
        self, game: str, seats: int, starter: Seat, render_mode: str | None, options: Mapping[str, Any]
    ) -> None:
        super().__init__()
        self.game = find_game(game)
        self.options = self.game.parse_options(options)
        self.seats = seats
        if seats not in (allowed := self.game.seats(self.options)):
            raise WrongOption(f"{game} is for {allowed[0]} to {allowed[-1]} seats, not {seats}")
        self._check_starter(starter)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"there is no render mode {render_mode!r}: there are {', '.join(RENDER_MODES)}")
        self.encoding = encoding_of(game, seats, self.options)
        self.metadata = {  # type: ignore[misc]  # PettingZoo's name, with this game's values
            "name": f"{game}_v1",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._spaces = {agent: _spaces(self.encoding) for agent in self.possible_agents}
        self.agents: list[str] = []
        self._starter = starter
        self._key = secrets.token_bytes(KEY_BYTES)
        self._boards = 0  # the boards dealt from this key

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of an agent's observations: `observation`, a Dict of arrays, and `action_mask`."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> spaces.Discrete[Any]:
        """The space of an agent's actions: numbers from 0."""
        return self._spaces[agent][1]

    def reset(self, seed: int | str | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begins a game.

        Args:
            seed: deals the same board as `arena play --seed`. Without
                a seed the next board of the last seed follows, or a random one
                if there was no seed yet.
            options: `starter`, the seat that starts this game, and `board`, the
                name of another board of the seed; others are ignored.
        """
        given = options or {}
        starter = given.get("starter", self._starter)
        self._check_starter(starter)
        if seed is not None:
            self._key, self._boards = key_of_seed(str(seed)), 0
        key = board_key(self._key, self.game.id, given.get("board", board_of_seed(self._boards)))
        self._boards += 1
        board = KeyedBoard(key, self.game.deck(self.options))
        self._state: State = self.game.new(board, self.seats, self.options, starter)
        self._happenings: list[Happening] = list(self._state.opening)
        self.outcome: Outcome | None = None
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection = None
        self._go_on()

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Plays the action with this number for the agent whose turn it is; None once its game is over.

        Raises IllegalAction, and changes nothing, if the number is not in the agent's mask.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        chosen = None if action is None else self._legal.get(int(action))
        if chosen is None:
            raise IllegalAction(f"{agent} cannot choose action {action}: its action_mask is 0 there")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._happenings += self._state.apply(self._seat_of[agent], chosen)
        self._go_on()

    def observe(self, agent: str) -> dict[str, Any]:
        """An agent's observation now, and the mask of its legal actions: none while others act."""
        return {"observation": self.encoding.arrays(self.seen(agent)), "action_mask": self.mask(agent)}

    def mask(self, agent: str) -> NDArray[np.int8]:
        """The mask of an agent's legal actions now: none while others act."""
        mask = np.zeros(self.encoding.actions, np.int8)
        if agent == self.agent_selection:
            mask[list(self._legal)] = 1
        return mask

    def seen(self, agent: str) -> Observation:
        """An agent's observation now, as the plain value that a bot would get."""
        return self._state.observation(self._seat_of[agent])

    def told(self, agent: str) -> list[Event]:
        """All events that an agent was told since the beginning of the game, oldest first."""
        seat = self._seat_of[agent]
        return [happening.told_to(seat) for happening in self._happenings]

    def legal(self) -> dict[int, Action]:
        """The legal actions of the agent whose turn it is, as plain values by their numbers."""
        return dict(self._legal)

    def save(self) -> Saved:
        """The position now, for `restore`: playing on does not change it.

        Raises ValueError before the first `reset`.
        """
        if not self._boards:
            raise ValueError("no game was begun: call reset()")
        values = {name: copy(getattr(self, name)) for name in _CHANGING}
        return Saved(self._table, self._state.clone(), values)

    def restore(self, saved: Saved) -> None:
        """Goes back to a position that this environment, or one of the same game, has saved.

        Raises ValueError, and changes nothing, if it is of another game, number of seats or options.
        """
        if saved.table != self._table:
            raise ValueError("this position is of another game, number of seats or options")
        self._state = saved.state.clone()
        for name, value in saved.values.items():
            setattr(self, name, copy(value))
        self.infos = {agent: {} for agent in self.agents}

    def render(self) -> str | None:
        """Renders a spectator's observation: returned (`ansi`), or printed (`human`)."""
        text = str(self._state.observation(SPECTATOR))
        if self.render_mode == "human":
            sys.stdout.write(f"{text}\n\n")
            return None
        return text

    def close(self) -> None:
        """Does nothing: there is nothing to close."""

    @property
    def _table(self) -> tuple[str, int, Any]:
        return self.game.id, self.seats, self.options

    def _check_starter(self, starter: Any) -> None:
        if type(starter) is not int or not 0 <= starter < self.seats:
            raise ValueError(f"the starter is a seat, 0 to {self.seats - 1}, not {starter!r}")

    def _go_on(self) -> None:
        """Plays forced turns, and turns to the next agent or ends the game."""
        state = self._state
        self._legal: dict[int, Action] = {}
        while state.to_act:
            seat = state.to_act[0]
            actions = state.legal_actions(seat)
            if len(actions) > 1:
                seen = state.observation(seat)
                self._legal = {self.encoding.number(seen, action): action for action in actions}
                self.agent_selection = self.possible_agents[seat]
                break
            self._happenings += state.apply(seat, actions[0])
        else:
            self._end()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _end(self) -> None:
        self.outcome = self._state.outcome
        assert self.outcome is not None
        rewards = rewards_of(self.outcome)
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]


def rewards_of(outcome: Outcome) -> list[float]:
    """The reward of each seat: the share of its opponents that it beat, a tie half, scaled to -1 to 1.

    All rewards of a game add up to 0.
    """
    return [float(2 * score - 1) for score in seat_scores(outcome.places)]


def _spaces(encoding: Encoding) -> tuple[spaces.Dict, spaces.Discrete[Any]]:
    """The spaces of an agent's observations and actions, each with its own random numbers."""
    arrays = {name: _space(field) for name, field in encoding.fields.items()}
    observations = {"observation": spaces.Dict(arrays), "action_mask": spaces.MultiBinary(encoding.actions)}
    return spaces.Dict(observations), spaces.Discrete(encoding.actions)


def _space(field: Field) -> spaces.Space[Any]:
    if field.flags:
        return spaces.MultiBinary(field.shape)
    return spaces.Box(field.low, field.high, field.shape, np.int32)
