"""Runs a bot at a level of containment, and prints its output; a program, so that another user can run it.

Without a program on the command line the bot is the probe, which tries what no bot may do; with one, its
exit code is printed first.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import trio

from arena.link.local.process import running_bot
from arena.link.local.sandbox import Level, Needs, Sandbox
from tests.bots_for_tests import bot_folder, manifest

PROBE = Path(__file__).with_name("probe.py")
LITTLE = Needs(memory=256 << 20)  # less than a bot gets that does not say, for to fill it takes long


@contextlib.contextmanager
def own_folder() -> Iterator[Path]:
    """A folder that goes with this process; what killed ones have left goes too."""
    for left in Path(tempfile.gettempdir()).glob("probing-*"):
        if not Path("/proc", left.name.split("-")[1]).exists():
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"probing-{os.getpid()}-") as name:
        yield Path(name)


def probe(level: Level) -> None:
    """Prints what a bot could do of all that it tried."""
    with (
        own_folder() as place,
        socket.socket(socket.AF_UNIX) as service,
        socket.socket() as listener,
        socket.socket(socket.AF_UNIX) as hidden,
    ):
        outside, home = place / "outside", place / "home"
        outside.mkdir()
        home.mkdir()
        os.environ["HOME"] = str(home)
        secret = outside / "night.league"
        secret.write_text("the tournament's key")
        with secret.open("rb") as opened:
            victim = subprocess.Popen(["sleep", "1000"], stdin=opened, env={"KEY": "probe-secret"})
        service.bind(str(outside / "night.league-control"))  # as a run's, which any process may dial here
        listener.bind(("127.0.0.1", 0))
        hidden.bind(f"\0arena-probe-{os.getpid()}")
        for server in (service, listener, hidden):
            server.listen()
        values = [secret, victim.pid, outside, listener.getsockname()[1], home, os.getpid(), level]
        folder = bot_folder(place, "bot", [sys.executable, "probe.py", *map(str, values)])
        (folder / "probe.py").write_bytes(PROBE.read_bytes())
        os.environ["HOSTS_SECRET"] = "probe-secret"
        try:
            trio.run(_run, folder, place / "log", Sandbox(level))
        finally:
            victim.send_signal(signal.SIGCONT)
            victim.kill()
            victim.wait()
        sys.stdout.write((place / "log").read_text())


def run(level: Level, program: str) -> None:
    """Prints the exit code and the output of a bot that has little memory; nothing of it may be left."""
    with own_folder() as place:
        os.environ["HOME"] = tempfile.tempdir = str(place)
        folder = bot_folder(place, "bot", [sys.executable, "program.py"])
        (folder / "program.py").write_text(program)
        code = trio.run(_run, folder, place / "log", Sandbox(level, LITTLE))
        assert not running_in(folder)
        assert not list(place.glob("arena-*"))
        sys.stdout.write(f"{code}\n{(place / 'log').read_text()}")


def running_in(folder: Path) -> list[str]:
    """The processes that run in a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if place.readlink() == folder:
                found.append(place.parent.name)
    return found


async def _run(folder: Path, log: Path, sandbox: Sandbox) -> int:
    async with running_bot(manifest(folder), log, sandbox=sandbox) as bot:
        return await bot.wait()


if __name__ == "__main__":
    if len(sys.argv) == 2:
        probe(Level(sys.argv[1]))
    else:
        run(Level(sys.argv[1]), sys.argv[2])
