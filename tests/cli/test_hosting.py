"""`arena host new`, `invite`, `accounts`, `revoke` and `backup`, without a host process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli.commands import arena
from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.hosting.settings import read_settings
from arena.store import League
from tests.runner.simulation import simulate

NIGHT = 'name = "Night"\ngames = ["nyuri"]\nboards = 1\n[[stage]]\nformat = "round-robin"\n'


def run(*words: str | Path, input: str | None = None) -> Result:
    return CliRunner().invoke(arena, ["host", *map(str, words)], input=input)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "club"
    assert run("new", folder, "--yes", "--sandbox", "none").exit_code == 0
    return folder


def test_new_asks_five_questions(tmp_path: Path) -> None:
    answers = "Club\n127.0.0.1:9000\nhttps://bots.example.org\nnyuri, hyrule\nyear\n"
    done = run("new", tmp_path / "club", "--sandbox", "none", input=answers)
    assert done.exit_code == 0, done.output
    settings = read_settings(Place(tmp_path / "club"))
    assert (settings.name, settings.url, settings.season) == ("Club", "https://bots.example.org", "year")
    assert settings.games == ("nyuri", "hyrule")
    assert [house.name for house in settings.house] == ["greedy-python", "random-python"]


def test_new_asks_again_after_a_wrong_answer(tmp_path: Path) -> None:
    answers = "\n9000\n0.0.0.0:9000\nbots.example.org\nhttps://bots.example.org\nchess\nnyuri\nweek\nyear\n"
    done = run("new", tmp_path / "club", "--sandbox", "none", input=answers)
    assert done.exit_code == 0, done.output
    assert "Error: listen must be \"HOST:PORT\", not '9000'\n" in done.output
    assert "Error: url must be an address such as" in done.output
    assert "Error: unknown game 'chess'" in done.output
    assert "Error: unknown season 'week'" in done.output
    settings = read_settings(Place(tmp_path / "club"))
    assert (settings.listen, settings.games, settings.season) == ("0.0.0.0:9000", ("nyuri",), "year")


def test_new_writes_nothing_before_all_answers_are_there(tmp_path: Path) -> None:
    assert run("new", tmp_path / "club", "--sandbox", "none", input="Club\n").exit_code == 1
    assert not (tmp_path / "club").exists()


def test_new_overwrites_nothing(folder: Path) -> None:
    text = (folder / "league.toml").read_text()
    done = run("new", folder, "--yes")
    assert done.exit_code == 2
    assert "is there already" in done.output
    assert (folder / "league.toml").read_text() == text


def test_accounts_are_invited_listed_and_revoked(folder: Path) -> None:
    invited = run("invite", folder, "Ada").output
    assert "http://127.0.0.1:8000/join/" in invited
    assert f"it opens on this machine alone: for others, set url in {folder / 'league.toml'}" in invited
    run("invite", folder, "Grace", "--role", "host")
    listed = run("accounts", folder).output
    assert "Ada (author) is invited" in listed
    assert "Grace (host) is invited" in listed
    assert run("revoke", folder, "ada").exit_code == 0
    assert "Ada (author) revoked" in run("accounts", folder).output
    again = run("invite", folder, "Ada")
    assert again.exit_code == 2
    assert "is revoked" in again.output


def test_backup(folder: Path, tmp_path: Path) -> None:
    run("invite", folder, "Ada")
    assert run("backup", folder, tmp_path / "copy").exit_code == 0
    assert "Ada" in run("accounts", tmp_path / "copy").output
    assert run("backup", folder, tmp_path / "copy").exit_code == 2


@pytest.mark.parametrize("command", [("up",), ("accounts",), ("invite", "Ada"), ("revoke", "Ada")])
def test_another_folder_is_said_to_be_none(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run(command[0], tmp_path, *command[1:])
    assert done.exit_code == 2
    assert "is no standing league" in done.output


def test_a_backup_leaves_out_what_a_playing_bot_has_made_that_is_no_file(
    folder: Path, tmp_path: Path
) -> None:
    place = Place(folder)
    with Database(place.database, writer=True) as database, database.transaction():
        bot = database.add_bot(database.add_account("Ada", "author"), "heron")
        version = database.add_version(bot, "00", 1, "")
        database.change_version(version, state="accepted")
    data = place.bot(version) / "data"
    data.mkdir(parents=True)
    (place.bot(version) / "bot.toml").write_text("")
    (place.bot(version) / "proto").symlink_to("data")
    os.mkfifo(data / "pipe")
    place.bot(version).chmod(0o555)
    assert run("backup", folder, tmp_path / "copy").exit_code == 0
    copy = Place(tmp_path / "copy").bot(version)
    assert sorted(os.listdir(copy)) == ["bot.toml", "data", "proto"]
    assert os.listdir(copy / "data") == []
    assert ((copy / "proto").readlink(), copy.stat().st_mode & 0o777) == (Path("data"), 0o555)


def test_other_commands_take_the_folder_for_its_league(folder: Path, tmp_path: Path) -> None:
    with League.create_or_open(folder / "league.arena") as league:
        simulate(league, NIGHT, 2)
    done = CliRunner().invoke(arena, ["list", str(folder)])
    assert done.exit_code == 0
    assert "Night" in done.output
    other = CliRunner().invoke(arena, ["list", str(tmp_path)])
    assert other.exit_code == 2
    assert f"{tmp_path} is a folder, and not that of a standing league" in other.output
