"""The same tournament on a cluster: the same games, whatever becomes of its machines."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from arena.table.deal import key_of_seed
from tests.bots_for_tests import FIRST, UNHURRIED, entrant, served_address
from tests.cluster.bots import ROBIN, records, travelling_bot
from tests.cluster.machines import machines
from tests.runner.test_joining import guest, referee
from tests.runner.test_tournament import (
    ARENA,
    PATIENCE,
    arena,
    games_in,
    processes_in,
    wait_for,
    write_tournament,
)

pytest.importorskip("distributed", reason="needs the extra cluster")

KILLER = FIRST.replace(
    "        return",  # the worker has started its supervisor
    "        os.kill(int(open(f'/proc/{os.getppid()}/stat').read().split()[3]), 9)\n        return",
).replace("from arena", "import os\nfrom arena", 1)
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


class Referee:
    """The command that plays a tournament, and what it says."""

    def __init__(self, folder: Path, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [*ARENA, *map(str, arguments)],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = ""
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.said += line

    def ends(self, code: int) -> None:
        """Waits for its end."""
        assert self.process.wait(PATIENCE) == code, self.said
        self._thread.join()
        assert "Traceback" not in self.said


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
        wait_for(lambda: first.said.count("is lost") == 2)
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
    assert "killer is asked no more: the bot ends the worker that it plays at, again and again" in done.stderr


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


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    path = write_tournament(tmp_path, ["a", "b"], 'games = ["hyrule"]\n', ROBIN)
    done = arena("run", path, "--cluster", "local:2", cwd=tmp_path, code=2)
    assert done.stderr == (
        "arena: --cluster needs the extra bot-arena[cluster]: pip install 'bot-arena[cluster]', or leave it "
        "out\n"
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
