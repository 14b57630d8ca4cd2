"""A message that names a command names one that exists, with the file or folder that it needs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import arena
from arena.cli.commands import arena as whole

NEED_NOTHING = {"bench", "bots list", "bots notices", "games", "init-bot", "logout", "play", "submit"}
ABOUT = re.compile(
    r"(?:(?:\b(?:[Aa]s|that|an|another|from|of|by that)|`) $)"  # a sentence about the command, not to run it
)
NO_REMEDY = {"arena.cli.llms_txt"}  # a page about the commands
HASHED = {"analysis", "board", "chance", "contributions", "luck", "pledges", "seed", "token"}
"""What follows the word arena in texts that are hashed: "arena seed"."""

PROSE = re.compile(r"\b([Tt]he|[Tt]his|[Aa]n?|each|no|earlier|newer|installed|update|as|import)[\s\"f]+$")
"""What the word arena follows if no command is meant."""

FILES = sorted(Path(arena.__file__).parent.rglob("*.py"))
TEMPLATES = sorted(Path(arena.__file__).parent.rglob("*.html"))


def names(group: click.Group, above: str = "") -> Iterator[str]:
    """The commands of a group and of the groups in it, as they are typed."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from names(command, f"{name} ")
        else:
            yield above + name


NEEDING = "|".join(set(names(whole)) - NEED_NOTHING)
NAMED = re.compile(rf"arena (?:{NEEDING})\b")
BARE = re.compile(rf"(?<![\w.-])arena (?:{NEEDING})(?![\w-])(?! *(?:\{{\}}|[A-Z]{{3,}}|\S+\.))(?![\w:-])")


def texts(module: ast.Module) -> list[str]:
    """The strings of a module without docstrings; what an expression puts into one is `{}`."""
    inside = {
        id(part) for node in ast.walk(module) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
    }
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inside.add(id(node.value))  # a docstring
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            found.append("".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            found.append(node.value)
    return found


def bare(text: str) -> list[str]:
    """The commands that a text names without what they need."""
    return [each[0] for each in BARE.finditer(text) if not ABOUT.search(text[: each.start()])]


def unknown(text: str) -> list[str]:
    """What a text names as commands and is none."""
    found = []
    for each in re.finditer(r"(?<![\w./-])arena ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?", text):
        first, second = each.groups()
        command = whole.commands.get(first)
        if isinstance(command, click.Group) and second is not None:
            command = command.commands.get(second)
        if command is None and first not in HASHED and not PROSE.search(text[: each.start()]):
            found.append(each[0])
    return found


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("arena verify tells more", ["arena verify"]),
        ("arena verify {} tells more", []),
        ("go on with: arena resume {}", []),
        ("arena host go lets it go on", ["arena host go"]),
        ("arena host extend LEAGUE --cycles 1", []),
        ("arena host extend --cycles 1", ["arena host extend"]),
        ("no line, as arena rehearse --dump writes it", []),
        ("go on with: arena club up", ["arena club up"]),
        ("go on with: arena club up {}", []),
    ],
)
def test_a_command_without_its_file_is_found(text, named):
    assert bare(text) == named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("go on with: arena pause {}", ["arena pause"]),
        ("go on with: arena host up {}", ["arena host up"]),
        ("arena host lists them; arena host pause {}", ["arena host lists"]),
        ("`arena club` and the arena itself", []),
    ],
)
def test_a_command_that_there_is_not_is_found(text, named):
    assert unknown(text) == named


def test_messages_name_commands_with_the_file_that_they_need():
    found = {}
    for path in FILES:
        name = ".".join(path.relative_to(FILES[0].parent.parent).with_suffix("").parts)
        source = path.read_text("utf-8")
        if name not in NO_REMEDY and NAMED.search(source):  # to parse every file takes seconds
            for text in texts(ast.parse(source)):
                if commands := bare(text):
                    found[name, text] = commands
    assert found == {}


def test_every_command_that_code_and_templates_name_is_one():
    found = {path: unknown(path.read_text("utf-8")) for path in [*FILES, *TEMPLATES]}
    assert {path: commands for path, commands in found.items() if commands} == {}
