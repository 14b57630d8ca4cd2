"""Running a tournament: bots brought in, stages played in order, every game stored when it is over.

A finished game goes from the room to the recorder, which stores it durably,
and only then counts: so whatever was decided by results can be decided again
from the league file.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence

import trio

from arena.formats.deciding import needs_extra_board
from arena.formats.stage import Stage
from arena.games import GAMES
from arena.link.records import encode_record, encode_times
from arena.results import FAULT_REASONS, GameKey, GameResult, MatchKey, MatchResult, SeatResult
from arena.runner import stages
from arena.runner.dispatcher import Dispatcher
from arena.runner.entrants import Keeper
from arena.runner.garbage import rare_collections
from arena.runner.gathering import Gathering, Settings
from arena.runner.match_play import MatchPlay
from arena.runner.processor import stay_on_one_processor
from arena.runner.rooms.opening import open_rooms, workers_for
from arena.runner.rooms.room import Played, Seating
from arena.runner.tallying import tally_of
from arena.runner.tournament_file import TournamentFile
from arena.runner.watcher import Watcher
from arena.store import EntrantInfo, FinishedGame, League, TournamentInfo
from arena.table.deal import board_key, commitment
from arena.table.table import TableRules

DEFAULT_CONCURRENCY = 16
"""How many tables are played at once where nobody says: enough to share messages, few enough
for the clocks of bots that think for a few milliseconds."""


async def run_tournament(
    file: TournamentFile, league: League, settings: Settings, watcher: Watcher, resumed: int | None = None
) -> int:
    """Runs a tournament to its last game; returns its id in the league.

    Args:
        file: the tournament.
        league: where its games are stored.
        settings: how it is run.
        watcher: who is told.
        resumed: the id of the unfinished tournament to go on with, which must
            have been begun with the same file and key; None to begin a new one.

    Raises BuildError and CannotRun where it cannot begin, StoreError where the
    league file fails, WorkerDied where a process that plays was ended, and
    RefereeBug where the referee itself goes wrong.
    """
    return await Run(file, league, settings, watcher, resumed).play()


class Run:
    """One tournament while it runs; takes what `run_tournament` takes."""

    def __init__(
        self,
        file: TournamentFile,
        league: League,
        settings: Settings,
        watcher: Watcher,
        resumed: int | None = None,
    ) -> None:
        self._file = file
        self._league = league
        self._settings = settings
        self._watcher = watcher
        # Unbounded, but the dispatcher begins no game while too many are not stored.
        self._played_in, self._played_out = trio.open_memory_channel[Played](math.inf)
        self._matches: dict[MatchKey, MatchPlay] = {}
        self._match_ended = trio.Event()
        bots, workers = len(file.entrants), settings.workers
        if workers is None:
            workers = workers_for(settings.concurrency, bots)
        self._rooms = open_rooms(workers, bots, self._on_played, self._on_void)
        self._resumed = resumed

    @property
    def decisions(self) -> int:
        """How many turns were answered so far."""
        return self._rooms.decisions

    @property
    def worker_cpu(self) -> int:
        """The CPU time of other processes that play, so far, in nanoseconds."""
        return self._rooms.worker_cpu

    async def play(self) -> int:
        """Runs it; see `run_tournament`."""
        with rare_collections(), contextlib.closing(self._rooms):
            return await self._play()

    async def _play(self) -> int:
        gathering = Gathering(self._file, self._rooms, self._settings, self._watcher)
        async with gathering.present() as keepers:
            if self._resumed is None:
                self._tournament = await trio.to_thread.run_sync(self._start_tournament, keepers)
            else:
                self._tournament = self._resumed
            self._watcher.started(self._tournament, commitment(self._settings.key))
            self._dispatcher = Dispatcher(
                self._rooms.open,
                self._settings.concurrency,
                lambda player: info.max_tables if (info := keepers[player].info) else 0,
            )
            async with trio.open_nursery() as play:
                play.start_soon(self._record)
                play.start_soon(self._rooms.keep)
                play.start_soon(stay_on_one_processor)
                await self._play_stages()
                play.cancel_scope.cancel()
        await trio.to_thread.run_sync(self._league.finish_tournament, self._tournament)
        return self._tournament

    def _start_tournament(self, keepers: Sequence[Keeper]) -> int:
        entrants = []
        for keeper in keepers:
            entrant = keeper.entrant
            source = str(entrant.bot.folder) if entrant.bot else entrant.address or ""
            version, author = (keeper.info.version, keeper.info.author) if keeper.info else ("", "")
            entrants.append(EntrantInfo(entrant.name, source, version, author))
        return self._league.start_tournament(
            TournamentInfo(
                self._file.name,
                self._file.path,
                self._file.text,
                self._settings.key,
                commitment(self._settings.key),
                tuple(entrants),
            )
        )

    async def _play_stages(self) -> None:
        ranked = tuple(range(len(self._file.entrants)))
        for number, spec in enumerate(self._file.stages):
            stage = stages.build(spec, number, ranked)
            self._watcher.stage_began(stage)
            await self._play_stage(stage)
            if number + 1 < len(self._file.stages):
                tally = await trio.to_thread.run_sync(tally_of, self._league, self._tournament, self._file)
                ranked = stages.seeds_after(stage, tally)

    async def _play_stage(self, stage: Stage) -> None:
        """Plays all rounds of a stage."""
        results: dict[MatchKey, MatchResult] = {}
        for number in range(stage.round_count):
            round_ = stage.round(number, results)
            assert round_ is not None
            self._watcher.round_began(stage, round_)
            plays = []
            for match in round_.matches:
                play = MatchPlay(match, self._file.games, self._file.boards)
                plays.append(play)
                for key in await self._left(play):
                    await self._dispatcher.submit(self._seating(play, key))
            if stage.depends_on_results:
                await self._matches_over()
                results.update((play.match.key, play.result()) for play in plays)
        await self._matches_over()

    async def _left(self, play: MatchPlay) -> list[GameKey]:
        """Begins a match; returns the games to be played, less those that were before a resumption."""
        keys = play.plan_regular()
        stored: dict[GameKey, GameResult] = {}
        if self._resumed is not None:
            stored = await trio.to_thread.run_sync(self._stored, play.match.key)
        while True:
            left = [key for key in keys if key not in stored]
            for key in keys:
                if key in stored:
                    play.add(stored[key])
                    self._watcher.game_over(stored[key])
            if left:
                self._matches[play.match.key] = play
                return left
            if not self._needs_extra_board(play):
                self._watcher.match_over(play.match, play.result())
                return []
            keys = play.plan_extra()

    def _stored(self, match: MatchKey) -> dict[GameKey, GameResult]:
        return {result.key: result for result in self._league.match_results(self._tournament, match)}

    def _needs_extra_board(self, play: MatchPlay) -> bool:
        limit = stages.extra_boards(self._file.stages, play.match)
        return needs_extra_board(play.match, play.result(), limit)

    async def _matches_over(self) -> None:
        """Waits until every match begun is over."""
        while self._matches:
            self._match_ended = trio.Event()
            await self._match_ended.wait()

    def _seating(self, play: MatchPlay, key: GameKey) -> Seating:
        file = self._file
        players = play.seated(key)
        rules = TableRules(GAMES[key.game], file.options[key.game], len(players), file.clock, file.max_faults)
        names = tuple(file.entrants[player].name for player in players) if file.show_names else ()
        return Seating(key, rules, board_key(self._settings.key, key.game, key.board_name), players, names)

    def _on_played(self, played: Played) -> None:
        self._played_in.send_nowait(played)
        self._dispatcher.ended(played.seating)

    def _on_void(self, seating: Seating) -> None:
        self._dispatcher.again(seating)

    async def _record(self) -> None:
        """Stores finished games, as many at once as there are, and then counts them."""
        try:
            while True:
                first = await self._played_out.receive()
                with trio.CancelScope(shield=True):  # what is over is stored, however the run ends
                    for result in (results := await self._store([first, *self._finished()])):
                        self._watcher.game_over(result)
                        self._count(result)
                self._dispatcher.stored(len(results))
        finally:
            with trio.CancelScope(shield=True):
                while batch := self._finished():
                    await self._store(batch)

    def _finished(self) -> list[Played]:
        """Games that are over and wait to be stored."""
        batch: list[Played] = []
        with contextlib.suppress(trio.WouldBlock):
            while len(batch) < self._settings.concurrency:
                batch.append(self._played_out.receive_nowait())
        return batch

    async def _store(self, batch: Sequence[Played]) -> list[GameResult]:
        results = [result_of(played) for played in batch]
        finished = [
            FinishedGame(result, encode_record(played.record), encode_times(played.times))
            for result, played in zip(results, batch, strict=True)
        ]
        await trio.to_thread.run_sync(self._league.record_games, self._tournament, finished)
        return results

    def _count(self, result: GameResult) -> None:
        play = self._matches[result.key.match_key]
        play.add(result)
        if not play.over:
            return
        if self._needs_extra_board(play):
            self._dispatcher.add([self._seating(play, key) for key in play.plan_extra()])
            return
        del self._matches[result.key.match_key]
        self._watcher.match_over(play.match, play.result())
        self._match_ended.set()


def result_of(played: Played) -> GameResult:
    """The result of a finished game."""
    record = played.record
    faults = [[0] * len(FAULT_REASONS) for _ in range(record.seats)]
    for seat, _, fault in record.faults:
        faults[seat][FAULT_REASONS.index(fault.reason)] += 1
    seats = tuple(
        SeatResult(
            entrant=played.seating.players[seat],
            place=record.outcome.places[seat],
            points=record.outcome.points[seat],
            forfeit=seat in record.forfeits,
            faults=tuple(faults[seat]),
            decisions=played.decisions[seat],
            time=played.seat_times[seat] // 1000,
        )
        for seat in range(record.seats)
    )
    return GameResult(played.seating.key, seats, record.outcome.reason)
