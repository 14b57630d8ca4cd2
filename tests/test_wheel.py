"""The wheel is complete on its own, and holds nothing twice and nothing that a build left."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from arena.games import GAMES
from arena.kits import KITS, kit_files, kits_folder, proto_folder
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[1]
LARGEST = 1_650_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that is built from this source tree."""
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("there is no source tree to build a wheel from")
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)],
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    if "hatchling" in done.stderr and "No matching distribution" in done.stderr:
        pytest.skip("the build backend hatchling cannot be fetched here")
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    assert path.stat().st_size < LARGEST
    with zipfile.ZipFile(path) as opened:
        yield opened


def test_it_holds_the_package(wheel):
    names = set(wheel.namelist())
    package = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "arena").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert package <= names
    assert {f"arena/games/rules/{game}.md" for game in GAMES} <= names
    assert {"arena/py.typed", "arena/v1/bot_pb2.pyi"} <= names


def test_it_holds_the_protocol_once(wheel):
    protos = {path.name for path in (proto_folder() / "arena" / "v1").iterdir()}
    vectors = {path.name for path in (proto_folder() / "vectors").iterdir()}
    names = wheel.namelist()
    for folder, files in (("arena/v1", protos), ("vectors", vectors)):
        found = [name for name in names if name.startswith(f"arena/kits/proto/{folder}/")]
        assert sorted(Path(name).name for name in found) == sorted(files)
    assert sum(name.endswith("/bot.proto") for name in names) == 1


def test_it_holds_every_kit_and_nothing_that_was_built(wheel):
    found = {name for name in wheel.namelist() if name.startswith("arena/kits/bots/")}
    examples = [path.parent for path in sorted(kits_folder().glob("*/bot.toml"))]
    assert {kit.folder for kit in KITS.values()} <= {path.name for path in examples}
    wanted = {f"arena/kits/bots/{path.name}/{file}" for path in examples for file in kit_files(path)}
    assert found == wanted | {
        f"arena/kits/bots/{name}" for name in ("README.md", "REFERENCE.md", "arena-submit.yml")
    }


def test_what_can_be_executed_still_can(wheel):
    for info in wheel.infolist():
        assert not stat.S_ISLNK(info.external_attr >> 16), info.filename
        if info.filename.endswith("/build.sh"):
            source = ROOT / "bots" / info.filename.removeprefix("arena/kits/bots/")
            assert info.external_attr >> 16 & 0o111 == source.stat().st_mode & 0o111, info.filename


def test_an_unpacked_wheel_writes_bots(wheel, tmp_path):
    place = tmp_path / "site"
    wheel.extractall(place)
    written = subprocess.run(
        [sys.executable, "-m", "arena.cli", "init-bot", "go", str(tmp_path / "bot")],
        cwd=place, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert written.returncode == 0, written.stderr
    assert (tmp_path / "bot" / "proto" / "arena" / "v1" / "bot.proto").is_file()
    shutil.rmtree(place)
