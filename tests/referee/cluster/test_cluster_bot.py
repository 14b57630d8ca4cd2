"""A bot of a cluster is here at the workers, or on this machine: who is told of which."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import trio

from arena.league.entrants import Entrant
from arena.link.streams.bot_fault import BotFault
from arena.link.streams.moments import Moment
from arena.link.streams.stream import BuiltInPlayer
from arena.link.wire.messages import Decision
from arena.referee.cluster.bots import ClusterBot
from arena.referee.presence import State
from arena.referee.rooms.rooms import BotChange
from arena.referee.sitting.keeper import Attendance, Start

NO_WORKERS: Any = None


class Told:
    """Gets the events of a bot, and keeps its state and the instances that have changed."""

    def __init__(self) -> None:
        self.state: State | None = None
        self.numbers: list[int] = []

    def bot_changed(self, change: BotChange) -> None:
        self.state = change.state
        self.numbers += change.numbers

    def decided(self, number: int, decisions: Sequence[Decision], read: Moment) -> None:
        raise AssertionError("nothing is played")

    def now(self) -> Moment:
        return Moment(0, 0)


def test_the_sitting_is_told_of_the_presence_that_counts_and_the_rooms_of_that_on_this_machine():
    async def main() -> None:
        sitting, rooms = Told(), Told()
        news: list[Attendance] = []
        entrant = Entrant("bot", address="127.0.0.1:1")
        bot = ClusterBot(NO_WORKERS, rooms, 0, entrant, sitting, news.append, Path("bot.log"), Start())
        stream = BuiltInPlayer(lambda decisions, read: None, rooms.now)

        bot._become(State.HERE)  # a worker has asked it what it is
        assert (sitting.state, rooms.state) == (State.HERE, None)
        assert bot.settled.is_set()
        bot.home._become(State.HERE, stream=stream)  # a game needed it here
        bot.home._lose(0, BotFault("crash", "fell over"), "and is dialled again")
        assert (sitting.state, rooms.state) == (State.HERE, State.LOST)
        assert (bot.presence.state, bot.presence.came) == (State.HERE, True)
        assert news[-1].here, "it plays on at the workers"

        bot.stay_home()
        assert (sitting.state, bot.presence.state) == (State.LOST, State.LOST)
        assert not news[-1].here
        bot.home._become(State.HERE, stream=stream)
        assert (sitting.state, rooms.state, bot.presence.state) == (State.HERE,) * 3
        bot.dismiss(BotFault("disconnect", "was withdrawn"))
        assert (sitting.state, rooms.state, bot.presence.state) == (State.DISMISSED,) * 3
        assert rooms.numbers == [0] * 4
        assert sitting.numbers == [], "its rooms are told already"

    trio.run(main)


def test_a_bot_that_cannot_come_up_here_goes_on_at_the_workers_until_it_plays_here_alone():
    async def main() -> None:
        sitting, rooms = Told(), Told()
        entrant = Entrant("bot", address="127.0.0.1:1")
        bot = ClusterBot(NO_WORKERS, rooms, 0, entrant, sitting, lambda news: None, Path("bot.log"), Start())
        bot._become(State.HERE)
        bot.home._give_up(BotFault("timeout", "did not come up"))
        assert (sitting.state, rooms.state) == (State.HERE, State.GONE)
        assert bot.absent is None, "workers ask it"
        bot.stay_home()
        assert sitting.state is State.GONE
        assert bot.absent == ("timeout", "did not come up")

    trio.run(main)
