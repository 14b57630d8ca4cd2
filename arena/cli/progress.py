"""The progress of a running tournament in lines on standard error (on a terminal: `arena.cli.bars`)."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import trio

from arena.cli.output import echo
from arena.formats.elimination import needs_extra_board, ranked
from arena.formats.format import Stage
from arena.league.tournament_file import TournamentFile
from arena.link.local.process import JOIN, TOKEN
from arena.referee.cluster_statistics import ClusterStatistics
from arena.referee.night.settings import Invitation, Watcher
from arena.referee.sitting.keeper import Attendance
from arena.report.live_text import cluster_line, leaders
from arena.report.tables import percent, shortened, so_far
from arena.results import FAULT_REASONS, GameKey, GameResult, SeatResult
from arena.table.clock import SECOND
from arena.text import LINE_LIMIT, counted, estimate_text, one_line, shell_word
from arena.tournament.course import Course, MatchOver, News, RoundBegan, StageBegan
from arena.tournament.pace import Pace
from arena.tournament.rulings import Admit, Contribute, Ruling

_FAULTS_EVERY = 10.0  # seconds between two lines about the faults of one bot
_COUNT_EVERY = 5.0  # seconds between lines that count bots
_STANDINGS_SHARE = 0.01  # the largest share of the time that such lines may take
_STANDINGS_EVERY = 10.0  # seconds between lines that count games and say who leads, if no match was told
_HURRIED = 30 * SECOND  # a person can hardly play with less for a decision
_NEWS = 400  # characters of a sentence about a bot: it may quote the bot, and ends with the place of its log
_NAMED = 5  # how many missing bots are named
_MANY_MATCHES = 60  # a stage with more matches than this: no line for each result


class PlainProgress(Watcher, contextlib.AbstractContextManager["PlainProgress"]):
    """A watcher of a running tournament that prints a line for every important event.

    Args:
        file: the tournament.
        host: the name under which others reach this machine.
        start_after: the seconds after which it begins without missing bots; None to wait for all.
        page: the address of the page that is served; None for no page.
        league: the league file, for commands that people are told to type.
        verbose: whether it says before the first game what the standings say at the end: how cards are
            shared, and what nobody can change about the deals any more.
        now: tells the time, in seconds.

    Attributes:
        absent: the names of the entrants that never came.
        begun: whether the tournament is in the league file.
    """

    def __init__(
        self,
        file: TournamentFile,
        host: str,
        start_after: float | None,
        page: str | None = None,
        league: Path = Path("LEAGUE"),
        verbose: bool = False,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._now = now
        self._verbose = verbose
        self._file = file
        self._page = page
        near = league.is_absolute() and league.is_relative_to(Path.cwd())
        self._league = shell_word(league.relative_to(Path.cwd()) if near else league)
        self._host = host
        self._start_after = start_after
        self._names = [entrant.name for entrant in file.entrants]
        self._course: Course | None = None
        self._began = 0.0  # when the run began to play
        self._pace = Pace()
        self._told = 0.0  # when the last line about a match or the standings was printed
        self._faults: dict[int, _Faults] = {}  # of each entrant, not printed yet
        self._faults_told: dict[int, float] = {}  # when the last line about each entrant's faults was printed
        self._counted = now()  # when the last line that counts bots was printed
        self._counting = False  # whether a line has counted them
        self._guests: set[str] = set()  # the names of the bots that dial in
        self._away: dict[str, float] = {}  # the names of the bots that are not there, and since when
        self._cluster_statistics: ClusterStatistics | None = None  # of a cluster
        self.absent: set[str] = set()
        self.begun = False

    def __exit__(self, *_: object) -> None:
        """Says the faults that were not told yet."""
        for entrant in self._faults:
            self._tell_faults(entrant)

    def say(self, text: str) -> None:
        """Prints a line."""
        echo(text, err=True)

    def _tell(self, text: str) -> None:
        """Prints a text that may be broken into lines between two words."""
        self.say(text)

    def bots_came(self, here: int, bots: int) -> None:
        """Counts the bots that are here, if they take long to come."""
        due = self._now() - self._counted >= _COUNT_EVERY
        if due or (self._counting and here == bots):
            self._counted, self._counting = self._now(), True
            self.say(f"bots: {here} of {bots} are here")

    def lobby_open(self, invitation: Invitation) -> None:
        """Says how each bot joins."""
        tokens = invitation.tokens
        self._guests |= tokens.keys()
        for name in tokens:
            self._away.setdefault(name, self._now())
        address = invitation.address.at(self._host)
        self.say(f"the lobby is open on {address.plain}; each bot joins, from its own folder, with")
        for name, token in tokens.items():
            self.say(f"  {name}: {TOKEN}={token or 'TOKEN'} arena join {address}")
        self.say(f"or, without the arena: {JOIN}={address} {TOKEN}=TOKEN COMMAND, the bot's own")
        page = f"{self._page}seat" if self._page else "the page (--serve, or arena serve LEAGUE), under /seat"
        self.say(f"a person sits down with the token on {page}")
        self._warn_of_clocks(tokens)
        if not all(tokens.values()):
            self._tell(
                "TOKEN was shown when it was made, and is not kept; "
                f"arena host token {self._league} BOT makes another"
            )
        if invitation.asks_certificate:
            self.say("bots have to show a certificate: --tls-certificate and --tls-key of arena join")
        if sys.stdin.isatty() and not self.begun:
            self.say("press Enter to start without the missing guests")

    def _warn_of_clocks(self, guests: Iterable[str]) -> None:
        """Says which guests have too little time to be people."""
        plan = self._file.plan
        moves = {name: plan.clock_of(self._names.index(name)).move for name in guests if name in self._names}
        hurried = [name for name, move in moves.items() if move < _HURRIED]
        if hurried:
            least = min(moves[name] for name in hurried) / SECOND
            self._tell(
                f"{least:g} s for a decision is too little for a person, should one play as "
                f"{few(hurried)}: [entrant.clock] in the tournament file gives a guest more"
            )

    async def start_signal(self) -> None:
        """Returns when a person presses Enter, or when the time to start has come."""
        with trio.move_on_after(math.inf if self._start_after is None else self._start_after):
            if sys.stdin.isatty():
                await trio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
            else:
                await trio.sleep_forever()

    def refused(self, sentence: str) -> None:
        """Says which guest was refused."""
        self.say(f"refused: {one_line(sentence)}")

    def started(self, tournament: int, commitment: str) -> None:
        """Says what is played, and with which bots."""
        self.begun = True
        entrants = counted(len(self._names), "entrant")
        plan = self._file.plan
        self._tell(f"{plan.name}: {entrants}, {', '.join(plan.games)}")
        if not self._verbose:
            return
        self._tell(f"cards: {plan.shared_cards_text}")
        if plan.instances > 1 and any(entrant.bot for entrant in self._file.entrants):
            self._tell(
                f"the arena starts {plan.instances} instances of each bot: none of them sees a board twice"
            )
        self._tell(f"the deals' commitment: sha256 {commitment}")

    def follow(self, course: Course) -> None:
        """Counts the games of this course."""
        for entrant in course.effects.withdrawn:
            self._away.pop(self._names[entrant], None)
        if self._course is None:
            self._began = self._told = self._now()
            self._pace = Pace(course)
            if course.tally.played and course.plan.reveal is None:
                played = so_far(course.tally.played, course.total)
                self._tell(f"{played} are played already")
        self._course = course

    def news(self, item: News) -> None:
        """Says which stage begins, who sits out, and how a match ended."""
        match item:
            case StageBegan(stage):
                self._stage_began(stage)
            case RoundBegan(stage, round_) if round_.byes and stage.depends_on_results:
                self._tell(f"{round_.label}: bye for {self._list(round_.byes)}")
            case MatchOver():
                self._match_over(item)

    def _stage_began(self, stage: Stage) -> None:
        format_ = self._file.plan.stages[stage.number]
        self._tell(format_.opening(stage, f"arena host end {self._league}"))

    def game_over(self, result: GameResult) -> None:
        """Says who committed faults, and now and then how it stands."""
        for number, seat in enumerate(result.seats):
            if any(seat.faults) or seat.forfeit:
                self._count_faults(seat, result.key, number)
        self._tell_standings()

    def cluster_statistics(self, cluster_statistics: ClusterStatistics) -> None:
        """Keeps the statistics for the next line that counts games."""
        self._cluster_statistics = cluster_statistics
        if self._course is not None and not self._course.effects.paused:
            self._tell_standings()

    def _tell_standings(self) -> None:
        """Says how many games are played and who leads, if no line was printed for a while."""
        if self._course is None or self._now() < self._told + _STANDINGS_EVERY:
            return
        self._told = self._now()
        played = so_far(self._course.tally.played, self._course.total)
        left = self._time_left(self._course)
        first = leaders(self._course, self._names)
        spent = self._now() - self._told  # on the referee's own thread
        self._told += max(0.0, spent / _STANDINGS_SHARE - _STANDINGS_EVERY)
        away = f"; {cluster_line(self._cluster_statistics)}" if self._cluster_statistics else ""
        self._tell(f"{played}{left}{away}{f'; {first}' if first else ''}")

    def _time_left(self, course: Course) -> str:
        seconds = self._pace.time_left(course, self._now() - self._began)
        return "" if seconds is None else f", {estimate_text(seconds)} left"

    def _count_faults(self, seat: SeatResult, game: GameKey, number: int) -> None:
        """Says what faults a bot committed, now and then; `number` is that of its seat."""
        self._faults.setdefault(seat.entrant, _Faults()).add(seat, game, number)
        now = self._now()
        if now >= self._faults_told.get(seat.entrant, -math.inf) + _FAULTS_EVERY:
            self._faults_told[seat.entrant] = now
            self._tell_faults(seat.entrant)

    def _tell_faults(self, entrant: int) -> None:
        """Says the faults that a bot committed since it was last said, and the command that shows them."""
        since = self._faults[entrant]
        if since.games:
            name = self._names[entrant]
            self._tell(f"faults of {name}: {since.words()}")
            self.say(f"  arena replay {self._league} {since.choice(name)}")
            self._faults[entrant] = _Faults()

    def ruled(self, ruling: Ruling, reason: str) -> None:
        """Prints a ruling and its consequences."""
        if isinstance(ruling, Admit):
            self._names.append(ruling.name)
            self._away[ruling.name] = self._now()
        if isinstance(ruling, Contribute) and not self._verbose:
            return
        because = f" ({reason})" if reason else ""
        for line in ruling.lines(self._names, because, self._file.plan):
            self._tell(line)

    def _match_over(self, news: MatchOver) -> None:
        """Says how a match ended, unless the stage has too many matches."""
        assert self._course is not None
        stage = self._course.stages[news.match.key.stage]
        if (matches := self._course.matches(stage)) is None or matches > _MANY_MATCHES:
            self._tell_standings()
        else:
            self._told = self._now()
            self._tell(self._match_text(news))

    def _match_text(self, news: MatchOver, most: int = LINE_LIMIT) -> str:
        """How a match ended, in names of at most so many cells."""
        match, result = news.match, news.result
        if news.walkover:
            return f"{match.label}: walkover, {self._list(match.entrants)}"
        scores = ", ".join(
            f"{shortened(self._names[entrant], most)} {percent(score)}"
            for entrant, score in zip(result.entrants, result.scores, strict=True)
        )
        extra = f" (after {counted(len(result.extra), 'extra board')})" if result.extra else ""
        return f"{match.label}: {scores}{extra}{self._seed_text(news)}"

    def _seed_text(self, news: MatchOver) -> str:
        """The entrant that goes on by its seed, if a match is tied to the end, as text."""
        match, result = news.match, news.result
        if match.qualify is None or not needs_extra_board(match, result, len(result.extra) + 1):
            return ""
        assert self._course is not None
        entrants = self._course.stages[match.key.stage].entrants
        order = ranked(match, result, {entrant: seed for seed, entrant in enumerate(entrants)})
        return f", decided by seed: for {self._names[order[match.qualify - 1]]}"

    def attendance(self, news: Attendance) -> None:
        """Says that a bot came, or what is wrong with it, and who is missing."""
        name = news.entrant.name
        (self.absent.discard if news.came else self.absent.add)(name)
        if news.here:
            self._away.pop(name, None)
        else:
            self._away.setdefault(name, self._now())
        what = one_line(news.what, _NEWS)
        if self.begun or name in self._guests:
            self._tell(f"{name} {what} ({self._roster()})")
        elif not news.here:  # before the first game, bots that come are counted
            self._tell(f"{name} {what}")

    def _roster(self) -> str:
        """The bots that are missing, as text."""
        away = self._away if self.begun else [name for name in self._away if name in self._guests]
        return f"missing: {few([*away])}" if away else "all are here"

    def _list(self, entrants: Sequence[int]) -> str:
        return ", ".join(self._names[entrant] for entrant in entrants)


class HostedProgress(PlainProgress):
    """Prints the same lines, and tells the host of a standing league how guests join.

    Args:
        tell: the descriptor on which the host hears it; None if no host does.
    """

    def __init__(self, *args: Any, tell: int | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._page = "the league's page, under /"
        self._tells, self._invites = tell, False

    def lobby_open(self, invitation: Invitation) -> None:
        self._invites = True
        super().lobby_open(invitation)
        self._invites = False

    def say(self, text: str) -> None:
        super().say(text)
        if self._invites and self._tells is not None:
            with contextlib.suppress(OSError):  # the host process is gone, and so ends this one
                os.write(self._tells, f"{text}\n".encode())


class _Faults:
    """Faults of one bot.

    Attributes:
        games: the games, each with the seat of the bot.
    """

    def __init__(self) -> None:
        self._kinds: Counter[str] = Counter()
        self.games: list[tuple[GameKey, int]] = []

    def add(self, seat: SeatResult, game: GameKey, number: int) -> None:
        """Adds those of a game, which the bot played in the seat with this number."""
        self._kinds.update(dict(zip(FAULT_REASONS, seat.faults, strict=True)))
        self._kinds["forfeit"] += seat.forfeit
        self.games.append((game, number))

    def words(self) -> str:
        """What they were, as text."""
        what = ", ".join(
            f"{count} x {kind.replace('_', ' ')}" for kind, count in self._kinds.items() if count
        )
        return what if len(self.games) == 1 else f"{what}, in {len(self.games)} games"

    def choice(self, bot: str) -> str:
        """The options of `arena replay` that show them: the game, or a list of games."""
        if len(self.games) > 1:
            return f"--bot {shell_word(bot)} --fault"
        ((game, seat),) = self.games
        return f"{game} --seat {seat}"


def few(names: Sequence[str]) -> str:
    """A list of names as text; of many only the first ones."""
    rest = len(names) - _NAMED
    return ", ".join(names) if rest <= 1 else f"{', '.join(names[:_NAMED])} and {rest} more"
