"""Which games are played at which worker, and what becomes of them when one is lost. No I/O, no clock.

Games wait, are cut into batches of whole boards, and queue at workers, a few batches
each. What is lost with a worker is played elsewhere.

A worker may be lost by any accident. But the batch that it played at that moment is
remembered for it, and one that has lost two workers is played in halves, down to the
games of one board. When such a one goes on losing workers its bots are tried, one after
another: each plays the same games while nobody else does, and what comes of that counts
for nothing else. Whoever loses workers then is guilty, and is asked no more; where
nobody does, none is asked in just these games.

=========================  =========================================================
what is lost               what follows
=========================  =========================================================
a batch that only queued   it is played elsewhere
a batch, once              it is played elsewhere, whole
a batch, twice             it is played elsewhere, in halves that were lost once each
a board, three times       each of its bots is tried
a trial, twice             its bot is guilty
=========================  =========================================================
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from arena.cluster.batches import Batch, Trial, Worker, board, halves
from arena.runner.rooms.room import Seating

WINDOW = 4
"""How many batches a worker has, the one that it plays among them."""

TARGET = 10.0
"""How long a batch should take, in seconds."""

MOST_GAMES = 2_000
"""How many games a batch has at the most."""

ATTEMPTS = 3
"""How often a bot may fail to come up, or workers fail with a batch."""

_GROWTH = 4  # how many times as many games as one before a batch may have
_HALVED, _TRIED, _GUILTY_AFTER = 2, 3, 2  # so many losses
_WEIGHT = 0.3  # of the last batch in what is expected of the next
_GUILTY = "the bot ends the worker that it plays at, again and again"


class Allocation:
    """The games of a cluster: see the module's text.

    Args:
        tables: how many games a worker plays at once.
        accuse: called with a bot that is found guilty, and the fault's reason and message: from then on it
            is not to be asked.
        nowhere: called with one that comes up at no worker that is there; its games are to be taken back.

    Attributes:
        workers: all that there ever were, by their addresses.
        games: how many games were played, but for trials.
    """

    def __init__(
        self,
        tables: int,
        accuse: Callable[[int, str, str], None],
        nowhere: Callable[[int], None],
    ) -> None:
        self.workers: dict[str, Worker] = {}
        self.games = 0
        self._tables = tables
        self._accuse = accuse
        self._nowhere = nowhere
        self._numbers = itertools.count()
        self._waiting: deque[Seating] = deque()
        self._again: deque[Batch] = deque()
        self._at: dict[int, str] = {}  # where each batch is that is at a worker
        self._missed: dict[int, list[str]] = {}  # at which workers a bot did not come up, since it last did
        self._nowhere_up: set[int] = set()  # bots of which that was told
        self._seconds = 0.0  # that a game takes, as far as was measured
        self._largest = 0  # how many games the largest batch had that was played

    # --- How much ---

    @property
    def in_play(self) -> int:
        """How many batches are at workers."""
        return len(self._at)

    @property
    def room(self) -> int:
        """For how many games at once there is use."""
        here = sum(worker.here for worker in self.workers.values())
        return max(1, here) * (WINDOW + 1) * self._batch_games

    @property
    def _batch_games(self) -> int:
        """How many games a batch should have."""
        if not self._seconds:
            return self._tables
        most = min(MOST_GAMES, _GROWTH * self._largest, round(TARGET / self._seconds))
        return max(most, self._tables)

    # --- Games in and batches out ---

    def open(self, seating: Seating) -> None:
        """A game is to be played; those of a board are to come one after another."""
        self._waiting.append(seating)

    def joined(self, address: str) -> None:
        """A worker is there, or there again."""
        self.workers.setdefault(address, Worker()).here = True

    def next(self) -> Iterator[tuple[str, Batch]]:
        """Gives the workers that are there what their windows have room for; each batch with its worker."""
        if not any(worker.here for worker in self.workers.values()):
            return
        suspect = self._suspect()
        again, self._again = self._again, deque()
        for batch in again:
            if _must_wait(batch, suspect):
                self._again.append(batch)
            else:
                yield self._give(batch, self._place(batch)), batch
        while self._waiting and (
            free := sum(worker.here and len(worker.queue) < WINDOW for worker in self.workers.values())
        ):
            batch = self._cut(free)
            address = self._place(batch)
            if len(self.workers[address].queue) >= WINDOW or _must_wait(batch, suspect):
                self._waiting.extendleft(reversed(batch.seatings))
                return
            yield self._give(batch, address), batch

    def spread(self) -> list[int]:
        """Takes back what queues elsewhere while a worker has nothing to do; the numbers of these batches."""
        if self._waiting or self._again or self._suspect() is not None:
            return []
        numbers = []
        for address, idle in self.workers.items():
            if not idle.here or idle.queue:
                continue
            for worker in sorted(self.workers.values(), key=lambda each: -len(each.queue)):
                fit = [batch for batch in worker.queue[1:] if not self._unfit(address, batch)]
                if fit:
                    numbers.append(fit[-1].number)
                    self._take(fit[-1].number)
                    self._put_again(fit[-1])
                    break
        return numbers

    def _suspect(self) -> Batch | None:
        """The batch of which it is to be known first who in it ends workers."""
        queues = (worker.queue for worker in self.workers.values())
        batches = [*self._again, *(batch for queue in queues for batch in queue)]
        suspects = [
            batch
            for batch in batches
            if batch.trial is not None or (batch.losses >= _HALVED and len(halves(batch.seatings)) == 1)
        ]
        return max(suspects, key=lambda each: (each.trial is not None, each.losses), default=None)

    def _place(self, batch: Batch) -> str:
        """The worker that is there, can play a batch and has least to do; any where none can."""

        def order(address: str) -> tuple[bool, int, int, str]:
            worker = self.workers[address]
            return self._unfit(address, batch), len(worker.queue), worker.games, address

        return min((address for address, worker in self.workers.items() if worker.here), key=order)

    def _unfit(self, address: str, batch: Batch) -> bool:
        """Whether a worker could not play a batch, or some of its bots, before."""
        return address in batch.avoided or not self.workers[address].missed.isdisjoint(batch.players)

    def _give(self, batch: Batch, address: str) -> str:
        self.workers[address].queue.append(batch)
        self._at[batch.number] = address
        return address

    def _cut(self, workers: int) -> Batch:
        """The next batch of those that wait: what is left at the end is shared among the workers."""
        share = -(-len(self._waiting) // (2 * workers))
        games = max(1, min(self._batch_games, max(share, self._tables)))
        seatings: list[Seating] = []
        while self._waiting and (len(seatings) < games or board(self._waiting[0]) == board(seatings[-1])):
            seatings.append(self._waiting.popleft())
        return Batch(next(self._numbers), seatings)

    def recall(self) -> tuple[list[Seating], list[int]]:
        """Takes back what no worker plays yet: the games, and the numbers of the batches that queued."""
        seatings = [*self._waiting, *(seating for batch in self._again for seating in batch.seatings)]
        numbers = []
        self._waiting.clear()
        self._again.clear()
        for worker in self.workers.values():
            for batch in worker.queue[1:]:
                numbers.append(batch.number)
                seatings += batch.seatings
                del self._at[batch.number]
            del worker.queue[1:]
        return seatings, numbers

    def without(self, player: int) -> tuple[list[Seating], list[int]]:
        """Takes back all games of a bot: those, and the numbers of the batches in which they were."""
        queues = (worker.queue for worker in self.workers.values())
        held = [batch for queue in queues for batch in queue if player in batch.players]
        numbers = [batch.number for batch in held]
        for batch in held:
            self._take(batch.number)
            self._put_again(batch)
        games = [*self._waiting, *(seating for batch in self._again for seating in batch.seatings)]
        self._waiting = deque(seating for seating in self._waiting if player not in seating.players)
        for batch in self._again:
            batch.seatings = [seating for seating in batch.seatings if player not in seating.players]
        self._again = deque(batch for batch in self._again if batch.seatings)
        return [seating for seating in games if player in seating.players], numbers

    # --- What happens to a batch ---

    def played(self, number: int, seconds: float) -> Sequence[Seating] | None:
        """A batch was played, in so many seconds; its games where they count, None where they do not."""
        taken = self._take(number)
        if taken is None:
            return None
        address, batch = taken
        for player in batch.players:
            self._missed.pop(player, None)
        if batch.trial is not None:
            batch.losses = 0
            self._judge(batch, batch.trial)
            self._put_again(batch, first=True)
            return None
        worker, games = self.workers[address], len(batch.seatings)
        worker.batches += 1
        worker.games += games
        worker.seconds += seconds
        self.games += games
        self._largest = max(self._largest, games)
        took = max(seconds, 1e-6) / games
        self._seconds = took if not self._seconds else (1 - _WEIGHT) * self._seconds + _WEIGHT * took
        return batch.seatings

    def lost(self, address: str) -> list[int]:
        """A worker is gone, or silent; the numbers of the batches that it had."""
        return self._gone(address, self._blame)

    def dismissed(self, address: str) -> list[int]:
        """A worker is asked no more, for which nobody else is to blame; the numbers of its batches."""
        return self._gone(address, partial(self._put_again, first=True))

    def _gone(self, address: str, playing: Callable[[Batch], None]) -> list[int]:
        """A worker is not there; `playing` is called with the batch that it played."""
        worker = self.workers[address]
        queue, worker.queue = worker.queue, []
        worker.here = False
        worker.lost += 1
        numbers = [batch.number for batch in queue]
        for batch in reversed(queue):
            del self._at[batch.number]
            if batch is queue[0]:
                playing(batch)
            else:
                self._put_again(batch, first=True)
        return numbers

    def missed(self, number: int, player: int) -> None:
        """A worker could not play a batch, for a bot did not come up there."""
        taken = self._take(number)
        if taken is None:
            return
        address, batch = taken
        self.workers[address].missed.add(player)
        self._missed.setdefault(player, []).append(address)
        self._put_again(batch)
        if player not in self._nowhere_up and self._comes_up_nowhere(player):
            del self._missed[player]
            self._nowhere_up.add(player)
            self._nowhere(player)

    def _comes_up_nowhere(self, player: int) -> bool:
        places = self._missed[player]
        others = {each: worker for each, worker in self.workers.items() if worker.here and each not in places}
        if any(worker.queue and player in worker.queue[0].asked for worker in others.values()):
            return False  # it may play there at this moment
        return len(places) >= ATTEMPTS and (len(set(places)) >= ATTEMPTS or not others)

    def troubled(self, number: int) -> bool:
        """A worker itself went wrong with a batch; whether that was too often."""
        taken = self._take(number)
        if taken is None:
            return False
        address, batch = taken
        batch.avoided.add(address)
        batch.troubles += 1
        self._put_again(batch)
        return batch.troubles >= ATTEMPTS

    def again(self, number: int, avoided: str = "") -> None:
        """A batch came back as it was; of a worker to be avoided, where it came to nothing there."""
        taken = self._take(number)
        if taken is not None:
            _, batch = taken
            batch.avoided.add(avoided)
            self._put_again(batch)

    def _take(self, number: int) -> tuple[str, Batch] | None:
        """A batch that was at a worker; None for one that was already answered, or given elsewhere."""
        address = self._at.pop(number, None)
        if address is None:
            return None
        queue = self.workers[address].queue
        batch = next(each for each in queue if each.number == number)
        queue.remove(batch)
        return address, batch

    def _put_again(self, batch: Batch, first: bool = False) -> None:
        batch.number = next(self._numbers)
        if first:
            self._again.appendleft(batch)
        else:
            self._again.append(batch)

    # --- Who is guilty ---

    def _blame(self, batch: Batch) -> None:
        """A worker was lost while it played a batch; who is to blame is found before others are lost."""
        batch.losses += 1
        parts = halves(batch.seatings)
        if batch.trial is not None:
            self._judge(batch, batch.trial)
        elif len(parts) > 1 and batch.losses >= _HALVED:
            for half in parts:
                self._put_again(Batch(0, half, batch.losses - 1), first=True)
            return
        elif batch.losses >= _TRIED and not batch.unasked:
            first, *left = batch.players
            batch.trial, batch.losses = Trial(first, tuple(left)), 0
        self._put_again(batch, first=True)

    def _judge(self, batch: Batch, trial: Trial) -> None:
        """A trial is over, or was lost; the batch is for the next one, or for games that count."""
        if 0 < batch.losses < _GUILTY_AFTER:
            return
        guilty = (*trial.guilty, trial.player) if batch.losses else trial.guilty
        batch.losses = 0
        if trial.left:
            batch.trial = Trial(trial.left[0], trial.left[1:], guilty)
            return
        batch.trial = None
        batch.unasked = not guilty
        for player in guilty:
            self._accuse(player, "crash", _GUILTY)


def _must_wait(batch: Batch, suspect: Batch | None) -> bool:
    """Whether a batch waits until it is known of some of its bots whether they end workers."""
    return suspect is not None and batch is not suspect and not set(batch.players).isdisjoint(suspect.players)
