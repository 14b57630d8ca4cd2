"""A league has one writer at a time, under any name of its file, and the lock leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.league.store import League, LeagueBusy, LeagueNotWritable, NotALeague
from arena.league.store.locking import DatabaseLock
from tests.league.store.samples import TOURNAMENT, finished_game, keys_of, results_of
from tests.league.store.writing import writer

linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the lock is a file beside the league")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "night.league"


def files(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


@linux
@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_the_lock_is_the_same_by_another_name_in_another_folder(path, link):
    other = path.parent / "elsewhere" / "other.league"
    other.parent.mkdir()
    with writer(path, "hold") as process:
        assert process.stdout.readline() == "open\n"
        link(path, other)
        with pytest.raises(LeagueBusy, match="being written by another process; wait for it"):
            League.create_or_open(other)
        process.kill()
        process.wait()
        League.create_or_open(path).close()


@linux
def test_a_hard_link_is_the_same_in_this_process(path):
    with League.create_or_open(path):
        path.with_name("other.league").hardlink_to(path)
        with pytest.raises(LeagueBusy):
            League.create_or_open(path.with_name("other.league"))


@linux
def test_a_name_without_the_newest_games_is_not_written_by(path):
    """The log of a killed writer lies beside the name that it used."""
    other = path.with_name("other.league")
    with writer(path, "record") as process:
        assert process.stdout.readline() == "0\n"
        process.kill()
        process.wait()
        other.hardlink_to(path)
        with pytest.raises(LeagueNotWritable, match=r"kept beside its other name, .*night\.league"):
            League.create_or_open(other)
        with League.create_or_open(path) as league:
            assert keys_of(league, 1)
    with League.create_or_open(other) as league:
        assert keys_of(league, 1)


@linux
def test_a_refused_writer_leaves_the_locks_of_this_process_alone(path):
    """Closing any handle of a file drops what SQLite holds on it for its readers."""
    with writer(path, "hold") as process:
        assert process.stdout.readline() == "open\n"
        with League.read(path) as reader:
            assert reader.tournaments() == []
            with pytest.raises(LeagueBusy):
                League.create_or_open(path)
            assert not can_lock_out_readers(path)
        process.kill()
        process.wait()
    assert can_lock_out_readers(path)


def can_lock_out_readers(path: Path) -> bool:
    """Whether another process gets the lock by which SQLite finds out that nobody else has the file open."""
    program = (
        "import fcntl, sys\n"
        "with open(sys.argv[1], 'r+b') as file:\n"
        "    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert done.returncode == 0 or "BlockingIOError" in done.stderr
    return done.returncode == 0


@linux
def test_no_handle_is_left_open(path):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with League.create_or_open(path), pytest.raises(LeagueBusy):
            League.create_or_open(path)
        with League.create_or_open(path) as league, League.read(path):
            league.start_tournament(TOURNAMENT)
    assert len(os.listdir("/proc/self/fd")) <= before


@linux
def test_a_file_that_is_no_league_gets_no_company(path):
    path.write_text('name = "Friday"\n')
    for opening in (League.create_or_open, League.read):
        with pytest.raises(NotALeague):
            opening(path)
    assert files(path.parent) == {"night.league"}


def test_reading_leaves_nothing_behind(path):
    with League.create_or_open(path) as league:
        tournament = league.start_tournament(TOURNAMENT)
        league.record_game(tournament, finished_game())
    content = path.read_bytes()
    with League.read(path) as reader, League.read(path) as other:
        assert len(list(results_of(reader, tournament))) == len(list(results_of(other, tournament))) == 1
    assert not any(name.endswith(("-wal", "-shm")) for name in files(path.parent))
    assert path.read_bytes() == content


def test_a_reader_that_closes_last_settles_what_a_killed_writer_left(path):
    with writer(path, "record") as process:
        assert process.stdout.readline() == "0\n"
        process.kill()
        process.wait()
        assert path.with_name("night.league-wal").stat().st_size > 0
    with League.read(path) as reader:
        games = keys_of(reader, 1)
    assert games
    assert not any(name.endswith(("-wal", "-shm")) for name in files(path.parent))
    with League.read(path) as reader:
        assert keys_of(reader, 1) == games


def test_a_reader_cannot_write(path):
    League.create_or_open(path).close()
    with League.read(path) as reader, pytest.raises(LeagueNotWritable):
        reader.start_tournament(TOURNAMENT)


def test_the_lock_for_other_systems(path):
    path.touch()
    lock = DatabaseLock(path)
    with pytest.raises(LeagueBusy, match="being written by another process"):
        DatabaseLock(path)
    lock.release()
    lock.release()
    DatabaseLock(path).release()
