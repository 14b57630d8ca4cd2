"""The committed protobuf modules are what the .proto files say, and these are clean."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def test_generated_modules_are_up_to_date(tmp_path):
    subprocess.run([ROOT / "proto" / "generate", tmp_path], check=True, env=ENVIRONMENT)
    made = {path.name: path.read_text() for path in (tmp_path / "arena" / "v1").iterdir()}
    committed = {
        path.name: path.read_text()
        for path in (ROOT / "arena" / "v1").iterdir()
        if path.is_file() and path.name != "__init__.py"
    }
    assert made.keys() == committed.keys(), "run proto/generate and commit what it writes"
    assert [name for name in made if made[name] != committed[name]] == [], "run proto/generate"


@pytest.mark.parametrize("command", [["lint"], ["format", "--diff", "--exit-code"]])
def test_buf_finds_nothing(command):
    done = subprocess.run(["buf", *command, "proto"], cwd=ROOT, check=False, env=ENVIRONMENT)
    assert done.returncode == 0


@pytest.mark.parametrize(
    "image", sorted((ROOT / "proto").glob("released-*.binpb")), ids=lambda path: path.stem
)
def test_nothing_breaks_a_bot_built_with_a_released_protocol(image):
    """At a release: `buf build proto --exclude-source-info -o proto/released-X.Y.binpb`."""
    command = ["buf", "breaking", "proto", "--against", image]
    assert subprocess.run(command, cwd=ROOT, check=False, env=ENVIRONMENT).returncode == 0
