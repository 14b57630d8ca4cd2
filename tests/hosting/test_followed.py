"""A host and an author follow docs/standing-league.md and docs/submitting.md to the letter.

The host types the block of "One command" and the table below it, the author everything that
docs/submitting.md shows. What they put in is their own: the answers, the names, the link, a game. Two things
differ: the league has the strictest sandbox that this machine allows and a clock for a busy machine, and
`arena check-bot` is left out (tests/cli/test_submitting.py runs it).

The suite runs the commands in the test's process, beside a real `arena club up`. In the campaign they are
typed in real shells.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from arena.link.local.sandbox import Level, SandboxMissing, require
from tests.arena_command import arena
from tests.docs import text_of
from tests.hosting.standing_league import Club, until
from tests.patience import PATIENCE


class Shell:
    """A shell of a person in a folder, who has an environment of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        own = {"PATH": commands, "XDG_CONFIG_HOME": str(folder / "config"), "HOME": str(folder)}
        self.environment = os.environ | own

    def started(self, line: str) -> subprocess.Popen[str]:
        """A command that goes on."""
        return subprocess.Popen(
            ["bash", "-c", line], cwd=self.folder, env=self.environment, text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def type(self, line: str, answers: str = "") -> str:
        """Runs a command to its end, which has to succeed; returns what it prints."""
        with self.started(line) as process:
            said, _ = process.communicate(answers, timeout=6 * PATIENCE)
        assert process.returncode == 0, f"$ {line}\n{said}"
        assert "Traceback" not in said
        return said


class Here(Shell):
    """The same, whose commands that end run in this process."""

    def type(self, line: str, answers: str = "") -> str:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("XDG_CONFIG_HOME", self.environment["XDG_CONFIG_HOME"])
            done = arena(*shlex.split(line)[1:], cwd=self.folder, typed=answers)
        return done.stdout + done.stderr


def strictest() -> Level:
    """The strictest level of the sandbox that this machine has all parts of."""
    for level in (Level.STRICT, Level.BASIC):
        try:
            require(level)
        except SandboxMissing:
            continue
        return level
    return Level.NONE


def blocks(page: str, language: str = "") -> list[str]:
    """The lines of the blocks of a page in a language, without comments."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", text_of(page), re.MULTILINE | re.DOTALL)
    return [line.partition("  #")[0].strip() for block in found for line in block.splitlines()]


def rows(page: str, command: str) -> list[str]:
    """The commands in the tables of a page that begin so."""
    return re.findall(rf"^\| `({command}[^`]*)`", text_of(page), re.MULTILINE)


@pytest.mark.parametrize("person", [Here, pytest.param(Shell, marks=pytest.mark.campaign)])
def test_a_host_and_an_author_follow_the_pages(person: type[Shell], tmp_path: Path) -> None:
    host = person(tmp_path / "host")
    new, up, invite = (line for line in blocks("docs/standing-league.md", "sh") if "arena club " in line)
    assert (new, up, invite) == ("arena club new club", "arena club up club", "arena club invite club Ann")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    answers = ["Our club", f"127.0.0.1:{port}", "", "hyrule", ""]  # an empty line takes the default
    host.type(f"{new} --sandbox {strictest()}", "\n".join([*answers, ""]))
    settings = (host.folder / "club" / "league.toml").read_text("utf-8")
    assert f'url = "http://127.0.0.1:{port}"' in settings
    with (host.folder / "club" / "league.toml").open("a") as file:
        file.write('\n[clock]\nbank = "5m"\nmove = "1m"\n')
    club = Club(host.folder / "club")
    with host.started(up) as process:
        try:
            assert process.stdout is not None
            assert f"http://127.0.0.1:{port}/" in process.stdout.readline()
            until(club.place.socket.exists)
            [link] = re.findall(r"http://\S+/join/\S+", host.type(invite))
            submit_and_look(person(tmp_path / "author"), link)
            for line in rows("docs/standing-league.md", "arena (?:club|backup) "):
                line = line.replace("FOLDER", "club").replace("NAME", "Ann").replace("COPY", "copy")
                host.type(line)
            until(lambda: club.playing() == {"greedy", "random"})  # Ann is revoked
        finally:
            os.killpg(process.pid, signal.SIGINT)
            said, _ = process.communicate(timeout=PATIENCE)
        assert "Traceback" not in said
    until(lambda: not club.children())
    assert (host.folder / "copy" / "host.db").is_file()
    for look in ("standings", "verify"):  # as the table of the folder's content says
        host.type(f"arena {look} club/league.arena")


def submit_and_look(author: Shell, link: str) -> None:
    """An author follows docs/submitting.md with an invitation."""
    login, write, submit, check, get, analyse, rehearse, trial, challenge = blocks("docs/submitting.md")
    assert check.startswith("arena check-bot my-bot --as ")
    assert "You are Ann" in author.type(login.replace("https://arena.example.org/join/INVITATION", link))
    author.type(write)
    assert "my-bot version 1 is accepted" in author.type(submit)
    assert "content" in author.type(f"{submit} --dry-run")

    def game() -> str:
        """A game of the bot whose round is over; empty while there is none."""
        found = json.loads(author.type("arena bots games my-bot --json"))
        return str(found[0]["game"]) if found else ""

    listed = rows("docs/submitting.md", "arena bots")
    assert len(listed) == 18
    own = {"GAME": until(game), "FILE": "own.jsonl", "NAME": "my-bot", "NUMBER": "1", "TEXT": "better"}
    own["ADDRESS"] = "https://hooks.invalid/arena"  # such a name is never known
    for line in (get, analyse, rehearse, *listed):
        quick = " --most 1 --worlds 8" if line.startswith("arena bots analyse") else ""
        said = author.type(re.sub(r"\b[A-Z]{4,}\b", lambda word: str(own[word[0]]), line) + quick)
        if line == "arena bots show NAME":
            assert re.search(r"memory: [\d.]+ MiB at most; the limit is", said)
    author.type("arena bots activate my-bot 1")  # which was withdrawn above
    said = author.type(f"{challenge} --boards 2")
    assert "my-bot v1 against greedy: every board from both seats" in said
    (author.folder / "my-bot" / "NOTES.md").write_text("changed\n")
    assert "my-bot v2 challenges my-bot v1: http" in author.type(f"{trial} --no-wait")
