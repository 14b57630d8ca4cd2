"""Measures the gain and cost of a cluster on this machine: the figures of docs/design-notes.md.

    python -m tests.referee.cluster.measure throughput 1 2 4 8
    python -m tests.referee.cluster.measure overhead
    python -m tests.referee.cluster.measure memory 100000 1
    python -m tests.referee.cluster.measure memory 100000 20
    python -m tests.referee.cluster.measure accidents 4 15
    python -m tests.referee.cluster.measure comparison 200

The bots of all but `memory` think by waiting, so that a few processors can carry many.
"""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import trio

from arena.league.store import League
from arena.referee.cluster.client import Client
from arena.referee.cluster.messages import Batch
from arena.referee.cluster.workers import Workers
from tests.arena_command import ARENA
from tests.bots_for_tests import FIRST
from tests.cli.comparing import known
from tests.referee.cluster.bots import ROBIN, records, thinking_bot, travelling_bot
from tests.referee.cluster.machines import machines
from tests.referee.nights import games_in, write_tournament

WAIT = 0.04  # seconds for a decision
WAITING = FIRST.replace("        return", f"        time.sleep({WAIT})\n        return").replace(
    "from arena", "import time\nfrom arena", 1
)
GAMES_OF_A_WORKER = 240
_MORTAL = """
import os, random, threading
from arena.link import use_library_settings
use_library_settings()
from arena.referee.cluster import worker_sitting
answer = worker_sitting.answer
def once(data, address):
    begun = os.open("begun", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(begun, b"x")
    number = os.lseek(begun, 0, os.SEEK_CUR)
    os.close(begun)
    if number * SHARE // 100 > (number - 1) * SHARE // 100:
        threading.Timer(random.uniform(0, 3), os.kill, (os.getpid(), 9)).start()
    return answer(data, address)
worker_sitting.answer = once
"""  # what a worker does first of which a share of all batches, which take longer than 3 s, are the end


def tell(line: str) -> None:
    print(line, flush=True)  # noqa: T201


class Run:
    """A tournament of two bots in so many matches, in a folder of its own, played on a cluster."""

    def __init__(self, folder: Path, program: str, games: int, *options: str, matches: int = 1) -> None:
        bots = [travelling_bot(folder, name, program) for name in ("one", "two")]
        head = f'games = ["hyrule"]\nboards = {games // matches // 2}\n'
        self.path = write_tournament(folder, bots, head, f"{ROBIN}cycles = {matches}\n")
        self.league = folder / "tournament.league"
        self.games = games
        self.process = subprocess.Popen(
            [*ARENA, "run", self.path, "--seed", "s", *options],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while not games_in(self.league) and self.process.poll() is None:
            time.sleep(0.05)

    def wait(self) -> None:
        """Waits for its end, and checks all of it."""
        assert self.process.wait() == 0
        assert games_in(self.league) == len(records(self.league)) == self.games
        subprocess.run([*ARENA, "verify", self.league], check=True, stdout=subprocess.DEVNULL)


def throughput(*numbers: str) -> None:
    """How many games a second so many workers play, with as many games for each."""
    alone = 0.0
    for workers in map(int, numbers):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(Path(folder), WAITING, workers * GAMES_OF_A_WORKER, "--cluster", f"local:{workers}")
            first, began = games_in(run.league), time.monotonic()
            run.process.wait()
            rate = (run.games - first) / (time.monotonic() - began)
            run.wait()
        alone = alone or rate / workers
        tell(f"{workers} workers: {rate:.2f} games/s, {rate / alone / workers:.2f} of N times one")


def overhead() -> None:
    """How long a batch is on its way, there and back, besides its games."""
    took: list[float] = []

    async def ask() -> None:
        workers = Workers(client, tell, lambda player, what: tell(what), lambda: None)
        for _ in range(200):
            began = time.perf_counter()
            await workers.ask(Batch(client.run, {}))
            took.append(time.perf_counter() - began)

    with contextlib.closing(Client("local:1")) as client:
        trio.run(ask)
    tell(f"a batch there and back: {1000 * statistics.median(took[20:]):.1f} ms")


def memory(games: str, matches: str) -> None:
    """The memory of referee, scheduler and worker over time, with bots that do not think."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("--cluster", "local:2", "--concurrency", "64")
        run = Run(Path(folder), FIRST, int(games), *options, matches=int(matches))
        told, began = 0, time.monotonic()
        while run.process.poll() is None:
            played = games_in(run.league)
            if played >= told:
                scheduler, workers = _cluster_of(run.process.pid)
                sizes = [_mebibytes(process) for process in (run.process.pid, scheduler, *workers)]
                tell(
                    f"{played} games, {time.monotonic() - began:.0f} s: {sizes[:2]}, workers {sizes[2:]} MiB"
                )
                told = played - played % 5000 + 5000
            time.sleep(1)
        run.wait()


def accidents(workers: str, share: str) -> None:
    """What becomes of a tournament when such a share of its batches, in percent, end their worker.

    Each worker that ends is followed by another, as if it is started in a loop.
    """
    first = _MORTAL.replace("SHARE", share)
    with tempfile.TemporaryDirectory() as folder, machines(Path(folder), 0) as cluster:
        cluster.add(int(workers), first=first)
        games, began = int(workers) * 3 * GAMES_OF_A_WORKER, time.monotonic()
        run = Run(Path(folder), WAITING, games, "--cluster", cluster.address)
        killed = 0
        while run.process.poll() is None:
            killed += cluster.restart()
            time.sleep(0.2)
        took = time.monotonic() - began
        run.wait()
        with League.read(run.league) as store:
            faults = sum(sum(seat.faults) for _, result in store.games(1) for seat in result.seats)
        begun = (Path(folder) / "begun").stat().st_size
        tell(
            f"{run.games} games in {took:.0f} s: {begun} batches begun, {killed} of them ended their worker; "
            f"0 games lost, 0 doubled, {faults} faults"
        )


def comparison(boards: str) -> None:
    """A comparison of two bots that think, here and on four workers: how long, and whether it is the same."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found: list[tuple[Any, object]] = []
        bots = [thinking_bot(folder, example, WAIT) for example in ("greedy", "random")]
        for way in ([], ["--cluster", "local:4"]):
            league, began = folder / f"{len(found)}.league", time.monotonic()
            options = ["--game", "hyrule", "--seed", "s", "--boards", boards, "--league", str(league), *way]
            done = subprocess.run(
                [*ARENA, "compare", *bots, *options, "--json"], check=True, capture_output=True
            )
            games = records(league)
            found.append((known(json.loads(done.stdout)), games))
            tell(f"{' '.join(way) or 'here'}: {len(games)} games in {time.monotonic() - began:.0f} s")
        assert found[0] == found[1]
        tell(f"the same finding and records: {found[0][0][0]['finding']}")


def _cluster_of(referee: int) -> tuple[int, list[int]]:
    """The process that a referee started for the cluster, in which the scheduler is, and those that play."""
    parents, playing = {}, []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if b"spawn_main" in (entry / "cmdline").read_bytes():
                    playing.append(int(entry.name))
            except OSError:
                continue
    workers = [process for process in playing if parents.get(parents[process]) == referee]
    return parents[workers[0]] if workers else 0, workers


def _mebibytes(process: int) -> int:
    """The memory of a process; 0 if it is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024


if __name__ == "__main__":
    {each.__name__: each for each in (throughput, overhead, memory, accidents, comparison)}[sys.argv[1]](
        *sys.argv[2:]
    )
