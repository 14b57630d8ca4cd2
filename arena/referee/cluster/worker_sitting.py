"""Plays the batches of one run at a worker. Its bots keep running between batches.

trio runs in a thread of its own, because dask calls from any thread.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import pickle
import socket
import threading
import time
import traceback
from collections.abc import Mapping

import trio

from arena.league.entrants import Entrant
from arena.link.local.bot_manifest import BotManifestError, read_bot_manifest
from arena.link.local.build import BuildError, build
from arena.link.local.sandbox import Level, SandboxMissing, lacking
from arena.link.streams.bot_fault import BotFault
from arena.link.streams.trio_thread import RefereeBug
from arena.processes.tuning import rare_collections, usable_processors
from arena.referee.cluster.bundle import BundleCache, clear, worker_caches
from arena.referee.cluster.messages import Answer, Batch, Bot, BotUnavailable, Result, WorkerInfo, versions
from arena.referee.cluster.received import bundles
from arena.referee.presence import State
from arena.referee.rooms.rooms import BotChange
from arena.referee.sitting.keeper import Dialler, Start
from arena.referee.sitting.sitting import Sitting
from arena.tournament.instances import instance_number
from arena.tournament.seating import Played

MOST_BOTS = 64
"""How many bots keep running between batches."""

IDLE_LIMIT = 120.0
"""After so many seconds without a batch the bots are released: the referee may be gone."""

_ON_ITS_WAY = 60.0  # seconds to wait for a bundle that is being sent
_POLL = 0.1  # seconds

_playing = threading.Lock()  # a process plays one batch at a time, however many threads it has
_sittings: dict[str, WorkerSitting] = {}  # of each run that plays here


def facts() -> bytes:
    """See `worker.facts`."""
    return pickle.dumps(WorkerInfo(versions(), socket.gethostname(), tuple(lacking([Level.BASIC]))))


def leave(run: str) -> None:
    """See `worker.leave`."""
    if run in _sittings:
        _sittings.pop(run).leave()


def answer(data: bytes, address: str) -> bytes:
    """See `worker.ask`."""
    what: Result | BotUnavailable | str
    try:
        batch: Batch = pickle.loads(data)
        with _playing:
            sitting = _sittings.get(batch.run)
            if sitting is None or not sitting.open:
                sitting = _sittings[batch.run] = WorkerSitting(batch.run)
            what = sitting.answer(batch)
    except BotUnavailable as absent:
        what = absent
    except Exception:  # noqa: BLE001 - the referee is told
        what = traceback.format_exc()
    return pickle.dumps(Answer(address, what), pickle.HIGHEST_PROTOCOL)


class WorkerSitting:
    """The sitting of one run at a worker.

    Args:
        run: which run of a tournament it is for.
    """

    def __init__(self, run: str) -> None:
        self._logs = worker_caches() / "logs" / run
        self._numbers = itertools.count()  # of the bots in the sitting; a restarted bot gets a new number
        self._here: dict[tuple[int, Bot], Dialler] = {}  # least recently used first
        self._news: list[tuple[int, str]] = []
        self._seen: set[int] = set()  # the hashes of the boards that were begun
        self._busy = False
        self._used = 0.0  # when a batch was over
        self._problem: Exception | None = None  # the error that ended the sitting, if any
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="arena-sitting", daemon=True)
        self._thread.start()
        self._ready.wait()

    @property
    def open(self) -> bool:
        """Whether it can still play."""
        return self._thread.is_alive()

    def answer(self, batch: Batch) -> Result:
        """Plays a batch to its end. Raises BotUnavailable, RefereeBug."""
        try:
            return trio.from_thread.run(self._answer, batch, trio_token=self._token)
        except (trio.RunFinishedError, trio.Cancelled):
            self._thread.join()
            raise self._problem or RuntimeError("this run is over") from None

    def leave(self) -> None:
        """Releases the bots; a running batch is abandoned."""
        with contextlib.suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._scope.cancel)

    # --- In the sitting's thread ---

    def _run(self) -> None:
        try:
            with rare_collections():
                trio.run(self._live)
        except Exception as error:  # noqa: BLE001 - `answer` raises it
            self._problem = RefereeBug.of(error)
        self._ready.set()

    async def _live(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._logs.mkdir(parents=True, exist_ok=True)
        clear(self._logs.parent)
        self._starts = trio.CapacityLimiter(len(usable_processors()))
        self._sitting = Sitting()
        with contextlib.closing(self._sitting), trio.CancelScope() as self._scope:
            async with self._sitting.open():
                self._used = trio.current_time()
                self._ready.set()
                while self._busy or trio.current_time() < self._used + IDLE_LIMIT:
                    await trio.sleep(IDLE_LIMIT / 4)

    async def _answer(self, batch: Batch) -> Result:
        self._busy = True
        try:
            return await self._play(batch)
        finally:
            self._busy = False
            self._used = trio.current_time()

    async def _play(self, batch: Batch) -> Result:
        """Plays a batch. Raises BotUnavailable, RefereeBug."""
        boards = {hash(seating.key[:5]) for seating in batch.seatings}
        if not boards.isdisjoint(self._seen):  # played again: the bots may know their cards
            for key in list(self._here):
                self._let_go(key)
        come = await self._bring(batch.bots)
        self._seen |= boards
        infos = {player: keeper.info for player, keeper in come.items() if keeper.info is not None}
        if not batch.seatings:
            return Result(infos)
        numbers = {player: keeper.player for player, keeper in come.items()}
        for player, fault in batch.absent.items():
            number = numbers[player] = next(self._numbers)
            instances = {each for seating in batch.seatings for each in (0, *seating.instances)}
            gone = [instance_number(number, instance) for instance in instances]
            self._sitting.bot_changed(BotChange(number, State.GONE, gone, State.GONE, fault=BotFault(*fault)))
        self._sitting.add(
            dataclasses.replace(
                seating, key=position, players=tuple([numbers[player] for player in seating.players])
            )
            for position, seating in enumerate(batch.seatings)
        )
        began = time.monotonic()
        decisions, cpu = self._sitting.decisions, time.process_time_ns()
        self._news.clear()
        games: dict[int, Played] = {}
        async for over in self._sitting.played(batch.tables):
            games |= {played.seating.key: played for played in over}
            if len(games) == len(batch.seatings):
                break
        return Result(
            infos,
            [games[position] for position in range(len(batch.seatings))],
            tuple(self._news),
            time.monotonic() - began,
            self._sitting.decisions - decisions,
            time.process_time_ns() - cpu,
        )

    async def _bring(self, bots: Mapping[int, Bot]) -> dict[int, Dialler]:
        """Starts some bots here, if needed; returns their keepers. Raises BotUnavailable, RefereeBug."""
        for key, keeper in list(self._here.items()):
            spare = len(self._here) - MOST_BOTS + sum(item not in self._here for item in bots.items()) > 0
            if keeper.presence.state.final or (spare and key not in bots.items()):
                self._let_go(key)
        come = {player: await self._keeper(player, bot) for player, bot in bots.items()}
        for player, keeper in come.items():
            await keeper.settled.wait()
            if (fault := keeper.presence.fault) is not None:
                self._let_go((player, bots[player]))
                raise BotUnavailable(player, fault.reason, fault.message)
        return come

    async def _keeper(self, player: int, bot: Bot) -> Dialler:
        """The keeper of a bot, which may not have started yet. Raises BotUnavailable, RefereeBug."""
        key = player, bot
        keeper = self._here.pop(key, None)
        if keeper is None:
            keeper = Dialler(
                next(self._numbers),
                await _entrant(player, bot),
                self._sitting,
                lambda news: self._news.append((player, news.what)),
                self._logs / f"{player + 1}.log",
                Start(self._starts, instances=bot.instances),
            )
            self._sitting.add_bot(keeper)
        self._here[key] = keeper
        return keeper

    def _let_go(self, key: tuple[int, Bot]) -> None:
        keeper = self._here.pop(key)
        keeper.close()
        del self._sitting.keepers[keeper.player]


async def _entrant(player: int, bot: Bot) -> Entrant:
    """The entrant as it is on this machine, built if needed. Raises BotUnavailable, RefereeBug."""
    if not bot.bundle:
        return Entrant(bot.name, address=bot.address)
    cache = BundleCache()
    with trio.move_on_after(_ON_ITS_WAY):
        while (folder := cache.find(bot.bundle)) is None:
            if data := bundles.get(bot.bundle):
                await trio.to_thread.run_sync(cache.keep, bot.bundle, data)
            else:
                await trio.sleep(_POLL)
    bundles.pop(bot.bundle, None)
    if folder is None:
        raise RefereeBug.from_report(f"the folder of {bot.name} is not here")
    try:
        bot.sandbox.require()
        manifest = read_bot_manifest(folder)
        for name in bot.sandbox.needs.writable:
            (folder / name).mkdir(exist_ok=True)
        await build(manifest, lambda line: None, bot.sandbox)
    except BuildError as problem:
        raise BotUnavailable(player, "crash", problem.message, False, problem.output) from None
    except (SandboxMissing, BotManifestError) as problem:
        raise BotUnavailable(player, "crash", str(problem), False) from None
    return Entrant(bot.name, bot=manifest, sandbox=bot.sandbox)
