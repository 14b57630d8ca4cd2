"""What a process loads at its start: little, and without garbage collection."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import arena
from arena.processes.loading import command_of, program_of


def said_by(program: str) -> str:
    """What a program prints, in a process that has loaded nothing else."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_what_was_loaded_is_not_searched_for_garbage_at_once_and_what_was_frozen_stays_so():
    program = """
import gc
from arena.processes.loading import uncollected

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


COMPILES = """
import sys
from pathlib import Path
from arena.processes.loading import compile_package
{before}
compile_package()
print(*Path(sys.path[0]).rglob("*.pyc"))
"""


@pytest.mark.parametrize(
    ("before", "compiles"), [("", True), ("sys.dont_write_bytecode = True", False)], ids=["as usual", "-B"]
)
def test_a_clone_is_compiled_for_bots_that_may_not_write_there(tmp_path, before, compiles):
    source = Path(arena.__file__).parent
    shutil.copytree(source, tmp_path / "arena", ignore=shutil.ignore_patterns("__pycache__"))
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})" + COMPILES.format(before=before)
    found = {Path(path).name.partition(".")[0] for path in said_by(program).split()}
    assert ({path.stem for path in (tmp_path / "arena").rglob("*.py")} <= found) == compiles


def test_a_file_of_the_current_folder_is_never_taken_for_a_module(tmp_path):
    for module in ("cards", "ctypes", "queue", "random", "runpy", "token", "types"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('the wrong file')")
    said = {command_of("arena.cli", "games"): "hyrule", program_of("arena.view.pictures.running"): ""}
    for command, text in said.items():
        done = subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert text in done.stdout


def test_all_processes_of_the_arena_itself_are_started_so():
    """Python starts with -P, or isolated (-I), wherever the arena starts it itself."""
    started = re.compile(r"sys\.executable,?\)?[\s,*(]*([\"'][^\"']*[\"'])")
    for path in Path(arena.__file__).parent.rglob("*.py"):
        for option in started.findall(path.read_text("utf-8")):
            assert option.strip("\"'") in ("-P", "-I"), f"{path} starts Python with {option}"


# All modules whose `main` runs in a process of its own: each is a kind of process that the arena starts.
PROGRAMS = {
    "arena.bench.bare",  # one end of a measurement
    "arena.cli.friendly_page",  # the referee of a friendly game on the page
    "arena.link.lobby.door",
    "arena.link.local.containment.build_proxy",
    "arena.referee.cluster.local",
    "arena.seat.person",
    "arena.view.pictures.running",
    "arena.processes.worker",  # rooms, luck, analyses
}


def test_each_program_of_a_process_says_first_that_it_is_one_and_there_are_no_others():
    """`program_of` starts all of them. The first line of each also says why it is a process of its own."""
    found, package = set(), Path(arena.__file__).parent
    for path in package.rglob("*.py"):
        own = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        named = re.findall(r"program_of\(\s*(?:\"([\w.]+)\"|__name__)", path.read_text("utf-8"))
        found |= {each or own for each in named}
    assert found == PROGRAMS
    for module in sorted(found):
        text = (package.parent / f"{module.replace('.', '/')}.py").read_text("utf-8")
        first = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
        assert "process" in first, f"{module} does not say that it is a process"
