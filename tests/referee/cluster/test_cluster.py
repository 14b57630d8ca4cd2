"""A tournament on a cluster has the same games, even if workers or the scheduler are lost."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys

import pytest

from arena.league.store import League
from arena.referee.night.control import state_of
from arena.table.deal import key_of_seed
from tests.arena_command import arena
from tests.bots_for_tests import FIRST, UNHURRIED, entrant, served_address
from tests.cli.comparing import compare, known
from tests.patience import PATIENCE
from tests.referee.cluster.bots import ROBIN, records, thinking_bot, travelling_bot
from tests.referee.cluster.machines import Referee, machines
from tests.referee.guests import guest, referee
from tests.referee.nights import games_in, processes_in, wait_for, write_tournament
from tests.view.served import served

pytest.importorskip("distributed", reason="needs the extra cluster")

KILLER = FIRST.replace(
    "        return",  # the worker has started its supervisor
    "        os.kill(parent(parent(os.getppid())), 9)\n        return",  # above the two of the supervisor
).replace(
    "from arena",
    """
import os

def parent(process):
    return int(open(f"/proc/{process}/stat").read().split()[3])

from arena""",
    1,
)
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def holds(process: subprocess.Popen[bytes] | subprocess.Popen[str], secret: bytes) -> bool:
    """Whether some bytes are anywhere in a process's memory."""
    found = False
    with open(f"/proc/{process.pid}/maps") as maps, open(f"/proc/{process.pid}/mem", "rb", 0) as memory:
        for line in maps:
            match = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if match:
                begin, end = (int(number, 16) for number in match.groups())
                memory.seek(begin)
                found = found or secret in memory.read(end - begin)
    return found


@LINUX
def test_whatever_becomes_of_machines_the_games_are_the_same(tmp_path):
    bots = [travelling_bot(tmp_path, "bot 0")]
    served = served_address(UNHURRIED.replace("0.01", "0.02"))  # so that there is something left to the end
    head = 'games = ["hyrule"]\nboards = 32\n'
    others = "".join(f'[[entrant]]\nname = "bot {number}"\naddress = "{served}"\n' for number in (1, 2))
    path = write_tournament(tmp_path, bots, head, ROBIN + others)
    alone, away = tmp_path / "alone.league", tmp_path / "away.league"
    arena("run", path, "--seed", "s", "--league", alone, cwd=tmp_path)
    with machines(tmp_path, 3) as cluster:
        first = Referee(tmp_path, "run", path, "--seed", "s", "--league", away, "--cluster", cluster.address)
        wait_for(lambda: games_in(away) > 0)
        key = key_of_seed("s")
        assert holds(first.process, key)
        assert not any(holds(worker, key) for worker in cluster.workers)
        cluster.workers[0].send_signal(signal.SIGKILL)
        cluster.workers[1].send_signal(signal.SIGSTOP)
        wait_for(lambda: first.said.count("is lost") >= 2)
        first.process.send_signal(signal.SIGKILL)
        first.ends(-signal.SIGKILL)
        bundles = list((tmp_path / "cache/arena/cluster/bundles").iterdir())
        assert len(bundles) == 1
        before = games_in(away)
        second = Referee(tmp_path, "resume", away, "--cluster", cluster.address)
        wait_for(lambda: games_in(away) > before)
        cluster.scheduler.send_signal(signal.SIGKILL)
        second.ends(2)
        assert f"go on with: arena resume {away}" in second.said
        assert list((tmp_path / "cache/arena/cluster/bundles").iterdir()) == bundles
    arena("resume", away, cwd=tmp_path)
    assert records(away) == records(alone)
    arena("verify", away, cwd=tmp_path)


@LINUX
def test_a_bot_that_ends_its_workers_is_found_and_pays_for_it(tmp_path):
    killer = travelling_bot(tmp_path, "killer", KILLER)
    path = write_tournament(tmp_path, [killer, "good"], 'games = ["hyrule"]\nboards = 1\n', ROBIN)
    done = arena(
        "run", path, "--cluster", "local:1", "--sandbox", "none", "--json", "--seed", "s", cwd=tmp_path,
        own_process=True,
    )  # fmt: skip
    rows = {row["name"]: row for row in json.loads(done.stdout)["standings"]}
    assert rows["killer"]["forfeits"] == 2
    assert rows["good"]["forfeits"] == 0
    assert not any(rows["good"]["faults"].values())
    assert "killer is asked no more: the bot kills every worker that it plays at" in done.stderr


def test_bots_that_dial_in_play_here_and_the_others_on_the_cluster(tmp_path):
    local = travelling_bot(tmp_path, "local")
    options = ["--cluster", "local:1", "--seed", "s"]
    with (
        referee(tmp_path, 1, *options, boards=4, local=local, head=entrant("served")) as host,
        guest(tmp_path, host.address, host.tokens[0]) as one,
    ):
        summary = host.end()
        assert one.wait(PATIENCE) == 0
    assert [sum(row["faults"].values()) for row in summary["standings"]] == [0, 0, 0]
    assert "games of bots that dial in are played on this machine, all others on the cluster" in host.said
    table = host.said[host.said.index("what was played where") :]
    assert re.search(r"^here +32 *$", table, re.M)
    assert re.search(r"^\S+:\d+ +16 +\d+ +\d+$", table, re.M)
    arena("verify", host.league, cwd=tmp_path)
    assert processes_in(tmp_path) == []


def test_a_decision_loses_no_game_that_waits_here_for_its_bots(tmp_path):
    single = UNHURRIED.replace('name = "first"', 'name = "first"\n    max_tables = 1')
    local = travelling_bot(tmp_path, "local", single)
    with (
        referee(tmp_path, 1, "--cluster", "local:1", boards=8, local=local) as host,
        guest(tmp_path, host.address, host.tokens[0]),
    ):
        wait_for(lambda: games_in(host.league) > 0)
        arena(
            "host", "pause", host.league, cwd=tmp_path
        )  # while games wait, for one table is played at a time
        arena("host", "go", host.league, cwd=tmp_path)
        wait_for(lambda: games_in(host.league) == 32)
        host.end()
    arena("verify", host.league, cwd=tmp_path)


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    path = write_tournament(tmp_path, ["a", "b"], 'games = ["hyrule"]\n', ROBIN)
    done = arena("run", path, "--cluster", "local:2", cwd=tmp_path, code=2)
    assert done.stderr == (
        "arena: --cluster needs dask: pip install '.[cluster]' in a clone of the arena, or leave it out\n"
    )
    assert not (tmp_path / "tournament.league").exists()


@pytest.mark.parametrize("where", ["somewhere", "local:0", "local:x", "10.0.0.1:99999", "local:1000"])
def test_what_is_no_cluster_is_said(tmp_path, where):
    path = write_tournament(tmp_path, ["a", "b"], 'games = ["hyrule"]\n', ROBIN)
    done = arena("run", path, "--cluster", where, cwd=tmp_path, code=2)
    assert done.stderr.startswith("arena: --cluster is the address of a dask scheduler")
    assert done.stderr.count("\n") == 1


def test_a_scheduler_that_is_not_there_is_said(tmp_path):
    path = write_tournament(tmp_path, ["a", "b"], 'games = ["hyrule"]\n', ROBIN)
    done = arena("run", path, "--cluster", "127.0.0.1:1", cwd=tmp_path, code=2, own_process=True)
    assert "cannot be reached (Connection refused): start one by dask scheduler" in done.stderr


def test_workers_and_schedulers_of_another_version_are_not_used_and_that_is_said(tmp_path):
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    path = write_tournament(tmp_path, [travelling_bot(tmp_path, "a"), "b"], 'games = ["hyrule"]\n', ROBIN)
    arguments = ("run", path, "--seed", "s", "--cluster")
    with machines(tmp_path, 0) as cluster:
        cluster.add(1, first="import platform; platform.python_version_tuple = lambda: ('3', '99', '0')")
        cluster.add(1, first="import sys; sys.modules['arena.referee.cluster.worker'] = None")
        referee = Referee(tmp_path, *arguments, cluster.address)
        wait_for(lambda: referee.said.count("is not used") == 2)
        cluster.add(1)
        referee.ends(0)
    assert (
        f"is not used: it has Python 3.99, and here is Python {own}; have Python {own} there" in referee.said
    )
    assert "is not used: it has no arena that can be used (" in referee.said
    (tmp_path / "other").mkdir()
    first = "import distributed.versions as told; told._version_cached = lambda name: '1.0'"
    with machines(tmp_path / "other", 0, first=first) as cluster:
        done = arena(*arguments, cluster.address, cwd=tmp_path / "other", code=2, own_process=True)
    assert f"the scheduler of the cluster {cluster.address} has distributed 1.0, and here is" in done.stderr


def test_a_worker_that_can_keep_no_bot_is_done_without(tmp_path):
    bots = [travelling_bot(tmp_path, "a", UNHURRIED), "b"]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 100\n', ROBIN)
    (tmp_path / "broken/arena/cluster").mkdir(parents=True)
    (tmp_path / "broken/arena/cluster/bundles").touch()  # where a folder should be
    broken = f"import os; os.environ['XDG_CACHE_HOME'] = {str(tmp_path / 'broken')!r}"
    with machines(tmp_path, 0) as cluster:
        arguments = ("run", path, "--seed", "s", "--concurrency", 4, "--cluster", cluster.address, "--league")
        cluster.add(1, first=broken)
        alone = Referee(tmp_path, *arguments, tmp_path / "alone.league")
        alone.ends(2)
        assert "FileExistsError" in alone.said
        cluster.workers[0].kill()
        cluster.add(1)
        league = tmp_path / "two.league"
        both = Referee(tmp_path, *arguments, league)
        wait_for(lambda: games_in(league) > 0)
        cluster.add(1, first=broken)
        wait_for(lambda: (known := state_of(league).cluster_statistics) and len(known.workers) == 2)
        wait_for(lambda: "itself went wrong" in both.said)
        both.ends(0)
    assert len(re.findall(r"the worker \S+ itself went wrong \(FileExistsError: ", both.said)) == 1
    arena("verify", league, cwd=tmp_path)


WITHOUT_BOT = """
import pickle
from arena.link import use_library_settings
use_library_settings()
from arena.referee.cluster import worker_sitting
from arena.referee.cluster.messages import BotUnavailable, Answer
answer = worker_sitting.answer
def without(data, address):
    if pickle.loads(data).seatings:
        return pickle.dumps(Answer(address, BotUnavailable(1, "timeout", "did not come up in 10 s")))
    return answer(data, address)
worker_sitting.answer = without
"""  # what a worker does first at which the second bot does not come up


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ("served", "is dialled from here, and plays here, because no worker reaches it"),
        ("b", "is started here, and plays here, because it no longer starts at any worker"),
    ],
)
def test_a_bot_that_comes_up_at_no_worker_any_more_plays_here(tmp_path, second, said):
    bots = [
        travelling_bot(tmp_path, "a", UNHURRIED),
        second if second == "served" else travelling_bot(tmp_path, second),
    ]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 100\n', ROBIN)
    alone, away = tmp_path / "alone.league", tmp_path / "away.league"
    arena("run", path, "--seed", "s", "--league", alone, cwd=tmp_path)
    with machines(tmp_path, 1) as cluster:
        host = Referee(tmp_path, "run", path, "--seed", "s", "--league", away, "--cluster", cluster.address)
        wait_for(lambda: games_in(away) > 0)
        cluster.workers[0].kill()
        cluster.add(1, first=WITHOUT_BOT)
        host.ends(0)
    assert host.said.count(said) == 1
    assert "is asked no more" not in host.said
    assert records(away) == records(alone)
    with League.read(away) as store:
        assert not any(sum(seat.faults) for _, result in store.games(1) for seat in result.seats)
    arena("verify", away, cwd=tmp_path)


def test_a_comparison_comes_to_the_same_verdict(tmp_path):
    bots = [thinking_bot(tmp_path, example, 0.01) for example in ("greedy", "random")]
    arguments = (*bots, "--game", "hyrule", "--seed", "s", "--league")
    here = compare(tmp_path, *arguments, "here.league")
    away = compare(tmp_path, *arguments, "away.league", "--cluster", "local:2")
    (verdict,) = known(here)
    assert verdict["finding"] == "better"
    assert known(away) == [verdict]
    alone, apart = records(tmp_path / "here.league"), records(tmp_path / "away.league")
    both = alone.keys() & apart.keys()  # beyond those that count more were played on the cluster
    assert len(both) >= 2 * verdict["boards"]
    assert all(alone[key] == apart[key] for key in both)


def test_onlookers_see_the_cluster_as_long_as_it_plays(tmp_path):
    bots = [travelling_bot(tmp_path, name, UNHURRIED) for name in ("a", "b")]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 400\n', ROBIN)
    league, line = tmp_path / "tournament.league", r"2 workers, \d+ batch(es)?, [1-9]\d*\.\d games/s"
    host = Referee(tmp_path, "run", path, "--cluster", "local:2")

    def sees() -> str:
        return arena("watch", league, "--once", cwd=tmp_path).stdout

    try:
        wait_for(lambda: games_in(league) > 0 and re.search(f"^cluster: {line}$", sees(), re.M))
        wait_for(lambda: re.search(r"^.*\d+ of 800 games, about .* to go", sees(), re.M))
        with served(league, no_host=True) as page:
            wait_for(lambda: re.search(f"Played on a cluster: {line}\\.", page.get("/")))
            wait_for(lambda: re.search(r"\d+ to go, .* left", page.get("/")))
            assert "or a cluster plays them, look at" in page.get("/tables")
        says = rf"^\d+ of 800 games, about \d[\d.]* (s|min|h) left; {line}(; |$)"
        wait_for(lambda: re.search(says, host.said, re.M))
    finally:
        host.process.terminate()
    host.ends(130)
    assert "cluster:" not in sees()
