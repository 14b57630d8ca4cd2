"""What a cluster brings and costs, on this machine: the figures of docs/cluster.md.

    python -m tests.cluster.measure throughput 1 2 4 8
    python -m tests.cluster.measure overhead
    python -m tests.cluster.measure memory 100000
    python -m tests.cluster.measure accidents 4

The bots of `throughput` and `accidents` think by waiting, so that a few processors can carry many.
"""

from __future__ import annotations

import pickle
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from queue import SimpleQueue

from arena.cluster import worker
from arena.cluster.engine import Engine
from arena.store import League
from tests.bots_for_tests import FIRST
from tests.cluster.bots import ROBIN, records, travelling_bot
from tests.runner.test_tournament import ARENA, games_in, write_tournament

WAIT = 0.04  # seconds for a decision
WAITING = FIRST.replace("        return", f"        time.sleep({WAIT})\n        return").replace(
    "from arena", "import time\nfrom arena", 1
)
GAMES_OF_A_WORKER = 240


def tell(line: str) -> None:
    print(line, flush=True)  # noqa: T201


class Run:
    """A tournament of two bots in a folder of its own, played on local workers."""

    def __init__(self, folder: Path, program: str, games: int, *options: str) -> None:
        bots = [travelling_bot(folder, name, program) for name in ("one", "two")]
        head = f'games = ["hyrule"]\nboards = {games // 2}\n'
        self.path = write_tournament(folder, bots, head, ROBIN)
        self.league = folder / "tournament.league"
        self.games = games
        self._said = folder / "said"
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(
                [*ARENA, "run", self.path, "--seed", "s", *options],
                cwd=folder, stdout=subprocess.DEVNULL, stderr=said,
            )  # fmt: skip
        while not games_in(self.league) and self.process.poll() is None:
            time.sleep(0.05)

    def wait(self) -> None:
        """Waits for its end, and checks all of it."""
        assert self.process.wait() == 0
        assert len(records(self.league)) == self.games
        subprocess.run([*ARENA, "verify", self.league], check=True, stdout=subprocess.DEVNULL)

    def batches(self) -> int:
        """How many were played to their end, as the table of work says."""
        return sum(map(int, re.findall(r"^\S+:\d+ +\d+ +(\d+) +\d+ *$", self._said.read_text(), re.M)))


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
    engine = Engine("local:1")
    answers: SimpleQueue[str] = SimpleQueue()
    engine.on_answer = lambda number, answer: answers.put(number)
    while not engine.workers:
        time.sleep(0.05)
    (address,) = engine.workers
    nothing = pickle.dumps("nobody's run")
    took = []
    for number in range(200):
        began = time.perf_counter()
        engine.run(str(number), address, worker.leave, nothing)
        answers.get()
        took.append(time.perf_counter() - began)
    engine.close(nothing)
    tell(f"a batch there and back: {1000 * statistics.median(took[20:]):.1f} ms")


def memory(games: str) -> None:
    """What the referee takes as it goes on, with bots that do not think."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder), FIRST, int(games), "--cluster", "local:2", "--concurrency", "64")
        told = 0
        while run.process.poll() is None:
            played = games_in(run.league)
            if played >= told:
                status = Path(f"/proc/{run.process.pid}/status").read_text()
                size = int(status.partition("VmRSS:")[2].split()[0]) // 1024
                tell(f"{played} games: {size} MiB")
                told = played + int(games) // 10
            time.sleep(1)
        run.wait()


def accidents(workers: str) -> None:
    """What becomes of a tournament when about 15 % of its batches end their worker."""
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder), WAITING, int(workers) * GAMES_OF_A_WORKER, "--cluster", f"local:{workers}")
        batch, killed, began = 12.0, 0, time.monotonic()  # seconds that one takes, about
        while run.process.poll() is None:
            time.sleep(batch / int(workers))
            processes = _workers_of(run.process.pid)
            if processes and rng.random() < 0.15:
                subprocess.run(["kill", "-9", str(rng.choice(processes))], check=False)
                killed += 1
        took = time.monotonic() - began
        run.wait()
        with League.read(run.league) as store:
            faults = sum(sum(seat.faults) for _, result in store.games(1) for seat in result.seats)
        tell(
            f"{run.games} games in {took:.0f} s: {run.batches()} batches played, {killed} workers killed, "
            f"0 games lost, 0 doubled, {faults} faults"
        )


def _workers_of(referee: int) -> list[int]:
    """The processes that play for a referee: they belong to the one that it started for the cluster."""
    parents, playing = {}, []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if b"spawn_main" in (entry / "cmdline").read_bytes():
                    playing.append(int(entry.name))
            except OSError:
                continue
    return [process for process in playing if parents.get(parents[process]) == referee]


if __name__ == "__main__":
    {each.__name__: each for each in (throughput, overhead, memory, accidents)}[sys.argv[1]](*sys.argv[2:])
