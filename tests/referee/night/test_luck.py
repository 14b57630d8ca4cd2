"""The luck of finished games, which workers compute."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import trio

from arena.league.stored import luck_in
from arena.league.tournament_file import parse_plan
from arena.link.streams.trio_thread import RefereeBug
from arena.referee.night.luck import Wanted, luck_pool, lucks_in
from arena.results import GameKey
from arena.tournament.course import Due
from tests.referee.simulation import play_game

TEXT = 'name = "a"\ngames = ["hyrule"]\n[[stage]]\nformat = "comparison"\n[[entrant]]\n[[entrant]]\n'


def games(count: int) -> list[Wanted]:
    plan = parse_plan(TEXT, Path("a.toml"))
    found = []
    for number in range(count):
        seating = (0, 1) if number % 2 == 0 else (1, 0)
        due = Due(GameKey(0, number // 2, 0, "hyrule", 0, number % 2, seating), seating)
        game = play_game(plan, due)
        found.append((game.result.key, game.record, "greedy"))
    return found


def test_the_luck_of_each_game_is_found():
    played = games(3)
    right = [luck_in(*game) for game in played]
    with closing(luck_pool()) as pool:
        for count in (1, 3):
            assert trio.run(lucks_in, played[:count], pool) == right[:count]


def test_a_fault_in_the_computation_is_the_referees():
    [(key, _, baseline)] = games(1)
    with closing(luck_pool()) as pool, pytest.raises(RefereeBug) as told:
        trio.run(lucks_in, [(key, b"no record", baseline)], pool)
    assert told.value.what == "arena.table.record.BrokenRecord: the bytes are not a game record"
