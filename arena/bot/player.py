"""The SDK's classes: `Bot`, one object per table that is asked to choose, and its `Turn`."""

from __future__ import annotations

import abc
import dataclasses
import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

from arena.games import BUILT_IN, FIRST_GAMES, find_game
from arena.games.game import Action as Action
from arena.games.game import Event, Outcome, Seat, State
from arena.link.wire.convert import SERIES, wire_in
from arena.sampling import Draw, new_sampler
from arena.sampling.playing import Policy as Policy
from arena.sampling.playing import playout as playout
from arena.sampling.playing import try_actions
from arena.sampling.sampler import SeriesSampler
from arena.v1 import analysis_pb2, bot_pb2

if TYPE_CHECKING:  # see arena.sampling.playing
    import numpy as np
    from numpy.typing import NDArray

_TAIL = 4  # a long game is assumed to have this part of its usual decisions ahead
_MOST = 0.8  # of the time that a decision may take: the rest is for the network ...
_WAY = 0.05  # ... which takes so many seconds, or half of the time if that is less
_RESERVE = 0.5  # seconds of the bank that are not shared out: each decision takes more than the thinking
_SMALL = 8  # of a small bank, the reserve is this part
_LEAST = 100  # a share is at least this part of the bank, even of its reserve
_DEALS = ("series", "rounds")  # the options for the number of deals


class TableInfo(NamedTuple):
    """A bot's knowledge of its table, from its beginning.

    Attributes:
        game: the game's id, such as `forty-one`.
        options: its options, an instance of `arena.games.GAMES[game].Options`;
            `arena games` explains each.
        seats: the number of seats.
        seat: the bot's own seat, from 0.
        starter: the seat that starts the first deal.
        bank: the time for the whole game, in seconds.
        increment: the time that each answered decision adds to the bank, in seconds.
        move: the most that one decision may take, in seconds.
        names: the entrants' names by seat; empty if they are hidden.
        seed: 16 bytes for the bot's random numbers, the same for the same board and seat.
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


class Choice(NamedTuple):
    """An action together with what the bot thinks, which `Bot.choose` may return in place of the action.

    It is kept for the bot's author: replays, analyses and the figures of a bot show it. No opponent is told
    it, and it changes nothing of the game. What is out of its range is dropped.

    Attributes:
        action: the chosen one of `turn.actions`.
        estimate: the score that the bot expects of this game: the share of opponents that it beats in the
            end, ties half, from 0 to 1. None for no estimate.
        values: what the bot thinks that actions are worth, in a unit of its own; more is better. By actions,
            or one for each of `turn.actions`, such as `scores.mean(0)` after `Turn.try_actions`. The best
            64 are kept.
        text: a remark on one line, up to 200 characters.
    """

    action: Action
    estimate: float | None = None
    values: Mapping[Action, float] | Collection[float] = ()
    text: str = ""


class Bot(abc.ABC):
    """A bot. Subclass it, give it a name, and write `choose`.

    One object is made for every table and lives as long as the table, so `self`
    is its memory of that game alone.

    Attributes:
        name, version, author: how the bot describes itself.
        games: the ids of the games it plays; the default is the five of the first release.
        max_tables: how many tables it plays at once; 1 for a bot that thinks
            long, because the clocks of all its waiting turns run at the same time.
        table: its table.
        forfeits: the seats that forfeited, once the table has ended (see `ended`).
        rng: random numbers that are the same each time the same board is played
            from the same seat, so that a game can be reproduced.
    """

    name: ClassVar[str]
    version: ClassVar[str] = ""
    author: ClassVar[str] = ""
    games: ClassVar[Sequence[str]] = FIRST_GAMES
    max_tables: ClassVar[int] = 0
    forfeits: Sequence[Seat] = ()

    def __init__(self, table: TableInfo) -> None:
        self.table = table
        self.rng = random.Random(table.seed)

    @abc.abstractmethod
    def choose(self, turn: Turn) -> Action | Choice:
        """Chooses one of `turn.actions`: returns the action itself, not its index, or a `Choice` of it.

        An exception is printed to stderr, and is a crash at every table with
        a waiting turn.
        """

    def try_actions(self, turn: Turn, actions: Sequence[Action], worlds: int) -> Iterable[Iterable[float]]:
        """Says what actions are worth, for `arena analyse --with`.

        This is optional: only bots that define it are asked. It is asked of an object of its own, about one
        turn of a game that is over. The answer should follow from the turn and `self.rng`. A simple one is
        `turn.try_actions(policy, self.rng, worlds, actions=actions)`.

        Args:
            turn: the turn; its events are all events of the table so far.
            actions: the legal actions to try.
            worlds: how many sampled positions to try each of them in, at least 1.

        Returns a row for each position, with the bot's score after each action: the share of opponents that
        it beats in the end, ties half, from 0 to 1.
        """
        raise NotImplementedError

    def ended(self, outcome: Outcome | None) -> None:  # noqa: B027 - most bots have nothing to do here
        """Is called when the table ends; `outcome` is None if the game was void. Does nothing by default."""


class Turn:
    """A turn to be answered. Each part is decoded when the bot first reads it.

    Attributes:
        game: the game's id, such as `forty-one`.
        number: the number of the turn at this table, from 1.
        time_left: how long the decision may take, in seconds.
        actions: the legal actions, at least two, in the game's documented order;
            the first is the default action, played for a seat that does not answer.
            `actions.find(action)` gives the index of one, None if it is not legal.
        observation: all that the seat may see now: enough to play without memory.
        events: the events since the last turn that the seat may know, oldest first.

    Actions, observation and events are named tuples, whose last field `kind` says
    which one it is, such as `steal`; `str()` tells it in words. Each game has its
    own, in a module that explains them, by `help("arena.games.kleftis_values")`:

    * MODULES

    Cards are `arena.cards.Card`: numbers with `rank`, `suit` and `text` (Nur Mut has
    faces of its own, `arena.games.nur_mut_values.Face`). If the options make a
    table play several deals, the observation is a SeriesObservation, and there are
    DealEnded events (see `arena.games.series`).

    To look ahead, a turn gives positions to search: `sample` draws a position that fits
    all that the seat was told so far, `playout` plays one to its end, and `try_actions` compares the legal
    actions in many of them.
    """

    __slots__ = ("_history", "_message", "_told", "_view", "_wire", "actions", "game", "number")

    def __init__(self, message: bot_pb2.Turn, history: History | None = None) -> None:
        self._history = history
        self._message = message
        self._wire = wire_in(message)
        self._view: Any = getattr(message, self._wire.field)
        self._told: Sequence[Any] = self._view.events
        self.game = self._wire.game_id
        self.number: int = message.turn
        self.actions: Sequence[Action] = LazyActions(self._view.legal_actions, self._wire.action.to_value)

    @property
    def time_left(self) -> float:
        """How long the decision may take, in seconds."""
        return seconds(self._message.time_left)

    @property
    def observation(self) -> Any:
        """The seat's observation: the game's `Observation`, in a series inside a `SeriesObservation`."""
        observation = self._wire.observation.to_value(self._view.observation)
        if self._message.HasField("series"):
            return SERIES.to_value(self._message.series, current=observation)
        return observation

    @property
    def events(self) -> tuple[Event, ...]:
        """The events since the last turn, oldest first."""
        return tuple(map(self._event, self._told))

    def _event(self, told: Any) -> Event:
        """The event of its message."""
        event: Event = self._wire.event.to_value(told)
        return event

    def sample(self, rng: random.Random) -> State:
        """A position of the running game that fits all that the seat was told so far.

        Each position is as likely as the cards make it (`arena.sampling` explains that).
        The position is complete: all hands, the stock, the score of a series. It has
        `to_act`, `legal_actions(seat)`, `apply(seat, action)`, `observation(seat)`,
        `clone()` and, once it is over, an `outcome`. Later chance in it, such as
        the next deals, is drawn from `rng` as it happens; with the native engine, from
        a seed that `rng` gives now.

        Raises ValueError if this turn is over.
        """
        return self._draw(rng)

    def playout(self, state: State, policy: Policy, rng: random.Random) -> Outcome:
        """The outcome of a position if every seat plays by a policy; does not change the position.

        If the position is one of the native engine, the policies of `arena.bot.policies` play on
        there: some hundred times as fast.

        Args:
            state: the position, such as one from `sample`.
            policy: chooses for a seat that has a choice, such as those of `arena.bot.policies`.
            rng: the policy's random numbers.
        """
        return playout(state, policy, rng)

    def try_actions(
        self,
        policy: Policy,
        rng: random.Random,
        samples: int = 100,
        *,
        seconds: float | None = None,
        actions: Sequence[Action] | None = None,
    ) -> NDArray[np.float64]:
        """Tries the legal actions: each one in the same samples, which are then played to their end.

        So `turn.actions[scores.mean(0).argmax()]` is the action with the best mean score. All actions of a
        sample have the same luck, so their differences are surer than their scores.

        Args:
            policy: chooses for every seat after the action, such as those of `arena.bot.policies`.
            rng: the random numbers of samples, policy and chance.
            samples: the number of sampled positions, at least 1.
            seconds: begins no further sample after so many seconds; the first is always tried.
                None for no limit.
            actions: the legal actions to try; None for all.

        Returns the bot's scores, an array with a row for each sample that was tried and a column for each
        action: the share of opponents that it beat, ties half, from 0 to 1.

        Raises ValueError if this turn is over or `samples` is below 1, and IllegalAction for an
        action that is not legal.
        """
        draw = self._draw  # raises if nobody has asked this turn
        assert self._history is not None
        tried = self.actions if actions is None else actions
        return try_actions(draw, self._history.seat, tried, policy, rng, samples, seconds)

    @property
    def _draw(self) -> Draw:
        if self._history is None:
            raise ValueError("a turn that no table has asked cannot be sampled")
        return self._history.draw(self)

    @property
    def think_for(self) -> float:
        """How long to think now, in seconds, so that the bank lasts: a share of it, and the increment.

        The clocks of all turns that wait for a bot run at the same time: a bot that thinks
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
        """The index of an action, None if it is not legal."""
        for index, known in enumerate(self._decoded):
            if known is action and known is not None:  # None for an action that was not decoded
                return index
        return next((index for index, known in enumerate(self) if known == action), None)


class History:
    """The turns of a bot at one table.

    It only stores events and moments as they come, and evaluates them when it is asked.
    So a bot that never asks pays next to nothing.

    Args:
        table: the table.

    Attributes:
        moments: when each turn came and was answered, alternately, in seconds.
    """

    __slots__ = ("_bank", "_draw", "_last", "_sampler", "_table", "_unread", "moments")

    def __init__(self, table: TableInfo) -> None:
        self._table = table
        self._sampler: SeriesSampler | None = None
        self._unread: list[Sequence[Any]] = []
        self._last: Turn | None = None
        self._draw: Draw | None = None
        self._bank: Bank | None = None
        self.moments: list[float] = []

    def add(self, turn: Turn) -> None:
        """Stores what a turn tells; called for every turn of the table, in order."""
        self._unread.append(turn._told)
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

    @property
    def seat(self) -> Seat:
        """The bot's seat."""
        return self._table.seat

    def draw(self, turn: Turn) -> Draw:
        """What draws positions that fit all that was told up to a turn.

        Raises ValueError if that is not the last turn.
        """
        if turn is not self._last:
            raise ValueError(f"turn {turn.number} is over: only the turn to be answered can be sampled")
        if self._draw is None:
            self._draw = self._sampler_now().draws(turn.observation)
        return self._draw

    def _sampler_now(self) -> SeriesSampler:
        if self._sampler is None:
            table = self._table
            self._sampler = new_sampler(table.game, table.options, table.seats, table.seat, table.starter)
        assert self._last is not None
        for event in map(self._last._event, chain.from_iterable(self._unread)):
            self._sampler.tell(event)
        self._unread.clear()
        return self._sampler


class Seated:
    """A bot at a table that is being played.

    Args:
        bot_class: the bot.
        table: the table.
    """

    def __init__(self, bot_class: type[Bot], table: TableInfo) -> None:
        self.bot = bot_class(table)
        self.history = History(table)

    def choose(self, turn: Turn, now: Callable[[], float]) -> Choice:
        """Returns the bot's choice in the next turn; `now` tells the time, in seconds."""
        self.history.add(turn)
        self.history.moments.append(now())
        chosen = self.bot.choose(turn)
        self.history.moments.append(now())
        return chosen if isinstance(chosen, Choice) else Choice(chosen)


def tried_actions(bot_class: type[Bot], request: analysis_pb2.TryActionsRequest) -> list[float]:
    """A bot's scores of actions, row by row, for a request that depends on nothing before it."""
    seated = Seated(bot_class, table_info(request.start))
    turn = Turn(request.turn, seated.history)
    seated.history.add(turn)
    actions = [turn.actions[index] for index in request.actions]
    return [score for row in seated.bot.try_actions(turn, actions, request.worlds) for score in row]


class Bank:
    """Estimates a bot's bank: a turn shows the bank only if it is below the move limit.

    Args:
        table: the table.
    """

    __slots__ = ("_decisions", "_increment", "_left", "_made", "_move", "_reserve")

    def __init__(self, table: TableInfo) -> None:
        self._increment, self._move = table.increment, table.move
        self._left = table.bank
        self._reserve = min(_RESERVE, table.bank / _SMALL)
        self._made = 0
        self._decisions = find_game(table.game).usual_decisions * _deals(table.options)

    def spent(self, elapsed: float) -> None:
        """Notes how long a decision took, in seconds."""
        self._left = max(0.0, self._left - elapsed) + self._increment
        self._made += 1

    def left(self, time_left: float) -> float:
        """The estimated content of the bank, in seconds.

        Args:
            time_left: how long the decision may take, in seconds: the bank itself
                if that is less than the move limit.
        """
        self._left = time_left if time_left < self._move else max(time_left, self._left)
        return self._left

    def share(self, time_left: float) -> float:
        """How long to think now, in seconds: an even share of the bank, and the increment.

        However long the game, the shares never use up the bank. The nearer the bank is to its reserve,
        the smaller is the part of the increment. So the reserve is left for times that the bot cannot
        see: the way to the referee and back, and a last step that takes too long.
        """
        ahead = max(self._decisions - self._made, self._decisions / _TAIL)
        left = self.left(time_left)
        spare = left - self._reserve
        full = min(1.0, spare / self._reserve) if self._reserve else 1.0
        share = max(spare / ahead + full * self._increment, left / _LEAST)
        return min(share, _MOST * time_left, max(time_left - _WAY, time_left / 2))


def _deals(options: Any) -> int:
    """The number of deals without tie-breaks."""
    names = [field.name for field in dataclasses.fields(options)]
    return next((getattr(options, name) for name in _DEALS if name in names), 1)


def outcome_of(end: bot_pb2.TableEnd) -> Outcome | None:
    """The outcome of a table; None if its game was void."""
    if not end.HasField("outcome"):
        return None
    return Outcome(tuple(end.outcome.places), tuple(end.outcome.points), end.outcome.reason)


def seconds(duration: Any) -> float:
    """A protobuf duration in seconds."""
    return float(duration.seconds + duration.nanos / 1e9)


def table_info(start: bot_pb2.TableStart) -> TableInfo:
    """The information in a table's start."""
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
