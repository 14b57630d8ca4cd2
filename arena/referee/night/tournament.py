"""Runs a tournament: connects its bots, plays its games, and stores each game when it is over.

The sitting gives out a finished game; the recorder stores it durably, and only then
adds it to the course. So the course can always be made again from the league file.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import trio

from arena.face import NO_FACE, Face
from arena.games import GAMES
from arena.league.entrants import Entrant
from arena.league.store import (
    DamagedLeague,
    DiskFull,
    EntrantInfo,
    FinishedGame,
    League,
    StoreError,
    TournamentInfo,
)
from arena.league.stored import (
    course_of,
    finished_game,
    lucks_wanted,
    require_luck,
    result_of,
    stored_effects,
    way_out,
)
from arena.league.tournament_file import TournamentFile
from arena.league.verification import Verification
from arena.link.local.process import ROOM
from arena.link.local.sandbox import Level, lacking, remarks
from arena.link.streams.polling import unprotected
from arena.processes.tuning import rare_collections, stay_on_one_processor
from arena.referee.night.control import Control, Request
from arena.referee.night.host_requests import NewToken, Refused, decide, undecided
from arena.referee.night.luck import Wanted, luck_pool, lucks_in
from arena.referee.night.night_now import NightNow
from arena.referee.night.onlookers import Onlookers
from arena.referee.night.roster import WITHDRAWN, Roster, contributions
from arena.referee.night.settings import CannotRun, Settings, Watcher
from arena.referee.night.tokens import Tokens, finish
from arena.referee.rooms.rooms import workers_for
from arena.referee.sitting.keeper import Keeper
from arena.referee.sitting.sitting import Cluster, Sitting
from arena.results import FAULT_REASONS, GameResult, MatchKey, SeatResult
from arena.table.deal import board_key, commitment
from arena.table.table import TableRules
from arena.text import shell_word
from arena.tournament.backlog import Hindrances
from arena.tournament.course import Course, Due, MatchOver, News, RoundBegan, StageBegan
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.tournament.rulings import Contain, Contribute, Pause, Ruling, Show, Streaks, Withdraw, require_fit
from arena.tournament.seating import Played, Seating

_STATISTICS_EVERY = 2.0  # seconds between two statistics of the cluster
_POLL = 0.1  # seconds between two attempts to store something then
_LAST_STORING = 10.0  # seconds in which finished games can be stored when the run is ended
_PATIENCE = 1.0  # seconds that the league file may be locked before people are told
_REMINDER = 60.0  # seconds until people are told again


def require_whole(league: League) -> None:
    """Verifies a league, but does not replay its records, which takes most of a verification.

    Raises DamagedLeague with the first problem.
    """
    for problem in Verification(league, replay=False).problems():
        if problem is not None:
            raise DamagedLeague(
                f"{league.path} is damaged ({problem.where}: {problem.what}), so nothing is added to it; "
                f"arena verify {shell_word(league.path)} tells more; "
                "go back to a complete copy of it, such as arena backup makes"
            )


def waiting(watcher: Watcher) -> Callable[[float], None]:
    """Makes the function that is called while another process locks the file (`League.on_wait`).

    It tells the watcher, and ends the wait if the tournament was stopped.
    """
    told_at = 0.0

    def on_wait(seconds: float) -> None:
        nonlocal told_at
        trio.from_thread.check_cancelled()
        if seconds < told_at:  # another wait
            told_at = 0.0
        if seconds >= (told_at + _REMINDER if told_at else _PATIENCE):
            told_at = seconds
            trio.from_thread.run_sync(
                watcher.say,
                f"the league file is locked by another process ({seconds:.0f} s); waiting, nothing is lost",
            )

    return on_wait


async def run_tournament(
    file: TournamentFile, league: League, settings: Settings, watcher: Watcher, resumed: int | None = None
) -> int:
    """Runs a tournament to its last game; returns its id in the league.

    Args:
        file: the tournament.
        league: stores its games.
        settings: the settings of the run.
        watcher: gets the news.
        resumed: the id of the unfinished tournament to go on with, which must
            have begun with the same file and key; None to begin a new one.

    Raises BuildError, CannotRun and NeedsEngine if it cannot begin, StoreError if the
    league file fails, WorkerDied if something killed a worker,
    ClusterLost if the cluster cannot be reached any more, and
    RefereeBug if the referee itself fails.
    """
    return await Run(file, league, settings, watcher, resumed).play()


Stored = TypeVar("Stored")


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
        self._plan = file.plan
        self._league = league
        league.on_wait = waiting(watcher)
        self._settings = settings
        self._watcher = watcher
        self._course: Course  # made when the tournament is in the league
        self._deal_key = settings.key  # with the bots' bytes, once they are known
        self._holds = False  # whether a new course is being made
        self._faces: dict[int, Face] = {}  # those that the league has from this run
        self._too_many_tables: set[int] = set()  # entrants of which the host was told that they play at them
        self._told: set[tuple[int | str, ...]] = set()  # the news that the watcher got
        self._writing = trio.Lock()  # held while the league is used
        self._resumed = resumed
        self._tokens = Tokens(league.path)
        self._control = Control(league.path, watcher.say)
        workers = settings.workers
        if workers is None and settings.cluster is None:
            games = new_course(file.plan, Effects(len(file.entrants))).total
            tables = settings.concurrency if games is None else min(settings.concurrency, games)
            workers = workers_for(tables, len(file.entrants))
        # With a cluster few games are played here, or none.
        self._sitting = Sitting(self._next_game, workers or 0, settings.cluster)
        self._ruled = trio.Event()  # set by the next ruling
        self._shown_at = 0.0  # when the countdown of the last `Show` is over
        self._kept_back: list[News] = []  # of matches that the host has not shown
        self._lucks = luck_pool()
        self._luck_is_missing = True  # perhaps, of games that were stored before

    @property
    def decisions(self) -> int:
        """How many turns were answered so far."""
        return self._sitting.decisions

    @property
    def worker_cpu(self) -> int:
        """The CPU time of other processes that play, so far, in nanoseconds."""
        return self._sitting.worker_cpu

    async def play(self) -> int:
        """Runs it; see `run_tournament`."""
        with rare_collections(), contextlib.closing(self._sitting), contextlib.closing(self._lucks):
            return await self._play()

    async def _play(self) -> int:
        out: Callable[[Sequence[str]], str] | None = None
        if self._resumed is not None:
            effects = await trio.to_thread.run_sync(stored_effects, self._league, self._resumed)
            out = partial(way_out, self._league.path, self._plan, effects)
            guests = [entrant.name for entrant in self._file.entrants if entrant.join]
            self._tokens.recall(self._resumed, self._settings.key, guests)
        for remark in remarks(self._levels_here()):
            self._watcher.say(remark)
        if (why := await self._unprotected()) is not None:
            self._watcher.say(f"a bot that floods its connection is cut off only when its bytes wait: {why}")
        self._roster = Roster(
            self._file,
            self._sitting,
            self._settings,
            self._watcher,
            self._tokens,
            self._control,
            out,
            self._file.begins if self._resumed is None else None,
        )
        onlookers = Onlookers()
        async with self._control.open(self._night, onlookers.serve), self._roster.present() as keepers:
            self._keepers = keepers
            contributed: Contribute | None = None
            if self._resumed is not None:
                self._tournament = self._resumed
                await trio.to_thread.run_sync(self._require_compared, keepers)
                stored = await trio.to_thread.run_sync(self._league.tournament, self._tournament)
                self._faces = dict(enumerate(stored.faces))
                await self._keep_faces()
            else:
                if self._settings.contributions:
                    promise = bytes.fromhex(commitment(self._settings.key))
                    contributed = await contributions(keepers, promise, self._watcher.say)
                self._tournament = await self._stored(
                    self._start_tournament, keepers, contributed, self._new_faces()
                )
            self._keep_tokens()
            self._watcher.started(self._tournament, commitment(self._settings.key))
            if contributed is not None:
                self._watcher.ruled(contributed, "")
            streaks = await trio.to_thread.run_sync(self._league.forfeits_in_a_row, self._tournament)
            self._streaks = Streaks(self._plan.withdraw_after, streaks)
            await self._take_up_course()
            require_luck(self._course)
            if self._course.effects.paused:
                self._watcher.ruled(Pause(), "")
            await self._note_containment()
            async with trio.open_nursery() as meanwhile:
                meanwhile.start_soon(self._hear_host)
                if self._settings.cluster is None:
                    meanwhile.start_soon(stay_on_one_processor)
                else:  # the cluster's threads and processes need the other processors
                    meanwhile.start_soon(self._tell_cluster_statistics, self._settings.cluster)
                delay = self._settings.watch_delay
                meanwhile.start_soon(onlookers.run, self._sitting.rooms, self._names, delay, self._hides)
                await self._record()
                await self._until_shown()
                meanwhile.cancel_scope.cancel()
        if not self._course.may_go_on:
            await self._stored(finish, self._league, self._tournament)
        return self._tournament

    def _hides(self, match: MatchKey) -> bool:
        """Whether nobody may see the results of a match yet."""
        return self._course.hides(match)

    async def _until_shown(self) -> None:
        """Returns when the host has shown all matches of the tournament."""
        league = shell_word(self._league.path)
        if self._course.waits_to_show:
            self._watcher.say(
                f"all games are played; you show them: arena host show {league} table, or /host"
            )
        while True:
            await trio.sleep_until(self._shown_at)
            if trio.current_time() >= self._shown_at:  # else another countdown has begun
                self._tell_news(self._course)
                if not self._course.waits_to_show:
                    return
                await self._ruled.wait()

    async def _night(self) -> NightNow:
        """What the host wants to know; of games that are hidden only whether the next match can be shown."""
        night = await self._roster.night()
        first = self._plan.reveal
        if first is None or not night.begun or self._course.effects.shows_all:
            return night
        hidden = self._course.to_show()
        ready = [match.label for match in hidden if self._course.is_decided(match)]
        night = night._replace(ready=len(ready), next="".join(match.label for match in hidden[:1]))
        if len(self._course.stages) <= first:
            return night
        bots = [bot._replace(tables=0) for bot in night.bots]
        return night._replace(tables=0, bots=bots, awaited=())

    def _keep_tokens(self) -> None:
        """Keeps the guests' tokens beside the league. Raises CannotRun."""
        if any(entrant.join for entrant in self._file.entrants):
            try:
                self._tokens.keep(self._tournament)
            except OSError as error:
                raise CannotRun(
                    f"the tokens cannot be kept beside {self._league.path}: {error.strerror}"
                ) from None

    def _new_faces(self) -> dict[int, Face]:
        """What decorates the names of bots, where it is not in the league yet; from now on it is."""
        known = {each.player: each.face for each in self._keepers if each.info or each.entrant.bot}
        new = {each: face for each, face in known.items() if face != self._faces.get(each, NO_FACE)}
        self._faces |= new
        return new

    async def _keep_faces(self) -> None:
        if faces := self._new_faces():
            await self._stored(self._league.keep_faces, self._tournament, faces)

    def _require_compared(self, keepers: Sequence[Keeper]) -> None:
        """Raises CannotRun if a bot has another version than at the start, and the format keeps versions."""
        if not self._plan.first.keeps_versions:
            return
        for stored, keeper in zip(self._league.tournament(self._tournament).entrants, keepers, strict=True):
            if keeper.info is not None and keeper.info.version != stored.version:
                raise CannotRun(
                    f"{stored.name} is version {keeper.info.version or 'none'} now, and the comparison in "
                    f"{self._league.path} began with {stored.version or 'none'}: end that by arena host end "
                    f"{self._league.path}, or compare in another league with --league"
                )

    def _start_tournament(
        self, keepers: Sequence[Keeper], contributed: Contribute | None, faces: Mapping[int, Face]
    ) -> int:
        entrants = []
        for keeper in keepers:
            entrant = keeper.entrant
            source = str(entrant.bot.folder) if entrant.bot else entrant.address or ""
            version, author = (keeper.info.version, keeper.info.author) if keeper.info else ("", "")
            entrants.append(EntrantInfo(entrant.name, source, version, author))
        return self._league.start_tournament(
            TournamentInfo(
                self._plan.name,
                self._file.path,
                self._file.text,
                self._settings.key,
                commitment(self._settings.key),
                tuple(entrants),
                self._plan.to_json(),
            ),
            contributed.to_json() if contributed else "",
            faces,
        )

    async def _take_up_course(self, before: Course | None = None) -> None:
        """Makes a new course from all that is stored, and goes on with it; `before` as for `course_of`."""
        self._holds = True  # the old course gives out nothing meanwhile
        self._sitting.forget_due()
        playing = {Due(*game) for game in self._sitting.unfinished}
        course = await trio.to_thread.run_sync(
            course_of, self._league, self._tournament, None, playing, before
        )
        for entrant in course.effects.withdrawn:
            self._keepers[entrant].dismiss(WITHDRAWN)
        self._course, self._holds = course, False
        self._sitting.granted = course.effects.tables
        self._luck_is_missing = True
        self._deal_key = course.deal_key(self._settings.key)
        self._watcher.follow(course)
        self._tell_news(course)
        if course.over:
            self._sitting.end()

    def _next_game(self, hindrances: Hindrances) -> Seating | None:
        """The next due game that nothing hinders; None if there is none at the moment."""
        if self._holds:
            return None
        if self._course.baselines and len(self._sitting.unfinished) >= self._settings.concurrency:
            return None  # else many boards would be begun before it is known that they do not count
        due = self._course.take(hindrances)
        self._tell_news(self._course)
        if due is not None:
            return self._seating(due)
        if self._course.over:
            self._sitting.end()
        return None

    def _tell_news(self, course: Course) -> None:
        # Of a match that was annulled and played again the last result counts.
        news = {item.key: item for item in (*self._kept_back, *course.news())}
        self._kept_back = []
        counting_down = trio.current_time() < self._shown_at
        for item in news.values():
            matches = _matches_of(item)
            waits = counting_down and any(map(course.is_staged, matches))
            if waits or any(map(course.hides, matches)):
                self._kept_back.append(item)
            elif isinstance(item, MatchOver) and not course.is_decided(item.match):
                continue  # it was annulled while it was kept back
            elif item.key not in self._told:  # it may be told by an earlier course
                self._told.add(item.key)
                self._watcher.news(item)

    def _seating(self, due: Due) -> Seating:
        plan, (key, players) = self._plan, due
        rules = TableRules(
            GAMES[key.game],
            plan.options[key.game],
            len(players),
            plan.clock,
            plan.max_faults,
            own_clocks={
                seat: plan.own_clocks[player]
                for seat, player in enumerate(players)
                if player in plan.own_clocks
            },
        )
        names = tuple(self._file.entrants[player].name for player in players) if plan.show_names else ()
        instances: tuple[int, ...] = ()
        if plan.instances > 1:  # each instance plays one seating of a board
            started = [self._file.entrants[player].bot is not None for player in players]
            instances = tuple(key.rotation if each else 0 for each in started)
        board = board_key(self._deal_key, key.game, plan.board_name(key))
        return Seating(key, rules, board, players, names, instances)

    async def _record(self) -> None:
        """Stores finished games, all that wait in one transaction, then counts them; to the last game."""
        games: list[Played] = []
        try:
            await self._find_luck({})
            async for games in self._sitting.played(self._settings.concurrency):
                async with self._writing:
                    stored = await self._store(games)
                    games = []
                    self._count(game.result for game in stored.values())
                await self._withdraw_who_is_gone()
                await self._find_luck(stored)
        except StoreError:  # the file itself failed: nothing more can be stored
            raise
        except BaseException:  # finished games are stored, however the run ends
            with trio.move_on_after(_LAST_STORING, shield=True):
                async with self._writing:  # a ruling may still be being stored
                    while games := games + self._sitting.rest():
                        await self._store(games)
                        games = []
            raise

    async def _store(self, games: Sequence[Played]) -> dict[int, FinishedGame]:
        """Stores games, except those that are no longer due; returns the stored ones by their numbers."""
        results = [(result_of(played), played) for played in games]
        wanted = [(result, played) for result, played in results if self._course.expects(result)]
        finished = [finished_game(result, played) for result, played in wanted]
        await self._keep_faces()  # of bots that came late, before the page looks again
        numbers = await self._stored(self._league.record_games, self._tournament, finished)
        return dict(zip(numbers, finished, strict=True))

    async def _stored(self, store: Callable[..., Stored], *what: object) -> Stored:
        """Calls a function that stores something, again while the disk is full and a bot may have filled it.

        Such a bot is ended soon, and what it has written goes with it. Raises StoreError.
        """
        until = trio.current_time() + (ROOM if self._levels_here() - {Level.NONE} else 0.0)
        while True:
            try:
                return await trio.to_thread.run_sync(store, *what)
            except DiskFull:
                if trio.current_time() >= until:
                    raise
            await trio.sleep(_POLL)

    async def _find_luck(self, games: Mapping[int, FinishedGame]) -> None:
        """Computes, keeps and counts the luck of stored games, as far as it counts.

        If this takes long, no further games begin meanwhile (see `Sitting.played`).
        """
        wanted = {
            (number, baseline): (game.result.key, game.record, baseline)
            for number, game in games.items()
            for baseline in sorted(self._course.wants_luck(game.result.key))
        }
        if self._luck_is_missing:
            async with self._writing:
                self._luck_is_missing = False
                wanted |= await trio.to_thread.run_sync(self._missing_lucks)
        if not wanted:
            return
        found = await lucks_in([*wanted.values()], self._lucks)
        async with self._writing:
            lucks = dict(zip(wanted, found, strict=True))
            await self._stored(self._league.keep_lucks, lucks)
            for (key, _, baseline), luck in zip(wanted.values(), found, strict=True):
                self._course.tell_luck(key, baseline, luck)
            self._tell_news(self._course)
            if self._course.over:
                self._sitting.end()

    def _missing_lucks(self) -> dict[tuple[int, str], Wanted]:
        wanted = lucks_wanted(self._league, self._course, self._tournament)
        games = {number: self._league.game(number) for number, _ in wanted}
        return {
            (number, baseline): (games[number].result.key, games[number].record, baseline)
            for number, baseline in wanted
        }

    def _count(self, results: Iterable[GameResult]) -> None:
        """Counts stored games."""
        for result in results:
            if not self._course.hides(result.key.match_key):
                self._watcher.game_over(result)
            self._course.add(result)
            self._streaks.add(result)
            for seat in result.seats:  # an absent guest costs no time, and may come back
                self._mind_tables(seat)
                if self._file.entrants[seat.entrant].join and _was_away(seat):
                    self._streaks.forget(seat.entrant)
        self._tell_news(self._course)

    def _mind_tables(self, seat: SeatResult) -> None:
        """Tells the host once of a bot that misses its time while it plays at several tables at once."""
        keeper = self._keepers[seat.entrant]
        tables = self._sitting.tables_of(seat.entrant)  # by now; perhaps a further game has begun
        late = seat.faults[FAULT_REASONS.index("timeout")]
        if late and tables > keeper.instances and seat.entrant not in self._too_many_tables:
            self._too_many_tables.add(seat.entrant)
            name, each = keeper.entrant.name, seat.time / max(1, seat.decisions) / 1e6
            self._watcher.say(
                f"{name}: {tables} tables at once, {each:.2g} s each; `max_tables = 1` helps, or now: "
                f"arena host limit {shell_word(self._league.path)} 1 {shell_word(name)}"
            )

    async def _withdraw_who_is_gone(self) -> None:
        """Withdraws the entrants that have forfeited too many games in a row."""
        for entrant in self._streaks.to_withdraw():
            async with self._writing:
                if entrant not in self._course.effects.withdrawn and not self._course.over:
                    reason = f"{self._plan.withdraw_after} games forfeited in a row"
                    await self._rule(Withdraw.of(self._course, entrant), reason)

    async def _tell_cluster_statistics(self, cluster: Cluster) -> None:
        """Publishes the statistics of the cluster until cancelled."""
        while True:
            statistics, lacks = cluster.cluster_statistics(), cluster.lacking()
            if not set(lacks) <= set(self._course.effects.lacking):  # for a later worker
                async with self._writing:
                    await self._note_containment()
            if self._plan.reveal is None:  # else they would tell how many games are played
                self._control.cluster_statistics = statistics
                self._watcher.cluster_statistics(statistics)
            await trio.sleep(_STATISTICS_EVERY)

    async def _hear_host(self) -> None:
        """Carries out the host's requests until cancelled."""
        async for pending in self._control.requests:
            async with self._writing:
                if not await pending.take():
                    continue
                try:
                    await self._carry_out(pending.request)
                except Refused as refusal:
                    await pending.answer(str(refusal), "")
                else:
                    await pending.answer(None, self._roster.lobby_at)

    async def _carry_out(self, request: Request) -> None:
        """Carries out a request, unless it was decided before. Raises Refused."""
        stored = await trio.to_thread.run_sync(undecided, self._league, self._tournament, request)
        if stored is None:
            return
        decided = decide(request, self._course, stored, self._league.path, lambda: self._file.trust)
        try:
            if isinstance(decided, NewToken):
                self._roster.give_token(*decided)
                return
            if decided.entrant is not None:
                await self._bring(decided.entrant)
        except CannotRun as problem:
            raise Refused(str(problem)) from None
        await self._rule(decided.ruling, request.reason, request.id)
        await self._note_containment()

    def _names(self) -> list[str]:
        return [entrant.name for entrant in self._file.entrants]

    async def _bring(self, entrant: Entrant) -> None:
        """Connects a bot that is admitted. Raises CannotRun."""
        await self._roster.admit(entrant)
        self._file = dataclasses.replace(self._file, entrants=(*self._file.entrants, entrant))
        if self._plan.shared_cards != "none" and not entrant.sees_boards_once:
            shared = self._plan.shared_cards_text.partition(",")[0]
            self._watcher.say(f"{entrant.name} may see a board from every seat: {shared}")

    def _levels_here(self) -> set[str]:
        """The sandbox levels of the bots that the referee starts."""
        return {entrant.sandbox.level for entrant in self._file.entrants if entrant.bot}

    async def _unprotected(self) -> str | None:
        """Why floods of bots that the referee dials are noticed late, if any of these is not trusted."""
        elsewhere = any(entrant.address for entrant in self._file.entrants)
        if not elsewhere and self._levels_here() <= {Level.NONE}:
            return None
        return await trio.to_thread.run_sync(unprotected)

    async def _note_containment(self) -> None:
        """Stores the sandbox levels of the bots, if any that is started has one and they have changed.

        A bot that is not started any more keeps the level that was noted last.
        """
        effects, here = self._course.effects, self._levels_here()
        lacked = dict.fromkeys(lacking(here))
        if self._settings.cluster is not None and here & {Level.BASIC, Level.STRICT}:
            lacked |= dict.fromkeys(self._settings.cluster.lacking())
        before = (*effects.contained, *[""] * (len(self._file.entrants) - len(effects.contained)))
        levels = tuple(
            entrant.sandbox.level if entrant.bot else last
            for entrant, last in zip(self._file.entrants, before, strict=True)
        )
        noted = Contain(levels, lacking=tuple(lacked))
        is_news = (noted.levels, noted.lacking) != (effects.contained, effects.lacking)
        if is_news and here and (here - {Level.NONE} or effects.contained) and not self._course.over:
            await self._rule(noted, "")

    async def _rule(self, ruling: Ruling, reason: str, request: str = "") -> None:
        """Stores a ruling and applies it; to be called while nobody else writes. Raises Refused."""
        require_fit(ruling, self._course)
        await self._stored(self._league.record_ruling, self._tournament, ruling.to_json(), reason, request)
        if request or not isinstance(ruling, Withdraw) or self._plan.reveal is None:
            self._watcher.ruled(ruling, reason)
        if isinstance(ruling, Show):
            self._shown_at = trio.current_time() + ruling.countdown
        await self._take_up_course(self._course)
        self._ruled.set()
        self._ruled = trio.Event()
        self._sitting.begin()


def _matches_of(news: News) -> list[MatchKey]:
    """The matches that news are about."""
    if isinstance(news, StageBegan):
        return []
    return [each.key for each in (news.round.matches if isinstance(news, RoundBegan) else [news.match])]


def _was_away(seat: SeatResult) -> bool:
    """Whether a bot forfeited a game only because it was not connected."""
    return seat.forfeit and seat.faults[FAULT_REASONS.index("disconnect")] == sum(seat.faults)
