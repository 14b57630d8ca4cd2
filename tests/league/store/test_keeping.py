"""A league file that is deleted, moved or replaced while it is written: nothing is lost."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league.store import League, LeagueMoved
from arena.league.store.soundness import file_damage
from tests.league.store.samples import TOURNAMENT, finished_game, keys_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "night").mkdir()
    return tmp_path / "night" / "a.league"


def delete(path: Path) -> None:
    path.unlink()


def delete_league(path: Path) -> None:
    for file in path.parent.glob("a.league*"):
        file.unlink()


def delete_log(path: Path) -> None:
    path.with_name("a.league-wal").unlink()


def rename(path: Path) -> None:
    path.rename(path.with_name("b.league"))


def rename_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("other"))


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"something else")
    other.replace(path)


WAYS = (delete, delete_league, delete_log, rename, rename_folder, replace)


def kept(error: pytest.ExceptionInfo[LeagueMoved], path: Path) -> Path:
    """The file that the sentence names."""
    sentence = str(error.value)
    assert sentence.startswith(
        f"{path} was deleted, moved or replaced while it was being written; all its games"
    )
    copy = sentence.rpartition("arena resume ")[2]
    assert f"in {copy}," in sentence
    return Path(copy)


def record_and_lose(path: Path, lose: Callable[[Path], None], games: int = 1) -> None:
    """Records so many games, loses the file, and records one more."""
    with League.create_or_open(path) as league:
        tournament = league.start_tournament(TOURNAMENT)
        league.record_games(tournament, [finished_game(board=board) for board in range(games)])
        lose(path)
        league.record_game(tournament, finished_game(board=games))


@pytest.mark.parametrize("way", WAYS)
def test_all_games_are_kept_in_another_file(path, way, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LeagueMoved) as error:
        record_and_lose(path, way, games=30)
    copy = kept(error, path)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600  # it holds the secret key
    with League.create_or_open(copy) as league:
        assert list(file_damage(league._db)) == []
        assert [key.board for key in sorted(keys_of(league, 1))] == list(range(31))
        league.record_game(1, finished_game(board=31))
    if way is replace:
        assert path.read_bytes() == b"something else"
    assert len([*tmp_path.rglob("*-kept-*.league")]) == 1


def test_it_is_noticed_at_the_end_too(path):
    league = League.create_or_open(path)
    tournament = league.start_tournament(TOURNAMENT)
    league.record_game(tournament, finished_game())
    delete(path)
    with pytest.raises(LeagueMoved) as error:
        league.close()
    league.close()
    with League.read(kept(error, path)) as league:
        assert len(keys_of(league, tournament)) == 1


def test_a_second_copy_gets_a_name_of_its_own(path):
    for number in (1, 2):
        with pytest.raises(LeagueMoved) as error:
            record_and_lose(path, delete_league)
        assert kept(error, path).name == f"a-kept-{number}.league"
        assert kept(error, path).exists()


def test_where_nothing_can_be_kept_it_is_told(path, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))

    def delete_folders(path: Path) -> None:
        delete_league(path)
        monkeypatch.chdir(path.parent)
        path.parent.rmdir()

    with pytest.raises(LeagueMoved, match=r"could not be kept elsewhere .*; look for the file"):
        record_and_lose(path, delete_folders)
