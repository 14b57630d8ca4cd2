"""Where a worker plays: one sitting for all batches of a run, whose bots stay between them.

It lives in a thread of its own, for the engine calls from whichever thread it likes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any

import trio

from arena.cluster.bundle import Shelf, cache_folder, clear
from arena.cluster.parcels import Absent, Bot, Introduced, Lacks, Order, Result, Told, Word
from arena.cluster.scrutiny import sealed
from arena.link.local.bot_manifest import BotManifestError, read_bot_manifest
from arena.link.local.build import BuildError, build
from arena.link.local.sandbox import SandboxMissing, require
from arena.link.streams.dial import BotFault
from arena.link.streams.trio_thread import RefereeBug
from arena.runner.affinity import usable_processors
from arena.runner.entrants import Entrant
from arena.runner.garbage_collection import rare_collections
from arena.runner.rooms.room_state import instance_number
from arena.runner.sitting.dialler import Dialler
from arena.runner.sitting.sitting import Sitting

MOST_BOTS = 64
"""How many bots stay between batches."""

IDLE_LIMIT = 120.0
"""After so many seconds without a batch the bots are let go: the referee may be gone."""


KEPT_LOGS = 1 << 30
"""How many bytes of what bots of earlier runs printed a machine keeps."""


class Gone(Exception):
    """The house was left while something was to be done in it."""


class House:
    """A sitting at a worker.

    Args:
        run: which run of a tournament it is for.
        shelf: the bundles that the machine has.
    """

    def __init__(self, run: str, shelf: Shelf) -> None:
        self._logs = cache_folder() / "logs" / run
        self._shelf = shelf
        self._numbers = itertools.count()  # of the bots in the sitting: whoever comes anew gets another
        self._here: dict[tuple[int, Bot], Dialler] = {}  # least recently used first
        self._words: list[Word] = []
        self._answer: Future[Any] = Future()  # to what is asked at the moment
        self._busy = False
        self._problem: Exception | None = None  # why nobody can play here any more
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._live, name="arena-house", daemon=True)
        self._thread.start()
        self._ready.wait()

    @property
    def open(self) -> bool:
        """Whether it can be played in."""
        return self._thread.is_alive()

    def play(self, order: Order) -> Result | Lacks | Absent:
        """Plays a batch to its end; one at a time. Raises RefereeBug, and Gone where the house was left."""
        result: Result | Lacks | Absent = self._call(self._play, order)
        return result

    def introduce(self, player: int, bot: Bot) -> Introduced | Lacks | Absent:
        """Has a bot there and asks it what it is. Raises as `play` does."""
        result: Introduced | Lacks | Absent = self._call(self._introduce, player, bot)
        return result

    def leave(self) -> None:
        """Has the bots let go; what is played is not played to its end."""
        with contextlib.suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._scope.cancel)

    def _call(self, function: Callable[..., Awaitable[Any]], *arguments: object) -> Any:
        """Has a function called in the house's thread; returns what it returns, and raises what it raises."""
        answer: Future[Any] = Future()

        async def run() -> None:
            try:
                answer.set_result(await function(*arguments))
            except Exception as error:  # noqa: BLE001 - whoever called raises it
                answer.set_exception(error)

        self._answer = answer
        if self._problem is None:
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(lambda: self._tasks.start_soon(run))
                return answer.result()
        self._thread.join()
        raise self._problem or Gone

    # --- In the house's thread ---

    def _live(self) -> None:
        problem: Exception = Gone()
        try:
            with rare_collections():
                trio.run(self._open)
        except Exception as error:  # noqa: BLE001 - whoever waits for an answer raises it
            problem = RefereeBug.of(error)
        self._problem = problem
        self._ready.set()
        if not self._answer.done():
            self._answer.set_exception(problem)

    async def _open(self) -> None:
        self._logs.mkdir(parents=True, exist_ok=True)
        clear(self._logs.parent, KEPT_LOGS)
        self._token = trio.lowlevel.current_trio_token()
        self._starts = trio.CapacityLimiter(len(usable_processors()))
        self._sitting = Sitting()
        with contextlib.closing(self._sitting), trio.CancelScope() as self._scope:
            async with self._sitting.open(), trio.open_nursery() as self._tasks:
                self._ready.set()
                self._mark_used()
                while trio.current_time() < self._idle_from + IDLE_LIMIT or self._busy:
                    await trio.sleep(IDLE_LIMIT / 4)
                self._tasks.cancel_scope.cancel()

    def _mark_used(self) -> None:
        self._idle_from = trio.current_time()

    @contextlib.contextmanager
    def _in_use(self) -> Iterator[None]:
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
            self._mark_used()

    async def _introduce(self, player: int, bot: Bot) -> Introduced | Lacks | Absent:
        with self._in_use():
            come = await self._bring({player: bot})
            if not isinstance(come, dict):
                return come
            info = come[player].info
            assert info is not None
            return Introduced(info)

    async def _play(self, order: Order) -> Result | Lacks | Absent:
        with self._in_use():
            began = time.monotonic()
            come = await self._bring(order.bots)
            if not isinstance(come, dict):
                return come
            numbers = {player: keeper.player for player, keeper in come.items()}
            for player, fault in order.absent.items():
                numbers[player] = next(self._numbers)
                for instance in {each for seating in order.seatings for each in (0, *seating.instances)}:
                    self._sitting.rooms.give_up(instance_number(numbers[player], instance), BotFault(*fault))
            self._sitting.add(
                dataclasses.replace(
                    seating, key=position, players=tuple([numbers[player] for player in seating.players])
                )
                for position, seating in enumerate(order.seatings)
            )
            there = time.monotonic()
            decisions, cpu = self._sitting.decisions, time.process_time_ns()
            self._words.clear()
            games = await self._played(len(order.seatings), order.tables)
            return Result(
                games,
                tuple(self._words),
                time.monotonic() - there,
                there - began,
                self._sitting.decisions - decisions,
                time.process_time_ns() - cpu,
            )

    async def _played(self, games: int, tables: int) -> list[Told]:
        """Plays what is due; returns it."""
        told: list[Told] = []
        async for over in self._sitting.played(tables):
            told += [sealed(each.seating.key, each) for each in over]
            if len(told) == games:
                break
        return told

    async def _bring(self, bots: Mapping[int, Bot]) -> dict[int, Dialler] | Lacks | Absent:
        """Has some bots here; the keeper of each."""
        lacks = {bot.bundle for bot in bots.values() if bot.bundle and self._shelf.find(bot.bundle) is None}
        if lacks:
            return Lacks(sorted(lacks))
        for key, keeper in list(self._here.items()):
            spare = len(self._here) - MOST_BOTS + sum(item not in self._here for item in bots.items()) > 0
            if keeper.given_up is not None or (spare and key not in bots.items()):
                self._let_go(key)
        come: dict[int, Dialler] = {}
        for player, bot in bots.items():
            try:
                come[player] = await self._keeper(player, bot)
            except _CannotCome as problem:
                return problem.absent
        for player, keeper in come.items():
            await keeper.settled.wait()
            if keeper.info is None:
                fault = keeper.given_up or BotFault("crash", "does not come up")
                self._let_go((player, bots[player]))
                return Absent(player, fault.reason, fault.message)
        return come

    async def _keeper(self, player: int, bot: Bot) -> Dialler:
        """Who keeps a bot here, which may not have come up yet. Raises _CannotCome."""
        key = player, bot
        keeper = self._here.pop(key, None)
        if keeper is None:
            entrant = await self._entrant(player, bot)
            number = next(self._numbers)
            keeper = Dialler(
                number,
                entrant,
                self._sitting.rooms,
                lambda news: self._words.append(Word(player, news.what)),
                self._logs / f"{player + 1}.log",
                self._starts,
                instances=bot.instances,
            )
            self._sitting.seat(keeper)
        self._here[key] = keeper
        return keeper

    async def _entrant(self, player: int, bot: Bot) -> Entrant:
        """The entrant as it is here, built where it has to be. Raises _CannotCome."""
        if not bot.bundle:
            return Entrant(bot.name, address=bot.address)
        folder = self._shelf.find(bot.bundle)
        assert folder is not None
        try:
            require(bot.sandbox.level)
            manifest = read_bot_manifest(folder)
            for name in bot.sandbox.needs.writable:
                (folder / name).mkdir(exist_ok=True)
            await build(manifest, lambda line: None, bot.sandbox)
        except BuildError as problem:
            raise _CannotCome(Absent(player, "crash", problem.message, False, problem.output)) from None
        except (SandboxMissing, BotManifestError) as problem:
            raise _CannotCome(Absent(player, "crash", str(problem), False)) from None
        return Entrant(bot.name, bot=manifest, sandbox=bot.sandbox)

    def _let_go(self, key: tuple[int, Bot]) -> None:
        keeper = self._here.pop(key)
        keeper.close()
        del self._sitting.keepers[keeper.player]


class _CannotCome(Exception):
    """A bot that cannot be here."""

    def __init__(self, absent: Absent) -> None:
        super().__init__(absent.message)
        self.absent = absent
