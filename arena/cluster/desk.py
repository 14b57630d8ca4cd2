"""What a worker does with what it is sent: it plays one batch at a time, however many threads it has."""

from __future__ import annotations

import pickle
import platform
import socket
import threading
import traceback
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import NamedTuple

from arena.cluster.bundle import Bundle, Shelf
from arena.cluster.house import Gone, House
from arena.cluster.parcels import Answer, Bot, Kept, Order, Trouble
from arena.link.local.sandbox import Level, lacking

_working = threading.Lock()
_houses: dict[str, House] = {}  # of each run that plays here
_over: set[str] = set()  # runs that play here no more


class Facts(NamedTuple):
    """What the referee has to know of a worker.

    Attributes:
        versions: see `versions`.
        host: the machine's name.
        lacking: what the machine lacks to contain bots at level basic, for people.
    """

    versions: Mapping[str, str]
    host: str
    lacking: tuple[str, ...]


def versions() -> dict[str, str]:
    """What has to be the same everywhere: bots in Python may play otherwise by another Python."""
    return {
        "arena": version("bot-arena"),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "distributed": version("distributed"),
    }


def facts() -> bytes:
    """See `worker.facts`."""
    return pickle.dumps(Facts(versions(), socket.gethostname(), tuple(lacking([Level.BASIC]))))


def play(data: bytes) -> bytes:
    """See `worker.play`."""
    order: Order = pickle.loads(data)
    return _answer(lambda: _in_house(order.run, lambda house: house.play(order)))


def introduce(data: bytes) -> bytes:
    """See `worker.introduce`."""
    run: str
    player: int
    bot: Bot
    run, player, bot = pickle.loads(data)
    return _answer(lambda: _in_house(run, lambda house: house.introduce(player, bot)))


def keep(data: bytes) -> bytes:
    """See `worker.keep`."""
    bundle: Bundle = pickle.loads(data)

    def put() -> Answer:
        Shelf().keep(bundle)
        return Kept()

    return _answer(put)


def leave(data: bytes) -> bytes:
    """See `worker.leave`."""
    run: str = pickle.loads(data)
    _over.add(run)
    house = _houses.get(run)
    if house is not None:
        house.leave()
    return b""


def _in_house(run: str, work: Callable[[House], Answer]) -> Answer:
    """Does something in the house of a run, which is there from now on."""
    with _working:
        while run not in _over:
            house = _houses.get(run)
            if house is None or not house.open:
                house = _houses[run] = House(run, Shelf())
            try:
                return work(house)
            except Gone:  # it was left just now
                del _houses[run]
        raise Gone


def _answer(work: Callable[[], Answer]) -> bytes:
    try:
        answer = work()
    except Exception:  # noqa: BLE001 - the referee is told
        answer = Trouble(traceback.format_exc())
    return pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
