"""How a running tournament shows itself: a bar on a terminal, plain lines elsewhere; always on stderr."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

import trio
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from arena.cli.output import echo
from arena.formats.stage import Round, Stage
from arena.link.process import JOIN, TOKEN
from arena.results import FAULT_REASONS, GameResult, SeatResult
from arena.runner.entrants import Attendance
from arena.runner.tournament_file import TournamentFile
from arena.text import one_line, printable
from arena.tournament.course import MatchOver, News, RoundBegan, StageBegan
from arena.tournament.decisions import Annul, Decision, End, Extend, Go, Pause, Withdraw

_FAULTS_EVERY = 10.0  # seconds between two lines about the faults of one bot

_COUNT_EVERY = 5.0  # seconds between lines that only count


def make_progress(file: TournamentFile, host: str, start_after: float | None) -> PlainProgress:
    """What fits standard error: a terminal gets bars.

    Args:
        file: the tournament.
        host: the name under which others reach this machine.
        start_after: after how many seconds the tournament begins without those who are missing.
    """
    kind = BarProgress if sys.stderr.isatty() else PlainProgress
    return kind(file, host, start_after)


class PlainProgress:
    """A line for every event worth one: a watcher of a running tournament (see `make_progress`).

    Attributes:
        absent: the names of the entrants that never came.
        begun: whether the tournament is in the league file.
    """

    def __init__(self, file: TournamentFile, host: str, start_after: float | None) -> None:
        self._file = file
        self._host = host
        self._start_after = start_after
        self._names = [entrant.name for entrant in file.entrants]
        self._games = 0
        self._faults: dict[int, Counter[str]] = {}  # of each entrant, those not told yet
        self._faults_told: dict[int, float] = {}  # when they were told last
        self._counted = time.monotonic()  # when bots were counted last
        self._guests: dict[str, bool] = {}  # of those who dial in, who is there
        self.absent: set[str] = set()
        self.begun = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is to be put away."""

    def say(self, text: str) -> None:
        """Prints a line."""
        with contextlib.suppress(OSError):  # who read it has gone; the games go on
            echo(text, err=True)

    def bots_came(self, here: int, bots: int) -> None:
        """Counts them, where that takes long."""
        if time.monotonic() - self._counted >= _COUNT_EVERY:
            self._counted = time.monotonic()
            self.say(f"bots: {here} of {bots} are here")

    def lobby_open(self, port: int, tokens: Mapping[str, str]) -> None:
        """Says how each bot joins."""
        self._guests = dict.fromkeys(tokens, False)
        address = f"{self._host}:{port}"
        self.say(f"the lobby is open on {address}; each bot joins, from its own folder, with")
        for name, token in tokens.items():
            self.say(f"  {name}: {TOKEN}={token} arena join {address}")
        self.say(f"or, without the arena: {JOIN}={address} {TOKEN}=TOKEN COMMAND, the bot's own")
        if sys.stdin.isatty():
            self.say("press Enter to start without those who are missing")

    async def start_signal(self) -> None:
        """Returns at a key, where a person is there to press it, or when the time to start has come."""
        with trio.move_on_after(math.inf if self._start_after is None else self._start_after):
            if sys.stdin.isatty():
                await trio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
            else:
                await trio.sleep_forever()

    def refused(self, sentence: str) -> None:
        """Says who was refused."""
        self.say(f"refused: {one_line(sentence)}")

    def started(self, tournament: int, commitment: str) -> None:
        """Says what is played."""
        self.begun = True
        self.say(f"{self._file.plan.name}: {len(self._names)} entrants, {', '.join(self._file.plan.games)}")
        self.say(f"the deals' commitment: sha256 {commitment}")

    def news(self, item: News) -> None:
        """Says which stage begins, who sits out, and how a match ended."""
        match item:
            case StageBegan(stage):
                self._stage_began(stage)
            case RoundBegan(stage, round_):
                self._round_began(stage, round_)
            case MatchOver():
                self._match_over(item)

    def _stage_began(self, stage: Stage) -> None:
        title = self._file.plan.stages[stage.number].title
        self.say(
            f"stage {stage.number + 1}: {title}, {len(stage.entrants)} entrants, {stage.match_count} matches"
        )

    def _round_began(self, stage: Stage, round: Round) -> None:
        if round.byes and stage.depends_on_results:
            self.say(f"{round.label}: bye for {self._list(round.byes)}")

    def game_over(self, result: GameResult) -> None:
        """Counts, and says who committed faults."""
        self._games += 1
        for seat in result.seats:
            if any(seat.faults) or seat.forfeit:
                self._count_faults(seat)

    def _count_faults(self, seat: SeatResult) -> None:
        """Says what faults a bot committed, now and then."""
        since = self._faults.setdefault(seat.entrant, Counter())
        since.update(dict(zip(FAULT_REASONS, seat.faults, strict=True)))
        since["forfeit"] += seat.forfeit
        now = time.monotonic()
        if now >= self._faults_told.get(seat.entrant, -math.inf) + _FAULTS_EVERY:
            self._faults_told[seat.entrant] = now
            what = [f"{count} x {reason.replace('_', ' ')}" for reason, count in since.items() if count]
            self.say(f"faults of {self._names[seat.entrant]}: {', '.join(what)}")
            since.clear()

    def decided(self, decision: Decision, reason: str) -> None:
        """Says what was decided, and what that means."""
        because = f" ({reason})" if reason else ""
        match decision:
            case Withdraw():
                rest = (
                    "it had played less than half of its matches, so this stage is scored without it"
                    if decision.annulled
                    else "what it had left of this stage are walkovers"
                )
                self.say(f"{self._names[decision.entrant]} is withdrawn{because}: {rest}")
            case Pause():
                self.say(f"paused{because}: games that run are played to their end; arena go lets it go on")
            case Annul():
                boards = len(decision.boards)
                what = "1 board is" if boards == 1 else f"{boards} boards are"
                self.say(f"{what} void{because} and played again")
            case Extend():
                self.say(f"stage {decision.stage + 1} has {decision.cycles} more cycles{because}")
            case Go():
                self.say(f"it goes on{because}")
            case End():
                self.say(f"ended{because}: what is left is not played")

    def _match_over(self, news: MatchOver) -> None:
        match, result = news.match, news.result
        if news.walkover:
            self.say(f"{match.label}: walkover, {self._list(match.entrants)}")
            return
        scores = ", ".join(
            f"{self._names[entrant]} {float(score):.3f}"
            for entrant, score in zip(result.entrants, result.scores, strict=True)
        )
        extra = f" (after {len(result.extra)} extra boards)" if result.extra else ""
        self.say(f"{match.label}: {scores}{extra}")

    def attendance(self, news: Attendance) -> None:
        """Says who is there and what is wrong with a bot."""
        name = news.entrant.name
        if not news.came:
            self.absent.add(name)
        else:
            self.absent.discard(name)
        roster = ""
        if name in self._guests:
            self._guests[name] = news.here
            roster = f" ({self._roster()})"
        self.say(f"{name} {one_line(news.what)}{roster}")

    def _roster(self) -> str:
        missing = [name for name, here in self._guests.items() if not here]
        return f"missing: {', '.join(missing)}" if missing else "all are here"

    def _list(self, entrants: Sequence[int]) -> str:
        return ", ".join(self._names[entrant] for entrant in entrants)


class BarProgress(PlainProgress):
    """A bar per stage that counts its games; lines go above it."""

    def __init__(self, file: TournamentFile, host: str, start_after: float | None) -> None:
        super().__init__(file, host, start_after)
        self._console = Console(stderr=True, highlight=False)
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
        )
        self._bar: TaskID | None = None
        self._lobby: TaskID | None = None
        self._coming: TaskID | None = None

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):  # the terminal is gone
            self._bars.stop()

    def say(self, text: str) -> None:
        """Prints a line above the bars."""
        with contextlib.suppress(OSError):  # the terminal is gone; the games go on
            self._console.print(printable(text), markup=False, emoji=False, soft_wrap=True)

    def bots_came(self, here: int, bots: int) -> None:
        """Shows how many are there."""
        if self._coming is None:
            self._coming = self._bars.add_task("bots", total=bots, note="are here")
        self._bars.update(self._coming, completed=here)

    def started(self, tournament: int, commitment: str) -> None:
        """Says what is played, by those who came."""
        if self._coming is not None:
            self._bars.remove_task(self._coming)
        super().started(tournament, commitment)

    def lobby_open(self, port: int, tokens: Mapping[str, str]) -> None:
        """Begins a bar of those who have dialled in."""
        super().lobby_open(port, tokens)
        self._lobby = self._bars.add_task("lobby", total=len(tokens), note=self._roster())

    def attendance(self, news: Attendance) -> None:
        """Shows who is there."""
        super().attendance(news)
        if self._lobby is not None:
            here = sum(self._guests.values())
            self._bars.update(self._lobby, completed=here, note=self._roster())

    def _stage_began(self, stage: Stage) -> None:
        """Begins a bar."""
        super()._stage_began(stage)
        self._bar = self._bars.add_task(
            f"stage {stage.number + 1}", total=stage.match_count, note=self._count()
        )

    def game_over(self, result: GameResult) -> None:
        """Counts the game."""
        super().game_over(result)
        if self._bar is not None:
            self._bars.update(self._bar, note=self._count())

    def _match_over(self, news: MatchOver) -> None:
        """Moves the bar on."""
        super()._match_over(news)
        if self._bar is not None:
            self._bars.advance(self._bar)

    def _count(self) -> str:
        return f"matches, {self._games} games"
