"""Whole tournaments without bots or network: random choices at real tables, stored in a real league."""

from __future__ import annotations

import dataclasses
import random
import sys
from collections.abc import Sequence
from itertools import islice, zip_longest
from pathlib import Path

from arena.formats.seating import Rule
from arena.games import GAMES
from arena.league.store import EntrantInfo, FinishedGame, League, TournamentInfo
from arena.league.stored import finished_game, result_of
from arena.league.tournament_file import parse_plan
from arena.table.deal import board_key, commitment
from arena.table.table import Table, TableRules
from arena.tournament.course import Course, Due
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan
from arena.tournament.seating import Played, Seating

KEY = bytes(range(32))
_AT_ONCE = 7  # games that are played before they are stored together


def simulate(
    league: League,
    text: str,
    entrants: int,
    *,
    finish: bool = True,
    seating: Rule = "balanced",
    at_most: int | None = None,
    names: Sequence[str] = (),
    folders: Sequence[Path] = (),
) -> int:
    """Plays the tournament of a file to its end, or at most so many games; returns its id.

    `names`, `folders`: of the bots; the last ones may have no folder.
    """
    text += "[[entrant]]\n" * entrants
    plan = dataclasses.replace(parse_plan(text, Path("simulated.toml")), seating=seating)
    names = names or [f"bot {number}" for number in range(entrants)]
    bots = zip_longest(names, map(str, folders), fillvalue="")
    infos = tuple(EntrantInfo(name, folder) for name, folder in bots)
    number = league.start_tournament(
        TournamentInfo(plan.name, Path("/simulated.toml"), text, KEY, commitment(KEY), infos, plan.to_json())
    )
    play_course(league, number, new_course(plan, Effects(entrants)), at_most)
    if finish:
        league.finish_tournament(number)
    return number


def play_course(league: League, number: int, course: Course, at_most: int | None = None) -> None:
    """Plays all that is left of a tournament, or at most so many games."""
    left = sys.maxsize if at_most is None else at_most
    while batch := list(islice(iter(course.take, None), min(left, _AT_ONCE))):
        left -= len(batch)
        games = [play_game(course.plan, due) for due in batch]
        league.record_games(number, games)
        for game in games:
            course.add(game.result)


def play_game(plan: Plan, due: Due, late: int | None = None) -> FinishedGame:
    """Plays a game with random choices; the entrant that is late, if any, answers nothing in time."""
    key, players = due
    rules = TableRules(GAMES[key.game], plan.options[key.game], len(players), plan.clock, plan.max_faults)
    table = Table(rules, board_key(KEY, key.game, plan.board_name(key)))
    rng = random.Random(str(key))
    while not table.over:
        for ask in table.asks():
            if rng.random() < 0.01 or players[ask.seat] == late:
                table.fault(ask.seat, "timeout", "too late", 1)
            else:
                table.answer(ask.seat, ask.turn, rng.randrange(len(ask.view.actions)), 1000)
    seats = range(len(players))
    played = Played(
        Seating(key, rules, board_key(KEY, key.game, plan.board_name(key)), players),
        table.record(),
        table.times(),
        tuple(1 for _ in seats),
        tuple(map(table.turns_of, seats)),
    )
    return finished_game(result_of(played), played)
