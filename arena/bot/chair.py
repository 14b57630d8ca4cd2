"""A chair for a person: a bot whose choices come from a queue, served to the referee like any other bot."""

from __future__ import annotations

import queue
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, NamedTuple

import grpc

from arena.bot.player import Action, Bot, TableInfo, Turn
from arena.bot.server import BotService
from arena.games.game import Outcome, Seat
from arena.temporary import temporary_folder


class Over(NamedTuple):
    """The game is over; `forfeits` are the seats that forfeited."""

    outcome: Outcome
    forfeits: Sequence[Seat] = ()


class Void:
    """The game is void, and is played again."""


class Chair:
    """A person's chair at a table.

    Attributes:
        news: the messages to the person: the table at its beginning, then turns, then the end.
        choices: the person's choices, one for each turn; None after the person has left.
    """

    def __init__(self) -> None:
        self.news: queue.SimpleQueue[TableInfo | Turn | Over | Void] = queue.SimpleQueue()
        self.choices: queue.SimpleQueue[Action | None] = queue.SimpleQueue()

    def person(self) -> type[Bot]:
        """The bot that makes the person's choices."""
        chair = self

        class Person(Bot):
            name: ClassVar[str] = "you"
            max_tables: ClassVar[int] = 1

            def __init__(self, table: TableInfo) -> None:
                super().__init__(table)
                chair.news.put(table)

            def choose(self, turn: Turn) -> Action:
                chair.news.put(turn)
                return chair.chosen(turn) or turn.actions[0]

            def ended(self, outcome: Outcome | None) -> None:
                chair.news.put(Over(outcome, self.forfeits) if outcome else Void())

        return Person

    def chosen(self, turn: Turn) -> Action | None:
        """Waits for the person's choice in a turn; None if the person has left."""
        return self.choices.get()

    @contextmanager
    def served(self) -> Iterator[str]:
        """Serves the bot on a local socket, and yields the address."""
        server = grpc.server(ThreadPoolExecutor(max_workers=4))
        server.add_generic_rpc_handlers(BotService(self.person()).handlers())
        with temporary_folder() as folder:
            address = f"unix:{Path(folder) / 'chair.sock'}"
            server.add_insecure_port(address)
            server.start()
            try:
                yield address
            finally:
                self.choices.put(None)  # a turn may still wait for a choice
                server.stop(0)
