"""Measures a ladder with many games: `python -m tests.hosting.ladder_games --help`.

Forty bots play. A new version replaces one of them in every tenth round, and when no match is worth playing.
A match has five boards in each of three games, 30 games in all. The results are made up, and the records are
empty, so a league with a million games is made in some minutes. It is made once: if the file is there, it is
measured as it is.

The CPU seconds are those of one process, without the time for starting it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from arena.league.store import EntrantInfo, FinishedGame, League, TournamentInfo
from arena.league.stored import course_of
from arena.league.summary import summarize
from arena.league.tournament_file import parse_plan
from arena.results import GameResult, SeatResult
from arena.tournament.course import Due, RoundBegan
from arena.tournament.rulings import Admit, Newcomer
from arena.view.league.reader import ComputingTime, LeagueReader

BOTS, EVERY, STORED_AT_ONCE, LOOKS = 40, 10, 500, 3
PLAN = 'name = "ladder"\ngames = ["nyuri", "hyrule", "kleftis"]\nboards = 5\n[[stage]]\nformat = "ladder"\n'

T = TypeVar("T")


class Played:
    """A ladder that is played.

    Args:
        league: its league, which may be empty.
    """

    def __init__(self, league: League) -> None:
        self.league = league
        self.random = random.Random(1)
        plan = parse_plan(PLAN + "[[entrant]]\n" * BOTS, Path("ladder.toml"))
        if not league.tournaments():
            entrants = tuple(EntrantInfo(f"bot {number}", "bot") for number in range(BOTS))
            league.start_tournament(
                TournamentInfo("ladder", Path("ladder.toml"), PLAN, bytes(32), "", entrants, plan.to_json())
            )
        self.tournament = 1
        self.course = course_of(league, self.tournament)
        self.levels = [self.random.gauss(0, 150) for _ in range(self.course.effects.entrants)]
        self.arrivals = self.course.effects.entrants - BOTS
        self._unstored: list[FinishedGame] = []

    def result(self, due: Due) -> GameResult:
        """A made-up result."""
        one, other = (self.levels[player] for player in due.players)
        wins = self.random.random() < 1 / (1 + 10 ** ((other - one) / 400))
        seats = [
            SeatResult(player, place, 3 - place, decisions=20, time=50_000)
            for player, place in zip(due.players, (1, 2) if wins else (2, 1), strict=True)
        ]
        return GameResult(due.key, tuple(seats), "over")

    def play(self, games: int) -> None:
        """Plays until there are so many games."""
        while self.course.tally.played < games:
            due = self.course.take()
            if due is None or self.course.tally.rounds_begun > EVERY * (self.arrivals + 1):
                self.admit()
                continue
            self.add(self.result(due))
            if len(self._unstored) == STORED_AT_ONCE:
                self.store()
        self.store()

    def next_round(self) -> None:
        """Plays until a further round is paired."""
        self.course.news()
        while not any(isinstance(item, RoundBegan) for item in self.course.news()):
            due = self.course.take()
            if due is None:
                return
            self.add(self.result(due))

    def add(self, result: GameResult) -> None:
        """Counts a game, which is stored later."""
        self.course.add(result)
        self._unstored.append(FinishedGame(result, b"", b""))

    def store(self) -> None:
        """Stores the games that were counted."""
        self.league.record_games(self.tournament, self._unstored)
        self._unstored.clear()

    def admit(self) -> None:
        """A new version replaces a bot."""
        self.store()
        self.arrivals += 1
        old = self.random.choice(
            [e for e in range(self.course.effects.entrants) if e not in self.course.effects.withdrawn]
        )
        newcomer = Newcomer(f"bot {self.course.effects.entrants}", "join")
        ruling = Admit.of(self.course, newcomer, replaces=old)
        self.league.record_ruling(self.tournament, ruling.to_json(), "")
        self.levels.append(self.levels[old] + self.random.gauss(10, 60))
        self.course = course_of(self.league, self.tournament, before=self.course)


def seconds(what: str, do: Callable[[], T]) -> T:
    """Does something, and prints how many CPU seconds it took."""
    began = time.process_time()
    result = do()
    say(f"{what:50} {time.process_time() - began:8.3f} s")
    return result


def say(line: str) -> None:
    """Prints a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def measure(league: League, path: Path) -> None:
    """Measures a ladder."""
    ladder = seconds("resume: all results", lambda: Played(league))
    seconds("resume: the next game is found", ladder.course.take)
    say(f"{ladder.course.tally.played} games, {ladder.course.effects.entrants} entrants")
    seconds("a ruling", ladder.admit)
    seconds("the next game after a ruling", ladder.course.take)
    seconds("the games until the next round is paired", ladder.next_round)
    with closing(LeagueReader(path)) as page:
        seconds("page: the first snapshot", lambda: page.snapshot(1))

        def look(after: str) -> None:
            page.work = ComputingTime(1.0, 1e9)
            seconds(f"page: a snapshot after {after}", lambda: page.snapshot(1))

        for after, games in (("one more board", 2), ("one more match, of all games", 30)):
            for _ in range(LOOKS):
                ladder.play(ladder.course.tally.played + games)
                look(after)
        for _ in range(LOOKS):
            ladder.admit()
            look("a ruling")
        seconds("page: the intervals of the ratings", lambda: page.refine(1))
    seconds("arena standings, without its text", lambda: summarize(league, 1))


def main() -> None:
    """Makes the league and measures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=100_000, help="how many games the ladder has")
    parser.add_argument("--league", type=Path, required=True, help="the league file, made if there is none")
    given = parser.parse_args()
    if not given.league.exists():
        with closing(League.create_or_open(given.league)) as league:
            ladder = Played(league)
            seconds("all games: pairing, counting and storing", lambda: ladder.play(given.games))
    with closing(League.create_or_open(given.league)) as league:
        measure(league, given.league)


if __name__ == "__main__":
    main()
