"""Running a tournament: bots brought in, stages played in order, every game stored when it is over.

A finished game goes from the room to the recorder, which stores it durably,
and only then counts: so whatever was decided by results can be decided again
from the league file.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import trio

from arena.formats.deciding import needs_extra_board
from arena.formats.stage import Round, Stage
from arena.games import GAMES
from arena.link.build import build_all
from arena.link.lobby import CannotListen, Lobby, Ticket, entrant_token
from arena.link.records import encode_record, encode_times
from arena.results import FAULT_REASONS, GameKey, GameResult, Match, MatchKey, MatchResult, SeatResult
from arena.runner import stages
from arena.runner.dispatcher import Dispatcher
from arena.runner.entrants import Attendance, Doorkeeper, Host, Keeper
from arena.runner.lag import LagMeter
from arena.runner.match_play import MatchPlay
from arena.runner.room import Played, Room, Seating
from arena.runner.tournament_file import TournamentFile
from arena.standings.tally import Tally
from arena.store import EntrantInfo, FinishedGame, League, TournamentInfo
from arena.table.clock import MILLISECOND
from arena.table.deal import board_key, commitment
from arena.table.table import TableRules

DEFAULT_CONCURRENCY = 16
"""How many tables are played at once where nobody says: enough to share messages, few enough
for the clocks of bots that think for a few milliseconds."""

DEFAULT_LOBBY = "0.0.0.0:50505"

_TICK = 20 * MILLISECOND
_LOBBY_GRACE = 1.0  # seconds for the last messages to bots that dialled in


class CannotRun(Exception):
    """The tournament cannot begin; the text is one sentence with the remedy."""


class Watcher(Protocol):
    """Someone who is told how a tournament goes, in the referee's own thread; must not block."""

    def say(self, text: str) -> None:
        """A line for people, such as that a bot is being built."""

    def lobby_open(self, port: int, tokens: Mapping[str, str]) -> None:
        """Bots can dial in at a port; `tokens` has the token of each entrant that is to."""

    async def start_signal(self) -> None:
        """Returns when the host wants to begin without those who are still missing."""

    def started(self, tournament: int, commitment: str) -> None:
        """The tournament is in the league file; its games follow."""

    def stage_began(self, stage: Stage) -> None:
        """A stage begins."""

    def round_began(self, stage: Stage, round: Round) -> None:
        """A round is paired."""

    def game_over(self, result: GameResult) -> None:
        """A game is stored."""

    def match_over(self, match: Match, result: MatchResult) -> None:
        """All games of a match are stored."""

    def attendance(self, news: Attendance) -> None:
        """A bot dialled in, did not come, was lost or was given up."""

    def refused(self, sentence: str) -> None:
        """Someone who dialled in was refused."""


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """How a tournament is run.

    Attributes:
        key: the secret tournament key, 32 bytes.
        concurrency: how many tables are played at once.
        logs: the folder that keeps what local bots print.
        lobby: where bots dial in, `host:port`.
    """

    key: bytes
    concurrency: int
    logs: Path
    lobby: str = DEFAULT_LOBBY


async def run_tournament(file: TournamentFile, league: League, settings: Settings, watcher: Watcher) -> int:
    """Runs a tournament from its first game to its last; returns its id in the league.

    Bots are built first, where that is needed. Raises BuildError where one
    cannot be, CannotRun where an entrant does not play a game of the
    tournament, and StoreError where the league file fails.
    """
    return await _Run(file, league, settings, watcher).play()


class _Run:
    """One tournament while it runs."""

    def __init__(self, file: TournamentFile, league: League, settings: Settings, watcher: Watcher) -> None:
        self._file = file
        self._league = league
        self._settings = settings
        self._watcher = watcher
        self._flush_wanted = False
        # Unbounded, but the dispatcher begins no game while too many are not stored.
        self._played_in, self._played_out = trio.open_memory_channel[Played](math.inf)
        self._matches: dict[MatchKey, MatchPlay] = {}
        self._match_ended = trio.Event()
        self._room = Room(
            len(file.entrants), self._on_played, self._on_void, time.perf_counter_ns, self._want_flush
        )
        self._tournament = 0

    async def play(self) -> int:
        self._token = trio.lowlevel.current_trio_token()
        self._settings.logs.mkdir(parents=True, exist_ok=True)
        await build_all((entrant.bot for entrant in self._file.entrants if entrant.bot), self._watcher.say)
        keepers = [self._keeper(number) for number in range(len(self._file.entrants))]
        guests = [keeper for keeper in keepers if isinstance(keeper, Doorkeeper)]
        async with self._lobby(guests), trio.open_nursery() as nursery:
            for keeper in keepers:
                nursery.start_soon(keeper.run)
            await self._settled(keepers, guests)
            self._check_games(keepers)
            self._tournament = await trio.to_thread.run_sync(self._start_tournament, keepers)
            self._watcher.started(self._tournament, commitment(self._settings.key))
            self._dispatcher = Dispatcher(
                self._room,
                self._settings.concurrency,
                lambda player: info.max_tables if (info := keepers[player].info) else 0,
            )
            async with trio.open_nursery() as play:
                play.start_soon(self._record)
                play.start_soon(self._tick)
                await self._play_stages()
                play.cancel_scope.cancel()
            for keeper in keepers:
                keeper.close()
        await trio.to_thread.run_sync(self._league.finish_tournament, self._tournament)
        return self._tournament

    def _keeper(self, player: int) -> Keeper:
        entrant, tell = self._file.entrants[player], self._watcher.attendance
        if entrant.join:
            return Doorkeeper(player, entrant, self._room, tell)
        return Host(player, entrant, self._room, tell, self._log_of(entrant.name))

    @asynccontextmanager
    async def _lobby(self, guests: Sequence[Doorkeeper]) -> AsyncIterator[None]:
        """Has a lobby open where anyone is to dial in."""
        if not guests:
            yield
            return
        names = {guest.player: guest.entrant.name for guest in guests}
        tokens = {name: entrant_token(self._settings.key, name) for name in names.values()}
        doors = {guest.player: guest for guest in guests}
        lobby = Lobby(
            self._file.name,
            self._file.games,
            {tokens[name]: Ticket(player, name) for player, name in names.items()},
            lambda player, visitor: doors[player].arrived(visitor),
            self._watcher.refused,
        )
        try:
            port = lobby.start(self._settings.lobby)
        except CannotListen as problem:
            raise CannotRun(str(problem)) from None
        try:
            self._watcher.lobby_open(port, tokens)
            yield
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(lobby.stop, _LOBBY_GRACE)

    async def _settled(self, keepers: Sequence[Keeper], guests: Sequence[Doorkeeper]) -> None:
        """Waits until every bot is there or given up, or the host says to begin."""
        async with trio.open_nursery() as nursery:
            if guests:
                nursery.start_soon(self._start_without, guests)
            for keeper in keepers:
                await keeper.settled.wait()
            nursery.cancel_scope.cancel()

    async def _start_without(self, guests: Sequence[Doorkeeper]) -> None:
        await self._watcher.start_signal()
        for guest in guests:
            guest.start_without()

    def _log_of(self, name: str) -> Path:
        safe = "".join(character if character.isalnum() or character in "-_ ." else "_" for character in name)
        return self._settings.logs / f"{safe}.log"

    def _check_games(self, keepers: Sequence[Keeper]) -> None:
        for keeper in keepers:
            missing = [game for game in self._file.games if keeper.info and game not in keeper.info.games]
            if missing:
                raise CannotRun(
                    f"{keeper.entrant.name} does not play {', '.join(missing)}: take the game out of the "
                    "tournament file, or enter another bot"
                )

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
                tally = await trio.to_thread.run_sync(self._tally)
                ranked = stages.seeds_after(stage, tally)

    def _tally(self) -> Tally:
        tally = Tally(self._file.games, self._file.boards)
        return tally.add_all(self._league.results(self._tournament))

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
                self._matches[match.key] = play
                plays.append(play)
                for key in play.plan_regular():
                    await self._dispatcher.submit(self._seating(play, key))
            if stage.depends_on_results:
                await self._matches_over()
                results.update((play.match.key, play.result()) for play in plays)
        await self._matches_over()

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
        self._dispatcher.ended()

    def _on_void(self, seating: Seating) -> None:
        self._dispatcher.again(seating)

    def _want_flush(self) -> None:
        if not self._flush_wanted:
            # Behind what is already queued for this moment, so that it all travels together.
            self._flush_wanted = True
            self._token.run_sync_soon(self._flush)

    def _flush(self) -> None:
        self._flush_wanted = False
        self._room.flush()

    async def _tick(self) -> None:
        lag = LagMeter(_TICK, time.perf_counter_ns())
        while True:
            await trio.sleep(_TICK / 1e9)
            lag.tick(time.perf_counter_ns())
            self._room.expire(lag.total)

    async def _record(self) -> None:
        """Stores finished games, as many at once as there are, and then counts them."""
        while True:
            batch = [await self._played_out.receive()]
            while len(batch) < self._settings.concurrency:
                try:
                    batch.append(self._played_out.receive_nowait())
                except trio.WouldBlock:
                    break
            results = [_result(played) for played in batch]
            finished = [
                FinishedGame(result, encode_record(played.record), encode_times(played.times))
                for result, played in zip(results, batch, strict=True)
            ]
            await trio.to_thread.run_sync(self._league.record_games, self._tournament, finished)
            for result in results:
                self._watcher.game_over(result)
                self._count(result)
            self._dispatcher.stored(len(batch))

    def _count(self, result: GameResult) -> None:
        play = self._matches[result.key.match_key]
        play.add(result)
        if not play.over:
            return
        if needs_extra_board(play.match, play.result(), stages.extra_boards(self._file.stages, play.match)):
            self._dispatcher.add([self._seating(play, key) for key in play.plan_extra()])
            return
        del self._matches[result.key.match_key]
        self._watcher.match_over(play.match, play.result())
        self._match_ended.set()


def _result(played: Played) -> GameResult:
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
