"""The games of one match: which there are, and its result when they are over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from arena.formats.seating import Seatings
from arena.results import GameKey, GameResult, Match, MatchResult, seat_scores


class MatchPlay:
    """One match while it is played.

    Args:
        match: who meets whom.
        games: the ids of the games of the tournament.
        boards: the regular boards per game.
        seatings: who sits where, of the match's stage.
    """

    def __init__(self, match: Match, games: Sequence[str], boards: int, seatings: Seatings) -> None:
        self.match = match
        self._games = tuple(games)
        self._boards = boards
        self._seatings = seatings
        self._planned = 0  # boards planned so far, extra ones included
        self._left: set[GameKey] = set()
        self._sums: list[list[Fraction]] = []  # per board, per entrant: the sum of its scores

    @property
    def over(self) -> bool:
        """Whether all games planned so far are over."""
        return not self._left

    def plan_regular(self) -> list[GameKey]:
        """The regular games, each board once from every seat, in playing order."""
        return self._plan(self._boards)

    def plan_extra(self) -> list[GameKey]:
        """The games of one extra board in every game."""
        return self._plan(1)

    def _plan(self, boards: int) -> list[GameKey]:
        match, seats = self.match.key, len(self.match.entrants)
        keys = []
        for board in range(self._planned, self._planned + boards):
            seatings = [self._seatings.seating(match, seats, board, rotation) for rotation in range(seats)]
            keys += [
                GameKey(*match, game, board, rotation, seating)
                for game in self._games
                for rotation, seating in enumerate(seatings)
            ]
        self._planned += boards
        self._sums += [[Fraction(0)] * len(self.match.entrants) for _ in range(boards)]
        self._left.update(keys)
        return keys

    def seated(self, key: GameKey) -> tuple[int, ...]:
        """The entrants of a game by seat."""
        return tuple(self.match.entrants[position] for position in key.seating)

    def add(self, result: GameResult) -> None:
        """Counts a finished game. Raises KeyError for a game that is not planned or was counted before."""
        self._left.remove(result.key)
        scores = seat_scores([seat.place for seat in result.seats])
        sums = self._sums[result.key.board]
        for seat, score in zip(result.seats, scores, strict=True):
            sums[self.match.entrants.index(seat.entrant)] += score

    def result(self) -> MatchResult:
        """The result over the games that are over: regular boards as one, each extra board for itself."""
        regular = [sum(column, Fraction(0)) for column in zip(*self._sums[: self._boards], strict=True)]
        return MatchResult(
            self.match.entrants,
            self._mean(regular, self._boards),
            tuple(self._mean(sums, 1) for sums in self._sums[self._boards :]),
        )

    def _mean(self, sums: Iterable[Fraction], boards: int) -> tuple[Fraction, ...]:
        games = boards * len(self._games) * len(self.match.entrants)
        return tuple(total / games for total in sums)
