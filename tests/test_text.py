"""Texts, sizes and times for people, and names of files."""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from arena.text import clock_text, estimate_text, file_name, shell_word, size_text, span_text

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


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 KiB"),
        (300, "0.293 KiB"),
        (1 << 20, "1 MiB"),
        ((1 << 20) - 1, "1,024 KiB"),
        (123_456_789, "117.7 MiB"),
        (1 << 30, "1 GiB"),
        (1025 << 20, "1.001 GiB"),
        (4096 << 30, "4,096 GiB"),
    ],
)
def test_sizes(number, text):
    assert size_text(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "about 5 s"), (43, "about 45 s"), (99, "about 2 min"), (130, "about 2 min"), (9000, "about 2.5 h")],
)
def test_an_estimate_is_told_as_exactly_as_it_is_known(seconds, text):
    assert estimate_text(seconds) == text


def test_a_span_is_told_roughly():
    assert [span_text(each) for each in (0.4, 43, 180, 5400)] == ["0 s", "43 s", "3 min", "1.5 h"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, "0:00"), (130.9, "2:10"), (3730, "1:02:10"), (3 * 86_400 + 4 * 3600, "3 d 4 h")],
)
def test_a_span_as_a_clock_shows_it(seconds, text):
    assert clock_text(seconds) == text
