"""Bots that flood their connections in the middle of a game, wherever they come from, beside honest ones."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from arena.link.streams.account import Account
from arena.runner.rooms.room import Room
from tests.bots_for_tests import bot_folder
from tests.faulty_bots import flooding
from tests.patience import PATIENCE
from tests.runner.test_tournament import ARENA, FIRST, good_bot, wait_for

STARTED = ("settings", "big-answers", "endless-headers", "priorities")
DIALLED = ("pings", "unknown-frames", "empty-data")
GUESTS = ("settings", "pings", "unknown-frames")
AFTER = 5
"""In which turn a flood begins."""

MEMORY = 300 << 20
"""What the referee may hold at the most, in bytes: 150 MB where everybody is honest, as it reckons ratings."""

CUT_WITHIN = 6.0
"""How long a flood may take, in seconds: less than two where only one bot floods."""


def flooder(folder: Path, name: str, kind: str, after: int = AFTER) -> Path:
    """The folder of a bot that floods."""
    place = bot_folder(folder, name, [sys.executable, "flooding.py", kind, str(after)])
    shutil.copy(flooding.__file__, place)
    return place


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


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

    def summary(self) -> dict:
        """Waits for the end; what it prints."""
        assert self.process.stdout is not None
        status = Path(f"/proc/{self.process.pid}/status")
        output = ""
        reader = threading.Thread(target=lambda: results.append(self.process.stdout.read()))
        results: list[str] = []
        reader.start()
        while reader.is_alive():
            reader.join(0.1)
            with suppress(OSError):
                most = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
                self.most_memory = int(most[1]) << 10 if most else self.most_memory
        (output,) = results
        assert self.process.wait(PATIENCE) == 0, self.said
        self._thread.join()
        assert "Traceback" not in self.said
        return json.loads(output)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what threads use")
def test_floods_are_cut_off_wherever_they_come_from_and_hurt_nobody_else(tmp_path):
    entrants = [f'bot = "{good_bot(tmp_path, f"good {number}")}"' for number in range(2)]
    entrants += [f'bot = "{flooder(tmp_path, f"started {kind}", kind)}"' for kind in STARTED]
    ports = {kind: free_port() for kind in DIALLED}
    entrants += [f'name = "dialled {kind}"\naddress = "127.0.0.1:{port}"' for kind, port in ports.items()]
    entrants += [f'name = "guest {kind}"\njoin = true' for kind in GUESTS] + [
        'name = "good guest"\njoin = true'
    ]
    path = tmp_path / "tournament.toml"
    path.write_text(
        'name = "test"\ngames = ["kleftis"]\nboards = 1\n[clock]\nbank = "20s"\nmove = "2s"\n'
        + "".join(f"[[entrant]]\n{entrant}\n" for entrant in entrants)
    )
    logs = [tmp_path / "logs" / f"started {kind}.log" for kind in STARTED]
    (tmp_path / "good.py").write_text(FIRST)
    with ExitStack() as outside:
        for kind, port in ports.items():
            place = flooder(tmp_path, f"dialled {kind}", kind)
            outside.enter_context(running(place, kind, ARENA_LISTEN=f"127.0.0.1:{port}"))
            logs.append(place / "log")
        referee = Watched(path, "--lobby", "127.0.0.1:0", "--concurrency", "8")
        outside.callback(referee.process.kill)
        wait_for(lambda: "good guest" in referee.said and "arena join" in referee.said)
        found = re.search(r"ARENA_JOIN=(\S+)", referee.said)
        assert found is not None
        lobby = {"ARENA_JOIN": found[1]}
        tokens = re.findall(r"ARENA_TOKEN=(\w+) arena join", referee.said)
        for kind, token in zip(GUESTS, tokens, strict=False):
            place = flooder(tmp_path, f"guest {kind}", kind)
            outside.enter_context(running(place, kind, ARENA_TOKEN=token, **lobby))
            logs.append(place / "log")
        guest = subprocess.Popen(
            [sys.executable, tmp_path / "good.py"],
            env={**os.environ, **lobby, "ARENA_TOKEN": tokens[-1]},
            stderr=subprocess.DEVNULL,
        )
        outside.callback(guest.wait)
        outside.callback(guest.kill)
        summary = referee.summary()
    print(referee.said, referee.most_memory >> 20)
    for row in summary["standings"]:
        faults = {kind: count for kind, count in row["faults"].items() if count}
        print(row["name"], faults)
    for log in logs:
        print(log.name, log.parent.name, log.read_text())
