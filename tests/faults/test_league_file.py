"""What happens to the league file of a running tournament from outside: it ends in order, or goes on."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from arena.league.store import League
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import UNHURRIED, Unhurried, good_bot
from tests.league.store.samples import problems
from tests.patience import PATIENCE
from tests.referee.nights import games_in, processes_in, wait_for, write_tournament

BOARDS = 15


@contextmanager
def running(folder: Path, league: Path) -> Iterator[subprocess.Popen[str]]:
    """A tournament that is being played, at least some games of it stored; killed at the end."""
    bots = [good_bot(folder, "started", UNHURRIED), Unhurried("served")]
    path = write_tournament(folder, bots, f'games = ["hyrule"]\nboards = {BOARDS}\nconcurrency = 2')
    referee = subprocess.Popen(
        [*ARENA, "run", path, "--seed", "s", "--league", league],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(lambda: games_in(league) > 0)
        yield referee
    finally:
        referee.kill()
        referee.communicate()
        wait_for(lambda: processes_in(folder) == [])


def files(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir() if file.is_file()}


@contextmanager
def locked(league: Path, referee: subprocess.Popen[str]) -> Iterator[str]:
    """Holds the file locked; gives the line in which the referee says that it waits for that."""
    other = apsw.Connection(str(league))
    other.set_busy_timeout(60_000)
    other.execute("BEGIN IMMEDIATE")
    assert referee.stderr
    yield next(line for line in referee.stderr if "locked by another process" in line)
    other.execute("COMMIT")
    other.close()


def delete(league: Path) -> None:
    for name in files(league.parent):
        league.with_name(name).unlink()


def rename_folder(league: Path) -> None:
    league.parent.rename(league.parent.with_name("elsewhere"))


@pytest.mark.parametrize("lose", [delete, rename_folder])
def test_a_lost_league_file_ends_the_tournament_and_its_games_go_on_elsewhere(tmp_path, lose):
    place = tmp_path / "place"
    place.mkdir()
    league = place / "a.league"
    with running(tmp_path, league) as referee:
        before = games_in(league)
        lose(league)
        _, errors = referee.communicate(timeout=PATIENCE)
    assert referee.returncode == 2
    assert "Traceback" not in errors
    sentence = errors.strip().splitlines()[-1]
    assert sentence.startswith(f"arena: {league} was deleted, moved or replaced while it was being written")
    copy = Path(sentence.rpartition("arena resume ")[2])
    assert problems(copy) == []
    assert games_in(copy) >= before
    arena("resume", copy, cwd=tmp_path)
    assert games_in(copy) == 2 * BOARDS


def test_a_locked_league_file_is_waited_for_and_told(tmp_path):
    league = tmp_path / "a.league"
    with running(tmp_path, league) as referee:
        with locked(league, referee) as told:
            assert "waiting" in told
        referee.communicate(timeout=PATIENCE)
    assert referee.returncode == 0
    assert games_in(league) == 2 * BOARDS
    assert problems(league) == []


def test_a_tournament_that_waits_for_a_locked_file_can_be_stopped(tmp_path):
    league = tmp_path / "a.league"
    with running(tmp_path, league) as referee, locked(league, referee):
        referee.send_signal(signal.SIGINT)
        _, errors = referee.communicate(timeout=PATIENCE)
    assert referee.returncode == 130
    assert "Traceback" not in errors
    arena("resume", league, cwd=tmp_path)
    assert games_in(league) == 2 * BOARDS


def test_after_a_stop_the_file_is_whole_alone_and_has_no_company(tmp_path):
    league = tmp_path / "a.league"
    with running(tmp_path, league) as referee:
        referee.send_signal(signal.SIGINT)
        referee.communicate(timeout=PATIENCE)
    assert referee.returncode == 130
    copy = tmp_path / "copy.league"
    shutil.copy(league, copy)
    assert games_in(copy) == games_in(league) > 0
    assert {name for name in files(tmp_path) if "league" in name} == {"a.league", "copy.league"}


@pytest.mark.parametrize("way", ["symlink_to", "hardlink_to"])
def test_a_tournament_is_not_resumed_by_another_name_while_it_runs(tmp_path, way):
    league, other = tmp_path / "a.league", tmp_path / "elsewhere" / "b.league"
    other.parent.mkdir()
    with running(tmp_path, league):
        getattr(other, way)(league)
        refused = arena("resume", other, cwd=tmp_path, code=2).stderr
    assert "is being written by another process" in refused


def test_a_command_that_fails_leaves_nothing_behind(tmp_path):
    path = write_tournament(tmp_path, ["one", "two"])
    before = files(tmp_path)
    for command in ("resume", "standings", "season", "verify", "replay", "export"):
        arena(command, path, cwd=tmp_path, code=2)
        arena(command, tmp_path / "nowhere.league", cwd=tmp_path, code=2)
    assert files(tmp_path) == before


def test_nothing_is_added_to_a_damaged_league(tmp_path):
    league = tmp_path / "a.league"
    with running(tmp_path, league) as referee:
        referee.send_signal(signal.SIGINT)
        referee.communicate(timeout=PATIENCE)
    whole = league.read_bytes()
    with League.read(league) as store:
        record = store.game(1).record
    at = whole.index(record) + len(record) // 2
    league.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    damaged = league.read_bytes()
    refused = arena("resume", league, cwd=tmp_path, code=2).stderr
    assert "checking the league" in refused
    for word in (
        "is damaged (game ",
        "arena verify",
        "arena backup",
    ):
        assert word in refused, refused
    assert league.read_bytes() == damaged
    league.write_bytes(whole)
    arena("resume", league, cwd=tmp_path)
    assert games_in(league) == 2 * BOARDS
