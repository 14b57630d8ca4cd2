"""What goes from trio's thread to workers, and what comes back."""

from __future__ import annotations

import itertools
import pickle
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import trio

from arena.cluster import worker
from arena.cluster.allocation import ATTEMPTS
from arena.cluster.arrivals import answer_in
from arena.cluster.bundle import Bundle
from arena.cluster.engine import Engine
from arena.cluster.parcels import Answer
from arena.cluster.reach import none_yet
from arena.cluster.scrutiny import Untrue
from arena.link.streams.trio_thread import RefereeBug, in_trio
from arena.runner.sitting.elsewhere import ElsewhereLost

_SOON = 5.0  # seconds in which workers may come before it is said that there are none


class _Asked(NamedTuple):
    address: str
    then: Callable[[Answer | None], None]


class Post:
    """What is asked of workers and not answered. To be made in trio's thread.

    Args:
        engine: the cluster.
        on_workers: called with the addresses of all workers that are there, when that changed.
        fail: called with what goes wrong: ElsewhereLost where the scheduler is gone, or a bug.
        say: called with a line for people.

    Attributes:
        workers: the addresses of those that are there, and are believed.
        distrusted: of those that sent what cannot be true; they are asked no more.
    """

    def __init__(
        self,
        engine: Engine,
        on_workers: Callable[[frozenset[str]], None],
        fail: Callable[[Exception], None],
        say: Callable[[str], None],
    ) -> None:
        self.workers: frozenset[str] = frozenset()
        self.distrusted: set[str] = set()
        self._engine = engine
        self._on_workers = on_workers
        self._fail = fail
        self._numbers = itertools.count()
        self._asked: dict[str, _Asked] = {}
        self._sent: dict[tuple[str, str], list[Callable[[Answer | None], None]]] = {}  # who waits for bundles
        self._sendings: Counter[tuple[str, str]] = Counter()  # how often each bundle was sent to a worker
        self._come = trio.Event()
        self._say = say
        self._missed = False  # whether it was said that there is no worker
        self._lost: ElsewhereLost | None = None
        engine.on_answer = in_trio(guarded(fail, self._answered))
        engine.on_lost = in_trio(guarded(fail, self._end))
        engine.on_workers = in_trio(guarded(fail, self._workers_are))
        engine.on_word = in_trio(guarded(fail, say))
        self._workers_are(engine.workers)  # which may have come before

    def lacking(self) -> list[str]:
        """What some of the workers that are there lack to contain bots."""
        return sorted({each for address in self.workers for each in self._engine.facts[address].lacking})

    def place(self, address: str) -> str:
        """What people call a worker: its machine, and its port there."""
        return f"{self._engine.facts[address].host}:{address.rpartition(':')[2]}"

    def ask(
        self,
        address: str,
        function: Callable[[bytes], bytes],
        value: object,
        then: Callable[[Answer | None], None],
    ) -> str:
        """Has a worker do something; `then` is told its answer, or None where it is lost.

        Returns the number by which `forget` knows it.
        """
        number = str(next(self._numbers))
        self._asked[number] = _Asked(address, then)
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        self._engine.run(number, address, function, data, partial(answer_in, function, value))
        return number

    def forget(self, number: str) -> None:
        """Wants no answer any more."""
        if self._asked.pop(number, None) is not None:
            self._engine.cancel([number])

    async def answer(self, address: str, function: Callable[[bytes], bytes], value: object) -> Answer | None:
        """The same, awaited. Raises ElsewhereLost."""
        answers: list[Answer | None] = []
        there = trio.Event()

        def then(answer: Answer | None) -> None:
            answers.append(answer)
            there.set()

        number = self.ask(address, function, value, then)
        try:
            await there.wait()
        finally:
            self.forget(number)
        if self._lost is not None:
            raise self._lost
        return answers[0]

    def send(self, address: str, bundle: Bundle, then: Callable[[Answer | None], None]) -> None:
        """Has a worker keep a bundle, if it is not on its way there; `then` is told its answer."""
        key = address, bundle.digest
        if key in self._sent:
            self._sent[key].append(then)
            return
        if self._sendings[key] == ATTEMPTS:
            self._distrust(address, f"it lacks what it was sent {ATTEMPTS} times")
            then(None)
            return
        self._sendings[key] += 1
        self._sent[key] = [then]

        def kept(answer: Answer | None) -> None:
            for each in self._sent.pop(key):
                each(answer)

        self.ask(address, worker.keep, bundle, kept)

    async def some(self) -> None:
        """Waits until there is a worker. Raises ElsewhereLost."""
        while not self.workers:
            with trio.move_on_after(_SOON):
                await self._come.wait()
            if not self.workers and not self._missed:
                self._missed = True
                self._say(none_yet(self._engine.where))
            if self._lost is not None:
                raise self._lost

    def _answered(self, number: str, answer: Answer | Untrue | None) -> None:
        asked = self._asked.get(number)
        if asked is None:
            return
        if isinstance(answer, Untrue):
            self._distrust(asked.address, str(answer))
            return
        del self._asked[number]
        asked.then(answer)

    def _distrust(self, address: str, why: str) -> None:
        """Does without a worker; what it was asked is lost."""
        self.distrusted.add(address)
        self._say(
            f"the worker {self.place(address)} is done without, for {why}: what it had is played elsewhere"
        )
        if self.distrusted >= set(self._engine.facts):
            self._end(
                f"no worker of the cluster {self._engine.where} is left that can be believed: look at their "
                "machines, start others"
            )
        self._workers_are(self.workers)

    def _workers_are(self, addresses: frozenset[str]) -> None:
        addresses -= self.distrusted
        gone = self.workers - addresses
        self.workers = addresses
        self._on_workers(addresses)
        for number, asked in list(self._asked.items()):
            if asked.address in gone and number in self._asked:
                self.forget(number)
                asked.then(None)
        if addresses:
            self._come.set()
            self._come = trio.Event()

    def _end(self, why: str) -> None:
        """Nothing more comes of the cluster."""
        self._lost = ElsewhereLost(why)
        self._fail(self._lost)
        for asked in list(self._asked.values()):
            asked.then(None)
        self._asked.clear()
        self._come.set()


def guarded(fail: Callable[[Exception], None], function: Callable[..., object]) -> Callable[..., None]:
    """A function that calls `function`, and `fail` with what it raises, which is a bug."""

    def call(*arguments: object) -> None:
        try:
            function(*arguments)
        except Exception as error:  # noqa: BLE001 - whoever plays raises it
            fail(RefereeBug.of(error))

    return call
