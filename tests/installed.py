"""The arena as a stranger has it: a fresh clone in an empty folder, and the arena installed there from it.

The example bots in other languages are built there, once for all the tests that need them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena.engine import SWITCH
from arena.kits import KITS
from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.local.build import build_home
from tests.docs import ROOT, text_of
from tests.patience import PATIENCE

TOOLS = {
    "go": ["go"],
    "rust": ["cargo"],
    "java": ["java", "mvn"],
    "typescript": ["node", "npm"],
    "c++": ["cmake", "g++", "protoc", "grpc_cpp_plugin"],
}
CARGO_SETTINGS = """
[profile.release.package]
arena-engine.overflow-checks = true
hawk.overflow-checks = true
crab.opt-level = 0
"*".opt-level = 0
"*".codegen-units = 256
"""  # with which cargo builds and tests there; crab and what bots depend on (*) are compiled fast
_FOR_SHORT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # Maven runs for seconds: no optimization pays
EXAMPLES = {
    read_bot_manifest(ROOT / "bots" / kit.folder).language: kit.folder
    for kit in KITS.values()
    if kit.language != "llm"
}  # the folder of each language's bot


class Installed(NamedTuple):
    """An arena that is installed from a clone.

    Attributes:
        folder: the clone.
        venv: the environment in which the arena is installed.
    """

    folder: Path
    venv: Path

    @property
    def arena(self) -> str:
        """The command."""
        return str(self.venv / "bin" / "arena")

    @property
    def surroundings(self) -> dict[str, str]:
        """The environment of its user: its commands are on the path, what it keeps stays with the clone."""
        told = _without_ours()
        path = f"{self.venv / 'bin'}{os.pathsep}{told['PATH']}"
        return told | {"PATH": path, "XDG_CACHE_HOME": str(self.folder.parent / "cache")}

    def run(self, command: Sequence[str | Path], cwd: Path | None = None, /, **surroundings: str) -> str:
        """What a command prints, which has to succeed."""
        done = subprocess.run(
            command, cwd=cwd or self.folder, env=self.surroundings | surroundings,
            capture_output=True, text=True, timeout=6 * PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
        return done.stdout

    def bot(self, language: str) -> Path:
        """The folder of the example bot of a language."""
        return self.folder / "bots" / EXAMPLES[language]

    def sharing(self, bot: Path) -> dict[str, str]:
        """The variables by which a bot's builds and tests use what other bots' fetched and compiled.

        A contained build can write in the home of its bot only, so that goes from bot to bot.
        """
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", self.surroundings["XDG_CACHE_HOME"])
            own = build_home(bot)
        home = self.folder.parent / "home"
        if home.is_symlink() and home.readlink() != own:
            shutil.rmtree(own)
            home.readlink().rename(own)
            home.unlink()
        if not home.is_symlink():
            home.symlink_to(own)
        crates = home / "crates"
        crates.mkdir(exist_ok=True)
        (crates / "config.toml").write_text(CARGO_SETTINGS)
        return {
            "CARGO_HOME": str(home / "crates"), "CARGO_BUILD_BUILD_DIR": str(home / "rust"),
            "GOMODCACHE": str(home / "modules"), "GOCACHE": str(home / "go"),
            "MAVEN_OPTS": f"-Dmaven.repo.local={home / 'maven'} {_FOR_SHORT}",
        }  # fmt: skip


@cache
def checkup(installed: Installed, bot: Path) -> dict[str, Any]:
    """What check-bot says of a bot, which it builds."""
    shared = installed.sharing(bot)
    said = installed.run([installed.arena, "check-bot", bot, "--json"], ARENA_THINK="0.01", **shared)
    report: dict[str, Any] = json.loads(said)
    return report


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """A fresh clone, and the arena installed in it as the README says, with its league night played."""
    place = cloned(tmp_path_factory.mktemp("stranger") / "arena")
    (line,) = re.findall(r"^python3 -m venv .*league-night\.toml$", text_of("README.md"), re.MULTILINE)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line], cwd=place, env=_without_ours(),
        capture_output=True, text=True, timeout=6 * PATIENCE,
    )  # fmt: skip
    if re.search("No matching distribution|Temporary failure|ConnectionError", done.stderr):
        if os.environ.get("CI"):
            pytest.fail(done.stderr)
        pytest.skip("what the arena needs cannot be fetched here")
    assert done.returncode == 0, done.stderr
    yield Installed(place, place / ".venv")
    # With all that was built there; that takes long, and nobody waits for it.
    rest = subprocess.DEVNULL
    subprocess.run(["sh", "-c", 'rm -rf "$0" &', place.parent], stdout=rest, stderr=rest, check=True)


@pytest.fixture(scope="session")
def installed_engine(installed: Installed) -> Installed:
    """The installed arena, from now on with the native engine."""
    require("rust")
    shared = installed.sharing(installed.folder / "bots" / "hawk-rust")
    python = installed.venv / "bin" / "python"
    installed.run([python, "-m", "pip", "install", "--quiet", "./engine"], **shared)
    return installed


def cloned(place: Path) -> Path:
    """A clone of the arena as it would be committed now."""
    for name in known_to_git(ROOT):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place / name, follow_symlinks=False)
    return place


def known_to_git(folder: Path) -> set[str]:
    """The files in a folder that are, or would be, committed."""
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode != 0:
        pytest.skip("this is no git checkout, so nobody can say what belongs to it")
    return {name for name in done.stdout.split("\0") if name and os.path.lexists(folder / name)}


def require(*languages: str) -> None:
    """Skips the test, or in CI fails it, where a tool of these languages is missing."""
    for language in languages:
        for tool in TOOLS[language]:
            if shutil.which(tool) is None:
                message = f"the {language} toolchain is missing here: no {tool}"
                if os.environ.get("CI"):
                    pytest.fail(message)
                pytest.skip(message)


def _without_ours() -> dict[str, str]:
    """The environment of these tests without the arena that is tested and its settings."""
    ours = ("VIRTUAL_ENV", "PYTHONPATH", SWITCH)
    told = {name: value for name, value in os.environ.items() if name not in ours}
    own = str(ROOT / ".venv" / "bin")
    path = [folder for folder in os.environ["PATH"].split(os.pathsep) if folder != own]
    return told | {"PATH": os.pathsep.join(path)}
