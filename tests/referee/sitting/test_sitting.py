"""A sitting gives out every finished game once, while bots connect and leave."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import AsyncIterator, Callable, Iterable
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from arena.games import GAMES
from arena.games.hyrule import Hyrule
from arena.league.entrants import Entrant
from arena.link.streams.bot_fault import Excused
from arena.link.streams.dial import BotInfo
from arena.link.streams.stream import Batch, BuiltInPlayer
from arena.link.streams.trio_thread import RefereeBug
from arena.referee.presence import State
from arena.referee.sitting.keeper import Keeper
from arena.referee.sitting.sitting import Sitting
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.table import TableRules
from arena.tournament.seating import Played, Seating
from arena.v1 import bot_pb2
from tests.patience import PATIENCE
from tests.referee.rooms.changes import here, lost

PLENTY = TimeControl(1000 * SECOND, 0, 1000 * SECOND)


def game(number: int, players: tuple[int, int] = (0, 1)) -> Seating:
    rules = TableRules(GAMES["hyrule"], GAMES["hyrule"].Options(), 2, PLENTY, 3)
    return Seating(number, rules, board_key(bytes(32), "hyrule", str(number)), players)


class Bot(Keeper):
    """Keeps a bot of this process, and knows at which tables it sits and which were over."""

    def __init__(self, player: int, sitting: Sitting, max_tables: int = 0) -> None:
        super().__init__(player, Entrant(f"bot {player}", join=True), sitting, lambda news: None)
        self.info = BotInfo("bot", "", "", tuple(GAMES), max_tables)
        self.player_of_house = BuiltInPlayer(
            lambda decisions, read: self._events.decided(player, decisions, read), sitting.now
        )
        self.tables: set[int] = set()
        self.most = self.began = self.over = self.void = 0
        self.gone = False

    async def _keep(self) -> None:
        self._become(State.HERE, stream=self)
        try:
            await trio.sleep_forever()
        finally:
            self.gone = True

    def send(self, data: bytes, turns: int) -> Batch:
        """Its stream."""
        request = bot_pb2.PlayRequest.FromString(data)
        for end in request.ends:
            self.tables.remove(end.table)
            self.over += end.HasField("outcome")
            self.void += not end.HasField("outcome")
        self.tables |= {start.table for start in request.starts}
        self.began += len(request.starts)
        self.most = max(self.most, len(self.tables))
        return self.player_of_house.send(data, turns)


class Silent(Bot):
    """A bot that answers nothing."""

    def send(self, data: bytes, turns: int) -> Batch:
        batch = Batch(data, turns, self._events.now())
        batch.sent = batch.queued
        return batch


@contextlib.asynccontextmanager
async def sitting_of(
    games: Iterable[Seating], workers: int = 0, bots: Iterable[type[Bot]] = (Bot, Bot), max_tables: int = 0
) -> AsyncIterator[Any]:
    """An open sitting with bots seated."""
    sitting = Sitting(workers=workers)
    sitting.add(games)
    with contextlib.closing(sitting), trio.fail_after(PATIENCE):
        async with sitting.open():
            seated = [kind(number, sitting, max_tables) for number, kind in enumerate(bots)]
            for bot in seated:
                sitting.add_bot(bot)
            yield SimpleNamespace(sitting=sitting, bots=seated)
    assert all(bot.gone for bot in seated)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await trio.sleep(0.001)


async def take(sitting: Sitting, games: int, concurrency: int) -> list[Played]:
    """Plays on until so many games were given out."""
    played: list[Played] = []
    async for batch in sitting.played(concurrency):
        assert batch
        played += batch
        if len(played) >= games:
            break
    return played


def keys(played: Iterable[Played]) -> list[Any]:
    return sorted(each.seating.key for each in played)


def error_in(group: BaseException) -> BaseException:
    while isinstance(group, BaseExceptionGroup):
        (group,) = group.exceptions
    return group


@pytest.mark.parametrize("workers", [0, 2])
def test_each_game_comes_out_once(workers):
    async def main() -> None:
        async with sitting_of(map(game, range(40)), workers) as at:
            played = await take(at.sitting, 40, 4)
            assert keys(played) == list(range(40))
            assert not any(each.record.faults for each in played)
            assert max(bot.most for bot in at.bots) <= 4
            assert at.sitting.decisions == sum(sum(each.decisions) for each in played)
        assert (at.sitting.worker_cpu > 0) == (workers > 0)

    trio.run(main)


def unfinished(sitting: Sitting) -> set[int]:
    """The numbers of the games that a sitting has not done with."""
    return {key for key, _ in sitting.unfinished}


def test_nothing_begins_while_too_much_is_not_dealt_with():
    async def main() -> None:
        async with sitting_of(map(game, range(100))) as at:
            batches = at.sitting.played(2)
            played = await anext(batches)
            bot = at.bots[0]
            await until(lambda: bot.began >= 8 and not bot.tables)
            assert bot.began <= 10
            assert unfinished(at.sitting) == set(range(bot.began))
            before = bot.began
            at.sitting.begin()
            assert bot.began == before  # however often it is asked
            while len(played) < 100:
                played += await anext(batches)
            assert keys(played) == list(range(100))

    trio.run(main)


def test_what_is_dealt_with_is_not_unfinished_any_more():
    async def main() -> None:
        async with sitting_of(map(game, range(3))) as at:
            batches = at.sitting.played(1)
            dealt_with: list[Played] = []
            for _ in range(3):
                batch = await anext(batches)
                assert set(keys(batch)) <= unfinished(at.sitting)
                assert unfinished(at.sitting).isdisjoint(keys(dealt_with))
                dealt_with += batch
                if len(dealt_with) == 3:
                    break
            at.sitting.end()
            assert [batch async for batch in batches] == []
            assert at.sitting.unfinished == set()

    trio.run(main)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_bot_that_is_seated_later_plays(workers):
    async def main() -> None:
        games = [game(number, (number % 2, 2)) for number in range(4)]
        games += [game(number) for number in range(4, 10)]
        async with sitting_of(games, workers) as at:
            first = await take(at.sitting, 6, 8)
            assert keys(first) == list(range(4, 10))
            late = Bot(2, at.sitting)
            at.sitting.add_bot(late)
            second = await take(at.sitting, 4, 8)
            assert keys(second) == list(range(4))
            assert late.began == 4
            assert not any(each.record.faults for each in second)
        assert late.gone

    trio.run(main)


def test_a_bot_sits_at_no_more_tables_than_it_can():
    async def main() -> None:
        async with sitting_of(map(game, range(10)), max_tables=1) as at:
            assert keys(await take(at.sitting, 10, 4)) == list(range(10))
            # one begins in the batch in which the other ends
            assert max(bot.most for bot in at.bots) <= 1

    trio.run(main)


def test_a_void_game_is_played_again():
    async def main() -> None:
        async with sitting_of([game(0)], bots=(Silent, Bot)) as at:
            async with trio.open_nursery() as nursery:

                async def void() -> None:
                    await until(lambda: at.bots[1].began == 1)
                    at.sitting.bot_changed(lost(0, Excused("the door ended")))
                    await until(lambda: at.bots[1].began == 2)
                    at.sitting.bot_changed(here(0, Bot(0, at.sitting)))

                nursery.start_soon(void)
                (played,) = await take(at.sitting, 1, 1)
            assert (at.bots[1].void, at.bots[1].over) == (1, 1)
            assert played.record.faults == ()

    trio.run(main)


def test_what_came_due_can_be_forgotten_and_come_due_again():
    async def main() -> None:
        sitting = Sitting()
        sitting.add(map(game, range(20)))
        with trio.fail_after(PATIENCE):
            async with sitting.open():
                for number in (0, 1):
                    sitting.add_bot(Bot(number, sitting, 1))
                batches = sitting.played(4)
                played = await anext(batches)
                sitting.forget_due()
                left = set(range(20)) - unfinished(sitting) - set(keys(played))
                sitting.add(map(game, sorted(left)))
                sitting.begin()
                while len(played) < 20:
                    played += await anext(batches)
                assert keys(played) == list(range(20))

    trio.run(main)


@pytest.mark.parametrize("workers", [0, 1])
def test_the_end_ends_what_is_played_and_what_was_over_comes_out(workers):
    async def main() -> None:
        async with sitting_of([game(0), game(1, (1, 2))], workers) as at:  # 2 is not there
            batches = at.sitting.played(2)
            bot = at.bots[1]
            at.sitting.begin()
            await until(lambda: bot.over == 1)
            at.sitting.end()
            played = [each async for batch in batches for each in batch]
            await until(lambda: bot.void == 1)
            while not played:  # its report was on its way
                await trio.sleep(0.001)
                played += at.sitting.rest()
            assert keys(played) == [0]

    trio.run(main)


class Slip(Exception):
    """What goes wrong in a test."""


async def leave_by_error(sitting: Sitting) -> None:
    raise Slip


async def leave_by_cancelling(sitting: Sitting) -> None:
    nursery = trio.lowlevel.current_task().parent_nursery
    assert nursery is not None
    nursery.cancel_scope.cancel()
    await trio.sleep_forever()


class Wrong(Hyrule):
    """A game whose rules go wrong when it begins."""

    def new(self, *arguments: object) -> Any:
        raise LookupError("a slip")


async def leave_by_bug(sitting: Sitting) -> None:
    wrong = game(1000)
    sitting.rooms.open(dataclasses.replace(wrong, rules=dataclasses.replace(wrong.rules, game=Wrong())))
    await trio.sleep_forever()


@pytest.mark.parametrize(
    ("leave", "error"), [(leave_by_error, Slip), (leave_by_cancelling, None), (leave_by_bug, RefereeBug)]
)
def test_whatever_ends_it_bots_are_let_go_and_nothing_is_lost_that_was_over(leave, error):
    given: list[Played] = []
    bots: list[Bot] = []

    async def main() -> None:
        async with sitting_of(map(game, range(1000))) as at:
            bots.extend(at.bots)
            try:
                async for batch in at.sitting.played(3):
                    given.extend(batch)
                    if len(given) >= 5:
                        await leave(at.sitting)
            finally:
                given.extend(at.sitting.rest())

    async def outer() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(main)

    if error is None:
        trio.run(outer)
    else:
        with pytest.raises(BaseExceptionGroup) as caught:
            trio.run(outer)
        assert isinstance(error_in(caught.value), error)
    assert len(set(keys(given))) == len(given)
    assert 5 <= len(given) < 1000
    assert all(bot.gone for bot in bots)
    assert bots[0].over - len(given) <= 3  # at the most those whose end was on its way
