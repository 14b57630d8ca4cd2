"""Plays whole games between bot classes, in this process and without a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.bot.classes import wrong_class
from arena.bot.player import Bot, History, Seated, TableInfo, Turn
from arena.games import find_game
from arena.games.game import Action, Event, Game, Seat, WrongOption
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import KEY_BYTES, board_key, key_of_seed, seat_seed
from arena.table.position import View
from arena.table.record import Record
from arena.table.table import Ask, Table, TableRules

CLOCK = (60.0, 0.1, 5.0)
"""The default bank, increment and move limit that bots are told, in seconds."""

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
    """Plays a whole game between bots like a referee, but as fast as they choose.

    Bots get the same values as from a referee, so a bot that depends only on its
    seed plays the same game. No clock runs: every turn has all the bank and the move
    limit. An illegal choice is a fault, as in a tournament. An exception in a bot
    is raised here.

    Args:
        game: the game's id.
        bots: the bot of each seat.
        board: the 32-byte key of a board, as a record has it, or any text that stands for one.
        options: the game's options, by their names or as an instance of its `Options`;
            those not given are the defaults.
        starter: the seat that starts.
        clock: the bank, the increment and the move limit, in seconds.
        max_faults: the fault with this number forfeits the game.

    Returns the record, whose `outcome` says how the game ended; `arena.table.record.replay`
    plays it again.

    Raises ValueError for an unknown game, an invalid key or a class that cannot play, and WrongOption for
    options or a number of seats that the game does not have.
    """
    for bot in bots:
        if problem := wrong_class(bot):
            raise ValueError(problem)
    rules = _rules(find_game(game), options, len(bots), starter, clock, max_faults)
    key = board_key(key_of_seed(""), game, board) if isinstance(board, str) else board
    if len(key) != KEY_BYTES:
        raise ValueError(f"a board's key has {KEY_BYTES} bytes, not {len(key)}")
    table = Table(rules, key)
    players = [Seated(bot, _table_info(rules, seat, clock, key)) for seat, bot in enumerate(bots)]
    while asks := table.asks():
        for ask in asks:
            player = players[ask.seat]
            turn = SimulatedTurn(rules.game.id, ask, player.history)
            index = turn.actions.find(player.choose(turn, lambda: 0.0).action)  # no clock runs
            table.answer(ask.seat, ask.turn, len(turn.actions) if index is None else index, 0)
    record = table.record()
    for player in players:
        player.bot.forfeits = record.forfeits
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


def _table_info(rules: TableRules, seat: Seat, clock: tuple[float, float, float], key: bytes) -> TableInfo:
    seed = seat_seed(key, seat)
    return TableInfo(rules.game.id, rules.options, rules.seats, seat, rules.starter, *clock, (), seed)


class SimulatedTurn(Turn):
    """A turn without a message."""

    __slots__ = ("_observation", "_time_left")

    actions: KnownActions

    def __init__(self, game: str, ask: Ask[View], history: History) -> None:
        self._history = history
        self.game = game
        self.number = ask.turn
        self._time_left = ask.time_left / SECOND
        self._told, self._observation, actions = ask.view
        self.actions = KnownActions(actions)

    @property
    def time_left(self) -> float:
        """How long the decision may take, in seconds."""
        return self._time_left

    @property
    def observation(self) -> Any:
        """The seat's observation."""
        return self._observation

    def _event(self, told: Event) -> Event:
        return told


class KnownActions(tuple[Action, ...]):
    """Legal actions."""

    __slots__ = ()

    def find(self, action: Action) -> int | None:
        """The index of an action, None if it is not legal."""
        return self.index(action) if action in self else None
