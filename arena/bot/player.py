"""A bot as its author sees it: one object per table, asked to choose."""

from __future__ import annotations

import abc
import random
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, overload

from arena.bot.history import History
from arena.bot.playing import Policy, playout
from arena.bot.table_info import TableInfo as TableInfo
from arena.bot.table_info import seconds
from arena.games import BUILT_IN, FIRST_GAMES
from arena.games.game import Action as Action
from arena.games.game import Event, Outcome, State
from arena.link.wire.convert import series_value, wire_in
from arena.v1 import bot_pb2


class Bot(abc.ABC):
    """A bot. Subclass it, give it a name, and write `choose`.

    One object is made for every table and lives as long as the table, so what
    it keeps in `self` is its memory of that game and mixes with no other.

    Attributes:
        name, version, author: how the bot describes itself.
        games: the ids of the games it plays; the five of the first release where it does not say.
        max_tables: how many tables it plays at once; 1 for a bot that thinks
            long, since the clocks of all its waiting turns run together.
        table: what the bot knows of its table.
        rng: random numbers that are the same whenever the same board is played
            from the same seat, so that a game can be reproduced.
    """

    name: ClassVar[str]
    version: ClassVar[str] = ""
    author: ClassVar[str] = ""
    games: ClassVar[Sequence[str]] = FIRST_GAMES
    max_tables: ClassVar[int] = 0

    def __init__(self, table: TableInfo) -> None:
        self.table = table
        self.rng = random.Random(table.seed)

    @abc.abstractmethod
    def choose(self, turn: Turn) -> Action:
        """Chooses one of `turn.actions`: returns the action itself, not its index.

        What it raises is printed to stderr, and is a crash at every table where
        a turn waits.
        """

    def ended(self, outcome: Outcome | None) -> None:  # noqa: B027 - most bots have nothing to do here
        """The table is over; `outcome` is None where the game was void. Nothing needs to be done."""


class Turn:
    """A turn to be answered. What the bot does not look at is not decoded.

    Attributes:
        game: the game's id, such as `forty-one`.
        number: the number of the turn at this table, from 1.
        time_left: how long the decision may take, in seconds.
        actions: the legal actions, at least two, in the game's documented order;
            the first is the default action, played for who does not answer.
            `actions.find(action)` gives the index of one, None where it is not legal.
        observation: all that the seat may see now: enough to play without memory.
        events: what happened since the last turn, oldest first, as the seat may know it.

    Actions, observation and events are named tuples, whose last field `kind` says
    which one it is, such as `steal`; `str()` tells it in words. Each game has its
    own, in a module that explains them, by `help("arena.games.kleftis_values")`:

    * MODULES

    Cards are `arena.cards.Card`: numbers with `rank`, `suit` and `text` (Nur Mut has
    faces of its own, `arena.games.nur_mut_values.Face`). Where the options make a
    table play several deals, see `arena.games.series`: then the observation is a
    SeriesObservation, and there are DealEnded events.

    To look ahead, a turn gives positions to search: `sample` draws one that fits
    all that the seat was told so far, `playout` plays one to its end.
    """

    __slots__ = ("_history", "_message", "_view", "_wire", "actions", "game", "number", "time_left")

    def __init__(self, message: bot_pb2.Turn, history: History | None = None) -> None:
        self._history = history
        self._message = message
        self._wire = wire_in(message)
        self._view: Any = getattr(message, self._wire.field)
        self.game = self._wire.game_id
        self.number: int = message.turn
        self.time_left = seconds(message.time_left)
        self.actions: Sequence[Action] = LazyActions(self._view.legal_actions, self._wire.action.to_value)

    @property
    def observation(self) -> Any:
        """What the seat sees: the game's `Observation`, or in a series a `SeriesObservation` around it."""
        observation = self._wire.observation.to_value(self._view.observation)
        if self._message.HasField("series"):
            return series_value(self._message.series, observation)
        return observation

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened since the last turn, oldest first."""
        return tuple(map(self._wire.event.to_value, self._view.events))

    def sample(self, rng: random.Random) -> State:
        """A position of the running game that fits all that the seat was told so far.

        Each position is as likely as the cards make it (`arena.sampling` says what that
        means). It is a whole one: everybody's hands, the stock, the score of a series. It has
        `to_act`, `legal_actions(seat)`, `apply(seat, action)`, `observation(seat)`,
        `clone()` and, once it is over, an `outcome`; what is left to chance in it, such as
        the deals to come, is drawn from `rng` as it happens.

        Raises ValueError where this is not the turn to be answered, but one that is over.
        """
        if self._history is None:
            raise ValueError("a turn that no table has asked cannot be sampled")
        return self._history.sample(self, rng)

    def playout(self, state: State, policy: Policy, rng: random.Random) -> Outcome:
        """How a position ends when every seat plays by a policy; the position stays as it is.

        Args:
            state: the position, such as `sample` gives.
            policy: what chooses for a seat that has a choice, such as those of `arena.bot.policies`.
            rng: the policy's random numbers.
        """
        return playout(state, policy, rng)

    @property
    def think_for(self) -> float:
        """How long to think now, in seconds, so that the bank lasts: a share of it, and the increment.

        All turns that wait for a bot share one clock on the wall: a bot that thinks
        long says `max_tables = 1`.
        """
        if self._history is None:
            raise ValueError("a turn that no table has asked has no bank")
        return self._history.think_for(self.time_left)


Turn.__doc__ = (Turn.__doc__ or "").replace(
    "* MODULES", "\n    ".join(f"* {game}: `{rules.values}`" for game, rules in BUILT_IN.items())
)


class LazyActions(Sequence[Action]):
    """A list of legal actions that decodes each one when it is first looked at."""

    __slots__ = ("_decode", "_decoded", "_messages")

    def __init__(self, messages: Sequence[Any], decode: Callable[[Any], Action]) -> None:
        self._messages = messages
        self._decode = decode
        self._decoded: list[Action | None] = [None] * len(messages)

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Action]: ...
    def __getitem__(self, index: int | slice) -> Action | Sequence[Action]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        action = self._decoded[index]
        if action is None:
            action = self._decoded[index] = self._decode(self._messages[index])
        return action

    def find(self, action: Action) -> int | None:
        """The index of an action, None where it is not legal."""
        for index, known in enumerate(self._decoded):
            if known is action and known is not None:  # None is one that nobody looked at
                return index
        return next((index for index, known in enumerate(self) if known == action), None)


def outcome_of(end: bot_pb2.TableEnd) -> Outcome | None:
    """How a table ended; None where its game was void."""
    if not end.HasField("outcome"):
        return None
    return Outcome(tuple(end.outcome.places), tuple(end.outcome.points), end.outcome.reason)
