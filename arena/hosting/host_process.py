"""The host process of a standing league: hears requests, and keeps builders, ladder, nights and page running.

It holds nothing in memory that matters: each loop looks at the database, the folders and the league file, and
does what is missing. So it may be killed at any moment. Its children end with it.
"""

from __future__ import annotations

import json
import shutil
import signal
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import apsw
import trio

from arena.checkup.bot_time import BotTime
from arena.hosting import challenges, requests
from arena.hosting.builder import MEMORY, READING, Limits
from arena.hosting.children import Child
from arena.hosting.database import DISK_ERRORS, Challenge, Database, Version, now
from arena.hosting.installed import Installed
from arena.hosting.notices import tell_challenge, tell_decided
from arena.hosting.place import Place
from arena.hosting.queue import in_turn
from arena.hosting.report import Result, read_result
from arena.hosting.seasons import Due, look
from arena.hosting.seasons import now as moment
from arena.hosting.settings import Settings
from arena.hosting.tidying import tidy
from arena.hosting.webhooks import Webhooks
from arena.league.store import StoreError
from arena.link.local.containment.cgroup import become_parent
from arena.link.local.sandbox import EVERYBODYS, about_strongest, remarks
from arena.strict_toml import WrongFile
from arena.table.record import BrokenRecord
from arena.tournament.rulings import Refused

_EVERY = 1.0  # seconds between two looks
_TIDY_EVERY = 3600.0
_TRIES = 5
_TRIES_OF_CHALLENGE = 3
_NICENESS = 10  # of builders, so that games go on beside them
_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # what ends a builder from outside
_LONGEST_WAIT = 60.0
_LOOKS = 10  # at a challenge between two reports on it
_CLOSED = "the account of its author is closed"
_SETTLED = 5.0  # seconds without another change after which an installation is over
_DISK = (*DISK_ERRORS, apsw.BusyError)


def host_up(
    place: Place, settings: Settings, listener: socket.socket, token: str, say: Callable[[str], None]
) -> bool:
    """Runs a standing league until SIGTERM, SIGINT or SIGHUP, or until the arena is installed anew.

    The caller is the host process of the folder (`host_lock`). Raises SandboxMissing.

    Args:
        place: its folder.
        settings: its settings.
        listener: where the page listens.
        token: the host's token on the page.
        say: told what happens, a line for people.

    Returns whether the arena was installed anew, so that the caller goes on with the new one.
    """
    settings.trust.sandbox(EVERYBODYS).require()
    with Database(place.database, writer=True) as database:
        become_parent()
        if not settings.trust.demanded:
            say(about_strongest())
        for remark in remarks({settings.trust.level}):
            say(remark)
        for folder in (
            place.incoming,
            place.tournaments,
            place.folder / "submissions",
            place.folder / "logs",
        ):
            folder.mkdir(mode=0o700, exist_ok=True)
        return trio.run(HostProcess(place, settings, database, say).run, listener, token)


class HostProcess:
    """What the host process does, in loops that go on until they are cancelled.

    Args:
        place: the folder of the league.
        settings: its settings.
        database: a connection that may write.
        say: told what happens, a line for people.
        start: starts a child, with the arguments of `Child`.
    """

    def __init__(
        self,
        place: Place,
        settings: Settings,
        database: Database,
        say: Callable[[str], None],
        start: Callable[..., Child] = Child,
    ) -> None:
        self._place, self._settings, self._database, self._say = place, settings, database, say
        self._start = start
        self._tries: dict[int, int] = {}  # of versions that met a trouble of the host
        self._failures: dict[int, int] = {}  # how often challenges ended before they were over
        self._installed = Installed.find()
        self._ended = False  # by a signal
        self.webhooks = Webhooks(database, settings, say)

    async def run(self, listener: socket.socket, token: str) -> bool:
        """Runs everything until a signal says that it ends, or the arena is installed anew; returns which."""
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._end_at, signals, nursery.cancel_scope)
                nursery.start_soon(self._end_with, self._installed, nursery.cancel_scope)
                nursery.start_soon(requests.serve, self._place, self.decided)
                nursery.start_soon(self.submissions)
                nursery.start_soon(self.games)
                nursery.start_soon(self.challenges)
                nursery.start_soon(self.page, listener, token)
                nursery.start_soon(self.tidying)
                nursery.start_soon(self.webhooks.run)
            if self._ended or self._installed is None:
                return False
            self._say("the arena is being installed anew: the league goes on as soon as that is done")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._end_at, signals, nursery.cancel_scope)
                installed = await _settled()
                self._say(f"the league goes on with arena {installed.version}")
                nursery.cancel_scope.cancel()
            return not self._ended

    async def _end_at(self, signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
        """Ends a scope at the first signal."""
        async for _ in signals:
            self._ended = True
            scope.cancel()

    async def _end_with(self, installed: Installed | None, scope: trio.CancelScope) -> None:
        """Ends a scope when the arena is installed anew, before more of its processes are started."""
        while installed is None or installed.is_there:
            await trio.sleep(_EVERY / 2)
        scope.cancel()

    def decided(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Decides a request."""
        return requests.decide(self._place, self._settings, self._database, asked)

    def _log(self, name: str) -> Path:
        return self._place.folder / "logs" / f"{name}.log"

    async def submissions(self) -> None:
        """Has the versions that are under way built and checked."""
        running: set[int] = set()

        async def make(version: Version) -> None:
            try:
                await self._made(version)
            except _DISK as error:
                self._say(f"version {version.id} is put off: {error}")
                await trio.sleep(_LONGEST_WAIT)
            finally:
                running.discard(version.id)

        async with trio.open_nursery() as nursery:
            told = False
            while True:
                waiting = in_turn(self._database, running)
                full = bool(waiting) and self._is_full()
                if full and not told:
                    self._say("the disk is nearly full: versions are built when there is room")
                told = full
                if waiting and not full and len(running) < self._settings.builders:
                    running.add(waiting[0].id)
                    nursery.start_soon(make, waiting[0])
                await trio.sleep(_EVERY)

    def _is_full(self) -> bool:
        """Whether the disk has less space than is kept for the games."""
        return shutil.disk_usage(self._place.folder).free < self._settings.limits.reserve

    async def _made(self, version: Version) -> None:
        """Has a version built and checked, and stores what became of it."""
        folder = self._place.submission(version.id)
        result = read_result(folder)
        if (result is None or result.state == "trouble") and not self._revoked(version):
            with self._database.transaction():
                self._database.change_version(version.id, state="building")
            refused = await self._build(version)
            if self._installed is not None and not self._installed.is_there:
                with suppress(FileNotFoundError):  # parts of two arenas may have built it
                    (folder / "result.json").unlink()
                return
            result = read_result(folder)
            if refused and (result is None or result.state == "trouble"):
                result = Result("refused", refused, disk=version.disk)
        if self._revoked(version):
            result = (result or Result("refused"))._replace(state="refused", reason=_CLOSED)
        if result is None or result.state == "trouble":
            tries = self._tries[version.id] = self._tries.get(version.id, 0) + (not self._is_full())
            if tries < _TRIES:
                self._say(f"version {version.id} met a trouble of the host, and is tried again")
                with self._database.transaction():
                    self._database.change_version(version.id, state="received")
                await trio.sleep(min(2.0 ** max(tries, 1), _LONGEST_WAIT))
                return
        reason = "trouble of the host: submit it again later" if result is None else result.reason
        accepted = result is not None and result.state == "accepted"
        with self._database.transaction():
            self._database.change_version(
                version.id, state="accepted" if accepted else "refused", reason=reason, decided=now()
            )
            if result is not None and result.state != "trouble":
                self._database.change_version(version.id, content=result.content, disk=result.disk)
            if accepted and not self._database.is_tried(version.id):
                self._database.activate(version.bot, version.id)
            tell_decided(self._database, version, accepted, reason)
            about = {"version": version.id, "reason": reason}
            self._database.note(None, "accepted" if accepted else "refused", about)
        with suppress(OSError):
            (self._place.incoming / f"{self._author(version)}-{version.upload}.zip").unlink()

    async def _build(self, version: Version) -> str | None:
        """Runs the builder of a version to its end.

        Returns why the version is refused if the builder met a limit or failed by what it read, else None.
        """
        reason = await self._met(self._builder(version), version)
        if reason is not None:
            refusing = self._builder(version, reason)
            with trio.move_on_after(READING):
                try:
                    await refusing.wait()
                finally:
                    await refusing.end()
        return reason

    async def _met(self, builder: Child, version: Version) -> str | None:
        """Waits for the end of a builder, and ends it at a limit of `BotTime`; returns which."""
        limits = self._limits()
        left = {"build": limits.build_time + READING, "check": limits.check_time + READING}  # steps to come
        report = self._place.submission(version.id) / "report.jsonl"
        step, most = "unpack", READING
        time = BotTime(builder.used)
        end, too_long = most, False
        try:
            while builder.runs and not self._revoked(version) and not too_long:
                said = report.read_text("utf-8") if left and report.is_file() else ""
                for begun in [each for each in left if f'"step": "{each}"' in said]:
                    step, most = begun, left.pop(begun)
                    end = time.look() + most
                    if step == "check":
                        with self._database.transaction():
                            self._database.change_version(version.id, state="checking")
                await trio.sleep(_EVERY / 4)
                too_long = time.look() >= end
        finally:
            by_itself = not builder.runs
            await builder.end()
        if too_long:
            return f"the step {step} took more than {most:g} s in all: submit fewer or smaller files"
        code = await builder.wait()
        if by_itself and code < 0 and -code not in _OUTSIDE:
            return (
                f"the host's program failed at it ({signal.Signals(-code).name}), as it does for want of "
                "memory: submit fewer or smaller files"
            )
        return None

    def _builder(self, version: Version, *reason: str) -> Child:
        """Starts the builder of a version, with the reason if that is refused."""
        words = ("arena.hosting.builder", str(self._place.folder), str(version.id))
        limits = json.dumps(self._limits()._asdict())
        log = self._log("builders")
        return self._start((*words, limits, *reason), log, niceness=_NICENESS, memory=MEMORY)

    def _author(self, version: Version) -> int:
        bot = self._database.bot(version.bot)
        assert bot is not None
        return bot.account

    def _revoked(self, version: Version) -> bool:
        account = self._database.account(self._author(version))
        return account is None or account.revoked is not None

    def _limits(self) -> Limits:
        settings, trust, clock = self._settings, self._settings.trust, self._settings.rules.clock
        return Limits(
            build_time=settings.limits.build_time,
            disk=settings.limits.disk,
            level=str(trust.level),
            memory=trust.memory,
            threads=trust.threads,
            network=trust.network,
            clock=(clock.bank, clock.increment, clock.move),
            games=settings.games,
            reach=settings.registries,
        )

    async def games(self) -> None:
        """Keeps the command running that plays what is due: the ladder, or a night."""
        child: Child | None = None
        playing, short, begun = "", 0, 0.0
        told = ""
        with Database(self._place.database, writer=True) as database:
            try:
                while True:
                    due, problem = Due(playing), ""
                    try:
                        due = await trio.to_thread.run_sync(
                            look, self._place, self._settings, database, moment()
                        )
                        problem = due.problem
                    except (Refused, StoreError, WrongFile, *_DISK) as error:
                        problem = str(error)
                    if problem and problem != told:
                        self._say(problem)
                    told = problem
                    for line in child.heard() if child is not None else ():
                        self._say(line)
                    if child is not None and (not child.runs or due.what != playing):
                        code = await child.wait() if not child.runs else 0
                        await child.end()
                        if code:
                            self._say(f"{playing} stopped, and is tried again: logs/games.log says why")
                        short = short + 1 if trio.current_time() - begun < _LONGEST_WAIT else 0
                        child, wait = None, min(2.0**short, _LONGEST_WAIT) if due.what == playing else 0.0
                        await trio.sleep(wait)
                        continue  # and look again
                    if child is None and due.command:
                        try:
                            words = ("arena.cli", *due.command)
                            child = self._start(words, self._log("games"), tells=True)
                        except OSError as error:
                            self._say(f"the games are put off: {error}")
                            await trio.sleep(_LONGEST_WAIT)
                            continue
                        playing, begun = due.what, trio.current_time()
                        self._say(f"plays {playing}")
                    await trio.sleep(_EVERY)
            finally:
                if child is not None:
                    await child.end()

    async def challenges(self) -> None:
        """Plays the challenges that authors ask for, one at a time; none while a night is played."""
        while True:
            try:
                waiting = challenges.in_turn(self._database)
                if waiting and not challenges.rests(self._database) and not self._is_full():
                    try:
                        await self._challenge(waiting[0])
                    except (StoreError, BrokenRecord) as error:
                        self._decide(waiting[0], "failed", str(error))
            except _DISK as error:
                self._say(f"challenges are put off: {error}")
                await trio.sleep(_LONGEST_WAIT)
            await trio.sleep(_EVERY)

    async def _challenge(self, challenge: Challenge) -> None:
        """Plays a challenge until it is over or fails, its time is over, or a night begins."""
        place, database, limit = self._place, self._database, self._settings.limits.challenge_time
        problem = challenges.obstacle(place, database, challenge)
        try:
            words = () if problem else challenges.command(place, self._settings, challenge)
        except (WrongFile, StoreError) as error:
            problem = str(error)
        if problem:
            self._decide(challenge, "failed", problem)
            return
        self._decide(challenge, "playing")
        child = self._start(("arena.cli", *words), self._log("challenges"), niceness=_NICENESS)
        looks = 0
        try:
            with trio.move_on_after(limit) as scope:
                while child.runs and not problem and not challenges.rests(database):
                    await trio.sleep(_EVERY)
                    looks += 1
                    if looks % _LOOKS == 0:
                        await self._report(challenge)
                    problem = challenges.obstacle(place, database, challenge)
        finally:
            by_itself = not child.runs
            await child.end()
        if scope.cancelled_caught:
            await trio.to_thread.run_sync(challenges.end, place, challenge.id, "its time was over")
        over = await self._report(challenge)
        if not over and not problem and scope.cancelled_caught:
            problem = f"no game was over within {limit:g} s"
        elif not over and not problem and by_itself:
            tries = self._failures[challenge.id] = self._failures.get(challenge.id, 0) + 1
            if tries < _TRIES_OF_CHALLENGE:
                await trio.sleep(2.0**tries)
                return
            problem = (
                f"it stopped {tries} times: ask again, and tell the host, whose logs/challenges.log says why"
            )
        if over or problem:
            self._decide(challenge, "failed" if problem else "over", problem)

    async def _report(self, challenge: Challenge) -> bool:
        """Stores how a challenge stands; returns whether it is over."""
        report = await trio.to_thread.run_sync(challenges.report_of, self._place, challenge.id)
        with self._database.transaction():
            self._database.change_challenge(challenge.id, report=report)
        return bool(report) and bool(json.loads(report)["over"])

    def _decide(
        self, challenge: Challenge, state: Literal["playing", "over", "failed"], reason: str = ""
    ) -> None:
        """Stores the state of a challenge, and why it failed."""
        ended = None if state == "playing" else now()
        with self._database.transaction():
            self._database.change_challenge(challenge.id, state=state, reason=reason, ended=ended)
            if ended:
                self._database.note(None, f"challenge {state}", {"challenge": challenge.id, "reason": reason})
                tell_challenge(self._database, challenge.id)
        if ended:
            logs = challenges.league_of(self._place, challenge.id).with_suffix(".logs")
            shutil.rmtree(logs, ignore_errors=True)  # nobody reads them

    async def page(self, listener: socket.socket, token: str) -> None:
        """Keeps the page running."""
        short = 0
        while True:
            beside = ("--standing", str(self._place.folder), "--beside", str(listener.fileno()))
            words = ("arena.cli", "serve", str(self._place.league), *beside)
            begun = trio.current_time()
            try:
                child = self._start(words, self._log("page"), [listener.fileno()], pipe=True)
            except OSError as error:
                self._say(f"the page is put off: {error}")
                await trio.sleep(_LONGEST_WAIT)
                continue
            try:
                child.send(token)
                await child.wait()
            finally:
                await child.end()
            short = short + 1 if trio.current_time() - begun < _LONGEST_WAIT else 0
            self._say("the page ended, and is started again")
            await trio.sleep(min(2.0**short, _LONGEST_WAIT))

    async def tidying(self) -> None:
        """Deletes what is not needed any more, once an hour."""
        while True:
            try:
                with Database(self._place.database, writer=True) as database:
                    reserve = self._settings.limits.reserve
                    await trio.to_thread.run_sync(tidy, self._place, database, reserve)
            except _DISK as error:
                self._say(f"tidying is put off: {error}")
            if self._is_full():
                self._say("the disk is nearly full: nothing can be submitted until there is room")
            await trio.sleep(_TIDY_EVERY)


async def _settled() -> Installed:
    """The next installation of the arena, once it is whole and nothing has changed for some seconds."""
    while True:
        found = Installed.find()
        await trio.sleep(_SETTLED)
        if found is not None and found.is_there:
            return found
