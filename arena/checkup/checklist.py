"""Runs the checks of `arena check-bot`, one after the other.

A failed check says what was expected, what came instead, and how to repair it. The bot is
started again after a failure, so one failed check does not spoil the next.
"""

from __future__ import annotations

import dataclasses
import secrets
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import trio

from arena.bounded_log import LOG_LIMIT
from arena.checkup.bot import ENDLESS, CheckedBot, last_lines
from arena.checkup.bot_time import BUSY, BotTime, Used, used_by_bots
from arena.checkup.joining import check_joining
from arena.checkup.pace import Pace, Progress, decisions_in
from arena.checkup.session import (
    ANOTHER,
    Session,
    Setting,
    Trouble,
    decision_times,
    seating,
    settings,
    usual_settings,
)
from arena.checkup.values import (
    FIXES,
    LISTEN,
    NOTED,
    PASSED,
    SERVE,
    SKIPPED,
    Check,
    Conditions,
    Failed,
    Skipped,
    found,
    remedy,
)
from arena.games import GAMES
from arena.league.entrants import Entrant
from arena.link.local.bot_manifest import BotManifest
from arena.link.local.build import BuildError, build, require_fit
from arena.link.local.sandbox import Level, usual
from arena.link.local.supervisor import GRACE
from arena.link.streams.dial import BotFault, BotInfo, ask_for_bytes, describe
from arena.link.streams.trio_thread import unwrapped
from arena.link.wire import PROTOCOL_VERSION
from arena.referee.sitting.keeper import Dialler, in_a_thread
from arena.referee.sitting.sitting import DEFAULT_CONCURRENCY
from arena.table.clock import MILLISECOND, SECOND
from arena.table.deal import PLEDGE_BYTES
from arena.temporary import temporary_folder
from arena.text import counted, joined, shell_word, size_text
from arena.tournament.seating import Played, Seating

_FORGIVING = 3  # faults that forfeit a game in which the bot is killed
_CLOSE = 0.5  # a decision that took this share of the limit is noted
_TRIES = 3
_MANY, _REPEATS = "answers many tables at once", "plays the same board the same way"
_BESIDE, _BACK, _JOINS = "runs beside a second instance", "comes back after a crash", "joins"
_STARTS = {_BESIDE: 1, _BACK: 1, _JOINS: 3}  # how often a check starts the bot, or waits as long for it
_TERMINATED = 128 + 15  # an exit code

Step = Callable[[], Awaitable[Check]]


def _show_nothing(progress: Progress) -> None:
    pass


async def check_bot(
    entrant: Entrant,
    conditions: Conditions,
    tell: Callable[[Check], None],
    say: Callable[[str], None],
    show: Callable[[Progress], None] = _show_nothing,
    now: Callable[[], float] = time.perf_counter,
    hear: Callable[[str], None] = lambda line: None,
    used: Callable[[], Mapping[str, Used]] = used_by_bots,
) -> list[Check]:
    """Checks a bot, from its build to its end.

    Args:
        entrant: the bot: a folder or an address.
        conditions: the conditions of the checkup.
        tell: called with every check when it is done.
        say: called with lines for people during the build.
        show: called with how far the checkup is: first before anything is done, then now and then.
        now: tells the time for the estimate of what is left, in seconds.
        hear: called with each line that the build prints.
        used: returns what each thread of the bot has used so far; see `BotTime`.

    Returns all checks in order. When cancelled, it ends the bot.
    """
    checks: list[Check] = []
    with temporary_folder() as folder:
        bot = CheckedBot(entrant, Path(folder, "bot.log"), conditions.patience, BotTime(used))
        checklist = _Checklist(bot, conditions, say, Pace(show, now), hear)
        try:
            await checklist.plan()
            for name, step in checklist.steps():
                checks.append(await checklist.check(len(checks) + 1, name, step))
                tell(checks[-1])
        finally:
            await bot.leave()
    return checks


class _Checklist:
    """The checks, and the results that they share."""

    def __init__(
        self,
        bot: CheckedBot,
        conditions: Conditions,
        say: Callable[[str], None],
        pace: Pace,
        hear: Callable[[str], None],
    ) -> None:
        self._bot = bot
        self._pace = pace
        self._manifest: BotManifest | None = bot.entrant.bot
        self._conditions = conditions
        self._say, self._hear = say, hear
        self._built = self._started = False
        self._info: BotInfo | None = None  # the bot's description of itself
        self._times: list[int] = []  # of all decisions so far, in nanoseconds
        self._played: dict[str, Played] = {}  # the first game of each kind that was played without a fault
        self._timeouts: list[Trouble] = []
        self._remedies: dict[tuple[str, str], int] = {}  # the first check with each remedy

    def steps(self) -> Iterator[tuple[str, Step]]:
        """Yields the checks in order; which games there are is known when their turn comes."""
        yield "builds", self._builds
        yield "starts" if self._manifest else "listens", self._starts
        yield "describes itself", self._describes
        for game in self._games():
            yield f"plays {game}", partial(self._plays, game)
        yield _MANY, self._answers_many
        yield "stays inside its clock", self._keeps_time
        yield _REPEATS, self._repeats
        yield _BESIDE, self._runs_beside_another
        yield _BACK, self._comes_back
        yield "ends on SIGTERM", self._ends
        yield _JOINS, self._joins
        yield "keeps its log short", self._keeps_log_short

    async def plan(self) -> None:
        """Tells the pace what is to be done, as far as it is known."""
        names = [name for name, _ in self.steps()]
        games: dict[str, list[Seating]] = {}
        usual = [self._games_of(game)[0] for game in self._games()]
        for game in self._games():
            games[f"plays {game}"] = self._games_of(game)
        if usual and (self._info is None or self._info.max_tables != 1):
            games[_MANY] = [usual[number % len(usual)] for number in range(self._tables())]
        games[_REPEATS] = usual
        if self._manifest is not None:
            if not self._bot.entrant.sandbox.needs.connects:
                games[_BESIDE] = usual[:1]
            games[_BACK] = usual
            if self._conditions.joins:
                games[_JOINS] = usual

        def count() -> dict[str, int]:
            different = {game.board_key: game for each in games.values() for game in each}
            known = {key: decisions_in(game) for key, game in different.items()}
            return {name: sum(known[game.board_key] for game in each) for name, each in games.items()}

        decisions = await trio.to_thread.run_sync(count)
        counts = {name: len(each) for name, each in games.items()}
        starts = {name: count for name, count in _STARTS.items() if name in games}
        self._pace.plan(names, counts, decisions, starts)

    async def check(self, number: int, name: str, step: Step, tries: int = _TRIES) -> Check:
        """Runs one check; once more if it fails while the machine is busy, at most `_TRIES` times in all."""
        self._pace.check_begins(number, name)
        self._bot.time.look()
        began, left_out, timeouts = trio.current_time(), self._bot.time.left_out, len(self._timeouts)
        try:
            check = await step()
        except Skipped as why:
            check = found(str(why), status=SKIPPED)
        except Failed as failure:
            self._bot.time.look()
            busy = self._bot.time.left_out - left_out > BUSY * (trio.current_time() - began)
            if busy and tries > 1 and self._built:
                await self._bot.leave()
                del self._timeouts[timeouts:]
                return await self.check(number, name, step, tries - 1)
            check = failure.check
            first = self._remedies.setdefault(remedy(check.fix, check.output), number)
            check = dataclasses.replace(check, same_as=0 if first == number else first)
        self._pace.check_ends()
        return dataclasses.replace(check, number=number, name=name)

    def _games(self) -> list[str]:
        info = self._info
        named = [
            info.games if info else tuple(GAMES),
            self._manifest.games if self._manifest else tuple(GAMES),
            self._conditions.games or tuple(GAMES),
        ]
        return [game for game in GAMES if all(game in games for games in named)]

    async def _builds(self) -> Check:
        if self._manifest is None:
            self._built = True
            raise Skipped("the referee does not start it")
        try:
            await require_fit(self._manifest, self._bot.entrant.sandbox)
        except BuildError as error:
            expected = "its folder holds files, folders, and links to what it may read"
            raise Failed(expected, error.message, "mend the folder as that says") from None
        if not self._manifest.build:
            self._built = True
            raise Skipped("there is nothing to build")
        command = " ".join(self._manifest.build)
        try:
            took = await build(self._manifest, self._say, self._bot.entrant.sandbox, hear=self._hear)
        except BuildError as error:
            fix = f"run `{command}` in {self._manifest.folder} until it ends with exit code 0"
            raise Failed(f"`{command}` builds the bot", error.message, fix, error.output) from None
        self._built = True
        return found("up to date") if took is None else found(f"in {took:.1f} s", {"build_s": took})

    async def _starts(self) -> Check:
        if not self._built:
            raise Skipped("it is not built")
        patience = f"{self._conditions.patience:g} s"
        began = time.perf_counter()
        try:
            await self._bot.listen()
        except BotFault as fault:
            if self._manifest is None:
                address = self._bot.entrant.address
                raise Failed(
                    f"a bot listens at {address}", f"it {fault.message}",
                    "start the bot, and give the address and port at which it listens",
                ) from None  # fmt: skip
            fix = LISTEN
            if fault.reason == "crash":
                fix = SERVE if self._bot.exit_code == 0 else self._by_hand(self._manifest)
            output = self._bot.last_words()
            raise Failed(f"it listens within {patience}", f"it {fault.message}", fix, output) from None
        self._started = True
        took = self._pace.start_s = time.perf_counter() - began
        return found(f"in {took:.2f} s", {"start_s": took} if self._manifest else {})

    def _by_hand(self, bot: BotManifest) -> str:
        """How the bot's author tries by hand what fails, in the sandbox if the bot has one."""
        command, sandbox = " ".join(map(shell_word, bot.command)), self._bot.entrant.sandbox
        if sandbox.level is Level.NONE:
            return f"run `{command}` in {bot.folder} and mend what it says"
        level = f" --sandbox {sandbox.level}" if sandbox.level is not usual() else ""
        tried = f"arena check-bot {shell_word(bot.folder)}{level} --shell {shell_word(command)}"
        return f"run `{tried}`, in the same sandbox, and mend what it says; {sandbox.limited}"

    async def _describes(self) -> Check:
        if not self._started:
            raise Skipped("it is not there")
        expected = f"Describe is answered within {self._conditions.patience:g} s, as bot.proto says"
        try:
            keeper = (await self._bot.come()).keeper
        except BotFault as fault:
            fix = (
                "answer Describe at once, while the Play stream is open too"
                if fault.reason == "timeout"
                else "fill every field of DescribeResponse as bot.proto says"
            )
            raise Failed(expected, f"the bot {fault.message}", fix, self._bot.last_words()) from None
        info = keeper.info
        assert info is not None
        if info.games:
            self._info = info
            await self.plan()
        wanted = self._manifest.games if self._manifest else self._conditions.games
        missing = [game for game in wanted if game not in info.games]
        if missing or not info.games:
            plays = f"Describe names {', '.join(info.games) or 'none'}"
            given = ", ".join(f'"{game}"' for game in info.games)
            fix = f"write games = [{given}] into bot.toml, or name all of these games in Describe"
            if not info.games or self._manifest is None:
                fix = "name the games that the bot plays in Describe"
            raise Failed(f"it plays {', '.join(wanted) or 'a game'}", plays, fix)
        tables = f"{info.max_tables} tables" if info.max_tables > 1 else "one table"
        by = f" by {info.author}" if info.author else ""
        language = f", in {info.language}" if info.language else ""
        version = f" {info.version}" if info.version else ""
        note = await self._note_on_bytes(keeper, info.pledge)
        own = "" if info.pledge else "; it puts no bytes of its own into the deals"
        about = f"{own}; {note}" if note else own
        return found(
            f"{info.name}{version}{by}{language}: protocol {PROTOCOL_VERSION}, "
            f"{counted(len(info.games), 'game')}, "
            f"{tables if info.max_tables else 'any number of tables'} at once{about}",
            {"max_tables": info.max_tables},
            NOTED if note else PASSED,
        )

    async def _note_on_bytes(self, keeper: Dialler, pledge: bytes) -> str:
        """What is wrong with the bytes that the bot puts into deals; empty if all is well."""
        if not pledge:
            return ""

        def give_and_describe() -> BotInfo:
            if (channel := keeper.channel) is None:
                raise BotFault("disconnect", "is not there any more")
            deal, pledges = (secrets.token_bytes(PLEDGE_BYTES) for _ in range(2))
            ask_for_bytes(channel, pledge, deal, pledges, ENDLESS)
            return describe(channel, ENDLESS)

        try:
            with unwrapped(BotFault):
                again = await self._bot.time.within(
                    self._conditions.patience, lambda: in_a_thread(give_and_describe)
                )
        except BotFault as fault:
            return f"the bytes that it pledged for the deals will not count: it {fault.message}"
        if again is None:
            within = f"within {self._conditions.patience:g} s"
            return f"the bytes that it pledged for the deals will not count: it does not give them {within}"
        if again.pledge == pledge:
            return "it pledges again the bytes that it has given, which are no secret any more: draw others"
        return ""

    async def _plays(self, game: str) -> Check:
        self._need_description()
        games = self._games_of(game)
        tried: list[Setting] = [each.key for each in games]
        games_over = await self._play(games, DEFAULT_CONCURRENCY)
        first = next(played for played in games_over if played.seating.key == tried[0])
        self._played[game] = first
        seats = sorted({setting.seats for setting in tried if not setting.changed})
        more = sorted({setting.seats for setting in tried} - set(seats))
        changes = len({setting.changed for setting in tried}) - 1
        text = f"{counted(len(games), 'game')}: {seats[0]} to {seats[-1]} seats"
        if self._conditions.thorough:
            text += f", {changes} changed options"
        if more:
            text += f", also with {joined([*map(str, more)])} seats"
        return found(text, {"games": len(games)})

    def _games_of(self, game: str) -> list[Seating]:
        """The games of the check that it plays a game; the bot takes each seat, if there are enough."""
        tried = settings(GAMES[game]) if self._conditions.thorough else usual_settings(GAMES[game])
        return [
            seating(setting, number % setting.seats, self._conditions.clock)
            for number, setting in enumerate(tried)
        ]

    def _tables(self) -> int:
        """How many tables the bot is given at once."""
        limit = self._info.max_tables if self._info else 0
        return min(limit or self._conditions.tables, self._conditions.tables)

    async def _answers_many(self) -> Check:
        self._need_games()
        assert self._info is not None
        if self._info.max_tables == 1:
            raise Skipped("it plays one table at a time, as it says")
        tables = self._tables()
        names = list(self._played)
        games = []
        for number in range(tables):
            usual = self._played[names[number % len(names)]].seating
            setting: Setting = usual.key
            board = setting._replace(changed=f"board {number}") if number >= len(names) else setting
            games.append(seating(board, number // len(names) % setting.seats, self._conditions.clock))
        await self._bot_there()
        before, began = len(self._times), time.perf_counter()
        await self._play(games, tables)
        rate = (len(self._times) - before) / (time.perf_counter() - began)
        return found(
            f"{counted(tables, 'table')}, {rate:,.0f} decisions/s",
            {"tables": tables, "decisions_per_s": rate},
        )

    async def _keeps_time(self) -> Check:
        clock = self._conditions.clock
        limit = min(clock.move, clock.bank)
        if self._timeouts:
            trouble = self._timeouts[0]
            raise Failed(
                f"every decision within {limit / SECOND:g} s, and {clock.bank / SECOND:g} s in a game",
                f"{trouble.where}: {trouble.message}",
                FIXES["timeout"],
            )
        times = sorted(self._times)
        if not times:
            raise Skipped("it has answered no turn")
        middle, high, most = times[len(times) // 2], times[len(times) * 99 // 100], times[-1]
        share = most / limit
        text = (
            f"{len(times):,} decisions: half within {_ms(middle)}, 99 % within {_ms(high)}, the slowest "
            f"{_ms(most)}, {100 * share:.1f} % of the {limit / SECOND:g} s allowed"
        )
        measured = {
            "decisions": len(times), "p50_ms": middle / MILLISECOND, "p99_ms": high / MILLISECOND,
            "slowest_ms": most / MILLISECOND, "limit_ms": limit / MILLISECOND,
        }  # fmt: skip
        if share < _CLOSE:
            return found(text, measured)
        return found(f"{text}: a slower machine may be too slow", measured, NOTED)

    async def _repeats(self) -> Check:
        self._need_games()
        first = {played.seating.key: played for played in self._played.values()}
        again = await self._play([played.seating for played in first.values()], DEFAULT_CONCURRENCY)
        other = [
            played.seating.key.game.id
            for played in again
            if played.record.actions != first[played.seating.key].record.actions
        ]
        if not other:
            return found("the results can be reproduced")
        text = (
            f"it chose differently the second time in {', '.join(other)}; this is normal if it thinks by the "
            "clock; any other bot should take all randomness from the seed of TableStart"
        )
        return found(text, status=NOTED)

    async def _runs_beside_another(self) -> Check:
        """Starts a second instance, as a tournament does for each seating of a board."""
        self._need_games()
        if self._manifest is None:
            raise Skipped("the referee does not start it")
        if self._bot.entrant.sandbox.needs.connects:
            raise Skipped("it has one instance, since it asks for the network, locks or a folder to write in")
        game = next(iter(self._played.values())).seating
        session = await self._bot_there()
        another = self._bot.dialler(ANOTHER, session.sitting)
        session.sitting.add_bot(another)
        await another.settled.wait()
        if not another.presence.came:
            raise Failed(
                "a second instance comes up while the first one runs",
                f"it {self._bot.why(another).message}",
                "listen at ARENA_LISTEN alone, take no lock, and write into the folder that TMPDIR names",
                last_lines(another.log),
            )
        await self._play([game], 1)
        another.close()
        return found("a second one came up, and the first one played on")

    async def _comes_back(self) -> Check:
        self._need_games()
        if self._manifest is None:
            raise Skipped("the referee does not start it")
        games = self._games_with_it_away()
        await self._play(games, DEFAULT_CONCURRENCY, kill=True)
        return found(
            f"killed in the middle of {counted(len(games), 'game')}, it came back and played on to the end"
        )

    async def _ends(self) -> Check:
        if self._manifest is None:
            raise Skipped("the referee does not start it")
        if sys.platform == "win32":
            raise Skipped("this system has no SIGTERM")
        self._need_description()
        try:
            process = (await self._bot.come()).keeper.process
        except BotFault as fault:
            raise Skipped(f"it {fault.message}") from None
        assert process is not None
        output = self._bot.last_words()
        began = self._bot.time.look()
        process.ask_to_end()  # while its stream is open
        code = await self._bot.time.within(GRACE, process.wait)
        took = self._bot.time.look() - began
        await self._bot.leave()
        expected = f"it ends within {GRACE:g} s of SIGTERM, with exit code 0"
        if code == 0:
            return found(f"in {took:.2f} s of the {GRACE:g} s allowed", {"end_s": took})
        if code is None:
            fix = "on SIGTERM stop serving at once, without waiting for the referee to end its stream"
            raise Failed(expected, "it was still there and was killed", fix, output)
        if code == _TERMINATED:
            fix = (
                "handle SIGTERM: stop serving and exit with code 0; in a shell script, `exec` the bot; in "
                "Java, end a shutdown hook with Runtime.getRuntime().halt(0)"
            )
            raise Failed(expected, "SIGTERM ended it unhandled (exit code 143)", fix, output)
        fix = "let nothing go wrong in stopping, and exit with code 0"
        raise Failed(expected, f"exit code {code}", fix, self._bot.last_words())

    async def _joins(self) -> Check:
        if self._manifest is None:
            raise Skipped("the referee does not start it")
        if not self._conditions.joins:
            raise Skipped("a standing league starts its bots, and lets none join")
        self._need_games()
        return await check_joining(self._bot, self._games_with_it_away(), self._conditions.patience)

    def _games_with_it_away(self) -> list[Seating]:
        """A game of each kind, with a clock that does not run out while the bot is away."""
        clock = self._conditions.clock
        away = int(2 * self._conditions.patience * SECOND)
        clock = clock._replace(bank=clock.bank + away, move=clock.move + away)
        return [seating(played.seating.key, 0, clock, _FORGIVING) for played in self._played.values()]

    async def _keeps_log_short(self) -> Check:
        if self._manifest is None:
            raise Skipped("the referee does not start it")
        if not self._started:
            raise Skipped("it is not there")
        printed = self._bot.printed()
        if self._bot.printed_too_much():
            raise Failed(
                f"it prints no more than the {size_text(LOG_LIMIT)} that are kept",
                f"it printed {printed:,} bytes, of which the middle is left out",
                "print errors only, or write what you want to keep into a file of the bot's own",
            )
        return found(f"{printed:,} bytes printed", {"printed_bytes": printed})

    def _need_description(self) -> None:
        if self._info is None:
            raise Skipped("it has not described itself")

    def _need_games(self) -> None:
        self._need_description()
        if not self._played:
            raise Skipped("there is no game yet that it plays without a fault")

    async def _bot_there(self) -> Session[Dialler]:
        """Starts or dials the bot if it is not connected. Raises Failed."""
        try:
            return await self._bot.come()
        except BotFault as fault:
            output = self._bot.last_words()
            raise Failed("it starts once more", f"it {fault.message}", FIXES["crash"], output) from None

    async def _play(self, games: Sequence[Seating], tables: int, kill: bool = False) -> Sequence[Played]:
        """Plays games; with `kill`, kills the bot in the middle. Raises Failed at its first fault."""
        session = await self._bot_there()

        def crash() -> None:
            assert session.keeper.process is not None
            self._bot.mark_log()
            session.keeper.process.crash()

        self._pace.play_begins()
        over = await session.play(games, tables, crash if kill else None, self._pace.plays)
        for played in over:
            self._times += decision_times(played)
        trouble = session.trouble
        if trouble is None:
            return over
        await self._bot.leave()
        if trouble.reason == "timeout":
            self._timeouts.append(trouble)
        came = f"{trouble.where or 'after it was killed'}: {trouble.reason}: {trouble.message}"
        expected = "every turn is answered in time, with one of its legal actions"
        raise Failed(expected, came, FIXES[trouble.reason], self._bot.last_words())


def _ms(nanoseconds: int) -> str:
    return f"{nanoseconds / MILLISECOND:.1f} ms"
