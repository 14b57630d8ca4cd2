"""What is published is complete on its own, and holds nothing twice and nothing that a build left."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from arena.games import GAMES
from arena.kits import KITS, kit_files, kits_folder, proto_folder
from tests.installed import known_to_git
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[1]
LARGEST = 2_000_000  # what was built by mistake is larger by far


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A folder with the source distribution, and the wheel that is built from it as a publisher does."""
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("there is no source tree to build from")
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(published):
    (path,) = published.glob("*.whl")
    assert path.stat().st_size < LARGEST
    with zipfile.ZipFile(path) as opened:
        yield opened


def test_the_source_distribution_holds_what_is_committed(published):
    """Links may be missing, which a wheel does not hold either."""
    (path,) = published.glob("*.tar.gz")
    with tarfile.open(path) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    committed = known_to_git(ROOT)
    assert {name for name in committed - names if not (ROOT / name).is_symlink()} == set()
    assert names - committed == {"PKG-INFO"}


def test_its_description_can_be_read_on_an_index(wheel):
    """Every link and picture of README.md has a whole address, and leads to a file that is there."""
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    about, _, page = wheel.read(name).decode().partition("\n\n")
    addresses = dict(re.findall(r"^Project-URL: (\w+), (\S+)$", about, re.MULTILINE))
    assert {"Homepage", "Issues"} <= addresses.keys()
    assert re.search(r"^Author: \w", about, re.MULTILINE)
    home = addresses["Homepage"]
    raw = home.replace("https://github.com/", "https://raw.githubusercontent.com/") + "/main/"
    targets = re.findall(r"\]\(([^)]*)\)", page)
    assert len(targets) > 20
    for target in targets:
        assert target.startswith((f"{home}/blob/main/", raw)), target
        place = target.removeprefix(f"{home}/blob/main/").removeprefix(raw).partition("#")[0]
        assert (ROOT / place).exists(), target
        assert target.startswith(raw) == place.endswith((".png", ".svg")), target


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


WRITES = """
import sys
from pathlib import Path
from click.testing import CliRunner
from arena.cli.commands import arena
from arena.kits import KITS
for language in KITS:
    done = CliRunner().invoke(arena, ["init-bot", language, str(Path(sys.argv[1], language))])
    assert done.exit_code == 0, done.output
done = CliRunner().invoke(arena, ["games", "nyuri"])
assert done.exit_code == 0, done.output
"""


def test_an_unpacked_wheel_writes_bots_in_every_language(wheel, tmp_path):
    place = tmp_path / "site"
    wheel.extractall(place)
    done = subprocess.run(
        [sys.executable, "-c", WRITES, str(tmp_path)],
        cwd=place, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for kit in KITS.values():
        assert (tmp_path / kit.language / "bot.toml").is_file()
        assert (tmp_path / kit.language / "proto" / "arena" / "v1" / "bot.proto").is_file() == kit.proto


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        ("arena/kits/proto/arena", ("init-bot", "go", "bot")),
        pytest.param("arena/kits/proto/vectors", ("init-bot", "--proto", "bot"), marks=pytest.mark.campaign),
        pytest.param("arena/kits/bots/gopher-go", ("init-bot", "go", "bot"), marks=pytest.mark.campaign),
        ("arena/kits/bots/README.md", ("init-bot", "python", "bot")),
    ],
)
def test_a_missing_part_of_the_package_is_a_sentence(wheel, tmp_path, lost, words):
    place = tmp_path / "site"
    wheel.extractall(place)
    gone = place / lost
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    command = [sys.executable, "-m", "arena.cli", *words]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2, done.stdout
    assert done.stderr.startswith("arena: ")
    assert f"{lost} is missing: install the arena again" in done.stderr
    assert not (place / "bot").exists()
