"""Bots that flood their connections in the middle of a game, beside honest ones."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from arena.token_bucket import TokenBucket
from tests.arena_command import ARENA
from tests.bots_for_tests import FIRST, bot_folder, good_bot
from tests.faulty_bots import flooding
from tests.patience import PATIENCE
from tests.referee.floods import Slowness, free_port
from tests.referee.nights import wait_for

FLOODS = (  # of bots that are started, dialled, and dial in; how
    (("settings", "priorities", "big-answers", "endless-headers"), ("pings", "empty-data"),
     ("settings", "unknown-frames"), ()),
    (("full-settings", "window-updates", "resets", "goaways"), ("metadata", "ping-acks"),
     ("pings", "foreign-data"), ()),
    ((), (), ("pings", "settings", "empty-data", "unknown-frames"), ("--tls",)),
)  # fmt: skip
AFTER = 5
"""After how many turns a flood begins."""

MEMORY = 250 << 20
"""What the referee may hold at the most, in bytes; 150 MB where all are honest, as it reckons ratings."""

MORE_MEMORY = 100 << 20
"""How much more it may hold than where all are honest, in bytes, on a machine that nobody else uses."""

CUT_WITHIN = 10.0
"""How long a flood may last, in seconds of a machine that nobody else uses."""

USUALLY_CUT_WITHIN = 2.0
"""How long one of two floods may last, in seconds of a machine that nobody else uses."""


def flooder(folder: Path, name: str, kind: str, after: int = AFTER) -> Path:
    """The folder of a bot that floods."""
    place = bot_folder(folder, name, [sys.executable, "flooding.py", kind, str(after)])
    shutil.copy(flooding.__file__, place)
    return place


@contextmanager
def running(folder: Path, kind: str, **surroundings: str) -> Iterator[subprocess.Popen[str]]:
    """A bot that floods, and is started by nobody; what it says goes to a log in the folder."""
    with (folder / "log").open("w") as log:
        bot = subprocess.Popen(
            [sys.executable, "flooding.py", kind, str(AFTER)],
            cwd=folder,
            env={**os.environ, **surroundings},
            stdout=log,
            stderr=log,
            text=True,
        )
    try:
        yield bot
    finally:
        bot.kill()
        bot.wait()


class Watched:
    """A referee, what it says and the most memory that it holds."""

    def __init__(self, path: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*ARENA, "run", path, "--json", *arguments],
            cwd=path.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = ""
        self.most_memory = 0
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said += line

    def end(self) -> None:
        """Ends it at once."""
        self.process.kill()
        self.process.communicate()
        self._thread.join()

    def summary(self) -> dict[str, Any]:
        """Waits for the end; returns the standings."""
        reader = threading.Thread(target=self._read)
        reader.start()
        status = Path(f"/proc/{self.process.pid}/status")
        while reader.is_alive():
            reader.join(0.1)
            with suppress(OSError):
                most = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
                self.most_memory = int(most[1]) << 10 if most else self.most_memory
        assert self.process.wait(PATIENCE) == 0, self.said
        self._thread.join()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        assert "Traceback" not in self.said
        standings: dict[str, Any] = json.loads(self._output)
        return standings

    def _read(self) -> None:
        assert self.process.stdout is not None
        self._output = self.process.stdout.read()


@pytest.fixture(scope="module")
def honest_memory(tmp_path_factory) -> int:
    """The most memory that a referee holds if nobody floods, in bytes."""
    folder = tmp_path_factory.mktemp("honest")
    path = folder / "tournament.toml"
    entrants = "".join(f'[[entrant]]\nbot = "{good_bot(folder, f"good {number}")}"\n' for number in range(9))
    path.write_text(f'name = "test"\ngames = ["kleftis"]\nboards = 1\nsandbox = "none"\n{entrants}')
    referee = Watched(path, "--concurrency", "8")
    assert referee.summary()["finished"]
    return referee.most_memory


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what threads use")
@pytest.mark.parametrize(("started", "dialled", "guests", "options"), FLOODS)
def test_floods_are_cut_off_wherever_they_come_from_and_hurt_nobody_else(
    tmp_path, honest_memory, started, dialled, guests, options
):
    entrants = [f'bot = "{good_bot(tmp_path, f"good {number}")}"' for number in range(2)]
    entrants += [f'bot = "{flooder(tmp_path, f"started {kind}", kind)}"' for kind in started]
    ports = {kind: free_port() for kind in dialled}
    entrants += [f'name = "dialled {kind}"\naddress = "127.0.0.1:{port}"' for kind, port in ports.items()]
    entrants += [f'name = "guest {kind}"\njoin = true' for kind in guests] + [
        'name = "good guest"\njoin = true'
    ]
    path = tmp_path / "tournament.toml"
    path.write_text(
        'name = "test"\ngames = ["kleftis"]\nboards = 1\nsandbox = "none"\n'  # a contained one dials nobody
        '[clock]\nbank = "5m"\nmove = "5m"\n'  # none is charged for the time that a busy machine takes
        + "".join(f"[[entrant]]\n{entrant}\n" for entrant in entrants)
    )
    logs = [tmp_path / "tournament.logs" / f"started {kind}.log" for kind in started]
    (tmp_path / "guest.py").write_text(FIRST)
    with ExitStack() as outside:
        for kind, port in ports.items():
            place = flooder(tmp_path, f"dialled {kind}", kind)
            outside.enter_context(running(place, kind, ARENA_LISTEN=f"127.0.0.1:{port}"))
            logs.append(place / "log")
        slowness = outside.enter_context(Slowness())
        referee = Watched(path, "--lobby", "127.0.0.1:0", "--concurrency", "8", *options)
        outside.callback(referee.process.kill)
        # It says them line by line.
        wait_for(lambda: "ARENA_JOIN=" in referee.said and referee.said.count("ARENA_TOKEN=") > len(guests))
        lobby = {"ARENA_JOIN": re.findall(r"ARENA_JOIN=(\S+)", referee.said)[0]}
        tokens = re.findall(r"ARENA_TOKEN=(\w+) arena join", referee.said)
        for kind, token in zip(guests, tokens, strict=False):
            place = flooder(tmp_path, f"guest {kind}", kind)
            outside.enter_context(running(place, kind, ARENA_TOKEN=token, **lobby))
            logs.append(place / "log")
        guest = subprocess.Popen(
            [sys.executable, tmp_path / "guest.py"],
            env={**os.environ, **lobby, "ARENA_TOKEN": tokens[-1]},
            stderr=subprocess.DEVNULL,
        )
        outside.callback(guest.wait)
        outside.callback(guest.kill)
        summary = referee.summary()
    rows = {row["name"]: row for row in summary["standings"]}
    honest = ("good 0", "good 1", "good guest")
    assert summary["finished"]
    assert {name: sum(rows[name]["faults"].values()) for name in honest} == dict.fromkeys(honest, 0)
    assert referee.most_memory < min(MEMORY, honest_memory + MORE_MEMORY * slowness.factor)
    for name in rows.keys() - set(honest):
        assert rows[name]["faults"]["protocol"] > 0, f"{name}: {referee.said}"
        assert re.search(rf"{name} was cut off: .*(floods its connection|breaks HTTP/2)", referee.said), name
    assert "for good" in referee.said  # and none that goes on with it comes back for ever
    lasted = [float(took) for log in logs for took in re.findall(r"flooded for ([\d.]+) s", log.read_text())]
    assert len(lasted) >= len(logs)
    assert max(lasted) < CUT_WITHIN * slowness.factor
    assert median(lasted) < USUALLY_CUT_WITHIN * slowness.factor


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what threads use")
@pytest.mark.parametrize(
    ("way", "kind"),
    [
        ("started", "single-pings"), ("started", "single-data"), ("dialled", "single-settings"),
        ("dialled", "single-pings"), ("guest", "single-pings"), ("guest over TLS", "single-pings"),
    ],
)  # fmt: skip
def test_a_flood_of_single_frames_is_cut_off_however_long_it_takes_on_a_busy_machine(tmp_path, way, kind):
    place = flooder(tmp_path, "flooder", kind)
    port = free_port()
    entrant = {
        "started": f'bot = "{place}"',
        "dialled": f'name = "flooder"\naddress = "127.0.0.1:{port}"',
    }.get(way, 'name = "flooder"\njoin = true')
    path = tmp_path / "tournament.toml"
    path.write_text(
        'name = "test"\ngames = ["kleftis"]\nboards = 1000\nsandbox = "none"\n[clock]\nbank = "10m"\n'
        f'[[entrant]]\nbot = "{good_bot(tmp_path, "good")}"\n[[entrant]]\n{entrant}\n'
    )
    with ExitStack() as outside:
        if way == "dialled":
            outside.enter_context(running(place, kind, ARENA_LISTEN=f"127.0.0.1:{port}"))
        tls = ("--tls",) if way == "guest over TLS" else ()
        referee = Watched(path, "--lobby", "127.0.0.1:0", *tls)
        outside.callback(referee.end)
        if way.startswith("guest"):
            wait_for(lambda: "arena join" in referee.said)
            found = re.search(r"ARENA_TOKEN=(\w+) arena join (\S+)", referee.said)
            assert found is not None
            outside.enter_context(running(place, kind, ARENA_TOKEN=found[1], ARENA_JOIN=found[2]))
        wait_for(lambda: "flooder was cut off: floods its connection" in referee.said)


def test_an_account_fills_with_the_time_and_what_is_earned_up_to_its_limit():
    account = TokenBucket(most=10, rate=2, now=0)
    assert account.spend(10, earned=0, now=0)
    assert account.spend(4, earned=2, now=1)
    assert not account.spend(1, earned=0, now=1)
    assert account.spend(0, earned=1, now=1)
    assert account.spend(500, earned=1000, now=100)  # of what came in meanwhile; the rest is kept
    assert account.spend(10, earned=0, now=100)  # up to the limit
    assert not account.spend(1, earned=0, now=100)
