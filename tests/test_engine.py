"""Whether the native engine is found, and what is said of one that is not used."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from arena.engine import SWITCH
from tests.arena_command import ARENA
from tests.bots_for_tests import good_bot
from tests.docs import ROOT
from tests.league.old_leagues import FOLDER, HEADS
from tests.native import native_folder as native_folder
from tests.native import records_in
from tests.patience import PATIENCE
from tests.referee.nights import write_tournament

VERSION = version("bot-arena")
NOT_OURS = f"the native engine is not the one of this arena ({VERSION})"


def arena(
    cwd: Path, *words: object, engine: Path | None = None, switch: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs the command with the engine of a folder, and with this value of `ARENA_ENGINE`."""
    path = [str(engine)] * (engine is not None) + [str(ROOT)]
    done = subprocess.run(
        [*ARENA, *map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=PATIENCE,
        env=os.environ | {SWITCH: switch, "PYTHONPATH": os.pathsep.join(path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


def test_it_plays_where_it_is_installed_and_not_turned_off(tmp_path, native_folder):
    native, python = f"arena, version {VERSION} (native engine {VERSION})\n", "(rules in Python)\n"
    assert arena(tmp_path, "--version", engine=native_folder).stdout == native
    off = arena(tmp_path, "--version", engine=native_folder, switch="python")
    assert off.stdout.endswith(python)
    assert off.stderr == ""


def test_another_word_in_the_environment_is_named(tmp_path):
    done = arena(tmp_path, "--version", switch="rust")
    assert done.stdout.endswith("(rules in Python)\n")
    assert done.stderr == (
        "arena: ARENA_ENGINE is 'rust', so the rules in Python play: set it to python, or not at all\n"
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('VERSION = "0.0.1"', f"the native engine is not the one of this arena ({VERSION})"),
        (
            f'VERSION, SOURCES = "{VERSION}", "0"',
            f"the native engine is not the one of this arena ({VERSION})",
        ),
        ('raise ImportError("no symbol")', "the native engine cannot be loaded (no symbol)"),
    ],
)
def test_an_engine_that_does_not_fit_is_named_and_not_used(tmp_path, content, problem):
    (tmp_path / "arena_engine.py").write_text(content)
    shutil.copy(FOLDER / "schema-1.league", tmp_path / "old.league")
    for words in (["--version"], ["verify", "old.league"]):
        done = arena(tmp_path, *words, engine=tmp_path)
        assert f"arena: {problem}, so the rules in Python play: install" in done.stderr
        assert "rules in Python" in done.stdout


@pytest.mark.parametrize("name", HEADS)
def test_both_verify_the_leagues_of_earlier_versions(tmp_path, native_folder, name):
    shutil.copy(FOLDER / f"{name}.league", tmp_path / "old.league")
    for options, rules in (((), f"native engine {VERSION}"), (("--python",), "rules in Python")):
        done = arena(tmp_path, "verify", "old.league", *options, engine=native_folder)
        assert f": all is well\nreplayed by the {rules}\n" in done.stdout
        told = arena(tmp_path, "verify", "old.league", "--json", *options, engine=native_folder).stdout
        assert json.loads(told)["replayed_by"] == rules
        assert json.loads(told)["head"] == HEADS[name]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_tournament_is_the_same_with_and_without_it(tmp_path, native_folder, workers):
    bots = [good_bot(tmp_path, "one"), good_bot(tmp_path, "two")]
    path = write_tournament(tmp_path, bots, "boards = 2")
    records = []
    for switch in ("", "python"):
        options = ("--seed", "s", "--workers", workers, "--league", f"{switch}.league")
        arena(tmp_path, "run", path, *options, engine=native_folder, switch=switch)
        records.append(records_in(tmp_path / f"{switch}.league"))
    assert len(records[0]) == 20
    assert records[0] == records[1]
