"""Which of the games that are due begins when: never more tables than wished, nor than a bot can play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from arena.runner.rooms.room import Seating

_AHEAD = 4
"""How many games per table are looked at, at the most, to find one whose bots are free."""

_NOT_DEALT_WITH = 4
"""How many games per table may be over and not yet dealt with before no further one begins."""


class Dispatcher:
    """Opens games as they come due, in their order as far as the bots' limits allow.

    Args:
        next_game: gives the next game that is due, each once; None where there is none at the moment.
        open_table: opens one.
        limit: how many tables each instance of a bot, given by its number, can play; 0 for any number.

    Attributes:
        concurrency: how many tables are played at once; none at first.
        unfinished: the keys of the games that run, or are over and not dealt with, each with its players.
    """

    def __init__(
        self,
        next_game: Callable[[], Seating | None],
        open_table: Callable[[Seating], None],
        limit: Callable[[int], int],
    ) -> None:
        self._next_game = next_game
        self._open_table = open_table
        self._limit = limit
        self._waiting: list[Seating] = []
        self._awaited: dict[int, list[Seating]] = {}  # bots that are still to come, with games of theirs
        self._running = 0
        self.concurrency = 0
        self.unfinished: Counter[tuple[Any, tuple[int, ...]]] = Counter()
        self._tables: Counter[int] = Counter()  # at how many each bot sits
        self._over = 0  # how many are over and not dealt with
        self._stopped = False

    def begin(self) -> None:
        """Begins as many games as may be; to be called whenever games may have come due."""
        while (
            self._running < self.concurrency
            and self._over < _NOT_DEALT_WITH * self.concurrency
            and not self._stopped
            and (seating := self._free_game()) is not None
        ):
            self._running += 1
            self.unfinished[seating.key, seating.players] += 1
            self._tables.update(seating.numbers)
            self._open_table(seating)

    def forget_waiting(self) -> list[Seating]:
        """Lets go of the games that have not begun, and are to come due again; those."""
        games = [*self._waiting, *(seating for awaited in self._awaited.values() for seating in awaited)]
        self._waiting.clear()
        for awaited in self._awaited.values():
            awaited.clear()
        return games

    def await_bot(self, player: int) -> None:
        """Begins no game of a bot that is on its way."""
        self._awaited.setdefault(player, [])

    def bot_settled(self, player: int) -> None:
        """A bot has come, or will not: its games begin."""
        for seating in reversed(self._awaited.pop(player, [])):
            awaited = self._awaited_of(seating)
            (awaited[0] if awaited else self._waiting).insert(0, seating)
        self.begin()

    def stop(self) -> None:
        """Begins no games any more."""
        self._stopped = True

    def again(self, seating: Seating) -> None:
        """Lets a game that was void be played once more, before all others."""
        self._close(seating)
        self._forget(seating)
        self._waiting.insert(0, seating)
        self.begin()

    def ended(self, seating: Seating) -> None:
        """A game is over: its place is free."""
        self._close(seating)
        self._over += 1
        self.begin()

    def taken_back(self, seating: Seating) -> None:
        """A game that was opened has not begun, and is not to: it is to come due again."""
        self._close(seating)
        self._forget(seating)

    def dealt_with(self, seatings: Sequence[Seating]) -> None:
        """Games that were over are dealt with, such as stored."""
        self._over -= len(seatings)
        for seating in seatings:
            self._forget(seating)
        self.begin()

    def _close(self, seating: Seating) -> None:
        self._running -= 1
        self._tables.subtract(seating.numbers)

    def _forget(self, seating: Seating) -> None:
        game = seating.key, seating.players
        self.unfinished[game] -= 1
        if not self.unfinished[game]:
            del self.unfinished[game]

    def _free_game(self) -> Seating | None:
        """The first game whose bots are free, of those that are due and looked at."""
        for position, seating in enumerate(self._waiting):
            if self._are_free(seating):
                return self._waiting.pop(position)
        while len(self._waiting) < _AHEAD * self.concurrency and (due := self._next_game()) is not None:
            if awaited := self._awaited_of(due):
                awaited[0].append(due)
            elif self._are_free(due):
                return due
            else:
                self._waiting.append(due)
        return None

    def _awaited_of(self, seating: Seating) -> list[list[Seating]]:
        """Where the game is kept until a bot has come, for each of its bots that is on its way."""
        return [self._awaited[player] for player in seating.players if player in self._awaited]

    def _are_free(self, seating: Seating) -> bool:
        return all(
            (limit := self._limit(player)) == 0 or self._tables[number] < limit
            for player, number in zip(seating.players, seating.numbers, strict=True)
        )
