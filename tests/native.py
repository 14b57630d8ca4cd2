"""The native engine, built from this source tree."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from arena.engine import SWITCH, engine
from arena.league.store import League
from arena.link.wire.messages import decode_record
from arena.results import GameKey
from arena.table.record import Record
from tests.docs import ROOT
from tests.installed import require
from tests.patience import PATIENCE

MODULE = "arena_engine"


@pytest.fixture(scope="session")
def native_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the engine, for PYTHONPATH."""
    folder = tmp_path_factory.mktemp("native")
    shutil.copy(_library(), folder / f"{MODULE}.abi3.so")
    return folder


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The engine, which plays in this process meanwhile."""
    module = _loaded()
    monkeypatch.delenv(SWITCH, raising=False)
    monkeypatch.setitem(sys.modules, MODULE, module)
    engine.cache_clear()
    assert engine().module is module
    yield module
    engine.cache_clear()


def records_in(league: Path) -> list[tuple[GameKey, Record]]:
    """The records of a league's first tournament, by their games."""
    with League.read(league) as store:
        return sorted((each.key, decode_record(store.game(at).record)) for at, each in store.games(1))


@cache
def _library() -> Path:
    """The engine as cargo builds it, but with overflow checks."""
    require("rust")
    done = subprocess.run(
        [
            "cargo", "build", "--release", "--locked", "--features", "python", "--message-format", "json",
            "--config", "profile.release.package.arena-engine.overflow-checks=true",
        ],
        cwd=ROOT / "bots" / "hawk-rust" / "engine", capture_output=True, text=True, timeout=6 * PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (library,) = [
        Path(file)
        for line in done.stdout.splitlines()
        if (message := json.loads(line))["reason"] == "compiler-artifact"
        if message["target"]["name"] == MODULE
        for file in message["filenames"]
        if not file.endswith(".rlib")
    ]
    return library


@cache
def _loaded() -> ModuleType:
    """The module, loaded once in a process: the types of two would be different ones."""
    spec = importlib.util.spec_from_file_location(MODULE, _library())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
