"""What is deleted, and what is not."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.hosting.children import LOG_LIMIT
from arena.hosting.database import Database
from arena.hosting.place import Place, open_folders, remove
from arena.hosting.tidying import tidy

LONG_AGO = "2020-01-01T00:00:00+00:00"


class Folder:
    """A league with one bot."""

    def __init__(self, place: Place, database: Database) -> None:
        self.place, self.database = place, database
        place.incoming.mkdir()
        self.account = database.add_account("Ada", "author")
        self.bot = database.add_bot(self.account, "heron")

    def version(self, state: str, decided: str | None) -> int:
        id = self.database.add_version(self.bot, "00", 1, "")
        self.database.change_version(id, state=state, decided=decided)
        self.place.bot(id).mkdir(parents=True)
        (self.place.bot(id) / "bot.toml").write_text("")
        self.place.bot(id).chmod(0o555)
        (self.place.submission(id) / "report.jsonl").write_text("")
        return id

    def tidy(self, reserve: int = 0) -> None:
        tidy(self.place, self.database, reserve)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    place = Place(tmp_path)
    with Database(place.database, writer=True) as database:
        yield Folder(place, database)


def test_uploads_go_after_a_day(folder: Folder) -> None:
    old, new = folder.place.incoming / "1-old.part", folder.place.incoming / "1-new.part"
    old.write_text("")
    new.write_text("")
    os.utime(old, (time.time() - 90_000,) * 2)
    folder.tidy()
    assert (old.exists(), new.exists()) == (False, True)


def test_of_a_long_log_the_end_is_kept_and_its_writer_goes_on(folder: Folder) -> None:
    logs = folder.place.folder / "logs"
    logs.mkdir()
    with (logs / "page.log").open("ab", buffering=0) as writer:
        writer.write(b"x" * LOG_LIMIT + b"the end\n")
        for _ in range(2):
            folder.tidy()
        writer.write(b"more\n")
    assert (logs / "page.log").read_bytes() == b"more\n"
    old = (logs / "page.old.log").read_bytes()
    assert (len(old), old[-8:]) == (LOG_LIMIT, b"the end\n")
    assert len([*logs.iterdir()]) == 2


def test_old_versions_go_but_never_the_active_one_nor_what_is_under_way(folder: Folder) -> None:
    active = folder.version("accepted", LONG_AGO)
    superseded = folder.version("accepted", LONG_AGO)
    refused = folder.version("refused", LONG_AGO)
    newest = folder.version("accepted", LONG_AGO)
    received = folder.version("received", None)
    folder.database.activate(folder.bot, active)
    for _ in range(2):
        folder.tidy()
        left = {id for id in (active, superseded, refused, newest, received) if folder.place.bot(id).exists()}
        assert left == {active, newest, received}
    assert (folder.place.submission(refused) / "report.jsonl").exists()
    assert folder.database.disk_of(folder.account) == 3


def test_a_version_that_was_superseded_today_stays(folder: Folder) -> None:
    earlier = folder.version("accepted", LONG_AGO)
    folder.version("accepted", "2999-01-01T00:00:00+00:00")
    folder.tidy()
    assert folder.place.bot(earlier).exists()


def test_downloads_go_if_the_disk_is_nearly_full_but_not_while_their_author_builds(folder: Folder) -> None:
    cache = folder.place.folder / "caches" / str(folder.account)
    cache.mkdir(parents=True)
    version = folder.version("building", None)
    folder.tidy(reserve=1 << 60)
    assert cache.exists()
    folder.database.change_version(version, state="refused", decided="2999-01-01T00:00:00+00:00")
    folder.tidy()
    assert cache.exists()
    folder.tidy(reserve=1 << 60)
    assert not cache.exists()


def test_folders_that_a_build_has_closed_are_opened_and_removed(tmp_path):
    folder = tmp_path / "bot"
    (folder / "one" / "two").mkdir(parents=True)
    (folder / "one" / "two" / "file").touch()
    (folder / "link").symlink_to(tmp_path)
    tmp_path.chmod(0o500)
    for closed in (folder / "one" / "two", folder / "one", folder):
        closed.chmod(0)
    open_folders(folder)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o500
    tmp_path.chmod(0o700)
    opened = [folder, folder / "one", folder / "one" / "two"]
    assert [stat.S_IMODE(each.stat().st_mode) for each in opened] == [0o700] * 3
    remove(folder)
    assert not folder.exists()
