"""Which of the games that are due begins when: never more tables than wished, nor than a bot can play.

No game waits for another's bots: what waits for a bot that is busy leaves free tables to all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from arena.runner.rooms.room import Seating
from arena.tournament.backlog import Backlog

_NOT_DEALT_WITH = 4
"""How many games per table may be over and not yet dealt with before no further one begins."""


def nothing_due(busy: Collection[int]) -> Seating | None:
    """No game: for those who add all their games by themselves."""
    return None


class Dispatcher:
    """Opens games as they come due, in their order as far as their bots are free.

    A bot is busy while it plays as many tables as it can, and until it has come. The games of a bot that
    was lost begin when it is back, or when nothing else is left to be played.

    Args:
        open_table: opens one.
        limit: how many tables a bot, given by its number, can play at once; 0 for any number.
        next_game: gives, behind the games that were added, the next game that is due in which none of
            some bots plays, each once; None where there is none at the moment.

    Attributes:
        concurrency: how many tables are played at once; none at first.
        unfinished: the keys of the games that run, or are over and not dealt with, each with its players.
    """

    def __init__(
        self,
        open_table: Callable[[Seating], None],
        limit: Callable[[int], int],
        next_game: Callable[[Collection[int]], Seating | None] = nothing_due,
    ) -> None:
        self._open_table = open_table
        self._limit = limit
        self._next_game = next_game
        self._added = Backlog[Seating]()
        self._coming: set[int] = set()  # bots that are on their way
        self._lost: set[int] = set()  # bots that were there, and may come back
        self._running = 0
        self.concurrency = 0
        self.unfinished: Counter[tuple[Any, tuple[int, ...]]] = Counter()
        self._tables: Counter[int] = Counter()  # at how many each bot sits
        self._over = 0  # how many are over and not dealt with
        self._stopped = False

    def begin(self) -> None:
        """Begins as many games as may be; to be called whenever games may have come due."""
        alone = not self._running  # whether no game runs but those of bots that were lost
        while (
            self._running < self.concurrency
            and self._over < _NOT_DEALT_WITH * self.concurrency
            and not self._stopped
        ):
            busy = self._busy()
            seating = self._first(busy | self._lost)
            if seating is not None:
                alone = False
            elif alone and self._lost:
                seating = self._first(busy)
            if seating is None:
                break
            self._running += 1
            self.unfinished[seating.key, seating.players] += 1
            self._tables.update(seating.players)
            self._open_table(seating)

    def add(self, seatings: Iterable[Seating]) -> None:
        """Adds games that are due; they begin when `begin` is called."""
        for seating in seatings:
            self._added.add(seating, seating.players)

    def forget_added(self) -> list[Seating]:
        """Lets go of the games that were added, or are to be played again, and have not begun; those."""
        games = list(self._added)
        self._added.clear()
        return games

    def await_bot(self, player: int) -> None:
        """Begins no game of a bot that is on its way."""
        self._coming.add(player)

    def bot_lost(self, player: int) -> None:
        """A bot that was there is not, and may come back."""
        self._lost.add(player)

    def bot_settled(self, player: int) -> None:
        """A bot has come, or will not: its games begin."""
        self._coming.discard(player)
        self._lost.discard(player)
        self.begin()

    def stop(self) -> None:
        """Begins no games any more."""
        self._stopped = True

    def again(self, seating: Seating) -> None:
        """Lets a game that was void be played once more."""
        self._close(seating)
        self._forget(seating)
        self.add([seating])
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
        for player in seating.players:
            self._tables[player] -= 1
            if not self._tables[player]:
                del self._tables[player]

    def _forget(self, seating: Seating) -> None:
        game = seating.key, seating.players
        self.unfinished[game] -= 1
        if not self.unfinished[game]:
            del self.unfinished[game]

    def _first(self, busy: Collection[int]) -> Seating | None:
        """The first game that is due, added or not, in which none of some bots plays."""
        added = self._added.take(busy)
        return self._next_game(busy) if added is None else added.item

    def _busy(self) -> set[int]:
        """The bots that play as many tables as they can, or have not come."""
        full = {player for player, tables in self._tables.items() if 0 < self._limit(player) <= tables}
        return full | self._coming
