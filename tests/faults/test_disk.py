"""A full disk, or a read-only one: one clear sentence, nothing lost, and the tournament goes on after it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from arena.link.local.containment import kernel
from arena.link.local.process import running_bot
from arena.temporary import NoRoom, temporary_folder
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import FIRST, UNHURRIED, bot_folder, good_bot, manifest
from tests.league.store.samples import problems
from tests.patience import PATIENCE
from tests.referee.guests import guest, referee
from tests.referee.nights import games_in, processes_in, wait_for, write_tournament

SIZE = "600k"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = (
        sys.platform == "linux"
        and os.geteuid() == 0
        and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", place], stderr=subprocess.DEVNULL
        ).returncode
        == 0
    )
    if not mounted:
        pytest.skip("no right to mount a disk: full and read-only disks are not tried")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def remount(disk: Path, options: str) -> None:
    """Mounts it anew, as soon as nothing has a file open there any more that was removed."""
    command = ["mount", "-o", f"remount,{options}", str(disk)]
    wait_for(lambda: subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0)


def check_refusal(errors: str, league: Path, *words: str) -> None:
    """The last line is one sentence that names the file, the fault and the way on."""
    assert "Traceback" not in errors
    last = errors.strip().splitlines()[-1]
    assert last.startswith(f"arena: {league}")
    for word in (*words, "arena resume"):
        assert word in last, last


def test_a_full_disk_ends_a_tournament_in_order_and_it_goes_on_when_there_is_room(tmp_path, disk):
    bots = [good_bot(tmp_path, f"bot {number}") for number in range(2)]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 100')
    league = disk / "a.league"
    ended = arena("run", path, "--seed", "s", "--league", league, cwd=tmp_path, code=2)
    check_refusal(ended.stderr, league, "disk is full", "make room")
    assert processes_in(tmp_path) == []
    before = games_in(league)
    assert 0 < before < 200
    again = arena("resume", league, cwd=tmp_path, code=2)
    assert "disk is full; make room" in again.stderr
    remount(disk, "size=20m")
    assert problems(league) == []
    arena("resume", league, cwd=tmp_path)
    assert games_in(league) == 200
    assert problems(league) == []


FILLS = FIRST.replace(
    "serve(First)",
    """
import os, subprocess, sys, threading

subprocess.Popen([sys.executable, "-c", "import time; time.sleep(10000)", "left by the bot that fills"])

def fill():
    place = os.path.dirname(os.environ["ARENA_LISTEN"].removeprefix("unix:"))
    while True:
        try:
            with open(f"{place}/filled", "ab", buffering=0) as file:
                print("x" * file.write(b"x" * 100_000), flush=True)
        except OSError as error:
            print(error, flush=True)

threading.Timer(0.2, fill).start()
serve(First)
""",
)


def test_a_bot_that_fills_the_disk_is_ended_and_charged_and_the_night_goes_on(tmp_path, disk):
    if kernel.landlock_abi() < 6:
        pytest.skip("this kernel lacks restrictions")
    remount(disk, "size=16m")
    bots = [good_bot(tmp_path, "good", UNHURRIED), good_bot(tmp_path, "fills", FILLS)]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 100')
    ended = subprocess.run(
        [*ARENA, "run", path, "--league", disk / "a.league", "--sandbox", "basic"],
        cwd=tmp_path, env={**os.environ, "TMPDIR": str(disk)},
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert games_in(disk / "a.league") == 200
    assert "fills was lost: " in ended.stderr
    assert "good was lost" not in ended.stderr
    logs = [path.read_text() for path in (disk / "a.logs").glob("fills*.log")]  # of its two instances
    assert any("[the bot was ended: it keeps " in log for log in logs), logs
    assert processes_in(Path("left by the bot that fills")) == []
    assert list(disk.glob("arena-*")) == []


def test_a_bot_whose_log_finds_no_room_runs_without_one(tmp_path, disk, monkeypatch):
    folder = bot_folder(tmp_path, "bot", [sys.executable, "-c", "print('hello'); raise SystemExit(3)"])
    remount(disk, "nr_inodes=1")  # for its root

    async def main():
        async with running_bot(manifest(folder), disk / "bot.log") as bot:
            return await bot.wait()

    assert trio.run(main) == 3
    assert list(disk.iterdir()) == []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", disk.name)
    with pytest.raises(NoRoom, match="the disk is full: make room there"):
        temporary_folder()


def test_a_full_disk_ends_a_tournament_with_a_guest_as_soon(tmp_path, disk):
    arguments = ("--league", disk / "a.league", "--concurrency", "2")
    with (
        referee(tmp_path, 1, *arguments, boards=200) as host,
        guest(tmp_path, host.address, host.tokens[0]),
    ):
        assert host.process.wait(PATIENCE) == 2
        host._thread.join()
        check_refusal(host.said, disk / "a.league", "disk is full", "make room")
    assert games_in(disk / "a.league") > 0


def test_a_disk_that_becomes_read_only_ends_a_tournament_in_order(tmp_path):
    if sys.platform != "linux" or shutil.which("cc") is None:
        assert "CI" not in os.environ, "a C compiler and Linux are needed"
        pytest.skip("no C compiler, or not Linux: a disk that becomes read-only is not tried")
    library, failed = tmp_path / "read_only.so", tmp_path / "failed"
    source = Path(__file__).with_name("read_only.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-ldl"], check=True)
    bots = [good_bot(tmp_path, f"bot {number}") for number in range(2)]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 100')
    league = tmp_path / "a.league"
    referee = subprocess.Popen(
        [*ARENA, "run", path, "--seed", "s", "--league", league],
        cwd=tmp_path,
        env={**os.environ, "LD_PRELOAD": str(library), "READ_ONLY_WHEN": str(failed)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: games_in(league) > 0)
    before = games_in(league)
    failed.touch()
    _, errors = referee.communicate(timeout=PATIENCE)
    assert referee.returncode == 2
    check_refusal(errors, league, "cannot be read or written", "see to its disk")
    assert processes_in(tmp_path) == []
    assert problems(league) == []
    assert games_in(league) >= before
    arena("resume", league, cwd=tmp_path)
    assert games_in(league) == 200
    assert problems(league) == []


def test_a_read_only_disk_is_told_and_can_be_read(tmp_path, disk):
    remount(disk, "size=20m")
    bots = [good_bot(tmp_path, f"bot {number}") for number in range(2)]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 100')
    league = disk / "a.league"
    referee = subprocess.Popen(
        [*ARENA, "run", path, "--seed", "s", "--league", league], cwd=tmp_path, stderr=subprocess.DEVNULL
    )
    wait_for(lambda: games_in(league) > 20)
    referee.kill()
    referee.wait()
    wait_for(lambda: processes_in(tmp_path) == [])
    before = games_in(league)
    remount(disk, "ro")
    refused = arena("resume", league, cwd=tmp_path, code=2).stderr
    assert "read-only" in refused
    assert problems(league) == []
    assert games_in(league) == before
    remount(disk, "rw")
    arena("resume", league, cwd=tmp_path)
    assert games_in(league) == 200
    assert problems(league) == []
