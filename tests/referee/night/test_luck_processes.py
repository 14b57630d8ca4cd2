"""The processes that compute luck."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import trio

from arena.league.stored import luck_in
from arena.league.tournament_file import parse_plan
from arena.referee.night.luck_processes import Game, LuckProcesses
from arena.referee.rooms.rooms import WorkerDied
from arena.results import GameKey
from arena.tournament.course import Due
from tests.referee.simulation import play_game

TEXT = 'name = "a"\ngames = ["hyrule"]\n[[stage]]\nformat = "comparison"\n[[entrant]]\n[[entrant]]\n'


def games(count: int) -> list[Game]:
    plan = parse_plan(TEXT, Path("a.toml"))
    found = []
    for number in range(count):
        seating = (0, 1) if number % 2 == 0 else (1, 0)
        due = Due(GameKey(0, number // 2, 0, "hyrule", 0, number % 2, seating), seating)
        game = play_game(plan, due)
        found.append((game.result.key, game.record))
    return found


def test_they_find_the_luck_of_each_game():
    played = games(3)
    right = [luck_in(*game) for game in played]
    processes = LuckProcesses()
    for count in (1, 3):
        assert trio.run(processes.lucks, played[:count]) == right[:count]
    processes.close()
    processes.close()
    assert trio.run(processes.lucks, played[:1]) == right[:1]
    processes.close()


def test_one_that_was_killed_is_told():
    processes = LuckProcesses()
    trio.run(processes.lucks, games(1))
    for process in processes._processes:
        os.kill(process._process.pid, signal.SIGKILL)
    with pytest.RaisesGroup(WorkerDied):
        trio.run(processes.lucks, games(1))
    assert processes._processes == []
