"""A standing league as it runs: `arena club up`, real bots, and real kills.

The story of a host and an author is in test_followed; what a host process does step by step in
test_host_loops and test_seasons.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import apsw
import pytest

from arena.hosting.client import Client
from arena.hosting.client import Refused as RefusedByPage
from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.hosting.requests import Refused
from tests.arena_command import arena
from tests.hosting.host_here import install
from tests.hosting.standing_league import SETTINGS, Club, bot, changed, until


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    club = Club(tmp_path / "club")
    yield club
    club.down()
    until(lambda: not club.children())


def test_a_killed_host_process_takes_its_children_along_and_the_next_one_goes_on(
    club: Club, tmp_path: Path
) -> None:
    club.place.settings.write_text(SETTINGS.replace('"greedy-python", "random-python"', ""), "utf-8")
    client = Client(club.up())
    second = arena("club", "up", club.place.folder, cwd=tmp_path, code=2)
    assert "runs in" in second.stderr

    invitation = str(club.ask("invite", name="Ada")["invitation"])
    require_that_an_error_ends_one_request(club, client, invitation)
    ada = client.post("/api/join", invitation=invitation)
    assert ada["name"] == "Ada"

    heron, word = bot(tmp_path / "heron", "heron"), f"87{os.getpid()}"
    with (heron / "bot.toml").open("a") as manifest:
        manifest.write(f'\n[build]\ncommand = ["sleep", "{word}"]\n')
    with Database(club.place.database) as database:
        (account,) = database.accounts()
    version = club.submit(account.id, heron, "heron")
    until(lambda: "building heron" in report_of(club, version))
    assert len(club.children()) >= 2  # the page and the builder
    club.down(signal.SIGKILL)
    until(lambda: not club.children())

    (club.place.submission(version) / "report.jsonl").unlink()
    club.up()
    until(lambda: "building heron" in report_of(club, version))  # the next one builds it anew
    club.ask("revoke", name="Ada")
    decided = club.decided(version)
    assert (decided.state, decided.reason) == ("refused", "the account of its author is closed")
    assert "Traceback" not in (club.place.folder / "up.log").read_text("utf-8")


def require_that_an_error_ends_one_request(club: Club, client: Client, invitation: str) -> None:
    """An error of the arena ends one request and nothing else."""
    with closing(apsw.Connection(str(club.place.database))) as database:
        database.set_busy_timeout(60_000)
        database.execute("ALTER TABLE audit RENAME TO hidden")
        for _ in range(2):
            with pytest.raises(RefusedByPage, match=r"logs/host\.log says why") as refused:
                client.post("/api/join", invitation=invitation)
            assert refused.value.status == 500
        database.execute("ALTER TABLE hidden RENAME TO audit")
    log = (club.place.folder / "logs" / "host.log").read_text("utf-8")
    assert log.count(" the request join failed:\nTraceback (most recent call last):\n") == 2
    assert "no such table: audit" in log


def report_of(club: Club, version: int) -> str:
    """The report of a version; empty while there is none."""
    with suppress(FileNotFoundError):
        return (club.place.submission(version) / "report.jsonl").read_text("utf-8")
    return ""


@pytest.mark.campaign
def test_a_backup_of_a_running_league_is_restored_at_another_path(club: Club, tmp_path: Path) -> None:
    club.up()
    ada = club.author("Ada")
    club.decided(club.submit(ada, bot(tmp_path / "heron", "heron"), "heron"))
    until(lambda: "heron v1" in club.playing())
    arena("backup", club.place.folder, tmp_path / "copy", cwd=tmp_path, own_process=True)
    club.down()
    shutil.rmtree(club.place.folder)
    shutil.move(tmp_path / "copy", tmp_path / "elsewhere")
    club.place = Place(tmp_path / "elsewhere")
    club.verify()
    before = club.games()
    club.up()
    assert club.ask("token", ada)["token"]
    assert "heron v1" in club.playing()
    club.decided(club.submit(ada, changed(tmp_path / "heron"), "heron"))
    until(lambda: club.playing() == {"greedy", "random", "heron v2"})
    until(lambda: club.games() > before)  # of the new version, since a ladder may have nothing left to ask
    club.down()
    club.verify()


@pytest.mark.campaign
def test_the_league_goes_on_with_an_arena_that_is_installed_while_it_runs(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    install(tmp_path / "packages", "8.1")
    club.up()
    ada = club.author("Ada")
    until(club.playing)
    version = club.submit(ada, bot(tmp_path / "heron", "heron"), "heron")
    before = set(club.children())
    install(tmp_path / "packages", "8.2")
    assert club.host is not None
    assert club.host.stdout is not None
    club.host.stdout.readline()  # the token of the host
    assert club.host.stdout.readline().startswith("Club: http")  # again, by the new arena
    assert not before & set(club.children())
    assert "the league goes on with arena 8.2" in (club.place.folder / "up.log").read_text("utf-8")
    assert club.decided(version).state == "accepted"
    until(lambda: "heron v1" in club.playing())
    club.down()
    club.verify()


@pytest.mark.campaign
def test_kills_of_any_process_lose_no_version(club: Club, tmp_path: Path) -> None:
    random = Random(27)
    club.up()
    ada = club.author("Ada")
    until(club.playing)
    versions = []
    for number in range(6):
        for _ in range(4):
            time.sleep(random.uniform(0.1, 1.5))
            if random.random() < 0.4:
                club.down(signal.SIGKILL)
                until(lambda: not club.children())
                club.up()
            elif children := club.children():
                with suppress(ProcessLookupError):
                    os.kill(random.choice(children), signal.SIGKILL)
        name = f"bot{number}"
        with suppress(Refused):  # the host process was killed while it answered; it is asked again
            versions.append(club.submit(ada, bot(tmp_path / name, name), name))
    assert len(versions) >= 5
    assert {club.decided(version).state for version in versions} == {"accepted"}
    names = {f"bot{club.version(version).bot - 1} v1" for version in versions}
    until(lambda: len(names & club.playing()) == len(versions))
    club.down()
    club.verify()
