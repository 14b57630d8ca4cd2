"""Who may import whom: the architecture, read from the imports themselves."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from arena.games import BUILT_IN

PACKAGE = Path(__file__).parents[1] / "arena"
TESTS = Path(__file__).parent

# For each part of arena: the other parts it may import.
ALLOWED = {
    part: set(others.split())
    for part, others in {
        "__main__": "cli",
        "bounded_log": "",
        "cards": "",
        "engine": "",
        "face": "names",
        "names": "",
        "results": "",
        "strict_toml": "names",
        "temporary": "",
        "text": "",
        "token_bucket": "",
        "processes": "text",
        "games": "cards",
        "table": "games",
        "comparison": "engine games link policies results standings table",
        "formats": "comparison results strict_toml text",
        "standings": "results",
        "tournament": "comparison formats games names results standings table text",
        "link": """
            bounded_log cards engine face games names processes results strict_toml table temporary
            text token_bucket v1
            """,
        "sampling": "cards engine games link policies results v1",
        "policies": "cards games",
        "bot": "games link names policies processes sampling table temporary text v1",
        "rl": "cards engine games link policies results table text",
        "league": """
            comparison face formats games link names processes results standings strict_toml table
            text tournament
            """,
        "referee": """
            face games league link names processes results table temporary text tournament
            """,
        "checkup": """
            bounded_log comparison engine games league link policies processes referee results
            sampling standings strict_toml table temporary text tournament
            """,
        "bench": "bot formats games league link processes referee table temporary tournament v1",
        "report": """
            bench checkup comparison formats games league referee results standings table text
            tournament
            """,
        "hosting": """
            bounded_log checkup formats games kits league link names processes referee report
            results standings strict_toml table temporary text token_bucket tournament view
            """,
        # It reads leagues; it knows no bots, links and rooms, and nothing that is mounted beside it.
        "view": """
            cards checkup face formats games league names processes referee report results standings
            table text token_bucket tournament
            """,
        "seat": """
            bot cards checkup formats games league link names referee results table temporary text
            tournament view
            """,
        "steer": "bounded_log league referee results table text tournament view",
        "kits": "link names",
        "cli": """
            bench bot bounded_log checkup engine face formats games hosting kits league link names
            processes referee report results seat standings steer strict_toml table temporary text
            tournament view
            """,
    }.items()
}

# The order within a part that has several rooms: each may import those before it.
ORDER = {
    "bench": ("bare", "bot", "referee", "whole"),
    "checkup": (
        "analysis",
        "values",
        "bot_time",
        "session",
        "session_file",
        "rehearsal",
        "own_games",
        "bot",
        "pace",
        "joining",
        "checklist",
        "analysis_bot",
        "analysis_jobs",
        "analysed",
    ),
    "cli": (
        # what every command needs
        "process",
        "output",
        "parameters",
        "errors",
        "commands",
        "options",
        "tls",
        "token",
        # commands on leagues, and of the host
        "replay",
        "analysing",
        "tables",
        "host",
        "club",
        "leagues",
        # commands of authors, and those that load little
        "games",
        "llms_txt",
        "authors",
        "checkup_progress",
        "standing",
        "challenging",
        "submitting",
        "bots",
        "lost_games",
        "checking",
        "completion",
        "bench",
        # the page, and the seats of people
        "page_beside",
        "composed",
        "serve",
        "house",
        "friendly",
        "friendly_page",
        "play",
        "assistant",
        # commands that play tournaments
        "progress",
        "bars",
        "playing",
        "compare",
        "__main__",
    ),
    "processes": ("loading", "tuning", "worker", "pool"),
    "link": ("tls", "wire", "streams", "local", "lobby"),
    "league": (
        "store",
        "entrants",
        "tournament_file",
        "comparison_file",
        "stored",
        "traveller",
        "summary",
        "compared",
        "verification",
        "public",
        "interchange",
        "dataset",
        "downloads",
    ),
    "referee": ("cluster_statistics", "presence", "rooms", "sitting", "night", "cluster"),
    "seat": ("messages", "targets", "person", "terminal", "assistant", "seats", "friendly"),
    "steer": ("control_room", "host"),
    "view": (
        "extension",
        "listening",
        "newest",
        "proxies",
        "pictures",
        "league",
        "views",
        "worth_seeing",
        "report_file",
        "serving",
    ),
}

# Libraries that only some parts may know.
ONLY_IN = {
    "cryptography": {"link"},
    "dask": {"referee/cluster"},
    "distributed": {"referee/cluster"},
    "grpc": {"link", "bot", "bench"},
    "google": {"link", "bot"},
    "trio": {"link", "processes", "referee", "checkup", "bench", "cli", "view", "seat", "steer", "hosting"},
    "starlette": {"view", "seat", "steer", "hosting/pages"},
    "h11": {"view"},
    "jinja2": {"view"},
    "apsw": {"hosting", "league/store"},
    "tabulate": {"report"},
    "wcwidth": {"report"},
    "click": {"cli"},
    "rich": {"cli", "seat"},
    "mcp": {"seat"},
    "anyio": {"seat"},
    "matplotlib": {"report", "cli"},
    "numpy": {"checkup/analysis/", "bot", "comparison", "formats", "rl", "sampling", "standings"},
    "gymnasium": {"rl"},
    "pettingzoo": {"rl"},
    "networkx": {"formats"},
    "random": {"checkup/analysis/", "bot", "bench", "sampling", "policies"},
}

# The kinds of tournament, and the modules that tell them apart, with the reason. All others ask the format,
# the course or the summary, which answer by their kind.
KINDS = {"LadderFormat", "ComparisonFormat", "LadderCourse", "ComparisonCourse", "LadderSummary"}
TELLING_KINDS_APART = {
    "cli/compare.py": "goes on with comparisons alone",
    "cli/tables.py": "some options are for comparisons alone, others for all but them",
    "league/compared.py": "summarizes comparisons alone",
    "league/stored.py": "finds the ladders of a league",
    "league/summary.py": "a ladder ranks by expected score",
    "league/tournament_file.py": "a comparison has keys of the whole file",
    "league/verification.py": "a comparison may end before all its rounds",
    "view/league/reader.py": "keeps the tables of ended ladders",
    "view/league/snapshot.py": "a comparison has findings, others have standings",
    "view/views/standings.py": "a ladder has a table of its own",
    "report/live_text.py": "the same at the terminal",
    "report/outcome.py": "a comparison has findings, others have standings",
    "report/standings_data.py": "the places of a ladder have a reason",
    "report/standings_text.py": "the scores of a ladder mean something else",
}

# What the page may know of what plays: what it reads, and how the host is heard.
OF_WHAT_PLAYS = (
    "arena.checkup.analysed",
    "arena.checkup.analysis_jobs",
    "arena.checkup.own_games",
    "arena.referee.cluster_statistics",
    "arena.referee.night.control",
    "arena.referee.night.host_requests",
    "arena.referee.night.night_now",
    "arena.referee.night.settings",
)

FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if "v1" not in path.parts]


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All of a module, parsed once for all tests that ask for it."""
    return [*ast.walk(ast.parse(path.read_text("utf-8")))]


def calls_in(path: Path) -> list[ast.Call]:
    return [node for node in nodes_of(path) if isinstance(node, ast.Call)]


@cache
def imported(path: Path) -> set[str]:
    names = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_a_module_imports_only_what_its_part_may():
    wrong = []
    for path in FILES:
        part = part_of(path)
        for name in imported(path) if part != "__init__" else ():
            top, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            own = path.relative_to(PACKAGE).as_posix()
            if not own.startswith(tuple(ONLY_IN.get(top, {part}))) or (
                top == "arena" and other != part and other not in ALLOWED[part]
            ):
                wrong.append(f"{path.relative_to(PACKAGE)} must not import {name}")
    assert wrong == []


def test_every_permission_is_used():
    used: dict[str, set[str]] = {part: set() for part in ALLOWED}
    for path in FILES:
        used.setdefault(part_of(path), set()).update(
            name.split(".")[1] for name in imported(path) if name.startswith("arena.")
        )
    assert {part: others - used[part] for part, others in ALLOWED.items() if others - used[part]} == {}


def test_an_analysis_knows_no_bots_and_no_league():
    pure = {"comparison", "games", "policies", "sampling", "standings", "table"}
    for path in (PACKAGE / "checkup/analysis").rglob("*.py"):
        for name in imported(path):
            top, *rest = name.split(".")
            assert top != "arena" or rest[0] in pure or rest[:2] == ["checkup", "analysis"], f"{path}: {name}"


def test_the_page_knows_nothing_that_plays():
    for path in (PACKAGE / "view").rglob("*.py"):
        for name in imported(path):
            if name.startswith(("arena.checkup", "arena.referee")):
                assert name.startswith(OF_WHAT_PLAYS), f"{path} must not import {name}"


@pytest.mark.parametrize("part", ORDER)
def test_the_rooms_of_a_part_import_only_what_comes_before(part):
    rooms = ORDER[part]
    found = {path.stem for path in (PACKAGE / part).iterdir() if path.suffix == ".py" or [*path.glob("*.py")]}
    assert found - {"__init__", "__pycache__"} == set(rooms)
    for path in (PACKAGE / part).rglob("*.py"):
        own = path.relative_to(PACKAGE / part).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        for name in imported(path):
            other = name.removeprefix(f"arena.{part}.").split(".")[0]
            if name.startswith(f"arena.{part}.") and other in rooms:
                assert rooms.index(other) <= rooms.index(own), f"{path} must not import {name}"


def kinds_told_apart(path: Path) -> set[str]:
    """The kinds of tournament for which a module asks whether something is of that kind."""
    asked: list[ast.AST] = []
    for node in nodes_of(path):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            asked.append(node.args[1])
        elif isinstance(node, ast.MatchClass):
            asked.append(node.cls)
    return KINDS & {each.id for node in asked for each in ast.walk(node) if isinstance(each, ast.Name)}


def test_the_kind_of_a_tournament_is_asked_by_method():
    outside = [path for path in FILES if part_of(path) not in ("formats", "tournament")]
    found = {path.relative_to(PACKAGE).as_posix() for path in outside if kinds_told_apart(path)}
    assert found == TELLING_KINDS_APART.keys()


def test_no_flag_says_the_kind_of_a_tournament():
    flags = re.compile(r"\.(endless|compares)\b")
    files = [*FILES, *PACKAGE.rglob("*.html")]
    assert [path for path in files if flags.search(path.read_text("utf-8"))] == []


def test_only_one_place_chooses_the_kind_of_a_course():
    making = {"Course", "LadderCourse", "ComparisonCourse"}
    made = {
        path.relative_to(PACKAGE).as_posix()
        for path in FILES
        for call in calls_in(path)
        if ast.unparse(call.func) in making
    }
    assert made == {"tournament/courses.py"}


def test_a_game_never_imports_another():
    games = {game.replace("-", "_") for game in BUILT_IN}
    for path in [*(PACKAGE / "games").glob("*.py"), *(PACKAGE / "sampling").glob("*.py")]:
        own = next((game for game in games if path.stem.startswith(game)), None)
        if own is None:
            continue
        for name in imported(path):
            if name.startswith(("arena.games.", "arena.sampling.")):
                module = name.split(".")[2]
                assert not any(module.startswith(game) for game in games - {own}), f"{path} imports {name}"


def test_the_command_prints_through_its_one_place():
    printing = {"print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"}
    files = sorted((PACKAGE / "cli").rglob("*.py"))
    called = {path: {ast.unparse(call.func) for call in calls_in(path)} for path in files}
    assert {path: names & printing for path, names in called.items() if names & printing} == {}


TEST_FILES = sorted(TESTS.rglob("*.py"))

# What tests may replace: the environment of the arena, and no part of it.
ENVIRONMENT = {"sys.executable", "sys.modules", "sys.stdin", "tempfile.tempdir", "time.time"}

# The tests that replace a part of the arena all the same, and why.
PATCHING = {
    "league/test_later_releases.py": "plays a later release: more games, messages and other defaults",
    "sampling/small.py": "plays with decks so small that every deal can be tried; no option makes such",
}

MAY_REPLACE = re.compile(r"\.(set|del)(attr|item)|[mM]ock")  # what a file holds that is worth parsing


def patched_by(call: ast.Call) -> str | None:
    """What a call of pytest's MonkeyPatch replaces, or of unittest.mock; None for any other call."""
    called = ast.unparse(call.func)
    if called.endswith((".setattr", ".delattr", ".setitem", ".delitem")):
        first, *rest = call.args
        if isinstance(first, ast.Constant):
            return str(first.value)
        name = rest[0]
        named = called.endswith("attr") and isinstance(name, ast.Constant)
        return f"{ast.unparse(first)}.{ast.literal_eval(name)}" if named else ast.unparse(first)
    return called if re.search(r"\b(mock|Mock|MagicMock|mocker)\b", called) else None


def test_no_test_replaces_a_part_of_the_arena():
    found = {}
    for path in TEST_FILES:
        calls = calls_in(path) if MAY_REPLACE.search(path.read_text("utf-8")) else []
        if replaced := {patched_by(call) for call in calls} - {None} - ENVIRONMENT:
            found[path.relative_to(TESTS).as_posix()] = replaced
    assert found.keys() == PATCHING.keys(), found


# Functions that fail by themselves: those that wait for something, that check a result, and of libraries.
ASSERTING = re.compile(r"assert|check|expect|wait_for|raises$|warns$|fail$|_test$|look_at_everything")


def asserts(node: ast.AST, also: set[str]) -> bool:
    """Whether a definition asserts something, itself or by what it names of those that do."""
    return any(
        isinstance(each, ast.Assert)
        or (isinstance(each, ast.Name) and each.id in also)
        or (isinstance(each, ast.Call) and ASSERTING.search(ast.unparse(each.func).rpartition(".")[2]))
        for each in ast.walk(node)
    )


def asserting_nothing(path: Path) -> list[str]:
    defined = [
        node
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    helpers = {node.name for node in defined if not node.name.startswith("test") and asserts(node, set())}
    tests = [node for node in defined if node.name.startswith("test")]
    return [f"{path.relative_to(TESTS)}::{test.name}" for test in tests if not asserts(test, helpers)]


def test_every_test_asserts_something():
    assert [name for path in TEST_FILES for name in asserting_nothing(path)] == []


def test_no_test_module_is_imported():
    """What tests share stands in modules without tests."""
    importing = re.compile(
        r"^\s*from tests[.\w]*\.test_\w+ import|^\s*from tests[.\w]* import test_", re.MULTILINE
    )
    assert [path for path in TEST_FILES if importing.search(path.read_text("utf-8"))] == []
