"""A worker keeps its bots between batches, and shows them no board twice."""

from __future__ import annotations

import contextlib
import random

import pytest

from arena.games import GAMES
from arena.link.local.sandbox import Level, Sandbox
from arena.referee.cluster.bundle import BundleCache, bundle_of
from arena.referee.cluster.messages import Batch, Bot, BotUnavailable, Result
from arena.referee.cluster.worker_sitting import WorkerSitting
from arena.results import GameKey
from arena.table.clock import SECOND, TimeControl
from arena.table.table import TableRules
from arena.tournament.seating import Seating
from tests.bots_for_tests import FIRST, manifest
from tests.referee.cluster.bots import travelling_bot

HYRULE = GAMES["hyrule"]
CONTROL = TimeControl(10 * SECOND, SECOND, 10 * SECOND)
RULES = TableRules(HYRULE, HYRULE.parse_options({}), 2, CONTROL, 3)


@pytest.fixture
def bots(tmp_path, monkeypatch):
    """Two bots that a worker can start; each start of one is a line of the file `starts`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    told = f"open({str(tmp_path / 'starts')!r}, 'a').write('started\\n')\n"
    bundle = bundle_of(manifest(travelling_bot(tmp_path, "bot", told + FIRST)))
    BundleCache().keep(*bundle)
    return [Bot(f"bot {number}", bundle.digest, "", Sandbox(Level.NONE)) for number in range(2)]


def batch(number: int, bots: list[Bot], absent: int | None = None) -> Batch:
    """A batch of a board."""
    key = random.Random(number).randbytes(32)
    games = [
        Seating(GameKey(0, 0, 0, "hyrule", number, rotation), RULES, key, (0, 1)[:: 1 - 2 * rotation])
        for rotation in range(2)
    ]
    asked = {player: bot for player, bot in enumerate(bots) if player != absent}
    faults = {} if absent is None else {absent: ("crash", "is not asked")}
    return Batch("run", asked, faults, games, 4)


@pytest.fixture
def sitting(bots):
    """A sitting at a worker, and what ends it."""
    place = WorkerSitting("run")
    with contextlib.ExitStack() as stack:
        stack.callback(place.leave)
        yield place


def test_bots_stay_but_for_a_batch_that_they_may_know(tmp_path, bots, sitting):
    def starts() -> int:
        return len((tmp_path / "starts").read_text().splitlines())

    first = sitting.answer(batch(1, bots))
    assert isinstance(first, Result)
    assert starts() == 2
    assert isinstance(sitting.answer(batch(2, bots)), Result)
    assert starts() == 2
    again = sitting.answer(batch(1, bots))  # a worker that was silent had it, or a bot was tried with it
    assert isinstance(again, Result)
    assert starts() == 4
    assert [game.record.actions for game in again.games] == [game.record.actions for game in first.games]


def test_a_bot_that_is_not_asked_is_charged_and_the_other_plays(bots, sitting):
    result = sitting.answer(batch(1, bots, absent=1))
    assert isinstance(result, Result)
    charged = [{seat for seat, _, fault in game.record.faults} for game in result.games]
    assert charged == [{1}, {0}]
    assert {fault.message for game in result.games for _, _, fault in game.record.faults} == {"is not asked"}


def test_a_bot_that_does_not_come_up_has_nothing_played(bots, sitting):
    there = bots[1]._replace(bundle="", address="127.0.0.1:1")
    with pytest.raises(BotUnavailable) as absent:
        sitting.answer(batch(1, [bots[0], there]))
    assert absent.value.player == 1
