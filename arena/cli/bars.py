"""The progress of a running tournament on a terminal: a bar, the last matches, the top of the table."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from arena.cli.progress import PlainProgress, few
from arena.formats.format import Stage
from arena.league.tournament_file import TournamentFile
from arena.referee.night.settings import Invitation
from arena.referee.sitting.keeper import Attendance
from arena.report.live_text import cluster_line, live_lines
from arena.results import GameResult
from arena.text import clock_text, counted, printable
from arena.tournament.course import Course, MatchOver, News

_GAMES = "games"  # the name of the bar that counts games
_RECENT = 3  # how many matches are shown
_LABEL = 22  # cells in front of the names of such a match
_SCORE = 8  # cells behind each name
_LEAST_NAME = 8
_ROOM = 9  # lines of the terminal that are left for the bar and the messages above it
_TABLE_EVERY = 1.0  # seconds between two updates of the table
_TABLE_SHARE = 0.01  # the largest share of the time that updates may take


class BarProgress(PlainProgress):
    """A bar that counts games, the last matches and the top of the standings. Messages appear above them."""

    def __init__(
        self,
        file: TournamentFile,
        host: str,
        start_after: float | None,
        page: str | None = None,
        league: Path = Path("LEAGUE"),
        verbose: bool = False,
    ) -> None:
        super().__init__(file, host, start_after, page, league, verbose)
        self._console = Console(stderr=True, highlight=False)
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            console=self._console,
            auto_refresh=False,
        )
        self._recent: tuple[str, ...] = ()  # the matches that ended last
        self._table: tuple[str, ...] = ()  # the standings
        self._table_due = 0.0  # when the standings are updated next
        self._over = False
        self._tasks: dict[str, TaskID] = {}  # the bars on the screen
        self._live = Live(console=self._console, get_renderable=self._picture, refresh_per_second=4)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        with contextlib.suppress(OSError):  # the terminal is gone
            self._table = self._recent = ()
            self._over = True
            self._live.stop()

    def say(self, text: str) -> None:
        """Prints a line above the bars."""
        with contextlib.suppress(OSError):  # the terminal is gone; the games go on
            self._console.print(printable(text), markup=False, emoji=False, soft_wrap=True)

    def _tell(self, text: str) -> None:
        with contextlib.suppress(OSError):  # as in `say`
            self._console.print(printable(text), markup=False, emoji=False)

    def _bar(self, name: str, note: str, **fields: Any) -> None:
        """Shows a bar, or changes it; `note` stands behind its count."""
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=None, note=note, left="")
        self._bars.update(self._tasks[name], note=note, **fields)

    def bots_came(self, here: int, bots: int) -> None:
        """Shows how many bots are there."""
        self._bar("bots", "are here", completed=here, total=bots)

    def started(self, tournament: int, commitment: str) -> None:
        """Says what is played, and no longer counts the bots."""
        for name in ("bots", "lobby"):
            if name in self._tasks:
                self._bars.remove_task(self._tasks.pop(name))
        super().started(tournament, commitment)

    def lobby_open(self, invitation: Invitation) -> None:
        """Says how each bot joins, and shows how many of them are there."""
        super().lobby_open(invitation)
        if not self.begun:
            self._show_lobby()

    def attendance(self, news: Attendance) -> None:
        """Tells the news of a bot, and shows who is there."""
        super().attendance(news)
        if "lobby" in self._tasks:
            self._show_lobby()

    def _show_lobby(self) -> None:
        here = len(self._guests - self._away.keys())
        self._bar("lobby", self._roster(), completed=here, total=len(self._guests))

    def _stage_began(self, stage: Stage) -> None:
        super()._stage_began(stage)
        self._recent = ()
        heading = self._file.plan.stages[stage.number].heading(stage.number)
        self._bar(_GAMES, "games", description=heading)

    def follow(self, course: Course) -> None:
        """Shows this course from now on."""
        super().follow(course)
        self._table_due = 0.0

    def news(self, item: News) -> None:
        """Moves the bar on."""
        super().news(item)
        self._show()

    def game_over(self, result: GameResult) -> None:
        """Moves the bar on."""
        super().game_over(result)
        self._show()

    def _tell_standings(self) -> None:
        """Does nothing: the standings are on the screen."""

    def _match_over(self, news: MatchOver) -> None:
        """Shows the match for a while; a match of a knockout also gets a line."""
        assert self._course is not None
        stage = self._course.stages[news.match.key.stage]
        if stage.is_in_turn:
            super()._match_over(news)
        else:
            room = (self._console.width - _LABEL) // len(news.match.entrants) - _SCORE
            text = self._match_text(news, max(room, _LEAST_NAME))
            self._recent = (*self._recent, text)[-_RECENT:]

    def _show(self) -> None:
        """Updates the screen."""
        if self._course is None or _GAMES not in self._tasks:
            return
        self._bar(_GAMES, "games", completed=self._course.tally.played, total=self._course.games)
        now = time.monotonic()
        if now >= self._table_due:
            room = self._console.height - _RECENT - _ROOM - (0 if self._cluster_statistics is None else 2)
            lines = live_lines(self._course, self._names, room, self._console.width)
            self._table = tuple(lines)
            self._bar(_GAMES, "games", left=self._time_left(self._course).removeprefix(", "))
            spent = time.monotonic() - now  # on the referee's own thread
            self._table_due = now + max(_TABLE_EVERY, spent / _TABLE_SHARE)

    def _presence(self) -> tuple[str, ...]:
        """Which bots are here, in a line, or no line before the first game."""
        if self._course is None or self._over:
            return ()
        now, away = self._now(), sorted(self._away.items(), key=lambda item: item[1])
        there = len(self._names) - len(self._course.effects.withdrawn)
        if not away:
            return (f"all {counted(there, 'bot')} are here",)
        missing = few([f"{name} ({clock_text(now - since)})" for name, since in away])
        return (f"{there - len(away)} of {counted(there, 'bot')} are here, missing: {missing}",)

    def _picture(self) -> RenderableType:
        """The current contents of the screen. rich calls this in a thread of its own."""
        lines: list[str] = []
        for block in (self._table, self._recent, self._presence()):
            lines += ["", *block] if block else []
        if self._cluster_statistics is not None:
            lines += ["", cluster_line(self._cluster_statistics)]
        lines += [""] if lines else []
        texts = [Text(printable(line), no_wrap=True, overflow="ellipsis") for line in lines]
        return Group(*texts, self._bars.get_renderable())
