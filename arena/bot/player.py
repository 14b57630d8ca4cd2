"""A bot as its author sees it: one object per table, asked to choose."""

from __future__ import annotations

import abc
import dataclasses
import random
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, overload

from arena.games import BUILT_IN, FIRST_GAMES, find_game
from arena.games.game import Action as Action
from arena.games.game import Event, Outcome, Seat, State
from arena.link.wire.convert import SERIES, wire_in
from arena.sampling import Draw, new_sampler
from arena.sampling.sampler import SeriesSampler
from arena.v1 import bot_pb2

Policy = Callable[[State, Seat, random.Random], Action]
"""Chooses for a seat of a position, which has at least two legal actions."""

_TAIL = 4  # a game that goes on and on is taken to have this part of its usual decisions ahead
_MOST = 0.8  # of the time that a decision may take: the rest is for the way there and back ...
_WAY = 0.05  # ... which is so many seconds, or half of the time where that is less
_RESERVE = 0.5  # seconds of the bank that are not shared out: what a decision takes besides thinking adds up
_SMALL = 8  # where the bank begins with little, the reserve is this part of it
_LEAST = 100  # even of a bank that is down to its reserve, this part is a share
_DEALS = ("series", "rounds")  # the options that say how many deals are played


class TableInfo(NamedTuple):
    """What a bot knows when a table begins.

    Attributes:
        game: the game's id, such as `forty-one`.
        options: its options, an instance of `arena.games.GAMES[game].Options`;
            `arena games` says what each means.
        seats: the number of seats.
        seat: the bot's own seat, from 0.
        starter: the seat that starts the first deal.
        bank: the time for the whole game, in seconds.
        increment: what each answered decision adds to it, in seconds.
        move: the most that one decision may take, in seconds.
        names: the entrants' names by seat; empty where they are hidden.
        seed: 16 bytes for the bot's own chance, the same for the same board and seat.
    """

    game: str
    options: Any
    seats: int
    seat: int
    starter: int
    bank: float
    increment: float
    move: float
    names: tuple[str, ...]
    seed: bytes


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
            return SERIES.to_value(self._message.series, current=observation)
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


def playout(state: State, policy: Policy, rng: random.Random) -> Outcome:
    """How a position ends when every seat plays by a policy; the position stays as it is.

    Args:
        state: the position.
        policy: what chooses for a seat that has a choice.
        rng: its random numbers.
    """
    state = state.clone()
    while to_act := state.to_act:
        seat = to_act[0]
        actions = state.legal_actions(seat)
        state.apply(seat, actions[0] if len(actions) == 1 else policy(state, seat, rng))
    outcome = state.outcome
    assert outcome is not None, "nobody is to act, so the game is over"
    return outcome


class History:
    """What a bot was told at one table.

    Turns and the moments of the clock are only put by as they come. What follows from them is
    found out when somebody asks, so a bot that never asks pays next to nothing.

    Args:
        table: what the bot knows of the table.

    Attributes:
        moments: when each turn came and was answered, in turn, in seconds.
    """

    __slots__ = ("_bank", "_draw", "_last", "_sampler", "_table", "_unread", "moments")

    def __init__(self, table: TableInfo) -> None:
        self._table = table
        self._sampler: SeriesSampler | None = None
        self._unread: list[Turn] = []
        self._last: Turn | None = None
        self._draw: Draw | None = None
        self._bank: Bank | None = None
        self.moments: list[float] = []

    def add(self, turn: Turn) -> None:
        """Puts a turn by; called for every turn of the table, in order."""
        self._unread.append(turn)
        self._last = turn
        self._draw = None

    def think_for(self, time_left: float) -> float:
        """How long to think about the turn to be answered, in seconds; `time_left`: how long it may take."""
        if self._bank is None:
            self._bank = Bank(self._table)
        moments = self.moments
        while len(moments) > 1:
            came, answered = moments[:2]
            self._bank.spent(answered - came)
            del moments[:2]
        return self._bank.share(time_left)

    def sample(self, turn: Turn, rng: random.Random) -> State:
        """Draws a position that fits all that was told up to a turn.

        Raises ValueError where it is not the last turn.
        """
        if turn is not self._last:
            raise ValueError(f"turn {turn.number} is over: only the turn to be answered can be sampled")
        if self._draw is None:
            self._draw = self._sampler_now().draws(turn.observation)
        return self._draw(rng)

    def _sampler_now(self) -> SeriesSampler:
        if self._sampler is None:
            table = self._table
            self._sampler = new_sampler(table.game, table.options, table.seats, table.seat, table.starter)
        for unread in self._unread:
            for event in unread.events:
                self._sampler.tell(event)
        self._unread.clear()
        return self._sampler


class Seated:
    """A bot at a table that is being played.

    Args:
        bot_class: the bot.
        table: what it knows of the table.
    """

    def __init__(self, bot_class: type[Bot], table: TableInfo) -> None:
        self.bot = bot_class(table)
        self.history = History(table)

    def choose(self, turn: Turn, now: Callable[[], float]) -> Action:
        """What the bot chooses in the next turn; `now` tells the time, in seconds."""
        self.history.add(turn)
        self.history.moments.append(now())
        action = self.bot.choose(turn)
        self.history.moments.append(now())
        return action


class Bank:
    """What a bot knows of its bank, of which a turn tells no more than the move limit.

    Args:
        table: what the bot knows of the table.
    """

    __slots__ = ("_decisions", "_increment", "_left", "_made", "_move", "_reserve")

    def __init__(self, table: TableInfo) -> None:
        self._increment, self._move = table.increment, table.move
        self._left = table.bank
        self._reserve = min(_RESERVE, table.bank / _SMALL)
        self._made = 0
        self._decisions = find_game(table.game).usual_decisions * _deals(table.options)

    def spent(self, elapsed: float) -> None:
        """Takes note of a decision that took so long, in seconds."""
        self._left = max(0.0, self._left - elapsed) + self._increment
        self._made += 1

    def left(self, time_left: float) -> float:
        """What is in the bank, in seconds, as far as can be told.

        Args:
            time_left: how long the decision may take, in seconds: the bank itself
                where that is less than the move limit.
        """
        self._left = time_left if time_left < self._move else max(time_left, self._left)
        return self._left

    def share(self, time_left: float) -> float:
        """How long to think now, in seconds: an even share of the bank, and the increment.

        However long the game, what is shared out is never all that is left; and of the increment
        there is less the nearer the bank is to its reserve, so that it is not used up by what
        the bot cannot see: the way to the referee and back, and a last step that takes too long.
        """
        ahead = max(self._decisions - self._made, self._decisions / _TAIL)
        left = self.left(time_left)
        spare = left - self._reserve
        full = min(1.0, spare / self._reserve) if self._reserve else 1.0
        share = max(spare / ahead + full * self._increment, left / _LEAST)
        return min(share, _MOST * time_left, max(time_left - _WAY, time_left / 2))


def _deals(options: Any) -> int:
    """How many deals are played in any case."""
    names = [field.name for field in dataclasses.fields(options)]
    return next((getattr(options, name) for name in _DEALS if name in names), 1)


def outcome_of(end: bot_pb2.TableEnd) -> Outcome | None:
    """How a table ended; None where its game was void."""
    if not end.HasField("outcome"):
        return None
    return Outcome(tuple(end.outcome.places), tuple(end.outcome.points), end.outcome.reason)


def seconds(duration: Any) -> float:
    """A protobuf duration in seconds."""
    return float(duration.seconds + duration.nanos / 1e9)


def table_info(start: bot_pb2.TableStart) -> TableInfo:
    """The start of a table as a bot is told it."""
    wire = wire_in(start)
    control = start.time_control
    return TableInfo(
        game=wire.game_id,
        options=wire.options.to_value(getattr(start, wire.field)),
        seats=start.seats,
        seat=start.seat,
        starter=start.starter,
        bank=seconds(control.bank),
        increment=seconds(control.increment),
        move=seconds(control.move),
        names=tuple(start.names),
        seed=start.seed,
    )
