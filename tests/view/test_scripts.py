"""The scripts of the page: what they share stands once, and their words and data are those of Python."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from importlib import resources

import pytest

from arena.seat import messages
from arena.text import clock_text, counted, estimate_text
from arena.view.pictures.moments import Ending
from arena.view.pictures.replay import game_pictures
from arena.view.pictures.running import RunningPictures
from arena.view.report_file import script_of
from tests.docs import ROOT
from tests.installed import require
from tests.view.games import other_game

PAGE = resources.files("arena.view")
FOLDERS = ("arena/view/assets", "arena/seat/assets", "arena/steer/assets", "arena/hosting/pages/assets")
SCRIPTS = {path.name: path.read_text("utf-8") for each in FOLDERS for path in (ROOT / each).glob("*.js")}
TYPES = (PAGE / "data.d.ts").read_text("utf-8")
IMPORT = re.compile(r'^import (?:\{ (.*) \} from )?"\./(.*)";$', re.MULTILINE)
DECLARED = r"^(export )?(?:async )?(?:class|function|const|let) (\w+)"
CHECK = "npx --yes -p typescript@7.0.2 tsc -p jsconfig.json"


def imports_of(name: str) -> set[str]:
    return {other for _, other in IMPORT.findall(SCRIPTS[name])}


def test_scripts_import_each_other_in_one_line_and_without_a_circle():
    seen = {name: len(re.findall("^import ", text, re.MULTILINE)) for name, text in SCRIPTS.items()}
    assert seen == {name: len(IMPORT.findall(text)) for name, text in SCRIPTS.items()}
    left = {name: imports_of(name) for name in SCRIPTS}
    while first := {name for name, others in left.items() if not others & left.keys()}:
        left = {name: others for name, others in left.items() if name not in first}
    assert left == {}


def test_what_a_script_exports_is_used_by_others_and_declared_by_none():
    declared = {name: re.findall(DECLARED, text, re.MULTILINE) for name, text in SCRIPTS.items()}
    exported = {(name, what) for name, found in declared.items() for export, what in found if export}
    used = {(other, what) for text in SCRIPTS.values() for names, other in IMPORT.findall(text)
            for what in filter(None, names.split(", "))}  # fmt: skip
    of_types = {
        (other, what)
        for text in SCRIPTS.values()
        for what, other in re.findall(r'@import \{ (\w+) \} from "\./(.*)"', text)
    }
    assert exported == used | of_types
    again = {
        (name, what)
        for name, found in declared.items()
        for _, what in found
        if any(what == other and name != home for home, other in exported)
    }
    assert again == set()


def test_a_report_has_each_script_that_it_needs_once_and_no_name_twice():
    script = script_of(["replay.js", "lines.js"])
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)
    names = [what for _, what in re.findall(DECLARED, script, re.MULTILINE)]
    assert len(names) == len(set(names))
    assert names.index("make") < names.index("Stage") < names.index("Replay")


def test_the_types_of_all_scripts_are_checked_and_nothing_is_left_out():
    settings = json.loads(
        re.sub(r"^\s*//.*$", "", (ROOT / "jsconfig.json").read_text("utf-8"), flags=re.MULTILINE)
    )
    included = {path for each in settings["include"] for path in ROOT.glob(each)}
    assert included == {*(ROOT / "arena").rglob("assets/*.js"), ROOT / "arena/view/data.d.ts"}
    assert settings["compilerOptions"]["rootDirs"] == [*FOLDERS]
    assert settings["compilerOptions"]["checkJs"]
    assert settings["compilerOptions"]["strict"]
    assert [name for name, text in SCRIPTS.items() if "@ts-" in text] == []
    for file in (".ci/run", "CONTRIBUTING.md"):
        assert CHECK in (ROOT / file).read_text("utf-8")


def test_numbers_and_times_read_as_in_python():
    require("typescript")
    node = shutil.which("node")
    assert node is not None
    seconds = [
        0,
        0.9,
        2.5,
        49,
        50,
        59,
        60,
        90,
        97.4,
        97.5,
        99,
        100,
        150,
        5399,
        3599,
        3600,
        3661.5,
        86399,
        86400,
        200_000,
    ]
    asked = f"{json.dumps(seconds)}.map((each) => [span(each), estimate(each), counted(each | 0, 'game')])"
    program = f"{SCRIPTS['words.js']}\nconsole.log(JSON.stringify({asked}));"
    done = subprocess.run(
        [node, "--input-type=module"], input=program, capture_output=True, text=True, check=True, timeout=60
    )
    for number, said in zip(seconds, json.loads(done.stdout), strict=True):
        assert said == [clock_text(number), estimate_text(number), counted(int(number), "game")], number


def fields(name: str) -> tuple[set[str], set[str]]:
    """The fields that an interface of `data.d.ts` has at least, and at most."""
    found = re.search(rf"^export interface {name}(?: extends ([\w, ]+))? \{{$(.*?)^\}}$", TYPES, re.M | re.S)
    assert found, name
    own = re.findall(r"^  (\w+)(\??):", found[2], re.MULTILINE)
    least, most = {field for field, optional in own if not optional}, {field for field, _ in own}
    for parent in filter(None, (found[1] or "").split(", ")):
        of_parent = fields(parent)
        least, most = least | of_parent[0], most | of_parent[1]
    return least, most


def assert_has(name: str, keys: Iterable[str]) -> None:
    least, most = fields(name)
    assert least <= {*keys} <= most, name


@pytest.mark.parametrize("game", ["nyuri", "hyrule"])
def test_a_game_has_the_fields_that_the_scripts_know(game):
    record = other_game(game)
    names = [f"bot {seat}" for seat in range(record.seats)]
    found = game_pictures(record, names)
    assert_has("Game", found)
    assert_has("Ending", found["ending"])
    assert fields("Ending")[1] == {*Ending._fields}
    for step in found["steps"]:
        assert_has("Step", step)
    running = RunningPictures(record._replace(actions=(), faults=(), forfeits=()), names)
    assert_has("Table", running.heading().keys() & fields("Table")[1])
    assert_has("Step", running.opening())


@pytest.mark.parametrize(
    ("name", "message", "more"),
    [
        ("LegalAction", messages.LegalAction, set()),
        ("Turn", messages.Turn, set()),
        ("Seated", messages.Table, {"emblems"}),
        ("End", messages.End, {"kind", "replay", "ending"}),
    ],
)
def test_the_messages_of_a_seat_have_the_fields_that_the_scripts_know(name, message, more):
    assert fields(name)[1] == message.__annotations__.keys() - {"kind"} | more
