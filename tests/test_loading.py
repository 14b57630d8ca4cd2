"""What a process loads at its start: little, and without garbage collection."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import arena
from arena.loading import command_of, program_of


def said_by(program: str) -> str:
    """What a program prints, in a process that has loaded nothing else."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_what_was_loaded_is_not_searched_for_garbage_at_once_and_what_was_frozen_stays_so():
    program = """
import gc
from arena.loading import uncollected

def load():
    with uncollected():
        made = [[] for _ in range(10_000)]
    young = {id(each) for generation in (0, 1) for each in gc.get_objects(generation)}
    return gc.isenabled(), sum(id(each) in young for each in made)

first = load()
gc.freeze()
before = gc.get_freeze_count()
load()
print(*first, before > 0, gc.get_freeze_count() == before)
"""
    assert said_by(program).split() == ["True", "0", "True", "True"]


@pytest.mark.parametrize(
    ("module", "without"),
    [
        ("arena.bot", {"importlib.metadata", "urllib.request", "numpy"}),
        ("arena.cli.commands", {"importlib.metadata", "urllib.request", "numpy", "grpc", "trio"}),
        ("arena.link.local.supervisor", {"email", "http.client", "urllib.request"}),
    ],
)
def test_what_few_processes_need_is_not_loaded_by_all(module, without):
    assert not without & set(said_by(f"import sys, {module}; print(*sys.modules)").split())


def test_a_file_of_the_current_folder_is_never_taken_for_a_module(tmp_path):
    for module in ("cards", "ctypes", "queue", "random", "runpy", "token", "types"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('the wrong file')")
    for command in (command_of("arena.cli", "games"), program_of("arena.cli.llms_txt")):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "hyrule" in done.stdout


def test_all_processes_of_the_arena_itself_are_started_so():
    """Python starts with -P, or isolated (-I), wherever the arena starts it itself."""
    started = re.compile(r"sys\.executable,?\)?[\s,*(]*([\"'][^\"']*[\"'])")
    for path in Path(arena.__file__).parent.rglob("*.py"):
        for option in started.findall(path.read_text("utf-8")):
            assert option.strip("\"'") in ("-P", "-I"), f"{path} starts Python with {option}"
