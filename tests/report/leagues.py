"""Leagues of many entrants and games with random results: no game is played."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

from arena.league.store import EntrantInfo, FinishedGame, League, TournamentInfo
from arena.league.summary import Summary, summarize
from arena.league.tournament_file import parse_plan
from arena.results import FAULT_REASONS, GameResult, SeatResult
from arena.table.deal import commitment
from arena.tournament.course import Course, Due
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.tournament.rulings import Ruling, Withdraw, effects_of
from tests.referee.simulation import KEY
from tests.standings.games import add_all

GAMES = 'games = ["nyuri", "forty-one", "nur-mut", "kleftis", "hyrule"]\n'
JAPANESE = "東京大学人工知能研究会の第三世代トランプ対戦プログラム改良版その四十五番機だ"
_SLOW = 3_000_000  # microseconds of the slowest game


def random_summary(
    path: Path,
    text: str,
    names: list[str],
    *,
    seed: int = 1,
    ties: float = 0.1,
    faults: float = 0.05,
    withdraw: tuple[int, ...] = (),
    most: int | None = None,
    finish: bool = True,
    author: str = "",
) -> Summary:
    """The summary of a tournament in which every result is random.

    Args:
        path: the league file.
        text: the tournament file, without its entrants.
        names: the entrants.
        seed: of chance.
        ties: how often all at a table share the first place.
        faults: how often a seat commits a fault.
        withdraw: the entrants that are withdrawn when a third of `most` games, or of 30, are over.
        most: the most games that are played; None for all.
        finish: whether the tournament is over.
        author: of every bot.
    """
    text += "[[entrant]]\n" * len(names)
    plan = parse_plan(text, Path("random.toml"))
    infos = tuple(EntrantInfo(name, "", author and "1.0", author) for name in names)
    with League.create_or_open(path) as league:
        number = league.start_tournament(
            TournamentInfo(plan.name, path, text, KEY, commitment(KEY), infos, plan.to_json())
        )
        rng = random.Random(seed)
        early = (most or 30) // 3
        rulings: list[Ruling] = []
        course = new_course(plan, Effects(len(names)))
        if withdraw:
            _play(league, number, course, early, rng, ties, faults)
            for entrant in withdraw:
                ruling = Withdraw.of(course, entrant)
                league.record_ruling(number, ruling.to_json(), "its author asked for it")
                rulings.append(ruling)
            played = [result for _, result in league.games(number)]
            course = new_course(plan, effects_of(len(names), rulings))
            add_all(course.tally, played)
            course.advance_stages()
        _play(league, number, course, most, rng, ties, faults)
        if finish:
            league.finish_tournament(number)
        return summarize(league, number, intervals=len(names) < 5)


def _play(
    league: League,
    number: int,
    course: Course,
    most: int | None,
    rng: random.Random,
    ties: float,
    faults: float,
) -> None:
    left = most or 1_000_000
    while due := list(islice(iter(course.take, None), min(left, 500))):
        left -= len(due)
        batch = [finished(each, rng, ties, faults) for each in due]
        league.record_games(number, batch)
        for game in batch:
            course.add(game.result)


def finished(due: Due, rng: random.Random, ties: float, faults: float) -> FinishedGame:
    """A game with a random result; see `random_summary`."""
    places = rng.sample(range(1, len(due.players) + 1), len(due.players))
    if rng.random() < ties:
        places = [1] * len(due.players)
    seats = tuple(
        SeatResult(
            player,
            place,
            0,
            rng.random() < faults / 2,
            tuple(int(rng.random() < faults) for _ in FAULT_REASONS),
            50,
            rng.randrange(_SLOW),
        )
        for player, place in zip(due.players, places, strict=True)
    )
    return FinishedGame(GameResult(due.key, seats, "over"), b"", b"")
