"""A command that cannot be started is told by its cause, with a remedy."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from arena.link.local.containment.starting import why_failed, why_not

pytestmark = pytest.mark.skipif(os.name != "posix", reason="other systems have other errors")

SCRIPT = b"#!/bin/sh\necho started\n"


def script(folder: Path, content: bytes = SCRIPT, mode: int = 0o755) -> None:
    path = folder / "run.sh"
    path.write_bytes(content)
    path.chmod(mode)


def said(folder: Path, *command: str, contained: bool = False) -> str:
    """Why the system does not start a command."""
    try:
        subprocess.run(command, cwd=str(folder), check=False)
    except OSError as error:
        return why_not(command, str(folder), os.environ["PATH"], error, contained)
    raise AssertionError("it was started")


@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        (b"#!/bin/sh\r\necho\r\n", 0o755, r"it has Windows line endings: .*sed -i 's/\\r\$//' \./run\.sh"),
        (b"#!/no/such/interpreter -u\n", 0o755, "the interpreter /no/such/interpreter, which is not there"),
        (b"#!/etc/passwd\n", 0o755, "the interpreter /etc/passwd, which may not be executed"),
        (SCRIPT, 0o644, r"it may not be executed: allow that by chmod \+x \./run\.sh"),
        (b"echo started\n", 0o755, "no first line that names its interpreter: begin it with .* #!/bin/sh"),
        (b"", 0o755, "it is empty"),
        (b"\x7fELF\0\0", 0o755, "it is a program for another kind of machine"),
    ],
)
def test_the_file_says_why_it_cannot_be_started(tmp_path, content, mode, why):
    script(tmp_path, content, mode)
    assert re.search(why, said(tmp_path, "./run.sh"))


def test_what_is_no_program_is_told(tmp_path):
    (tmp_path / "run.sh").mkdir()
    assert said(tmp_path, "./run.sh") == "it is a folder: name the program in it"
    assert said(tmp_path, "./run") == "there is no such file"
    hidden = said(tmp_path, "/no/such/program", contained=True)
    assert hidden == (
        "there is no such file; in the sandbox there are only the bot's folder and the system's programs"
    )
    assert said(tmp_path, "no-such-program") == "there is no such program on the PATH"
    assert "/gone cannot be entered: No such file or directory" in said(tmp_path / "gone", "./run")


def test_a_program_of_the_folder_has_to_be_named_as_one(tmp_path):
    script(tmp_path)
    assert said(tmp_path, "run.sh").endswith("for the file in the bot's folder write ./run.sh")


@pytest.mark.parametrize(
    ("command", "content", "wrong"),
    [
        (["./run.sh"], b"#!/usr/bin/env python3\r\nprint()\r\n", True),
        (["sh", "-e", "run.sh"], b"echo\r\n", True),
        (["/bin/bash", "run.sh"], b"echo\r\n", True),
        (["./run.sh"], SCRIPT, False),
        (["python", "run.sh"], b"print()\r\n", False),  # which reads them
        (["./run.sh"], b"\x7fELF\r\n", False),
        (["run.sh"], b"#!/bin/sh\r\n", False),  # which is not the file in the folder
    ],
)
def test_a_script_with_windows_line_endings_may_be_why_a_command_failed(tmp_path, command, content, wrong):
    script(tmp_path, content)
    why = why_failed(command, str(tmp_path))
    assert (why is not None and "has Windows line endings" in why) is wrong


def test_what_is_no_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "run.sh")
    assert why_failed(["./run.sh"], str(tmp_path)) is None
