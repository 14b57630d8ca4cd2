"""Texts for people and names of files."""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path

from arena.text import file_name, shell_word

PUNCTUATION = [f"heron{mark}2 v1" for mark in "_!?#~%/\u2019"]
NAMES = [*PUNCTUATION, ".heron2 v1", "_heron2 v1", "../heron v1", "\u00e9 v1", "\U0001f426" * 40]


def test_different_names_are_different_files():
    """Else the author of one bot could read the log of another."""
    for one, other in itertools.combinations(NAMES, 2):
        assert file_name(one) != file_name(other)
    assert file_name(NAMES[0]) == NAMES[0]


def test_no_file_is_hidden():
    for name in (".heron", "..", "...v1"):
        assert not file_name(name).startswith(".")


def test_a_file_name_is_short_and_has_no_folder():
    assert all(len(file_name(name).encode()) < 200 and "/" not in file_name(name) for name in NAMES)


def test_a_word_that_people_copy_is_the_path_whatever_is_in_it():
    names = [
        "plain",
        "two words",
        "it's",
        "a\nline",
        "b\\\x1b[1m'",
        "\U0001f426",
        "\u202eturned",
        "-x",
        "$HOME",
        "*",
    ]
    paths = [Path(name) for name in names] + [Path(os.fsdecode(b"by\xfftes7"))]
    words = [shell_word(path) for path in paths]
    assert all(word.isprintable() for word in words)
    shown = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {' '.join(words)}"], capture_output=True, check=True
    ).stdout
    assert [Path(os.fsdecode(word)) for word in shown.split(b"\0")[:-1]] == paths
    assert not any(word.startswith("-") for word in words)
