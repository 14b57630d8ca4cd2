"""A new bot is a complete copy of an example, under its own name, and ready for league night."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import commands
from arena.cli.llms_txt import llms_txt
from arena.kits import KITS, WORKFLOW, find_kit, kit_files, kits_folder, proto_folder
from arena.league.tournament_file import read_tournament
from arena.link.local.bot_manifest import read_bot_manifest
from tests.arena_command import arena
from tests.installed import known_to_git
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]


def init_bot(*arguments):
    return CliRunner().invoke(commands.arena, ["init-bot", *map(str, arguments)])


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kit", KITS.values(), ids=lambda kit: kit.language)
def test_a_bot_is_written_whole_and_under_its_name(tmp_path, kit):
    folder = tmp_path / "new" / "bot"
    name = 'Ada\'s "best" \\ bot ö'
    done = init_bot(kit.language, folder, "--name", name)
    assert done.exit_code == 0, done.output
    last = [f"arena check-bot {folder}", f"arena submit {folder}"]
    assert [line.strip() for line in done.stdout.splitlines()[-2:]] == last
    assert (folder / kit.strategy).is_file()
    manifest = read_bot_manifest(folder)
    assert (manifest.name, manifest.author) == (name, "")
    source = (folder / kit.source).read_text("utf-8")
    assert json.dumps(name, ensure_ascii=False) in source
    assert '"the arena"' not in source
    readme = (folder / "README.md").read_text("utf-8")
    assert readme.startswith(f"# {name}\n")
    assert kit.folder not in readme
    assert not any(path.is_symlink() for path in folder.rglob("*"))
    assert (folder / "llms-full.txt").read_text("utf-8") == llms_txt()
    links = (folder / "llms.txt").read_text("utf-8")
    assert links.startswith(f"# {name}\n\n> ")
    assert all((folder / path).is_file() for path in re.findall(r"\]\(([^)]+)\)", links))
    assert links.count("](") == 4
    own = {name for name in files_in(folder) if not name.startswith("proto/")}
    assert (folder / WORKFLOW).read_text("utf-8").startswith("# Submits the bot")
    beside = {"llms.txt", "llms-full.txt", str(WORKFLOW)}
    own -= beside
    assert own == {str(path) for path in kit_files(kits_folder() / kit.folder)}
    shared = files_in(proto_folder())
    wanted = {f"proto/{name}" for name in shared if name.endswith(".proto") or name.startswith("vectors/")}
    assert files_in(folder) - own - beside == (wanted if kit.proto else set())
    for path in own:
        example = kits_folder() / kit.folder / path
        assert os.access(folder / path, os.X_OK) == os.access(example, os.X_OK), path


@pytest.mark.parametrize("kit", KITS.values(), ids=lambda kit: kit.language)
def test_a_kit_is_what_is_committed(kit):
    example = kits_folder() / kit.folder
    assert {str(path) for path in kit_files(example)} == known_to_git(example) - {"proto"}


@pytest.mark.campaign
@pytest.mark.parametrize("language", ["python", "llm"])
def test_a_new_python_bot_passes_the_checkup_and_its_own_test(tmp_path, language):
    done = init_bot(language, tmp_path / "fresh")
    assert done.exit_code == 0, done.output
    checked = arena("check-bot", "fresh", "--quick", "--json", cwd=tmp_path)
    assert json.loads(checked.stdout)["ready"], checked.stdout
    tested = subprocess.run(
        [sys.executable, "-m", "unittest"],
        cwd=tmp_path / "fresh",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert tested.returncode == 0, tested.stderr


def test_the_tournament_that_it_prints_can_be_read(tmp_path):
    folder = tmp_path / 'a 100% "good" bot'
    said = init_bot("python", folder, "--name", "x").stdout.splitlines()
    [command] = [line for line in said if "printf" in line]
    subprocess.run(command.partition(" && ")[0], shell=True, cwd=tmp_path, check=True)
    tournament = read_tournament(tmp_path / "night.toml")
    assert [entrant.bot.folder for entrant in tournament.entrants if entrant.bot] == [folder, folder]


def test_the_name_is_that_of_the_folder(tmp_path, monkeypatch):
    place = tmp_path / "quiet one"
    place.mkdir()
    monkeypatch.chdir(place)
    assert init_bot("python", ".").exit_code == 0  # an empty folder will do
    assert read_bot_manifest(place).name == "quiet one"


def test_the_protocol_can_be_written_alone(tmp_path):
    done = init_bot("--proto", tmp_path / "bot")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1].strip() == f"arena check-bot {tmp_path / 'bot'} --quick"
    assert (tmp_path / "bot" / "proto" / "arena" / "v1" / "bot.proto").is_file()
    assert read_bot_manifest(tmp_path / "bot").name == "bot"
    again = init_bot("--proto", tmp_path / "bot")
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)


def test_with_the_protocol_comes_a_bot_toml_to_complete_but_never_in_place_of_one(tmp_path):
    name = 'Ada\'s "best" \\ bot ö'
    assert init_bot("--proto", tmp_path / "new", "--name", name).exit_code == 0
    assert read_bot_manifest(tmp_path / "new").name == name
    checked = arena("check-bot", "new", "--quick", cwd=tmp_path, code=1).stdout
    assert "there is no such file" in checked
    assert "./bot" in checked
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "bot.toml").write_text("its author's")
    assert init_bot("--proto", tmp_path / "old").exit_code == 0
    assert (tmp_path / "old" / "bot.toml").read_text() == "its author's"
    assert init_bot("--proto", tmp_path / "bad", "--name", "x" * 41).exit_code == 2
    assert not (tmp_path / "bad").exists()


def test_the_list_names_every_language():
    lines = init_bot("--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*KITS, "others"]
    assert all("needs " in line for line in lines[:-1])


@pytest.mark.parametrize("language", ["cpp", "C++", "c++", "CPP"])
def test_a_language_may_be_written_as_people_do(language):
    assert find_kit(language).language == "cpp"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["pyton", "new"], "did you mean python?"),
        (["cobol", "new"], "valid: python, go, rust, java, typescript, cpp, llm"),
        (["python", "new", "--name", "x" * 41], "must have 1 to 40 characters"),
        (["python", "new", "--name", "two\nlines"], "must have printable characters only"),
        (["python", "/"], "cannot be the name of a bot"),
        (["python", "full"], "full is not empty"),
        (["python", "file"], "file cannot be written: File exists"),
        (["python"], "give a language and a folder, or --list"),
        ([], "give a language and a folder, or --list"),
    ],
)
def test_wrong_use_is_one_sentence_and_writes_nothing(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    Path("full").mkdir()
    Path("full", "something").touch()
    Path("file").touch()
    before = files_in(tmp_path)
    done = init_bot(*arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert files_in(tmp_path) == before
