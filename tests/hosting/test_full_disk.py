"""A standing league on a disk that is really full: a small tmpfs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.hosting.requests import Refused
from tests.hosting.standing_league import Club, bot, changed, until

ARENA = [sys.executable, "-m", "arena.cli"]


class Disk:
    """A small disk of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Leaves no byte free."""
        with self._filler.open("ab", buffering=0) as file:
            for size in (1 << 16, 1 << 12, 1):
                while True:
                    try:
                        file.write(b"\0" * size)
                    except OSError:
                        break

    def make_room(self) -> None:
        self._filler.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("a tmpfs cannot be mounted here: that needs root on Linux")
    yield Disk(folder)
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def club(disk: Disk) -> Iterator[Club]:
    club = Club(disk.folder / "club")
    yield club
    club.down()
    until(lambda: not club.children())


def printed(club: Club) -> str:
    """What all processes of the league have printed."""
    files = [club.place.folder / "up.log", *(club.place.folder / "logs").iterdir()]
    return "".join(path.read_text("utf-8") for path in files)


def test_a_full_disk_stops_submissions_and_loses_nothing(club: Club, disk: Disk, tmp_path: Path) -> None:
    club.up()
    ada = club.author("Ada")
    heron = bot(tmp_path / "heron", "heron")
    club.decided(club.submit(ada, heron, "heron"))
    until(lambda: "heron v1" in club.playing())
    waiting = club.submit(ada, bot(tmp_path / "swan", "swan"), "swan")
    disk.fill()
    with pytest.raises((Refused, OSError)):
        club.submit(ada, changed(heron), "heron")
    with pytest.raises(Refused, match="disk"):
        club.ask("token", ada)
    before = club.games()
    assert club.host is not None
    assert club.host.poll() is None

    disk.make_room()
    assert club.decided(waiting).state == "accepted"
    until(lambda: "swan v1" in club.playing())
    until(lambda: club.games() > before)
    club.down()
    club.verify()
    assert "Traceback" not in printed(club)


def test_the_commands_of_a_host_say_that_the_disk_is_full(club: Club, disk: Disk) -> None:
    folder = str(club.place.folder)
    club.up()
    club.ask("invite", name="Ada")
    club.down()
    disk.fill()
    for words in (["up", folder], ["invite", folder, "Bob"], ["new", f"{disk.folder}/other", "--yes"]):
        done = subprocess.run([*ARENA, "host", *words], capture_output=True, text=True)
        assert done.returncode == 2, done.stderr
        assert "see whether its disk is full" in done.stderr
        assert "Traceback" not in done.stderr
    disk.make_room()
    club.up()
    club.ask("invite", name="Bob")
