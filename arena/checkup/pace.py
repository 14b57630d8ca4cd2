"""How far `arena check-bot` is, and how long it will still take.

The work is counted in the bot's decisions. How many there will be is counted by playing the
same boards at random, by the rules alone; how long one takes is measured as the bot plays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from arena.checkup.session import BOT
from arena.table.deal import KeyedBoard
from arena.tournament.seating import Seating

_ENOUGH = 100  # decisions that were measured, for an estimate: the first ones are slow ...
_SOON = 2.0  # ... or fewer in so many seconds
_PAUSE = 0.5  # seconds that starting the bot again takes besides
_SHOW_EVERY = 0.2  # seconds between two reports


class Progress(NamedTuple):
    """How far a checkup is.

    Attributes:
        number: the number of the check that runs, from 1.
        checks: how many checks there are.
        name: what it checks.
        played: the games of this check that are over.
        games: the games of this check; 0 if it plays none.
        all_games: the games of all checks together.
        left: the estimated seconds until the end; None if nothing is measured yet.
    """

    number: int
    checks: int
    name: str
    played: int
    games: int
    all_games: int
    left: float | None


def decisions_in(game: Seating) -> int:
    """How many decisions the bot has in a game if every seat plays at random."""
    rules = game.rules
    board = KeyedBoard(game.board_key, rules.game.deck(rules.options))
    state = rules.game.new(board, rules.seats, rules.options, rules.starter)
    chance = board.deal(0).chance("check-bot", 0, 0)
    seat_of_bot = game.players.index(BOT)
    decisions = 0
    while to_act := state.to_act:
        seat = to_act[0]
        actions = state.legal_actions(seat)
        decisions += seat == seat_of_bot and len(actions) > 1
        state.apply(seat, actions[chance.below(len(actions))])
    return decisions


class Pace:
    """Estimates how long a checkup will still take.

    Args:
        show: called with the progress, not too often.
        now: tells the time, in seconds.

    Attributes:
        start_s: how long the bot took to start, in seconds.
    """

    def __init__(self, show: Callable[[Progress], None], now: Callable[[], float] = time.perf_counter):
        self.start_s = 0.0
        self._show, self._now = show, now
        self._shown = -_SHOW_EVERY
        self._checks: Sequence[str] = ()
        self._games: Mapping[str, int] = {}
        self._expected: Mapping[str, int] = {}  # decisions in each check
        self._starts: Mapping[str, int] = {}  # how often each check starts the bot
        self._number, self._name = 0, ""
        self._played = 0  # games of this check
        self._before = 0  # decisions in earlier checks
        self._here = 0  # decisions in this check
        self._seconds = 0.0  # of playing in earlier checks
        self._began: float | None = None  # when this check began to play
        self._done: list[str] = []

    def plan(
        self,
        checks: Sequence[str],
        games: Mapping[str, int],
        decisions: Mapping[str, int],
        starts: Mapping[str, int],
    ) -> None:
        """Sets what is to be done.

        Args:
            checks: the names of all checks, in order.
            games: the number of games in each check that plays some.
            decisions: how many decisions the bot is expected to have in each.
            starts: how often each check starts the bot again.
        """
        self._checks, self._games, self._expected, self._starts = checks, games, decisions, starts
        self._tell(at_once=True)

    def check_begins(self, number: int, name: str) -> None:
        """Notes which check runs now."""
        self._number, self._name = number, name
        self._tell(at_once=True)

    def check_ends(self) -> None:
        """Notes that the check is done."""
        self._done.append(self._name)
        self._before += self._here
        self._seconds += self._playing()
        self._here = self._played = 0
        self._began = None

    def play_begins(self) -> None:
        """Notes that the check begins to play."""
        self._began = self._now()

    def plays(self, decisions: int, played: int) -> None:
        """Notes how many decisions and games of this check are done."""
        self._here, self._played = decisions, played
        self._tell()

    def left(self) -> float | None:
        """The estimated seconds until the end; None if too little is measured."""
        decided, seconds = self._before + self._here, self._seconds + self._playing()
        if not decided or (decided < _ENOUGH and seconds < _SOON):
            return None
        rest = sum(count for name, count in self._expected.items() if name not in self._done)
        longer = self._longer()
        rest_here = self._expected.get(self._name, 0) if self._name not in self._done else 0
        to_come = max(0.0, rest_here * longer - self._here) + (rest - rest_here) * longer
        starts = sum(count for name, count in self._starts.items() if name not in self._done)
        return to_come * seconds / decided + starts * (self.start_s + _PAUSE)

    def _longer(self) -> float:
        """How many times as many decisions its games have as the expected ones."""
        expected = sum(self._expected.get(name, 0) for name in self._done)
        return self._before / expected if self._before and expected else 1.0

    def _playing(self) -> float:
        return 0.0 if self._began is None else self._now() - self._began

    def _tell(self, at_once: bool = False) -> None:
        if not self._checks or (not at_once and self._now() < self._shown + _SHOW_EVERY):
            return
        self._shown = self._now()
        self._show(
            Progress(
                self._number, len(self._checks), self._name, self._played,
                self._games.get(self._name, 0), sum(self._games.values()), self.left(),
            )
        )  # fmt: skip
