"""Helpers for tests of guests: a referee with a lobby, guests that join, and their faults."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.v1 import bot_pb2
from tests.arena_command import ARENA
from tests.bots_for_tests import FIRST, entrant
from tests.patience import PATIENCE
from tests.referee.nights import games_in, wait_for


class Referee:
    """A running `arena run` with a lobby, and what it has said so far."""

    def __init__(
        self,
        folder: Path,
        joining: int,
        *arguments: str,
        boards: int = 1,
        local: Path | str = "local",
        head: str = "",
        command: Sequence[str] = tuple(ARENA),
    ) -> None:
        entrants = entrant(local)
        entrants += "".join(
            f'[[entrant]]\nname = "guest {number}"\njoin = true\n' for number in range(joining)
        )
        path = folder / "tournament.toml"
        path.write_text(f'name = "test"\nboards = {boards}\ngames = ["hyrule", "kleftis"]\n{head}{entrants}')
        self.league = folder / "tournament.league"
        self.process = subprocess.Popen(
            [*command, "run", path, "--json", "--lobby", "127.0.0.1:0", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = ""
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()
        self.address = self.wait_to_say(r"ARENA_JOIN=(\S+)")
        self.tokens = re.findall(r"ARENA_TOKEN=(\w+) arena join", self.said)

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said += line

    def wait_to_say(self, pattern: str) -> str:
        """Waits until the referee has said something; returns the pattern's group, or all of it."""
        wait_for(lambda: re.search(pattern, self.said) or self.process.poll() is not None)
        found = re.search(pattern, self.said)
        assert found, self.said
        return found[found.re.groups and 1]

    def games(self) -> int:
        return games_in(self.league)

    def end(self, code: int = 0) -> dict[str, Any]:
        """Waits for the end; returns the standings."""
        assert self.process.stdout is not None
        output = self.process.stdout.read()
        assert self.process.wait(PATIENCE) == code, self.said
        self._thread.join()
        assert "Traceback" not in self.said
        standings: dict[str, Any] = json.loads(output)
        return standings


@contextmanager
def referee(folder: Path, joining: int, *arguments: str, **settings: Any) -> Iterator[Referee]:
    """A referee as `Referee` describes it, until the context ends."""
    running = Referee(folder, joining, *arguments, **settings)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.wait()
        running._thread.join()
        for pipe in (running.process.stdout, running.process.stderr):
            assert pipe is not None
            pipe.close()


@contextmanager
def guest(folder: Path, address: str, token: str, program: str = FIRST) -> Iterator[subprocess.Popen[str]]:
    script = folder / "guest.py"
    script.write_text(program)
    bot = subprocess.Popen(
        [sys.executable, script, "--join", address, "--token", token], stderr=subprocess.PIPE, text=True
    )
    try:
        yield bot
    finally:
        bot.kill()
        bot.communicate()


def faults(row: dict[str, Any]) -> dict[str, int]:
    return {kind: count for kind, count in row["faults"].items() if count}


def describe(**changes) -> bot_pb2.DescribeResponse:
    fields = {"protocol_version": 1, "name": "me", "games": bot_pb2.Game.keys()[1:], **changes}
    return bot_pb2.DescribeResponse(**fields)
