"""The native engine for tests: built from this tree with cargo, and used by the tests that ask for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from arena.engine import engine

ROOT = Path(__file__).parents[1]
CRATE = ROOT / "bots" / "hawk-rust"
TARGET = ROOT / "build" / "engine"

needs_engine = pytest.mark.usefixtures("native_engine")


@cache
def built() -> Any:
    """The module `arena_engine` of this tree; None without cargo."""
    cargo = shutil.which("cargo", path=f"{os.environ['PATH']}:{Path.home() / '.cargo' / 'bin'}")
    if cargo is None:
        return None
    command = [cargo, "build", "--release", "--package", "arena-engine", "--features", "python"]
    command += ["--message-format", "json-render-diagnostics"]
    target = os.environ.get("CARGO_TARGET_DIR", str(TARGET))
    run = subprocess.run(
        command, cwd=CRATE, env={**os.environ, "CARGO_TARGET_DIR": target}, stdout=subprocess.PIPE, check=True
    )
    messages = map(json.loads, run.stdout.splitlines())
    artifact = next(
        each
        for each in messages
        if each["reason"] == "compiler-artifact" and each["target"]["name"] == "arena_engine"
    )
    library = next(Path(name) for name in artifact["filenames"] if not name.endswith((".rlib", ".rmeta")))
    folder = tempfile.mkdtemp()
    shutil.copy(library, Path(folder) / ("arena_engine.pyd" if os.name == "nt" else "arena_engine.so"))
    sys.path.insert(0, folder)
    try:
        return import_module("arena_engine")
    finally:
        sys.path.remove(folder)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def native_engine() -> Iterator[Any]:
    """Lets the engine of this tree play; skips the test without cargo, but fails in CI."""
    module = built()
    if module is None:
        assert not os.environ.get("CI"), "cargo is missing: the engine cannot be built"
        pytest.skip("cargo is missing: the engine cannot be built")
    before = sys.modules.get("arena_engine")
    sys.modules["arena_engine"] = module
    engine.cache_clear()
    yield module
    if before is None:
        del sys.modules["arena_engine"]
    else:
        sys.modules["arena_engine"] = before
    engine.cache_clear()
