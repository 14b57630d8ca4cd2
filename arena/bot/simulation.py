"""Whole games between bot classes, in this process and without a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.bot.history import History
from arena.bot.player import Bot, Turn
from arena.bot.table_info import TableInfo
from arena.games import find_game
from arena.games.game import Action, Event, Game, WrongOption
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import KEY_BYTES, board_key, key_of_seed, seat_seed
from arena.table.record import Record
from arena.table.table import Ask, Table, TableRules

CLOCK = (60.0, 0.1, 5.0)
"""The bank, the increment and the move limit that bots are told of, in seconds, if none are given."""

MAX_FAULTS = 3


def simulate(
    game: str,
    bots: Sequence[type[Bot]],
    board: bytes | str,
    *,
    options: Any = None,
    starter: int = 0,
    clock: tuple[float, float, float] = CLOCK,
    max_faults: int = MAX_FAULTS,
) -> Record:
    """Plays a whole game between bots, as a referee plays it, but as fast as they choose.

    Bots get the values that they would get over the wire, so those that follow their
    seed alone play the same game as there. No clock runs: every turn has all the time
    there is. A choice that is not legal is a fault, as in a tournament; what a bot
    raises is raised here.

    Args:
        game: the game's id.
        bots: the bot of each seat.
        board: the 32-byte key of a board, as a record has it, or any text that stands for one.
        options: the game's options, by their names or as an instance of its `Options`;
            those not given are the defaults.
        starter: the seat that starts.
        clock: the bank, the increment and the move limit, in seconds.
        max_faults: the fault with this number forfeits the game.

    Returns the record, whose `outcome` says how it ended; `arena.table.record.replay`
    plays it again.

    Raises ValueError for a game that there is not, or a key that is none, and WrongOption for options or
    a number of seats that the game does not have.
    """
    rules = _rules(find_game(game), options, len(bots), starter, clock, max_faults)
    key = board_key(key_of_seed(""), game, board) if isinstance(board, str) else board
    if len(key) != KEY_BYTES:
        raise ValueError(f"a board's key has {KEY_BYTES} bytes, not {len(key)}")
    table = Table(rules, key)
    players = [_Player(bot, rules, seat, clock, seat_seed(key, seat)) for seat, bot in enumerate(bots)]
    while asks := table.asks():
        for ask in asks:
            table.answer(ask.seat, ask.turn, players[ask.seat].answer(ask), 0)
    record = table.record()
    for player in players:
        player.bot.ended(record.outcome)
    return record


def _rules(
    game: Game, options: Any, seats: int, starter: int, clock: tuple[float, ...], max_faults: int
) -> TableRules:
    if options is None or isinstance(options, Mapping):
        options = game.parse_options(options or {})
    if seats not in game.seats(options):
        allowed = game.seats(options)
        raise WrongOption(f"{game.id} is for {allowed[0]} to {allowed[-1]} seats, not {seats}")
    control = TimeControl(*(int(seconds * SECOND) for seconds in clock))
    return TableRules(game, options, seats, control, max_faults, starter)


class _Player:
    """A bot at a simulated table."""

    def __init__(
        self, bot: type[Bot], rules: TableRules, seat: int, clock: tuple[float, float, float], seed: bytes
    ) -> None:
        self._game = rules.game.id
        info = TableInfo(self._game, rules.options, rules.seats, seat, rules.starter, *clock, (), seed)
        self.bot = bot(info)
        self._history = History(info)

    def answer(self, ask: Ask) -> int:
        """The index of the action that the bot chooses; out of range where it is not legal."""
        turn = SimulatedTurn(self._game, ask, self._history)
        self._history.add(turn)
        self._history.moments.append(0.0)
        index = turn.actions.find(self.bot.choose(turn))
        self._history.moments.append(0.0)  # no clock runs
        return len(turn.actions) if index is None else index


class SimulatedTurn(Turn):
    """A turn that no message was made of."""

    __slots__ = ("_events", "_observation")

    actions: KnownActions

    def __init__(self, game: str, ask: Ask, history: History) -> None:
        self._history = history
        self.game = game
        self.number = ask.turn
        self.time_left = ask.time_left / SECOND
        self.actions = KnownActions(ask.actions)
        self._observation, self._events = ask.observation, ask.events

    @property
    def observation(self) -> Any:
        """What the seat sees."""
        return self._observation

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened since the last turn, oldest first."""
        return self._events


class KnownActions(tuple[Action, ...]):
    """Legal actions."""

    __slots__ = ()

    def find(self, action: Action) -> int | None:
        """The index of an action, None where it is not legal."""
        return self.index(action) if action in self else None
