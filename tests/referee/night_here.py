"""A tournament in a thread of this process, with bots in this process: no bot has a process or a socket,
and nothing is played before the test allows it.

The host's requests go over the real control socket, and the games into a real league.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

import trio

from arena.cli.progress import PlainProgress
from arena.games import GAMES
from arena.league.entrants import Entrant
from arena.league.store import League
from arena.league.stored import stored_tournament
from arena.league.tournament_file import TournamentFile, parse_tournament
from arena.link.local.sandbox import Asked, Level
from arena.link.streams.dial import BotInfo
from arena.link.streams.moments import Moment
from arena.link.streams.stream import Batch, BuiltInPlayer
from arena.link.streams.trio_thread import in_trio
from arena.link.wire.messages import Decision
from arena.referee.night.settings import Invitation, Settings
from arena.referee.night.tournament import run_tournament
from arena.referee.presence import State
from arena.referee.rooms.rooms import BotEvents
from arena.referee.sitting.keeper import Keeper, Start, Tell
from arena.results import GameResult
from arena.v1 import bot_pb2
from tests.patience import PATIENCE

LONG = '[clock]\nbank = "1h"\nincrement = "0s"\nmove = "1h"\n'
"""A clock by which bots can be held as long as a test likes."""

HURRIED = '[entrant.clock]\nbank = "1s"\nincrement = "0s"\nmove = "50ms"\n'
"""The clock of a bot that goes wrong; the others keep theirs, on a slow machine too."""

Answers = Callable[[list[Decision]], list[Decision]]

WAYS: dict[str, Answers] = {
    "out-of-range": lambda given: [(table, turn, 1_000_000, b"") for table, turn, _, _ in given],
    "twice": lambda given: [*given, *given],
    "unknown-table": lambda given: [(1_000_000, 1, 0, b""), *given],
    "silent": lambda given: [],
}
"""The answers of bots that go wrong."""


class _Stream(BuiltInPlayer):
    """The stream of an instance; tells the night at which tables it sits."""

    def __init__(self, night: Night, keeper: BotHere, number: int, events: BotEvents) -> None:
        super().__init__(partial(keeper.decided, number), events.now)
        self._night = night
        self._number = number

    def send(self, data: bytes, turns: int) -> Batch:
        request = bot_pb2.PlayRequest.FromString(data)
        self._night.seated(self._number, request.starts, request.ends)
        return super().send(data, turns)


class BotHere(Keeper):
    """Keeps a bot of this process. It plays as the referee's built-in player does, or goes wrong in a way."""

    def __init__(
        self,
        player: int,
        entrant: Entrant,
        events: BotEvents,
        tell: Tell,
        log: Path,
        start: Start,
        *,
        night: Night,
    ) -> None:
        super().__init__(player, entrant, events, tell, 1 if entrant.bot is None else start.instances)
        self._night = night
        self._answers = night.ways.get(entrant.name)

    async def _keep(self) -> None:
        self.info = BotInfo(
            self.entrant.name, "", "", tuple(GAMES), self._night.max_tables.get(self.entrant.name, 0)
        )
        for number in self.presence.numbers:
            self._become(State.HERE, number, stream=_Stream(self._night, self, number, self._events))
        await trio.sleep_forever()

    def decided(self, number: int, decisions: list[Decision], read: Moment) -> None:
        """Passes an instance's answers to the referee when the bots may play."""
        answers = decisions if self._answers is None else self._answers(decisions)
        if answers:
            self._night.when_it_is_played(
                self.entrant.name, lambda: self._events.decided(number, answers, read)
            )


class _Told(PlainProgress):
    """Keeps the lines that the command would print, and counts what is stored."""

    def __init__(self, night: Night, file: TournamentFile) -> None:
        super().__init__(file, "localhost", None, verbose=True)
        self._night = night

    def say(self, text: str) -> None:
        with self._night.changed:
            self._night.lines.append(text)
            self._night.changed.notify_all()

    def lobby_open(self, invitation: Invitation) -> None:
        super().lobby_open(invitation)
        self._night.invited(invitation)

    def game_over(self, result: GameResult) -> None:
        super().game_over(result)
        self._night.stored(result)


class Night:
    """A tournament that is played here. It begins with the context, and is stopped with it, as by Ctrl-C.

    Args:
        folder: where the league is to lie.
        names: of the entrants, or bot folders, whose instances have places of their own though none is
            started; None to resume what the league holds.
        text: the rest of the tournament file.
        ways: how those bots answer that go wrong, by name.
        max_tables: at how many tables bots play at once that do not play at any number, by name.
        guests: the names of further entrants, which have to dial in at the lobby: real ones.
        sandbox: what the command line said of the sandbox of bots in folders.
        settings: see `Settings`.
        kind: of the league.

    Attributes:
        league: the league file.
        lines: what people were told.
        results: the games that were stored.
        tables: the numbers of those at which games are played.
        over: how many games came to an end, stored or not.
        sat: the seeds of the seats at which each bot sat, by the number of its instance, in hexadecimal.
        address: where guests dial in, once the lobby is open.
        tokens: those of the guests, by name.
        stop: stops the tournament as Ctrl-C does.
    """

    def __init__(
        self,
        folder: Path,
        names: Sequence[str | Path] | None,
        text: str = "",
        *,
        ways: Mapping[str, Answers] = {},
        max_tables: Mapping[str, int] = {},
        guests: Sequence[str] = (),
        sandbox: str | None = None,
        kind: type[League] = League,
        **settings: Any,
    ) -> None:
        self.folder = folder
        self.league = folder / "tournament.league"
        self.ways = ways
        self.max_tables = max_tables
        self.lines: list[str] = []
        self.results: list[GameResult] = []
        self.changed = threading.Condition()
        self._names = names
        self._guests = guests
        self._sandbox = Level(sandbox) if sandbox else None
        self._text = text
        self._kind = kind
        self._settings = {"concurrency": 2, "workers": 0, "lobby": "127.0.0.1:0", **settings}
        self._held: list[tuple[str, Callable[[], None]]] = []
        self._until = 0.0  # how many games are stored when the bots stop
        self._waits: set[str] = set()  # bots that do not play though the others do
        self.tables: set[int] = set()
        self.over = 0
        self.sat: defaultdict[int, list[str]] = defaultdict(list)
        self.address = ""
        self.tokens: dict[str, str] = {}
        self._error: BaseException | None = None
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="night")
        self.stop: Callable[[], None] = lambda: None
        self._release: Callable[[float, frozenset[str]], None]

    def __enter__(self) -> Self:
        self._thread.start()
        self.wait(lambda: hasattr(self, "_release") or self._ended)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        if self._error is not None:
            raise self._error

    # --- for the test's thread ---

    @property
    def told(self) -> str:
        """The news so far."""
        return "\n".join(self.lines)

    def play(self, games: float = math.inf, without: Sequence[str] = ()) -> None:
        """Lets all bots but some play until so many more games are stored; waits for that, if not for all."""
        goal = len(self.results) + games
        self._release(goal, frozenset(without))
        if games != math.inf:
            self.wait_for(goal)

    def wait_for(self, games: float) -> None:
        """Waits until so many games are stored, or the tournament is over."""
        self.wait(lambda: len(self.results) >= games or self._ended)

    def settle(self) -> int:
        """Waits until no game is played and all are stored; returns how many were."""
        self.wait(lambda: not self.tables and len(self.results) == self.over)
        return len(self.results)

    def end(self) -> None:
        """Waits until the tournament is over."""
        self.wait(lambda: self._ended)
        self._thread.join(PATIENCE)

    def open_lobby(self) -> None:
        """Waits until guests can dial in."""
        self.wait(lambda: self.address or self._ended)

    def wait(self, condition: Callable[[], object]) -> None:
        """Waits for what the night's thread does."""
        with self.changed:
            assert self.changed.wait_for(condition, PATIENCE), self.lines

    # --- for the night's thread ---

    def when_it_is_played(self, name: str, answer: Callable[[], None]) -> None:
        if len(self.results) < self._until and name not in self._waits:
            answer()
        else:
            self._held.append((name, answer))

    def invited(self, invitation: Invitation) -> None:
        with self.changed:
            self.address = str(invitation.address)
            self.tokens |= invitation.tokens
            self.changed.notify_all()

    def seated(
        self, number: int, starts: Sequence[bot_pb2.TableStart], ends: Sequence[bot_pb2.TableEnd]
    ) -> None:
        with self.changed:
            self.sat[number] += [start.seed.hex() for start in starts]
            self.tables |= {start.table for start in starts}
            for end in ends:
                if end.table in self.tables:
                    self.tables.remove(end.table)
                    self.over += end.HasField("outcome")
            self.changed.notify_all()

    def stored(self, result: GameResult) -> None:
        with self.changed:
            self.results.append(result)
            self.changed.notify_all()

    def _go_on(self, until: float, without: frozenset[str]) -> None:
        self._until, self._waits = until, set(without)
        held, self._held = self._held, []
        for name, answer in held:
            self.when_it_is_played(name, answer)

    def _run(self) -> None:
        try:
            trio.run(self._main)
        except BaseException as error:  # noqa: BLE001 - raised where the context ends
            self._error = error
        finally:
            with self.changed:
                self._ended = True
                self.changed.notify_all()

    def _entrant(self, name: str | Path, number: int) -> str:
        if isinstance(name, Path):
            return f'[[entrant]]\nbot = "{name}"\n'
        hurried = HURRIED if name in self.ways else ""
        return f'[[entrant]]\nname = "{name}"\naddress = "unix:/{number}"\n{hurried}'

    async def _main(self) -> None:
        with self._kind.create_or_open(self.league) as store, trio.CancelScope() as scope:
            resumed = None
            if self._names is None:
                stored = store.tournaments()[-1]
                resumed, key = stored.id, store.tournament_key(stored.id)
                file = stored_tournament(store, stored)
            else:
                entrants = "".join(map(self._entrant, self._names, itertools.count()))
                entrants += "".join(f'[[entrant]]\nname = "{name}"\njoin = true\n' for name in self._guests)
                path, key = self.folder / "tournament.toml", bytes(32)
                text = f'name = "test"\n{self._text}\n{entrants}'
                file = parse_tournament(text, path, Asked(self._sandbox) if self._sandbox else None)
            settings = Settings(
                key=key, logs=self.folder / "logs", keeper=partial(BotHere, night=self), **self._settings
            )
            self.stop = in_trio(scope.cancel)
            with self.changed:
                self._release = in_trio(self._go_on)
                self.changed.notify_all()
            await run_tournament(file, store, settings, _Told(self, file), resumed)
