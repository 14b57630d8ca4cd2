"""A night that is played while people watch it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from arena.processes.loading import program_of
from arena.referee.night.control import socket_of, subscribed
from tests.arena_command import ARENA
from tests.bots_for_tests import FIRST, good_bot
from tests.referee.nights import wait_for, write_tournament

WAITING = FIRST.replace(
    "        return",
    """\
        while turn.number > 2 and not (Path(__file__).parent / "go").exists():
            time.sleep(0.05)
        time.sleep(0.005)
        return""",
).replace("from arena", "import time\nfrom pathlib import Path\nfrom arena", 1)
"""A bot that waits in its third turn until there is a file `go` in its folder.

With some cards a game ends before: a test that needs all tables says the seed.
"""

NIGHT = """
boards = 1
concurrency = 20
[clock]
bank = "1h"
move = "30m"
[options.hyrule]
mode = "chance"
series = 2
[options.nur-mut]
[options.kleftis]
"""


class Night:
    """A tournament with bots that wait; everything that the feed says of its tables is kept.

    Its cards are always the same, of which none ends a game before the bots wait.
    """

    def __init__(self, folder: Path, *options: str, head: str = NIGHT, program: str = WAITING) -> None:
        self.folder = folder
        self.league = folder / "night.league"
        self.told = b""
        bots = [good_bot(folder, name, program) for name in ("one", "two")]
        file = write_tournament(folder, bots, head=head)
        command = [*ARENA, "run", str(file), "--league", str(self.league), "--seed", "cards", *options]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip

    def go_on(self) -> None:
        """Lets the bots play on."""
        for name in ("one", "two"):
            (self.folder / name / "go").touch()

    def collect(self) -> None:
        """Keeps the messages of the process that makes the pictures, to the end of the night."""
        wait_for(socket_of(self.league).exists)
        with subscribed(self.league) as line:
            done = subprocess.run(
                program_of("arena.view.pictures.running"), stdin=line.fileno(), stdout=subprocess.PIPE
            )
        self.told = done.stdout
