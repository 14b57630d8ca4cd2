"""The commands of `arena club` but `up`, and `arena backup` of its folder, without a host process."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli.commands import arena
from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.hosting.requests import host_lock
from arena.hosting.seasons import look
from arena.hosting.settings import read_settings
from arena.league.store import League
from arena.league.tournament_file import read_tournament, require_sandboxes
from arena.link.local.sandbox import EVERYBODYS, Asked, Level, missing, usual
from arena.view.listening import listening
from tests.referee.simulation import simulate

NIGHT = 'name = "Night"\ngames = ["nyuri"]\nboards = 1\n[[stage]]\nformat = "round-robin"\n'


def run(*words: str | Path, input: str | None = None) -> Result:
    return CliRunner().invoke(arena, ["club", *map(str, words)], input=input)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "club"
    assert run("new", folder, "--yes", "--sandbox", "none").exit_code == 0
    return folder


def test_new_asks_its_questions(tmp_path: Path) -> None:
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


@pytest.mark.usefixtures("without_bubblewrap")
def test_new_takes_by_default_the_sandbox_that_the_machine_has(tmp_path: Path) -> None:
    done = run("new", tmp_path / "club", "--yes")
    assert done.exit_code == 0, done.output
    assert f'this machine can contain bots at level "{usual()}": ' in done.output
    assert "needs bubblewrap (install the package of that name)" in done.output or sys.platform != "linux"
    settings = read_settings(Place(tmp_path / "club"))
    assert settings.trust.level == usual()
    settings.trust.sandbox(EVERYBODYS).require()


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("bare", [True, False])
def test_new_takes_the_sandbox_that_is_asked_for_or_says_what_is_missing(
    tmp_path: Path, request: pytest.FixtureRequest, level: Level, bare: bool
) -> None:
    if bare:
        request.getfixturevalue("without_bubblewrap")
    done = run("new", tmp_path / "club", "--yes", "--sandbox", level)
    if missing(level):
        assert done.exit_code == 2
        assert f'sandbox "{level}" cannot be had on this machine, which lacks ' in done.output
        assert not (tmp_path / "club").exists()
    else:
        assert done.exit_code == 0, done.output
        assert read_settings(Place(tmp_path / "club")).trust.level == level


@pytest.mark.usefixtures("without_bubblewrap")
def test_a_wrong_sandbox_repeats_its_own_question(tmp_path: Path) -> None:
    answers = "\n\n\n\n\nstrict\niron\nnone\n"
    done = run("new", tmp_path / "club", input=answers)
    assert done.exit_code == 0, done.output
    assert done.output.count("How bots are contained (strict, basic, none)") == 3
    assert 'Error: sandbox "strict" cannot be had on this machine' in done.output
    assert "Error: unknown level 'iron'; valid: none, basic, strict" in done.output
    assert all(done.output.count(asked) == 1 for asked in ("The league's name", "How long a season lasts"))
    assert read_settings(Place(tmp_path / "club")).trust.level == Level.NONE


@pytest.mark.usefixtures("without_bubblewrap")
def test_a_league_begins_where_its_file_leaves_the_sandbox_to_the_machine(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.settings.write_text(
        'name = "Club"\ngames = ["hyrule"]\nhouse = ["greedy-python", "random-python"]\n'
    )
    with Database(place.database, writer=True) as database:
        due = look(place, read_settings(place), database, datetime.now(UTC))
    assert due.command[0] == "run"
    assert due.command[-2:] == ("--sandbox", usual())
    file = read_tournament(Path(due.command[1]), Asked(usual(), demanded=False))
    assert [each.sandbox.level for each in file.entrants] == [usual(), usual()]
    require_sandboxes(file)


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


def copied(folder: Path, to: Path) -> Result:
    return CliRunner().invoke(arena, ["backup", str(folder), str(to)])


def test_the_copy_of_a_folder_is_a_standing_league(folder: Path, tmp_path: Path) -> None:
    run("invite", folder, "Ada")
    assert copied(folder, tmp_path / "copy").stdout == f"{folder} is copied to {tmp_path / 'copy'}\n"
    assert "Ada" in run("accounts", tmp_path / "copy").output
    again = copied(folder, tmp_path / "copy")
    assert again.exit_code == 2
    assert f"{tmp_path / 'copy'} exists already; give the name of a new folder" in again.stderr


def test_the_copy_of_its_league_file_is_a_league_file(folder: Path, tmp_path: Path) -> None:
    with League.create_or_open(folder / "league.arena") as league:
        simulate(league, NIGHT, 2)
    assert copied(folder / "league.arena", tmp_path / "copy.league").exit_code == 0
    listed = CliRunner().invoke(arena, ["list", str(tmp_path / "copy.league")])
    assert "Night" in listed.output
    again = copied(folder / "league.arena", tmp_path / "copy.league")
    assert again.exit_code == 2
    assert f"{tmp_path / 'copy.league'} exists already; give the name of a new file" in again.stderr


def test_a_folder_that_is_no_standing_league_is_not_copied(tmp_path: Path) -> None:
    done = copied(tmp_path, tmp_path / "copy")
    assert done.exit_code == 2
    assert f"{tmp_path} is a folder, and not that of a standing league" in done.stderr
    assert not (tmp_path / "copy").exists()


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
    assert copied(folder, tmp_path / "copy").exit_code == 0
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


def test_a_second_host_process_is_refused_for_the_league_and_not_for_its_port(folder: Path) -> None:
    with host_lock(Place(folder)), listening("127.0.0.1:0") as listener:
        done = run("up", folder, "--listen", f"127.0.0.1:{listener.getsockname()[1]}")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"arena: another arena club up runs in {folder} already: stop that one first\n"


def test_a_folder_that_cannot_be_made_is_said_in_the_words_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run("new", tmp_path / "file" / "club", "--yes", "--sandbox", "none")
    assert done.exit_code == 2
    assert (
        "club cannot be used (Not a directory): see whether its disk is full and whose it is" in done.stderr
    )
