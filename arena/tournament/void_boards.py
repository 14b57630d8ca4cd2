"""Boards that count no more, and the fresh ones that are played in their places."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from arena.results import GameKey, MatchKey

_FRESH = 1_000_000
"""Fresh boards are numbered from here on, above all that a tournament can have."""

_Board = tuple[MatchKey, str, int]
"""A board of a match in one game."""


class VoidBoard(NamedTuple):
    """A board of a match, in one game, that counts no more, and the number of the board in its place.

    Attributes:
        stage, round, match, game, board: which board, as in a GameKey.
        fresh: the number, above all others, of the board that is played instead;
            the seating is the same.
    """

    stage: int
    round: int
    match: int
    game: str
    board: int
    fresh: int


class VoidBoards:
    """The boards of a tournament that were annulled."""

    def __init__(self) -> None:
        self._void: dict[_Board, int] = {}  # with the numbers of the boards in their places
        self._in_place_of: dict[_Board, int] = {}  # of these boards, the numbers that were planned

    @property
    def next_fresh(self) -> int:
        """The number of the next fresh board."""
        return _FRESH + len(self._in_place_of)

    def add(self, boards: Iterable[VoidBoard]) -> None:
        """Boards are void."""
        for stage, round_, match, game, board, fresh in boards:
            key = MatchKey(stage, round_, match)
            self._void[key, game, board] = fresh
            self._in_place_of[key, game, fresh] = self.planned(key, game, board)

    def has(self, match: MatchKey, game: str, board: int) -> bool:
        """Whether a board counts no more."""
        return (match, game, board) in self._void

    def has_game(self, key: GameKey) -> bool:
        """Whether a game counts no more."""
        return self.has(key.match_key, key.game, key.board)

    def planned(self, match: MatchKey, game: str, board: int) -> int:
        """The number that was planned for a board that may be a fresh one."""
        return self._in_place_of.get((match, game, board), board)

    def played(self, match: MatchKey, game: str, board: int) -> int:
        """The number of the board that is played for a planned one: its own, or that in its place."""
        while (fresh := self._void.get((match, game, board))) is not None:
            board = fresh
        return board
