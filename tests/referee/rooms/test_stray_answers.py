"""A bot is charged for the same answers, at the same tables, in the process and with workers."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from arena.games import GAMES
from arena.link.streams.moments import Moment
from arena.link.wire.messages import Decision
from arena.referee.rooms.room import CollectOpenTurns
from arena.referee.rooms.rooms import Rooms, open_rooms
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.record import Fault
from arena.table.table import Table, TableRules
from arena.tournament.seating import Played, Seating
from tests.examples import tried
from tests.patience import PATIENCE
from tests.referee.rooms.changes import here

BOTS = range(3)
MOST_OPEN = 4
PLENTY = TimeControl(1000 * SECOND, 0, 1000 * SECOND)


class Silent:
    """A stream whose bot takes every turn."""

    def send(self, data: bytes, turns: int) -> Any:
        now = Moment(time.perf_counter_ns(), 0)
        return SimpleNamespace(queued=now, sent=now)


class Model:
    """What is to happen at the tables, worked out one table after the other."""

    def __init__(self) -> None:
        self.opened: list[tuple[Seating, Table[Any]]] = []
        self.steps: list[Seating | tuple[int, list[Decision]]] = []

    def open(self, seating: Seating) -> None:
        self.steps.append(seating)
        self.opened.append((seating, Table(seating.rules, seating.board_key)))
        self.opened[-1][1].asks()

    def decide(self, player: int, decisions: list[Decision]) -> None:
        self.steps.append((player, decisions))
        for table, turn, action, _ in decisions:
            if 0 < table <= len(self.opened):
                seating, at = self.opened[table - 1]
                if player in seating.players and not at.over:
                    at.answer(seating.players.index(player), turn, action, 0)
                    at.asks()
            elif (oldest := next(self.running(player), None)) is not None:
                at, seat = self.opened[oldest - 1][1], self.opened[oldest - 1][0].players.index(player)
                at.stray(seat, f"there is no table {table}")
                at.asks()

    def running(self, player: int) -> Iterator[int]:
        """The open tables at which a bot sits, the oldest first."""
        for number, (seating, table) in enumerate(self.opened, start=1):
            if player in seating.players and not table.over:
                yield number

    def right(self) -> Iterator[tuple[int, Decision]]:
        """The answers to the turns that are open."""
        for number, (seating, table) in enumerate(self.opened, start=1):
            for seat, player in enumerate(seating.players):
                if not table.over and table.waits_for(seat, turn := table.turns_of(seat)):
                    yield player, (number, turn, 0, b"")

    def charges(self) -> list[list[tuple[int, int, Fault]] | None]:
        """The faults at each table: the seat, after how many actions, and the fault; None if it runs."""
        return [[*table.record().faults] if table.over else None for _, table in self.opened]


def script(chance: random.Random) -> Model:
    """Games that begin and end, answers for tables that never were, that are over, and of others."""
    model = Model()
    while len(model.opened) < 8 or any(not table.over for _, table in model.opened):
        if len(model.opened) < 8 and sum(not table.over for _, table in model.opened) < MOST_OPEN:
            number, max_faults = len(model.opened), chance.choice([2, 5])
            rules = TableRules(GAMES["hyrule"], GAMES["hyrule"].Options(), 2, PLENTY, max_faults)
            key = board_key(bytes(32), "hyrule", str(number))
            model.open(Seating(number, rules, key, tuple(chance.sample(BOTS, 2))))
        player, answer = chance.choice([*model.right()])
        model.decide(player, [answer] + ([stray(chance, model)] if chance.random() < 0.2 else []))
        if chance.random() < 0.2:
            babble = [stray(chance, model), answer, (chance.randint(1, len(model.opened)), 0, 0, b"")]
            chance.shuffle(babble)
            model.decide(chance.choice(BOTS), babble[: chance.randint(1, 2)])
    return model


def stray(chance: random.Random, model: Model) -> Decision:
    after = len(model.opened)
    return (chance.choice([0, after + 1, after + 2, 77, 2**32 - 1]), 1, 0, b"")


async def settle(rooms: Rooms) -> None:
    """Waits until the rooms have handled everything; an answer may be handed back once for each table."""
    for _ in range(MOST_OPEN + 1):
        rooms._turns_told = []
        rooms.hear(CollectOpenTurns(False))
        while len(rooms._turns_told) < rooms._rooms:
            rooms._turns_came = trio.Event()
            await rooms._turns_came.wait()


async def charged(steps: Sequence[Seating | tuple[int, list[Decision]]], workers: int) -> list[Any]:
    """The faults at each table of rooms in so many workers, as `Model.charges` gives them."""
    played: dict[int, Played] = {}
    with closing(
        open_rooms(workers, lambda game: played.update({game.seating.key: game}), lambda seating: None)
    ) as rooms:
        for player in BOTS:
            rooms.bot_changed(here(player, Silent()))
        for step in steps:
            if isinstance(step, Seating):
                rooms.open(step)
            else:
                player, decisions = step
                rooms.decided(player, decisions, rooms.now())
            await settle(rooms)
    return [[*played[key].record.faults] if key in played else None for key in range(8)]


@pytest.mark.parametrize("workers", [0, 1, pytest.param(3, marks=pytest.mark.campaign)])
def test_each_answer_is_charged_where_the_rule_says(workers):
    async def main() -> None:
        for number in range(tried(8)):
            model = script(random.Random(number))
            with trio.fail_after(PATIENCE):
                assert await charged(model.steps, workers) == model.charges(), number

    trio.run(main)
