"""A program that stores a small tournament game by game and says each one when it is stored.

Usage: `python -m tests.faults.durable_writer LEAGUE SYNCHRONOUS CHECKPOINT`: how SQLite syncs (the
league's own way is `full`), and after how many pages it copies its log into the file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from arena.league.store import EntrantInfo, FinishedGame, League, TournamentInfo
from arena.league.tournament_file import parse_plan
from arena.table.deal import commitment
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from tests.referee.simulation import KEY, play_game

TEXT = 'name = "durable"\ngames = ["hyrule"]\nboards = 20\n[[entrant]]\n[[entrant]]\n'
PLAN = parse_plan(TEXT, Path("durable.toml"))


def games(after: int = 0) -> Iterator[FinishedGame]:
    """The games of the tournament after the first ones."""
    course = new_course(PLAN, Effects(2))
    return (play_game(PLAN, due) for due in list(iter(course.take, None))[after:])


def begin(league: League) -> int:
    names = (EntrantInfo("a", ""), EntrantInfo("b", ""))
    return league.start_tournament(
        TournamentInfo(PLAN.name, Path("/durable.toml"), TEXT, KEY, commitment(KEY), names, PLAN.to_json())
    )


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(path: str, synchronous: str, checkpoint: str) -> None:
    with League.create_or_open(Path(path)) as league:
        assert league._db.pragma("synchronous") == 2  # full
        league._db.pragma("synchronous", synchronous)
        league._db.wal_autocheckpoint(int(checkpoint))
        tournament = begin(league)
        say("begun")
        for game in games():
            league.record_games(tournament, (game,))
            say(str(game.result.key))
        league.finish_tournament(tournament)
        say("finished")


if __name__ == "__main__":
    main(*sys.argv[1:])
