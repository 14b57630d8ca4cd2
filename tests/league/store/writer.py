"""A program that writes a league until it is killed: each game acknowledged by a line once it is recorded.

Usage: `python -m tests.league.store.writer LEAGUE record|hold`. `record` goes on from the
games that are there; `hold` only keeps the league open until its input ends.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from arena.league.store import League
from tests.league.store.samples import TOURNAMENT, finished_game, keys_of


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(path: str, what: str) -> None:
    with League.create_or_open(Path(path)) as league:
        if what == "hold":
            say("open")
            sys.stdin.read()
            return
        tournament = 1 if league.tournaments() else league.start_tournament(TOURNAMENT)
        done = len(keys_of(league, tournament))
        for board in count(done):
            league.record_game(tournament, finished_game(board=board))
            say(str(board))


if __name__ == "__main__":
    main(*sys.argv[1:])
