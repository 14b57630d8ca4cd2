"""The command as a whole: it starts quickly, can be interrupted, and completes typed words."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from arena.cli.commands import BOTS, CLUB, COMMANDS, HOST, LazyCommand
from arena.cli.commands import arena as whole
from tests.arena_command import arena
from tests.patience import PATIENCE
from tests.referee.nights import write_tournament

GROUPS = {"": COMMANDS, "host": HOST, "club": CLUB, "bots": BOTS}
LISTED = [
    each for uses in GROUPS.values() for use in uses.values() for each in use if isinstance(each, LazyCommand)
]
HEAVY = ("apsw", "google", "grpc", "h11", "jinja2", "numpy", "rich", "starlette", "tabulate", "trio")


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip


@pytest.mark.parametrize("listed", LISTED, ids=lambda listed: listed.name)
def test_what_the_list_says_of_a_command_is_what_it_says_itself(listed):
    command = listed.load()
    assert listed.name == command.name
    assert listed.get_short_help_str(1000) == command.get_short_help_str(1000)


@pytest.mark.parametrize("group", GROUPS)
def test_help_has_a_line_for_each_command_beside_its_use(tmp_path, group):
    said = arena(*group.split(), "--help", cwd=tmp_path).stdout
    listed = said.partition("show this message and exit.\n\n".capitalize())[2].splitlines()
    start = max(len(use) for use in GROUPS[group]) + 2  # of the names
    assert [line for line in listed if not re.fullmatch(r"[a-z-]+ +\w.*[^.]\.", line[start:])] == []
    assert [(line[:start].strip(), line[start:].split()[0]) for line in listed] == [
        ("" if number else use, command.name)
        for use, commands in GROUPS[group].items()
        for number, command in enumerate(commands)
    ]


@pytest.mark.parametrize("group", GROUPS)
def test_help_fits_a_screen(tmp_path, group):
    said = arena(*group.split(), "--help", cwd=tmp_path).stdout.splitlines()
    assert len(said) <= 40
    assert [line for line in said if len(line) > 80] == []


@pytest.mark.parametrize(("uses", "argument"), [(HOST, "league"), (CLUB, "folder")], ids=["host", "club"])
def test_a_group_takes_the_same_first_argument_throughout(uses, argument):
    for commands in uses.values():
        for command in commands:
            first, *_ = (each for each in command.load().params if isinstance(each, click.Argument))
            assert (first.name, first.required) == (argument, True), command.name


def test_no_command_is_hidden_or_has_a_second_name():
    places = [(group, each.name) for group in GROUPS for use in GROUPS[group].values() for each in use]
    assert len(places) == len(set(places))
    itself = [id(each.load()) for each in LISTED]
    assert len(itself) == len(set(itself))
    for group, uses in GROUPS.items():
        found = whole.commands[group] if group else whole
        assert isinstance(found, click.Group)
        assert found.commands == {each.name: each for use in uses.values() for each in use}
        assert not any(each.hidden for each in found.commands.values())


def test_serve_takes_the_same_words_everywhere(tmp_path):
    """Every option of the page, with its values, default and help, is the same one."""

    def options(command: str) -> dict[str, object]:
        listed = whole.commands[command]
        assert isinstance(listed, LazyCommand)
        loaded = listed.load()
        return {
            param.opts[0]: param.to_info_dict() for param in loaded.params if param.opts[0].startswith("-")
        }

    served = {
        name: info
        for name, info in options("serve").items()
        if "tls" not in name and name not in ("--beside", "--standing")
    }
    assert set(served) == {"--listen", "--watch-delay", "--no-host", "--proxy"}
    for command in ("run", "resume"):
        assert {name: options(command)[name] for name in served} == served
    assert options("play")["--listen"] == served["--listen"]


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], [], ["rnu"], ["games", "--help"], ["host"], ["bots"]]
)
def test_what_needs_nothing_loads_nothing(arguments):
    program = f"""
import atexit, sys
atexit.register(lambda: print("loaded:", *({HEAVY} & sys.modules.keys())))
sys.argv[1:] = {arguments}
import arena.cli
arena.cli.main()
"""
    done = run("-c", program.replace(str(HEAVY), str(set(HEAVY))))
    assert done.stdout.splitlines()[-1] == "loaded:", done.stderr


@pytest.mark.parametrize("module", ["click", "trio", "grpc"])
def test_ctrl_c_while_it_loads_is_silent(module):
    program = f"""
import importlib.abc, os, signal, sys
class Hasty(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Hasty())
sys.argv[1:] = ["check-bot", "--help"]
import arena.cli
arena.cli.main()
"""
    done = run("-c", program)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_ctrl_c_while_a_command_reads_is_silent_too():
    program = """
import os, signal, sys
import arena.games
class Hasty(dict):
    def values(self):
        os.kill(os.getpid(), signal.SIGINT)
        return super().values()
arena.games.GAMES = Hasty(arena.games.GAMES)
sys.argv[1:] = ["games"]
import arena.cli
arena.cli.main()
"""
    done = run("-c", program)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_the_package_is_the_command():
    done = run("-m", "arena", "games")
    assert done.returncode == 0
    assert "hyrule" in done.stdout
    assert run("-m", "arena", "--help").stdout.startswith("Usage: arena [OPTIONS]")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["stnadings"], "standings"),
        (["bench", "--quik"], "--quick"),
        (["run", "x.toml", "--leauge", "y"], "--league"),
        (["games", "nyri"], "nyuri"),
        (["check-bot", "bot", "--game", "hyrul"], "hyrule"),
        (["init-bot", "pyhton", "bot"], "python"),
        (["completion", "bahs"], "bash"),
        (["play", "kleftys", "--against", "x"], "kleftis"),
        (["play", "kleftis", "--against", "stong"], "strong"),
        (["host", "withdrw"], "withdraw"),
        (["clbu"], "club"),
        (["compare", "a", "b", "--game", "hyrul"], "hyrule"),
        (["run", "x.toml", "--sandbox", "basix"], "basic"),
        (["report", "x.league", "--replays", "al"], "all"),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(tmp_path, typed, meant):
    done = arena(*typed, cwd=tmp_path, code=2)
    assert f"did you mean {meant}?" in done.stderr.replace("'", "")


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (
            ["stadings"],
            "arena: no such command 'stadings'; did you mean 'standings'? (arena ",
        ),
        (["standings"], "arena: missing argument 'LEAGUE' (arena standings --help says more)"),
        (["completion"], "arena: missing argument 'SHELL'; valid: bash, zsh, fish (arena completion --help "),
        (
            ["run", "x", "--concurrency", "0"],
            "arena: invalid value for '--concurrency': 0 is not ",
        ),
        (["standings", "x", "--json", "--csv"], "arena: choose one of --json, --csv and --markdown (arena "),
        (
            ["compare", "a", "b", "--bank", "3"],
            "arena: invalid value for --bank: '3' is no time such as \"20s\"",
        ),
        (["check-bot", "a"], "arena: "),
        (["host", "pause"], "arena: missing argument 'LEAGUE' (arena host pause --help says more)"),
        (
            ["run", "--serve", "x.toml"],
            "arena: invalid value for '--serve': 'x.toml' is no HOST:PORT; write ",
        ),
        (["play"], "arena: say which game, such as arena play kleftis; valid: nyuri, "),
        (["standings", "x"], "arena: there is no league file "),
    ],
)
def test_every_error_is_a_line_of_one_style(tmp_path, typed, sentence):
    done = arena(*typed, cwd=tmp_path, code=2)
    assert done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize("command", [["standings"], ["resume"], ["replay"], ["run", "x.toml", "--league"]])
def test_a_tournament_file_is_no_league(tmp_path, command):
    done = arena(*command, "night.toml", cwd=tmp_path, code=2)
    assert "night.toml is a tournament file, not a league; give the league" in done.stderr


@pytest.mark.parametrize("command", [["run", "x.toml"], ["resume", "x.league"]])
@pytest.mark.parametrize("address", ["localhost", "localhost:", "localhost:x", "localhost:70000"])
def test_a_lobby_needs_a_port(tmp_path, command, address):
    done = arena(*command, "--lobby", address, cwd=tmp_path, code=2)
    assert f"--lobby: '{address}' is no HOST:PORT, such as 0.0.0.0:50050" in done.stderr


@pytest.mark.parametrize("option", ["--listen", "--join"])
def test_a_bot_needs_a_port_too(option):
    program = (
        "from arena.bot import Bot, serve\nclass Mine(Bot):\n    name, choose = 'mine', print\nserve(Mine)"
    )
    done = run("-c", program, option, "localhost")
    assert (done.returncode, done.stderr) == (
        1, "mine: localhost is no HOST:PORT, such as 127.0.0.1:50051\n",
    )  # fmt: skip


def test_a_second_tournament_of_a_league_and_a_moment_before_it(tmp_path):
    path = write_tournament(tmp_path, ["one", "two"], 'games = ["hyrule"]')
    first = arena("run", path, cwd=tmp_path)
    assert "is its tournament" not in first.stderr
    second = arena("run", path, cwd=tmp_path)
    assert "tournament.league holds games already: this is its tournament 2\n" in second.stderr
    done = arena("standings", "tournament.league", "--at", "2020-01-01", cwd=tmp_path, code=2)
    assert re.search(r"--at: tournament 2 began only at \d{4}-.*; give that or a later moment", done.stderr)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(tmp_path, shell):
    assert f"_ARENA_COMPLETE={shell}_complete" in arena("completion", shell, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("arena st", {"standings"}),
        ("arena bench --q", {"--quick"}),
        ("arena completion ", {"bash", "zsh", "fish"}),
        ("arena check-bot --game ny", {"nyuri"}),
    ],
)
def test_words_are_completed(typed, offered):
    words = typed.split(" ")
    done = run(
        "-m", "arena", _ARENA_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=str(len(words) - 1)
    )
    assert {line.rpartition(",")[2] for line in done.stdout.splitlines()} == offered


def test_a_current_folder_that_was_deleted_is_a_sentence(tmp_path):
    gone = tmp_path / "gone"
    for words in (["standings", "x.league"], ["init-bot", "python", "bot"], ["club", "new", "club", "--yes"]):
        gone.mkdir()
        with contextlib.chdir(gone):
            gone.rmdir()
            result = CliRunner().invoke(whole, words)
        assert (result.exit_code, result.stderr) == (
            2,
            "arena: the current folder was deleted: change to one that exists, such as by cd ~\n",
        )
