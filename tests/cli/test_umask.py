"""A umask that takes the user's own rights away does not keep the arena from its files."""

from __future__ import annotations

import os

import pytest

from arena.cli.process import keep_own_rights


@pytest.mark.parametrize(("mask", "kept"), [(0o777, 0o077), (0o277, 0o077), (0o022, 0o022), (0, 0)])
def test_the_users_own_rights_are_kept(mask, kept):
    before = os.umask(mask)
    try:
        keep_own_rights()
    finally:
        found = os.umask(before)
    assert found == kept
