"""A program that stores a small tournament game by game and says each one when it is stored.

Usage: `python -m tests.faults.durable_writer LEAGUE SYNCHRONOUS CHECKPOINT`: how SQLite syncs (the
league's own way is `full`), and after how many pages it copies its log into the file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from arena.formats.seating import CyclicSeatings
from arena.results import Match, MatchKey
from arena.runner.match_play import MatchPlay
from arena.runner.tournament_file import parse_tournament
from arena.store import EntrantInfo, FinishedGame, League, TournamentInfo
from arena.table.deal import commitment
from tests.runner.simulation import KEY, play_game

FILE = parse_tournament(
    'name = "durable"\ngames = ["hyrule"]\nboards = 20\n[[entrant]]\n[[entrant]]\n',
    Path("durable.toml"),
    find_bots=False,
)
PLAY = MatchPlay(Match(MatchKey(0, 0, 0), (0, 1), "round 1"), FILE.games, FILE.boards, CyclicSeatings())
KEYS = PLAY.plan_regular()


def games(after: int = 0) -> Iterator[FinishedGame]:
    """The games of the tournament after the first ones."""
    return (play_game(FILE, PLAY, key) for key in KEYS[after:])


def begin(league: League) -> int:
    names = (EntrantInfo("a", ""), EntrantInfo("b", ""))
    return league.start_tournament(
        TournamentInfo(FILE.name, FILE.path, FILE.text, KEY, commitment(KEY), names)
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
            league.record_game(tournament, game)
            say(str(game.result.key))
        league.finish_tournament(tournament)
        say("finished")


if __name__ == "__main__":
    main(*sys.argv[1:])
