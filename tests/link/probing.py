"""Runs the probe at a level of containment, and prints what it could do; so also another user can run it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import trio

from arena.link.local.process import running_bot
from arena.link.local.sandbox import Level, Sandbox
from tests.bots_for_tests import bot_folder, manifest

PROBE = Path(__file__).with_name("probe.py")


def main(level: Level) -> None:
    """Prints what a bot could do of all that it tried."""
    with (
        tempfile.TemporaryDirectory(prefix="probing-") as name,
        socket.socket(socket.AF_UNIX) as service,
        socket.socket() as listener,
        socket.socket(socket.AF_UNIX) as hidden,
    ):
        place = Path(name)
        outside, home = place / "outside", place / "home"
        outside.mkdir()
        home.mkdir()
        os.environ["HOME"] = str(home)
        secret = outside / "night.league"
        secret.write_text("the tournament's key")
        with secret.open("rb") as opened:
            victim = subprocess.Popen(["sleep", "1000"], stdin=opened, env={"KEY": "probe-secret"})
        service.bind(str(outside / "service"))
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


async def _run(folder: Path, log: Path, sandbox: Sandbox) -> None:
    async with running_bot(manifest(folder), log, sandbox=sandbox) as bot:
        await bot.wait()


if __name__ == "__main__":
    main(Level(sys.argv[1]))
