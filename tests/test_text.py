"""Texts for people and names of files."""

from __future__ import annotations

import itertools

from arena.text import file_name

PUNCTUATION = [f"heron{mark}2 v1" for mark in "_!?#~%/\u2019"]
NAMES = [*PUNCTUATION, "../heron v1", "\u00e9 v1", "\U0001f426" * 40]


def test_different_names_are_different_files():
    """Else the author of one bot could read the log of another."""
    for one, other in itertools.combinations(NAMES, 2):
        assert file_name(one) != file_name(other)
    assert file_name(NAMES[0]) == NAMES[0]
    assert all(len(file_name(name).encode()) < 200 and "/" not in file_name(name) for name in NAMES)
