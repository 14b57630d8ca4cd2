"""Every game counts once, even if workers are lost; a bot that kills workers is found."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.link.local.sandbox import Level, Sandbox
from arena.link.streams.dial import BotFault
from arena.referee.cluster.batches import MOST_GAMES, TARGET, WINDOW, Batches
from arena.referee.cluster.messages import Batch, Bot, BotUnavailable, Result
from arena.referee.cluster.workers import BatchGivenUp
from arena.results import GameKey
from arena.table.clock import TimeControl
from arena.table.table import TableRules
from arena.tournament.seating import Played, Seating
from tests.examples import examples

RULES = TableRules(GAMES["hyrule"], GAMES["hyrule"].parse_options({}), 2, TimeControl(1, 1, 1), 3)
NOTHING: Any = None  # a record, of which nothing is asked here
PLAYED = Played(NOTHING, NOTHING, (), (), ())


def board(match: int, number: int, players: tuple[int, ...]) -> list[Seating]:
    """The games of a board of two."""
    return [
        Seating(GameKey(0, 0, match, "hyrule", number, rotation), RULES, b"", players[:: 1 - 2 * rotation])
        for rotation in range(2)
    ]


def round_robin(bots: int, boards: int) -> list[Seating]:
    """All games of all pairs."""
    pairs = enumerate(itertools.combinations(range(bots), 2))
    return [game for match, pair in pairs for number in range(boards) for game in board(match, number, pair)]


class Keeper:
    """The keeper of a bot: what it is told."""

    def __init__(self, player: int) -> None:
        self.bot = Bot(f"{player}", "", "", Sandbox(Level.BASIC))
        self.absent: tuple[str, str] | None = None
        self.at_home = False

    def say(self, what: str) -> None:
        pass

    def dismiss(self, why: BotFault) -> None:
        assert self.absent is None
        self.absent = why.reason, why.message

    def stay_home(self) -> None:
        self.at_home = True


class AnyWorkers:
    """Workers as dask has them: a batch with bots that end workers is given up, another one sometimes too.

    Attributes:
        accidents: how many batches are given up for which no bot is to blame.
        nowhere: the bots that come up at no worker.
        together: whether it takes two bots that end workers to end one.
    """

    def __init__(self, rng: random.Random, number: int, killers: set[int], accidents: int) -> None:
        self.run = "run"
        self.number = number
        self.killers = killers
        self.accidents = accidents
        self.nowhere: set[int] = set()
        self.together = False
        self.asked: list[Batch] = []
        self.at_once = 0
        self._rng = rng

    async def lost(self) -> None:
        await trio.sleep_forever()

    async def ask(self, batch: Batch) -> Result:
        assert batch.bots.keys().isdisjoint(batch.absent)
        assert {player for seating in batch.seatings for player in seating.players} == (
            batch.bots.keys() | batch.absent.keys()
        )
        self.asked.append(batch)
        self.at_once += 1
        assert self.at_once <= WINDOW * self.number
        asked = {int(bot.name) for bot in batch.bots.values()}  # a bot may sit in all seats
        alone = self.at_once == 1 and len(asked) < 2
        await trio.sleep(self._rng.random())
        self.at_once -= 1
        for player in asked & self.nowhere:
            raise BotUnavailable(player, "crash", "does not come up")
        if len(asked & self.killers) > self.together:
            raise BatchGivenUp
        if self.accidents and not alone:
            self.accidents -= 1
            raise BatchGivenUp
        return Result({}, [PLAYED] * len(batch.seatings), (), len(batch.seatings))


class Simulation:
    """Games that are played on a cluster."""

    def __init__(self, seed: int, bots: int, workers: int, killers: set[int], accidents: int) -> None:
        self.counted: Counter[GameKey] = Counter()
        self.at_home: Counter[GameKey] = Counter()
        self.keepers = {player: Keeper(player) for player in range(bots)}
        self.workers = AnyWorkers(random.Random(seed), workers, killers, accidents)
        there: Any = self.workers
        those: Any = self.keepers
        self.batches = Batches(there, those, 4, self._open_again, self._count)

    @property
    def absent(self) -> set[int]:
        """The bots that are asked no more."""
        return {player for player, keeper in self.keepers.items() if keeper.absent is not None}

    def _count(self, played: Played) -> None:
        self.counted[played.seating.key] += 1

    def _open_again(self, seating: Seating) -> None:
        if any(self.keepers[player].at_home for player in seating.players):
            self.at_home[seating.key] += 1
        else:
            self.batches.open(seating)

    def play(self, seatings: list[Seating]) -> None:
        """Plays some games to the end; each counts once."""

        async def play() -> None:
            for seating in seatings:
                self.batches.open(seating)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.batches.run)
                while (self.counted + self.at_home).total() < len(seatings):
                    await trio.sleep(1)
                await trio.sleep(10)
                nursery.cancel_scope.cancel()

        trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
        assert self.counted + self.at_home == Counter(seating.key for seating in seatings)


@examples(60)
@given(st.integers(0, 1 << 30), st.integers(1, 5), st.sets(st.integers(0, 4), max_size=3), st.integers(0, 20))
def test_each_game_counts_once_and_all_that_end_workers_and_only_they_are_charged(
    seed, workers, killers, accidents
):
    simulation = Simulation(seed, 5, workers, killers, accidents)
    simulation.play(round_robin(5, 6))
    assert simulation.absent == killers


@examples(20)
@given(st.integers(0, 1 << 30), st.integers(1, 4))
def test_a_game_that_ends_workers_by_no_bot_alone_is_played_with_none_asked(seed, workers):
    simulation = Simulation(seed, 4, workers, {1, 2}, 0)
    simulation.workers.together = True
    simulation.play(round_robin(4, 6))
    assert simulation.absent == set()
    unasked = [batch for batch in simulation.workers.asked if not batch.bots]
    assert sorted(seating.key for batch in unasked for seating in batch.seatings) == [
        seating.key for seating in round_robin(4, 6) if set(seating.players) == {1, 2}
    ]


@examples(20)
@given(st.integers(0, 1 << 30), st.integers(1, 4))
def test_the_games_of_a_bot_that_comes_up_at_no_worker_are_played_at_home(seed, workers):
    simulation = Simulation(seed, 4, workers, set(), 0)
    simulation.workers.nowhere = {2}
    games = round_robin(4, 6)
    simulation.play(games)
    assert simulation.at_home.keys() == {seating.key for seating in games if 2 in seating.players}
    assert simulation.absent == set()


def test_batches_are_whole_boards_and_grow_to_what_takes_their_time():
    simulation = Simulation(1, 2, 2, set(), 0)
    simulation.play(board(0, 0, (0, 1)) * 1 + [game for n in range(1, 400) for game in board(0, n, (0, 1))])
    sizes = [len(batch.seatings) for batch in simulation.workers.asked]
    assert sizes[0] == 4
    assert max(sizes) == TARGET  # for a game takes a second
    assert all(size % 2 == 0 for size in sizes)
    assert max(sizes) <= MOST_GAMES


def test_what_no_worker_has_is_taken_back():
    simulation = Simulation(1, 2, 2, set(), 0)
    games = [game for number in range(40) for game in board(0, number, (0, 1))]

    async def play() -> None:
        for game in games:
            simulation.batches.open(game)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(simulation.batches.run)
            await trio.testing.wait_all_tasks_blocked()
            back = simulation.batches.recall()
            assert len(back) == len(games) - 4 * WINDOW * 2
            await trio.sleep(10)
            assert not {game.key for game in back} & simulation.counted.keys()
            assert len(simulation.counted) == len(games) - len(back)
            nursery.cancel_scope.cancel()

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))


def test_games_that_wait_for_a_worker_are_played_once_one_has_come():
    simulation = Simulation(1, 2, 0, set(), 0)

    async def play() -> None:
        for game in board(0, 0, (0, 1)):
            simulation.batches.open(game)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(simulation.batches.run)
            await trio.testing.wait_all_tasks_blocked()
            assert not simulation.workers.asked
            simulation.workers.number = 1
            simulation.batches.look_again()
            await trio.sleep(10)
            nursery.cancel_scope.cancel()

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    assert simulation.counted.total() == 2
