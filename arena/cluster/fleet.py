"""The games of one tournament on a cluster: which worker is asked for what, and what comes of it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial

from arena.cluster import worker
from arena.cluster.allocation import Allocation
from arena.cluster.batches import Batch
from arena.cluster.engine import Engine
from arena.cluster.parcels import Absent, Answer, Lacks, Order, Result, Trouble
from arena.cluster.party import Party
from arena.cluster.post import Post, guarded
from arena.link.streams.dial import BotFault
from arena.link.streams.trio_thread import RefereeBug, in_trio
from arena.runner.labours import Labour, Labours
from arena.runner.rooms.room import Played, Seating

_LATELY = 60.0  # seconds over which the rate is told
_UNASKED = "crash", "this board ended every worker that played it, whoever of its bots was asked"


class Fleet:
    """The games of one tournament on a cluster. To be made in trio's thread.

    Args:
        engine: the cluster.
        tables: how many games a worker plays at once.
        on_played: called with every finished game.
        fail: called with what goes wrong.
        say: called with a line for people.

    Attributes:
        party: the bots that travel.
        on_home: called with a game that is to be played here after all.
        at_home: how many games were played by others, here.
        decisions: how many turns were answered at workers so far.
        cpu: the CPU time of the workers so far, in nanoseconds.
    """

    def __init__(
        self,
        engine: Engine,
        tables: int,
        on_played: Callable[[Played], None],
        fail: Callable[[Exception], None],
        say: Callable[[str], None],
    ) -> None:
        self.at_home = self.decisions = self.cpu = 0
        self._engine = engine
        self._tables = tables
        self._on_played = on_played
        self._fail = fail
        self._say = say
        self.on_home: Callable[[Seating], None] = lambda seating: None
        self._allocation = Allocation(tables, self._accuse, self._nowhere)
        self._jobs: dict[int, str] = {}  # of each batch that is at a worker
        self._lately: deque[tuple[float, int]] = deque()  # when games came back, and how many
        self._since: dict[str, float] = {}  # when each worker was there first
        self._troubles: set[str] = set()  # the workers of which it was said that they go wrong
        self._give_soon = in_trio(guarded(fail, self._give))
        self._abandoned = False
        self._post = Post(engine, self._workers_are, fail, say)
        self.party = Party(self._post)

    @property
    def room(self) -> int:
        """For how many games at once there is use."""
        return self._allocation.room

    def open(self, seating: Seating) -> None:
        """A game is to be played on the cluster."""
        self._allocation.open(seating)
        self._give_soon()  # when those have come that come with it

    def recall(self) -> list[Seating]:
        """Takes back the games that no worker plays yet."""
        seatings, numbers = self._allocation.recall()
        self._forget(numbers)
        return seatings

    def abandon(self) -> None:
        """Plays no more."""
        self._abandoned = True
        self._forget(list(self._jobs))

    def _forget(self, numbers: Iterable[int]) -> None:
        """Wants no answer about some batches; one that waits for a bundle has nothing to be answered."""
        for number in numbers:
            if number in self._jobs:
                self._post.forget(self._jobs.pop(number))

    def lacking(self) -> list[str]:
        """What some of the workers lack to contain bots, for people."""
        return self._post.lacking()

    def labours(self) -> Labours:
        """What the workers do at the moment."""
        now = time.monotonic()
        while self._lately and self._lately[0][0] < now - _LATELY:
            self._lately.popleft()
        first = min([now - 1.0, *self._since.values()])
        workers = [
            Labour(
                self._post.place(address),
                each.here,
                each.games,
                each.batches,
                min(1.0, each.seconds / max(now - self._since[address], 1e-3)),
            )
            for address, each in self._allocation.workers.items()
        ]
        rate = sum(games for _, games in self._lately) / min(_LATELY, now - first)
        return Labours(workers, self._allocation.in_play, rate, self.at_home)

    # --- Workers ---

    def _workers_are(self, addresses: frozenset[str]) -> None:
        known = self._allocation.workers
        for address in sorted(addresses):
            self._since.setdefault(address, time.monotonic())
            if address not in known or not known[address].here:
                self._allocation.joined(address)
        gone = [address for address, each in known.items() if each.here and address not in addresses]
        for address in gone:
            if address in self._post.distrusted:
                self._forget(self._allocation.dismissed(address))
                continue
            self._forget(self._allocation.lost(address))
            self._say(f"the worker {self._post.place(address)} is lost: what it had is played elsewhere")
        if gone and not addresses:
            self._say("no worker is there any more: the games wait for one")
        self._give_soon()

    def _give(self) -> None:
        """Gives workers as much as their windows have room for."""
        if self._abandoned:
            return
        self._forget(self._allocation.spread())
        for address, batch in self._allocation.next():
            self._jobs[batch.number] = self._post.ask(
                address, worker.play, self._order(batch), partial(self._answered, batch.number, address)
            )

    def _order(self, batch: Batch) -> Order:
        absent = {player: why for player, why in self.party.absent.items() if player in batch.players}
        if batch.unasked:
            absent = dict.fromkeys(batch.players, _UNASKED)
        elif batch.trial is not None:
            others = (player for player in batch.players if player != batch.trial.player)
            absent = dict.fromkeys(others, _UNASKED)
        bots = {player: self.party.bots[player] for player in batch.players if player not in absent}
        return Order(self.party.run, bots, absent, batch.seatings, self._tables)

    # --- Answers ---

    def _answered(self, number: int, address: str, answer: Answer | None) -> None:
        if self._jobs.pop(number, None) is None:
            return
        match answer:
            case Result():
                self._played(number, address, answer)
            case Lacks(digests):
                self.party.send(address, digests, partial(self._sent, number, address))
                return
            case Absent(player, _, message):
                self._missed(number, address, player, message)
            case Trouble(report):
                self._troubled(number, address, report)
            case _:
                self._allocation.again(number, address)
        self._give_soon()

    def _sent(self, number: int, address: str, trouble: Trouble | None) -> None:
        """A worker has the bundles that it lacked for a batch, or cannot keep them."""
        if trouble is None:
            self._allocation.again(number)
        else:
            self._troubled(number, address, trouble.report)
        self._give_soon()

    def _played(self, number: int, address: str, result: Result) -> None:
        seatings = self._allocation.played(number, result.seconds)
        if seatings is None:
            return
        self.decisions += result.decisions
        self.cpu += result.cpu
        self._lately.append((time.monotonic(), len(seatings)))
        for word in result.words:
            self.party.keepers[word.player].say(f"{word.what} ({self._post.place(address)})", here=True)
        for told in result.games:
            parts = told.record, told.times, told.seat_times, told.decisions
            self._on_played(Played(seatings[told.position], *parts))

    def _missed(self, number: int, address: str, player: int, message: str) -> None:
        if player not in self._allocation.workers[address].missed:
            self.party.keepers[player].say(
                f"is not played at one worker: {message} ({self._post.place(address)})", here=True
            )
        self._allocation.missed(number, player)

    def _troubled(self, number: int, address: str, report: str) -> None:
        bug = RefereeBug.from_report(report)
        if self._allocation.troubled(number):
            self._fail(bug)
        elif address not in self._troubles:
            self._troubles.add(address)
            place = self._post.place(address)
            self._say(f"the worker {place} itself went wrong ({bug.what}): others play its games")

    def _accuse(self, player: int, reason: str, message: str) -> None:
        keeper = self.party.keepers[player]
        keeper.say(f"is asked no more: {message}")
        keeper.dismiss(BotFault(reason, message))

    def _nowhere(self, player: int) -> None:
        """A bot comes up at no worker any more, perhaps due to those that are left: it plays here."""
        self.party.keepers[player].stay_home()
        seatings, numbers = self._allocation.without(player)
        self._forget(numbers)
        for seating in seatings:
            self.on_home(seating)
