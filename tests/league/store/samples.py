"""A sample tournament and its games, for tests of leagues."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from arena.league.store import EntrantInfo, FinishedGame, League, TournamentInfo
from arena.league.verification import Verification
from arena.results import GameKey, GameResult, SeatResult, cyclic_seating

TOURNAMENT = TournamentInfo(
    name="Friday",
    file_path=Path("/nights/friday.toml"),
    file_text='name = "Friday"\n',
    key=bytes(range(32)),
    key_commitment="c0ffee",
    entrants=(EntrantInfo("greedy", "/bots/greedy", "1.0", "Ada"), EntrantInfo("visitor", "host:50051")),
)


def finished_game(*, board: int = 0, rotation: int = 0, game: str = "nyuri") -> FinishedGame:
    """A game of the tournament with recognizable values."""
    seats = (
        SeatResult(entrant=rotation, place=2, points=-7, forfeit=True, faults=(1, 2, 3, 4, 5, 6), time=900),
        SeatResult(entrant=1 - rotation, place=1, points=board, decisions=31, time=2**40),
    )
    result = GameResult(
        GameKey(0, 0, 0, game, board, rotation, cyclic_seating(2, rotation)), seats, "stock_empty"
    )
    return FinishedGame(result, record=b"record \0 %d" % board, times=b"\xff" * (board % 7))


def results_of(league: League, tournament: int) -> Iterator[GameResult]:
    """The results of a tournament's games, as they are asked for."""
    return (result for _, result in league.games(tournament))


def keys_of(league: League, tournament: int) -> set[GameKey]:
    """The keys of a tournament's games."""
    return {result.key for result in results_of(league, tournament)}


def problems_of(league: League) -> list[str]:
    """The problems that a verification finds in an open league."""
    return [f"{problem.where}: {problem.what}" for problem in Verification(league).problems() if problem]


def problems(path: Path) -> list[str]:
    """The problems that a verification finds in a league file."""
    with League.read(path) as league:
        return problems_of(league)
