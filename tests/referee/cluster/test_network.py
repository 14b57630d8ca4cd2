"""A tournament over a network that is slow, loses packets and fails for a while has the same games."""

from __future__ import annotations

import re

import pytest

from arena.league.store import League
from arena.referee.night.control import state_of
from tests.arena_command import arena
from tests.bots_for_tests import FIRST, UNHURRIED
from tests.patience import PATIENCE
from tests.referee.cluster.bots import ROBIN, records, travelling_bot
from tests.referee.cluster.machines import Referee, machines
from tests.referee.cluster.wire import Wire, missing
from tests.referee.nights import games_in, wait_for, write_tournament

pytest.importorskip("distributed", reason="needs the extra cluster")
pytestmark = pytest.mark.skipif(bool(MISSING := missing()), reason=MISSING)

SLOW = UNHURRIED.replace("0.01", "0.04")  # so that a minute's games take little of the machine
HEAD = 'games = ["hyrule"]\nboards = 120\n'


def test_a_worker_that_is_cut_off_costs_nobody_anything_and_plays_on_when_it_is_started_again(tmp_path):
    for kind, program in (("quick", FIRST), ("slow", SLOW)):
        (tmp_path / kind).mkdir()
        bots = [travelling_bot(tmp_path / kind, name, program) for name in ("a", "b")]
        write_tournament(tmp_path / kind, bots, HEAD, ROBIN)
    league, arguments = tmp_path / "slow/tournament.league", ("run", "tournament.toml", "--seed", "s")

    def here() -> dict[str, int]:
        cluster_statistics = state_of(league).cluster_statistics
        workers = cluster_statistics.workers if cluster_statistics else ()
        return {each.name: each.games for each in workers if each.here}

    with Wire(delay=0.08, jitter=0.04, loss=0.02) as net:
        scheduler, host, *others = [net.place() for _ in range(4)]
        with machines(tmp_path, 0, scheduler) as cluster:
            for place in others:
                cluster.add(1, place)
            referee = Referee(tmp_path / "slow", *arguments, "--cluster", cluster.address, at=host)
            wait_for(lambda: games_in(league) > 0)
            others[0].down()
            arena("host", "pause", league, cwd=tmp_path)  # so that games are left when the worker is back
            wait_for(lambda: "is lost" in referee.said)
            others[0].up()
            cluster.workers[0].wait(PATIENCE)  # dask ends it; it may be listed a while yet
            before = here()

            def started_again() -> bool:
                cluster.restart()
                return len(here()) == 2 and not here().keys() <= before.keys()

            wait_for(started_again)
            arena("host", "go", league, cwd=tmp_path)
            referee.ends(0)
        played = re.findall(r"^(\S+:\d+) +(\d+) ", referee.said, re.MULTILINE)
        assert {name for name, _ in played} - before.keys(), referee.said
        assert all(int(games) > before.get(name, 0) for name, games in played), referee.said
        assert net.lost > 0
    arena(*arguments, cwd=tmp_path / "quick")
    assert records(league) == records(tmp_path / "quick/tournament.league")
    with League.read(league) as store:
        assert not any(sum(seat.faults) for _, result in store.games(1) for seat in result.seats)
    arena("verify", league, cwd=tmp_path)
