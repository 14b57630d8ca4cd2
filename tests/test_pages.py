"""The pages hold to the code: what they name is there, and the commands they give are commands."""

from __future__ import annotations

import ast
import os
import re
import tomllib
from functools import cache
from pathlib import Path

import click
import pytest

from arena.cli.commands import LazyCommand, arena
from arena.formats import FORMATS
from arena.games import GAMES
from arena.hosting.settings import LeagueFileError, parse_settings
from arena.league import tournament_file
from arena.league.tournament_file import parse_plan, parse_tournament
from arena.text import installing
from arena.view.proxies import Proxies
from tests.docs import DOCS, ROOT, filled, text_of

ALL = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "bots/README.md", "bots/REFERENCE.md", *DOCS]
PLACES = ("arena/", "bots/", "docs/", "proto/", "tests/", "tournaments/", ".ci/")
IN_THE_WHEEL = "arena/kits/"  # there bots/ and proto/ are below it
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
PUBLISHED = "'bot-arena[engine]'"  # once there is a release
GROUPS = {name: each for name, each in arena.commands.items() if isinstance(each, click.Group)}
OF_THE_CODE = ["docs/architecture.md", "CONTRIBUTING.md"]
FILLED = [
    *ALL,
    "CHANGELOG.md",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "bots").glob("*/README.md"))),
    *(f"arena/games/rules/{game}.md" for game in GAMES),
]


def quoted(page: str) -> list[str]:
    """What stands between backticks, blocks of code left out."""
    return re.findall(
        r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    )


def without_placeholders(names: list[str]) -> list[str]:
    return [name for name in names if not re.search(r"[A-Z]{4,}(?!\w*\.md$)|[ *<]", name)]


@pytest.mark.parametrize("page", ALL)
def test_the_files_that_a_page_names_exist(page):
    named = without_placeholders([name for name in quoted(page) if name.startswith(PLACES)])
    missing = [name for name in named if not (ROOT / name.removeprefix(IN_THE_WHEEL)).exists()]
    linked = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text_of(page))
    missing += [name for name in linked if not ((ROOT / page).parent / name).exists()]
    assert not missing


@cache
def defined_in(file: Path) -> set[str]:
    """The classes, functions and names of a module, and `Class.name` of what its classes hold."""
    names = set()

    def note(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                names.add(prefix + node.name)
            if isinstance(node, ast.ClassDef):
                note(node.body, f"{node.name}.")
            if isinstance(node, ast.Assign):
                names.update(prefix + target.id for target in node.targets if isinstance(target, ast.Name))
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names.add(prefix + node.target.id)

    note(ast.parse(file.read_text("utf-8")).body, "")
    return names


@pytest.mark.parametrize("page", OF_THE_CODE)
def test_the_classes_and_functions_that_a_page_names_are_in_the_files_that_it_names(page):
    names = quoted(page)
    files = [ROOT / name for name in names if name.endswith(".py") and name.startswith(("arena/", "tests/"))]
    assert files
    known = set[str]().union(*map(defined_in, files))
    wanted = [
        name
        for name in names
        if re.fullmatch(r"[A-Z]\w*[a-z]\w*(\.\w+)?|[a-z]+(_[a-z]+)+|[A-Z]+(_[A-Z]+)*", name)
    ]
    assert [name for name in wanted if name not in known and not name.startswith("ARENA_")] == []


@pytest.mark.parametrize("page", ALL)
def test_the_commands_that_a_page_gives_are_commands(page):
    given = re.findall(
        rf"(?:^|[`(/= ])arena ((?:{'|'.join(GROUPS)}) )?([a-z]+(?:-[a-z]+)*)((?: [^`\n#;,)]*)?)",
        commands_of(page),
        re.MULTILINE,
    )
    for group, name, rest in given:
        later = GROUPS.get(group.strip(), arena).commands.get(name)
        assert later is not None, f"there is no arena {group}{name}"
        command = later.load() if isinstance(later, LazyCommand) else later  # a group
        options = {
            option for each in command.params for option in each.opts if isinstance(each, click.Option)
        }
        unknown = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", rest)) - options - {"--help"}
        assert not unknown, f"arena {name} {rest}"


def commands_of(page: str) -> str:
    """The page's code: what stands between backticks, in a line or in a block of shell commands."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text_of(page), flags=re.DOTALL | re.MULTILINE)
    inline = [f"`{name}`" for name in quoted(page) if re.search(r"(^|[ /])arena [a-z]", name)]
    return "\n".join([*blocks, *inline])


def test_the_glossary_gives_each_word_one_meaning():
    words = re.findall(
        r"^\| ([^|`]+?) \|", text_of("docs/architecture.md").partition("## Glossary")[2], re.MULTILINE
    )
    each = [
        word for words_of_a_row in words if words_of_a_row != "word" for word in words_of_a_row.split(", ")
    ]
    assert len(each) == len(set(each))
    assert {"table", "points", "round", "level", "group", "token", "host", "night", "run", "tournament"} <= {
        *each
    }


def test_the_docs_name_every_key_of_a_tournament_file():
    assert tournament_file.__doc__
    (example,) = re.findall(r"```toml\n(.*?)```", tournament_file.__doc__, re.DOTALL)
    keys = set(re.findall(r"^(\w+) *=", example.partition("[options.")[0], re.MULTILINE))
    keys |= set(re.findall(r"^(\w+) *=", example.partition("[[stage]]")[2], re.MULTILINE))
    named = {name.partition(" ")[0] for name in quoted("docs/tournament-file.md")}
    assert keys - named == set()


@pytest.mark.parametrize("page", ["docs/tournament-file.md", "docs/formats.md"])
def test_every_format_that_is_offered_is_explained(page):
    assert [name for name in FORMATS if f"`{name}`" not in text_of(page)] == []


def test_the_index_names_every_page():
    linked = set(re.findall(r"\]\(([^)#:]+)\)", text_of("docs/README.md")))
    pages = {Path(page).name for page in DOCS} - {"README.md"}
    assert pages - linked == set()


@pytest.mark.parametrize("page", [*ALL, "bots/learned-python/README.md"])
def test_what_is_installed_is_installed_by_the_command_that_works(page):
    for given in re.findall(r"pip install (?:-\w )*([^\s`]+)", text_of(page)):
        extras = given.partition("[")[2].partition("]")[0]
        assert given in (".", "SOURCE", "./engine", PUBLISHED) or f"pip install {given}" == installing(extras)
        assert {*extras.split(",")} <= {"", *EXTRAS}


def test_the_engine_that_a_release_installs_is_its_own():
    arena, engine = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
        for folder in ("", "engine")
    )
    assert EXTRAS["engine"] == [f"{engine['name']}=={engine['version']}"]
    assert engine["version"] == arena["version"]
    release = text_of(".github/workflows/release.yml")
    assert "working-directory: bots/hawk-rust/engine" in release
    assert (ROOT / "engine").resolve() == ROOT / "bots" / "hawk-rust" / "engine"


@pytest.mark.parametrize("page", ALL)
def test_the_tournament_files_on_a_page_are_right(page, tmp_path):
    for name in ("my-bot", "bots/greedy-python", "bots/random-python", "bots/thoughtful-python"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "bot.toml").write_text(f'name = "{name}"\n[run]\ncommand = ["true"]\n')
    for example in re.findall(r"^```toml\n(.*?)^```$", text_of(page), flags=re.DOTALL | re.MULTILINE):
        tomllib.loads(example)
        if "[[entrant]]" in example:
            assert parse_tournament(example, tmp_path / "night.toml").entrants


@pytest.mark.parametrize("page", FILLED)
def test_the_lines_of_a_page_are_filled(page):
    text = text_of(page)
    if os.environ.get("ARENA_UPDATE_README"):
        (ROOT / page).write_text(filled(text), "utf-8")
        text = text_of(page)
    assert text == filled(text), "ARENA_UPDATE_README=1 pytest tests/test_pages.py fills the lines"


def test_a_page_is_filled_to_120_characters():
    word = "x" * 39  # three of them and the blanks are 119 characters
    assert filled(f"{word}\n{word} {word} x {word}\n") == f"{word} {word} {word}\nx {word}\n"
    kept = "# a title\n\n| a | table |\n\n```\nsome\ncode\n```\n"
    assert filled(kept) == kept
    assert filled("* one\n  item\n* another\n") == "* one item\n* another\n"
    assert filled(f"{word} {word} {'x' * 36} `not divided`\n").splitlines()[1] == "`not divided`"
    assert filled(f"{word} {word} {word[2:]} y - z\n").splitlines()[1] == "y - z"  # no list begins here


@pytest.mark.parametrize("page", ALL)
def test_the_headings_to_which_a_page_links_are_there(page):
    missing = []
    for name, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text_of(page)):
        target = ((ROOT / page).parent / name).resolve() if name else ROOT / page
        titles = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), re.MULTILINE)
        if anchor not in map(_anchor, titles):
            missing.append(f"{name}#{anchor}")
    assert missing == []


def _anchor(title: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("docs/standing-league.md", "unknown = 1"),
        ("docs/nights.md", 'name = "x"\n[[night]]\nname = "x"\nunknown = 1'),
    ],
)
def test_the_table_of_keys_has_every_key_of_league_toml(page, text):
    with pytest.raises(LeagueFileError) as refused:
        parse_settings(text, Path("league.toml"))
    valid = set(str(refused.value).rpartition("valid: ")[2].split(", "))
    table = text_of(page).partition("| key | meaning | default |")[2]
    rows = re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE)
    named = {key for row in rows for key in re.findall(r"`\[*(\w+)", row)}
    assert valid - named == set()


def test_what_the_pages_quote_of_a_comparison_is_what_the_comparison_found():
    page = " ".join(text_of("docs/comparing.md").split())
    found, _, rest = page.partition("$ arena compare")[2].partition("```")
    (quoted,) = re.findall(r'It prints a sentence: "([^"]+)"', " ".join(text_of("README.md").split()))
    assert quoted in found
    score, low, high, boards = re.findall(
        r"Kleftis: ([\d.]+) % \(([\d.]+) to ([\d.]+)\) after (\d+) boards", found
    )[0]
    cited = f"{score} % of the score (99 % confidence sequence: {low} to {high} %) after {boards}"
    assert cited in rest.partition("## How to cite")[2]


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_a_page_of_rules_names_every_option(game):
    page = text_of(f"arena/games/rules/{game.id}.md")
    assert [name for name in game.Options.__dataclass_fields__ if f"`{name}`" not in page] == []


NONE = Proxies(())
GUESTS = "".join(f'[[entrant]]\nname = "{name}"\njoin = true\n' for name in ("one", "two"))
CLUB = 'name = "x"\nsandbox = "none"\n'
NIGHT = '[[night]]\nname = "x"\nfile = "f"\non = "season end"\n'


def defaults_of(page: str, columns: str) -> dict[str, str]:
    """The defaults in a table of keys that are values of TOML, and no words."""
    place = columns.split(" | ").index("default")
    found = {}
    for line in text_of(page).partition(columns)[2].partition("\n\n")[0].splitlines()[2:]:
        cells = [cell.strip("| `") for cell in line.split(" | ")]
        if re.fullmatch(r'\d+|"[^"]+"|true|false', cells[place]):
            found[cells[0]] = cells[place]
    return found


def settings_of(text, path):
    """The settings in a league.toml, without the proxies, which are not compared."""
    return parse_settings(text, path)._replace(proxies=NONE)


@pytest.mark.parametrize(
    ("page", "columns", "read", "text", "keys"),
    [
        ("docs/tournament-file.md", "key | default | meaning", parse_plan, f'name = "x"\n{{}}\n{GUESTS}', 7),
        ("docs/standing-league.md", "key | meaning | default", settings_of, f"{CLUB}{{}}\n", 3),
        ("docs/nights.md", "key | meaning | default", settings_of, f"{CLUB}{NIGHT}{{}}\n", 3),
    ],
)
def test_a_default_that_a_page_names_changes_nothing(page, columns, read, text, keys):
    defaults = defaults_of(page, columns)
    assert len(defaults) == keys
    without = read(text.format(""), Path("/a/file.toml"))
    for key, default in defaults.items():
        assert read(text.format(f"{key} = {default}"), Path("/a/file.toml")) == without, key


def test_the_page_of_the_command_lists_every_command():
    table = text_of("docs/command.md").partition("| for | commands |")[2].partition("\n\n")[0]
    shown = {name for name, command in arena.commands.items() if not command.hidden}
    assert set(re.findall(r"`([\w-]+)`", table)) == shown
