"""Rooms in this process and in workers: bots play in them from any thread, connect and leave."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing

from arena.games import GAMES
from arena.link.streams.bot_fault import BotFault
from arena.link.streams.moments import Moment
from arena.link.streams.stream import BuiltInPlayer
from arena.link.streams.trio_thread import CombiningQueue, Failure, RefereeBug
from arena.link.wire.messages import Decision, decode_thoughts, encode_thoughts
from arena.referee.rooms.room import HOLD
from arena.referee.rooms.rooms import RoomInProcess, Rooms, open_rooms, workers_for
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.record import first_position, replay
from arena.table.table import TableRules
from arena.tournament.seating import Played, Seating
from arena.v1 import bot_pb2
from tests.patience import PATIENCE
from tests.referee.rooms.changes import gone, here, lost

PLENTY = TimeControl(100 * SECOND, 0, 20 * SECOND)
CRASH = BotFault("crash", "it fell over")


def seating(board: int, own_clocks: Mapping[int, TimeControl] = {}) -> Seating:
    rules = TableRules(GAMES["kleftis"], GAMES["kleftis"].Options(), 2, PLENTY, 3, own_clocks=own_clocks)
    return Seating(board, rules, board_key(bytes(32), "kleftis", str(board)), (0, 1))


class Bot:
    """A bot in this process that answers in a thread of its own."""

    def __init__(self, rooms: Rooms, player: int, kind: type[BuiltInPlayer] = BuiltInPlayer) -> None:
        def answer(decisions, read):
            threading.Thread(target=rooms.decided, args=(player, decisions, read)).start()

        self.player = kind(answer, rooms.now)
        rooms.bot_changed(here(player, self.player))


class Silent:
    """A stream whose bot takes every turn and never answers; it counts them."""

    turns = 0

    def send(self, data: bytes, turns: int) -> Any:
        self.turns += turns
        now = Moment(time.perf_counter_ns(), 0)
        return SimpleNamespace(queued=now, sent=now)


def play(
    workers: int, games: Iterable[Seating], first: Callable[[Rooms], object], then: Callable[[Rooms], object]
) -> list[Played]:
    """Plays games between two bots; `first` is done before they are opened, `then` after."""

    async def main() -> list[Played]:
        seatings = list(games)
        played: list[Played] = []
        over = trio.Event()

        def on_played(game: Played) -> None:
            played.append(game)
            if len(played) == len(seatings):
                over.set()

        rooms = open_rooms(workers, on_played, lambda seating: None)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(rooms.keep)
                first(rooms)
                for each in seatings:
                    rooms.open(each)
                then(rooms)
                with trio.fail_after(PATIENCE):
                    await over.wait()
                nursery.cancel_scope.cancel()
        finally:
            rooms.close()
        assert (rooms.worker_cpu > 0) == (workers > 0)
        return played

    return trio.run(main)


class Thinking(BuiltInPlayer):
    """A bot that says in every turn which action it chose."""

    def _answer(self, decisions: list[Decision]) -> None:
        super()._answer(
            [
                (table, turn, action, bot_pb2.Thought(text=str(action)).SerializeToString())
                for table, turn, action, _ in decisions
            ]
        )


def both_bots(rooms: Rooms) -> None:
    for player in (0, 1):
        Bot(rooms, player)


def silent_and_bot(rooms: Rooms) -> None:
    rooms.bot_changed(here(0, Silent()))
    Bot(rooms, 1)


def test_games_are_the_same_wherever_they_are_played():
    records = [
        {game.seating.key: game.record for game in play(workers, map(seating, range(10)), both_bots, id)}
        for workers in (0, 2)
    ]
    assert len(records[0]) == 10
    assert records == records[:1] * 2
    assert not any(record.faults for record in records[0].values())


@pytest.mark.parametrize("workers", [0, 1])
def test_what_a_bot_thought_comes_with_the_game(workers):
    def one_thinks(rooms: Rooms) -> None:
        Bot(rooms, 0, Thinking)
        Bot(rooms, 1)

    for game in play(workers, map(seating, range(3)), one_thinks, id):
        own, other = decode_thoughts(encode_thoughts(2, game.thoughts))
        steps = replay(game.record, first_position(game.record))
        chosen = [
            str(index)
            for step, index in zip(steps, game.record.actions, strict=True)
            if step.seat == 0 and step.choices > 1
        ]
        assert [thought.text for thought in own.values()] == chosen
        assert [*own] == [*range(1, game.decisions[0] + 1)]
        assert not other


@pytest.mark.parametrize("workers", [0, 2])
def test_a_bot_that_is_lost_and_back_plays_on(workers):
    def lose_and_return(rooms: Rooms) -> None:
        rooms.bot_changed(lost(0, CRASH))
        Bot(rooms, 0)

    played = play(workers, map(seating, range(8)), silent_and_bot, lose_and_return)
    faults = [[(seat, fault.reason) for seat, _, fault in game.record.faults] for game in played]
    assert faults == [[(0, "crash")]] * 8


@pytest.mark.parametrize("workers", [0, 1])
def test_a_bot_that_is_given_up_loses_its_games(workers):
    def give_up(rooms: Rooms) -> None:
        rooms.bot_changed(gone(0, CRASH))

    played = play(workers, map(seating, range(6)), silent_and_bot, give_up)
    assert [game.record.forfeits for game in played] == [(0,)] * 6


@pytest.mark.parametrize("workers", [0, 1])
def test_a_silent_bot_runs_out_of_time(workers):
    short = TimeControl(SECOND // 4, 0, SECOND // 8)
    (played,) = play(workers, [seating(1, {0: short})], silent_and_bot, id)
    assert [(seat, fault.reason) for seat, _, fault in played.record.faults] == [(0, "timeout")] * 3
    assert 0 < played.seat_times[0] <= SECOND // 4


def test_what_lies_in_the_current_folder_is_no_module_of_a_worker(tmp_path, monkeypatch):
    for name in ("arena.py", "random.py", "pickle.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')")
    monkeypatch.chdir(tmp_path)
    assert len(play(1, map(seating, range(2)), both_bots, id)) == 2


@pytest.mark.parametrize("workers", [0, 1])
def test_bots_are_sent_the_end_of_a_game_before_anybody_hears_of_it(workers):
    """Who ends a sitting after its last game ends the streams: what is sent later would be lost."""
    heard: list[int] = []

    async def main() -> None:
        played: list[Played] = []
        over = trio.Event()
        token = trio.lowlevel.current_trio_token()

        class Watched(BuiltInPlayer):
            def send(self, data: bytes, turns: int) -> Any:
                if bot_pb2.PlayRequest.FromString(data).ends:  # in any thread, also trio's
                    # Trio calls in the order in which it was asked: a game that was reported counts.
                    token.run_sync_soon(lambda: heard.append(len(played)))
                return super().send(data, turns)

        def on_played(game: Played) -> None:
            played.append(game)
            over.set()

        with closing(open_rooms(workers, on_played, lambda seating: None)) as rooms:
            for player in (0, 1):
                Bot(rooms, player, Watched)
            rooms.open(seating(0))
            with trio.fail_after(PATIENCE):
                await over.wait()

    trio.run(main)
    assert heard == [0, 0]


def test_what_is_held_back_goes_out_when_its_time_has_come():
    clock = trio.testing.MockClock()

    async def main() -> None:
        rooms = RoomInProcess(lambda played: None, lambda seating: None)
        bot = Silent()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(rooms.keep)
            for player, stream in enumerate((bot, Silent())):
                rooms.bot_changed(here(player, stream))
            rooms.open(seating(1))
            assert bot.turns == 1
            rooms.open(seating(2))
            opened = rooms.now().time
            while rooms.now().time < opened + HOLD:
                await trio.testing.wait_all_tasks_blocked()
            assert bot.turns == 1  # that of the second table waits for the answer to the first
            clock.jump(HOLD / 1e9)
            await trio.testing.wait_all_tasks_blocked()
            assert bot.turns == 2
            nursery.cancel_scope.cancel()

    trio.run(main, clock=clock)


@pytest.mark.parametrize(
    ("tables", "bots", "workers"), [(1, 2, 0), (15, 2, 0), (16, 2, 1), (64, 64, 1), (64, 65, 0)]
)
def test_workers_are_for_many_tables_of_few_bots(tables, bots, workers):
    assert workers_for(tables, bots) == workers


def test_a_combining_queue_does_everything_once_and_in_order():
    done: list[tuple[int, int]] = []
    inside = threading.Lock()

    def do(things: list[tuple[int, int]]) -> None:
        assert inside.acquire(blocking=False)
        done.extend(things)
        inside.release()

    async def main() -> None:
        queue = CombiningQueue(do, Failure())

        def bring(thread: int) -> None:
            for number in range(500):
                queue.put((thread, number))

        async with trio.open_nursery() as nursery:
            for thread in range(8):
                nursery.start_soon(trio.to_thread.run_sync, bring, thread)
        with trio.fail_after(PATIENCE):
            while len(done) < 8 * 500:  # what is left is left to this thread
                await trio.lowlevel.checkpoint()

    trio.run(main)
    for thread in range(8):
        assert [number for who, number in done if who == thread] == list(range(500))


def test_an_error_of_what_handles_a_queue_is_noted_and_not_raised():
    def go_wrong(things: list[str]) -> None:
        raise LookupError(*things)

    async def main() -> None:
        failure = Failure()
        CombiningQueue(go_wrong, failure).put("a slip")
        with trio.fail_after(PATIENCE), pytest.raises(RefereeBug, match="a slip"):
            await failure.wait()

    trio.run(main)
