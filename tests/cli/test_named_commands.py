"""A message that names a command also names the file or folder that the command needs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import arena

NEEDING = (
    "analyse|backup|check-bot|export|import|join|rehearse|replay|resume|run|standings|submit|verify|"
    "host (?:accounts|admit|annul|end|extend|go|invite|limit|new|pause|token|up|withdraw)"
)
NAMED = re.compile(rf"arena (?:{NEEDING})")
BARE = re.compile(rf"(?<![\w.-])arena (?:{NEEDING})(?! *(?:\{{\}}|[A-Z]{{3,}}|\S+\.))(?![\w:-])")
ABOUT = re.compile(
    r"(?:(?:\b(?:[Aa]s|that|an|another|from|of|by that)|`) $)"  # a sentence about the command, not to run it
)
NO_REMEDY = {"arena.cli.llms_txt"}  # a page about the commands
FILES = sorted(Path(arena.__file__).parent.rglob("*.py"))


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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("arena verify tells more", ["arena verify"]),
        ("arena verify {} tells more", []),
        ("go on with: arena resume {}", []),
        ("arena host go lets it go on", ["arena host go"]),
        ("arena host extend LEAGUE --cycles 1", []),
        ("arena host extend --cycles 1", ["arena host extend"]),
        ("no line, as arena rehearse --dump writes it", []),
    ],
)
def test_a_command_without_its_file_is_found(text, names):
    assert bare(text) == names


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
