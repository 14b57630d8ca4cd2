"""Helpers for tests of the host's commands."""

from __future__ import annotations

import json
from pathlib import Path

from tests.arena_command import arena

HEAD = 'games = ["hyrule", "forty-one"]\nboards = 200\n'


def standings(league: Path):
    return json.loads(arena("standings", league, "--json", "--no-intervals", cwd=league.parent).stdout)
