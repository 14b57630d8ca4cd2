"""A standing league as it runs: `arena host up`, real bots, and real kills."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from urllib.request import urlopen

import apsw
import pytest

from arena.hosting.client import Client
from arena.hosting.client import Refused as RefusedByPage
from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.hosting.requests import Refused
from arena.store import League
from tests.hosting.standing_league import SETTINGS, Club, bot, changed, until
from tests.patience import PATIENCE


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    club = Club(tmp_path / "club")
    yield club
    club.down()
    until(lambda: not club.children())


def test_a_submitted_bot_plays_on_the_ladder_and_its_next_version_replaces_it(
    club: Club, tmp_path: Path
) -> None:
    page = club.up()
    heron = bot(tmp_path / "heron", "heron")
    ada = club.author("Ada")
    assert club.decided(club.submit(ada, heron, "heron")).state == "accepted"
    until(lambda: club.playing() == {"greedy", "random", "heron v1"})
    with urlopen(page, timeout=PATIENCE) as answer:
        assert answer.status == 200

    assert club.decided(club.submit(ada, changed(heron), "heron")).state == "accepted"
    until(lambda: club.playing() == {"greedy", "random", "heron v2"})
    club.ask("activate", ada, bot="heron", version=1)
    until(lambda: club.playing() == {"greedy", "random", "heron v1 (2)"})
    club.ask("withdraw", ada, bot="heron")
    until(lambda: club.playing() == {"greedy", "random"})
    club.down()
    club.verify()


def test_a_newcomer_needs_the_link_and_two_commands(club: Club, tmp_path: Path) -> None:
    page = club.up().rstrip("/")
    invitation = club.ask("invite", name="Ada")["invitation"]
    heron = bot(tmp_path / "heron", "heron")
    environment = os.environ | {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    for words in (("login", f"{page}/join/{invitation}"), ("submit", str(heron))):
        command = [sys.executable, "-m", "arena.cli", *words]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "heron version 1 is accepted" in done.stdout
    until(lambda: "heron v1" in club.playing())


def test_a_broken_bot_is_refused_and_nothing_of_it_plays(club: Club, tmp_path: Path) -> None:
    club.up()
    broken = bot(tmp_path / "broken", "broken")
    (broken / "random_bot.py").write_text("raise SystemExit(1)\n")
    version = club.decided(club.submit(club.author("Ada"), broken, "broken"))
    assert version.state == "refused"
    assert version.reason
    until(lambda: club.playing() == {"greedy", "random"})


def test_the_children_end_with_a_killed_host_process_and_the_next_one_goes_on(
    club: Club, tmp_path: Path
) -> None:
    club.up()
    ada = club.author("Ada")
    until(club.playing)
    version = club.submit(ada, bot(tmp_path / "heron", "heron"), "heron")
    club.down(signal.SIGKILL)
    until(lambda: not club.children())
    club.up()
    assert club.decided(version).state == "accepted"
    until(lambda: "heron v1" in club.playing())


def test_the_host_is_told_that_the_games_stopped(club: Club) -> None:
    club.up()
    until(club.playing)
    games = [pid for pid in club.children() if b"--hosted" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert len(games) == 1
    os.kill(games[0], signal.SIGKILL)
    until(lambda: "stopped, and is tried again" in (club.place.folder / "up.log").read_text("utf-8"))


def test_an_error_of_the_arena_ends_one_request_and_nothing_else(club: Club) -> None:
    page = club.up().rstrip("/")
    invitation = str(club.ask("invite", name="Ada")["invitation"])
    client = Client(page)
    assert client.get("/api/environment")["name"] == "Club"
    with closing(apsw.Connection(str(club.place.database))) as database:
        database.set_busy_timeout(60_000)
        database.execute("ALTER TABLE secret RENAME TO hidden")
        for _ in range(2):
            with pytest.raises(RefusedByPage, match=r"logs/host\.log says why") as refused:
                client.post("/api/join", invitation=invitation)
            assert refused.value.status == 500
        database.execute("ALTER TABLE hidden RENAME TO secret")
    assert client.post("/api/join", invitation=invitation)["name"] == "Ada"
    log = (club.place.folder / "logs" / "host.log").read_text("utf-8")
    assert log.count(" the request join failed:\nTraceback (most recent call last):\n") == 2
    assert "no such table: secret" in log
    assert club.host is not None
    assert club.host.poll() is None


def test_a_second_host_process_says_why_it_does_not_start(club: Club) -> None:
    club.up()
    until(club.place.socket.exists)
    club.ask("invite", name="Ada")
    command = [sys.executable, "-m", "arena.cli", "host", "up", str(club.place.folder)]
    second = subprocess.run(command, capture_output=True, text=True)
    assert second.returncode == 2
    assert "runs in" in second.stderr
    assert "Traceback" not in second.stderr


def test_the_rules_take_a_failing_bot_out_until_its_author_brings_it_back(club: Club, tmp_path: Path) -> None:
    club.up()
    ada = club.author("Ada")
    version = club.submit(ada, bot(tmp_path / "heron", "heron"), "heron")
    assert club.decided(version).state == "accepted"
    until(lambda: "heron v1" in club.playing())
    command = [sys.executable, "-m", "arena.cli", "host", "withdraw", str(club.place.league), "heron v1"]
    subprocess.run(command, check=True, capture_output=True)  # by anybody but its author, as the rules do
    until(lambda: club.playing() == {"greedy", "random"})

    def active() -> bool:
        with Database(club.place.database) as database:
            return bool(database.active())

    until(lambda: not active())
    club.ask("activate", ada, bot="heron", version=1)
    assert until(lambda: club.playing() == {"greedy", "random", "heron v1 (2)"})


def test_a_backup_of_a_running_league_is_restored_at_another_path(club: Club, tmp_path: Path) -> None:
    club.up()
    ada = club.author("Ada")
    club.decided(club.submit(ada, bot(tmp_path / "heron", "heron"), "heron"))
    until(lambda: "heron v1" in club.playing())
    command = [
        sys.executable,
        "-m",
        "arena.cli",
        "host",
        "backup",
        str(club.place.folder),
        str(tmp_path / "copy"),
    ]
    subprocess.run(command, check=True, capture_output=True)
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
    until(lambda: club.games() > before)  # of the new version, since a ladder may have nothing left to ask
    club.down()
    club.verify()


def install(packages: Path, version: str) -> None:
    """Says that a version of the arena is installed in a folder, as an installer does: RECORD last."""
    for old in packages.glob("bot_arena-*.dist-info"):
        shutil.rmtree(old)
    about = packages / f"bot_arena-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: bot-arena\nVersion: {version}\n")
    (about / "RECORD").write_text(f"{about.name}/METADATA,,\n{about.name}/RECORD,,\n")


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


def test_a_league_can_be_stopped_while_the_arena_is_being_installed(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    install(tmp_path / "packages", "8.1")
    club.up()
    until(club.playing)
    (tmp_path / "packages" / "bot_arena-8.1.dist-info" / "RECORD").unlink()
    until(lambda: "is being installed anew" in (club.place.folder / "up.log").read_text("utf-8"))
    assert club.children() == []
    club.down()  # waits for the end


def test_the_ladder_rests_while_a_night_is_played(club: Club, tmp_path: Path) -> None:
    club.up()
    authors = {"heron": club.author("Ada"), "swan": club.author("Bob")}
    for name, author in authors.items():
        club.decided(club.submit(author, bot(tmp_path / name, name), name))
    until(lambda: {"heron v1", "swan v1"} <= club.playing())
    club.down()
    (club.place.folder / "friday.toml").write_text('games = ["hyrule"]\n')
    due = datetime.now(UTC) + timedelta(seconds=5)
    night = (
        f'[[night]]\nname = "Friday"\nfile = "friday.toml"\nfreeze = "0s"\ndate = {due:%Y-%m-%dT%H:%M:%SZ}\n'
    )
    club.place.settings.write_text(SETTINGS + night, "utf-8")
    club.up()

    def played() -> bool:
        with Database(club.place.database) as database:
            return [night.state for night in database.nights()] == ["played"]

    until(played)
    with League.read(club.place.league) as league:
        ladder, friday = league.tournaments()
    assert {entrant.name for entrant in friday.entrants} == {"heron", "swan"}  # the best of the ladder first
    assert (ladder.finished is None, friday.finished is None) == (True, False)
    before = club.games()
    club.decided(club.submit(authors["heron"], changed(tmp_path / "heron"), "heron"))
    until(lambda: club.games() > before)
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


def test_a_build_of_a_closed_account_ends(club: Club, tmp_path: Path) -> None:
    club.up()
    heron, word = bot(tmp_path / "heron", "heron"), f"87{os.getpid()}"
    with (heron / "bot.toml").open("a") as manifest:
        manifest.write(f'\n[build]\ncommand = ["sleep", "{word}"]\n')
    ada = club.author("Ada")
    one = club.submit(ada, heron, "heron")
    two = club.submit(ada, changed(heron), "heron")
    until(lambda: "building heron" in _report(club, one))
    club.ask("revoke", name="Ada")
    for version in (one, two):
        decided = club.decided(version)
        assert (decided.state, decided.reason) == ("refused", "the account of its author is closed")
    assert _report(club, two) == ""


def _report(club: Club, version: int) -> str:
    with suppress(FileNotFoundError):
        return (club.place.submission(version) / "report.jsonl").read_text()
    return ""
