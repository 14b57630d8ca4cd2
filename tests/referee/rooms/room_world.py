"""A room without processes or sockets, for tests of rooms."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

from arena.games import GAMES
from arena.link.streams.moments import Moment
from arena.referee.rooms.room import Room
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.table import TableRules
from arena.tournament.seating import Seating
from arena.v1 import bot_pb2

MOVE = 2 * SECOND


class Line:
    """A stream that keeps what was sent."""

    def __init__(self, time, takes=True):
        self.time = time
        self.takes = takes
        self.queues = True
        self.sent: list[bot_pb2.PlayRequest] = []
        self.batches: list[SimpleNamespace] = []

    def send(self, data, turns):
        request = bot_pb2.PlayRequest.FromString(data)
        assert len(request.turns) == turns
        self.sent.append(request)
        now = self.time.moment()
        batch = SimpleNamespace(
            queued=now if self.queues else None, sent=now if self.queues and self.takes else None
        )
        self.batches.append(batch)
        return batch

    def turns(self):
        """The turns sent since the last call."""
        turns = [turn for request in self.sent for turn in request.turns]
        self.sent = []
        return turns


class World:
    """A room with two bots, a time that stands still until it is moved, and what came of it all."""

    def __init__(self, **rules):
        self.now = 0
        self.played: list[Any] = []
        self.tables = itertools.count(1)
        self.void: list[Any] = []
        self.lag = 0
        self.room = Room(self.played.append, self.void.append, self.moment)
        self.lines = [Line(self), Line(self)]
        self.control = rules.pop("control", TimeControl(100 * SECOND, 0, MOVE))
        self.max_faults = rules.pop("max_faults", 3)

    def moment(self):
        return Moment(self.now, self.lag)

    def connect(self, *players):
        for player in players or (0, 1):
            self.room.connect(player, self.lines[player])

    def open(self, game="forty-one", board="1"):
        rules = TableRules(GAMES[game], GAMES[game].Options(), 2, self.control, self.max_faults)
        self.room.open(Seating(board, rules, board_key(bytes(32), game, board), (0, 1)), next(self.tables))
        self.room.flush()

    def answer(self, player, turn, action=0, thought=b""):
        self.room.decided(player, [(turn.table, turn.turn, action, thought)], self.moment())
        self.room.flush()

    def play_on(self, *players):
        """Lets the bots (or only these) answer every turn until none comes."""
        moved = True
        while moved:
            moved = False
            for player in players or (0, 1):
                for turn in self.lines[player].turns():
                    self.answer(player, turn)
                    moved = True

    def pass_time(self, nanoseconds):
        self.now += nanoseconds
        self.room.expire(self.moment())
        self.room.flush()

    def faults(self):
        (played,) = self.played
        return [(seat, fault.reason) for seat, _, fault in played.record.faults]
