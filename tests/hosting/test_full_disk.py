"""A standing league on a disk that is really full: a small tmpfs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.hosting.report import Result
from arena.hosting.requests import Refused
from tests.arena_command import arena
from tests.hosting.host_here import Host, ends_with, going_on, in_simulated_time
from tests.hosting.standing_league import Club, bot, changed, until


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


NOT_TAKEN = {"refused": "the host's disk does not take it: try again when the host has made room"}


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


def test_on_a_full_disk_requests_are_refused_and_builds_are_put_off(disk: Disk) -> None:
    async def test() -> None:
        waiting = host.submit()
        disk.fill()
        async with going_on(host.process.submissions):
            await host.until(lambda: bool(host.said))
            assert host.said == ["the disk is nearly full: versions are built when there is room"]
            invite = {"ask": "invite", "name": "Bob"}
            assert host.process.decided(invite) == NOT_TAKEN
            assert host.children == []
            host.build = ends_with(Result("accepted"))
            disk.make_room()
            assert (await host.decided(waiting)).state == "accepted"
            assert "done" in host.process.decided(invite)

    with Database(Place(disk.folder).database, writer=True) as database:
        host = Host(disk.folder, database)
        in_simulated_time(test)


def test_the_commands_of_a_host_say_that_the_disk_is_full(disk: Disk, tmp_path: Path) -> None:
    folder = disk.folder / "club"
    arena("club", "new", folder, "--yes", "--sandbox", "none", cwd=tmp_path)
    arena("club", "invite", folder, "Ada", cwd=tmp_path)
    disk.fill()
    for words in (["up", folder, "--listen", "127.0.0.1:0"], ["invite", folder, "Bob"]):
        assert "see whether its disk is full" in arena("club", *words, cwd=tmp_path, code=2).stderr
    new = ("club", "new", disk.folder / "other", "--yes", "--sandbox", "none")
    assert "see whether its disk is full" in arena(*new, cwd=tmp_path, code=2).stderr
    disk.make_room()
    arena("club", "invite", folder, "Bob", cwd=tmp_path)


@pytest.mark.campaign
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
