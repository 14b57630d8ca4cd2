"""The bots of docs/tutorial.md: each beats the one before, as the page says it.

The code of the page is played, by the commands of the page. Their boards and moves are the same on every
machine, so what they find is too.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.arena_command import arena
from tests.docs import text_of

PAGE = text_of("docs/tutorial.md")


def statements(said: str) -> list[str]:
    """The shell commands of the page with a text in them."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if said in line]


@pytest.fixture(scope="module")
def bots(tmp_path_factory) -> Path:
    """A folder with the bots of the page."""
    folder: Path = tmp_path_factory.mktemp("tutorial")
    codes = re.findall(r"`(\w+/bot\.py)`:\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for name, code in codes:
        (folder / name).parent.mkdir()
        (folder / name).write_text(code, "utf-8")
        bot = Path(name).parent
        (folder / bot / "bot.toml").write_text(
            f'name = "{bot}"\ngames = ["kleftis"]\nrun.command = "python bot.py"\n', "utf-8"
        )
    for line in statements("cp "):
        _, source, target = line.split()
        (folder / target).write_bytes((folder / source).read_bytes())
    return folder


@pytest.mark.parametrize(
    ("better", "before"),
    [
        ("greedy", "random"),
        ("memory", "greedy"),
        pytest.param("lookahead", "memory", marks=pytest.mark.campaign),
    ],
)
def test_a_step_wins_as_the_page_says(bots, better, before):
    (command,) = statements(f"arena compare {better} {before} ")
    _, *arguments = command.split()
    (pair,) = json.loads(arena(*arguments, "--json", cwd=bots).stdout)["pairs"]
    found = pair["games"]["kleftis"]
    assert found["finding"] == "better"
    assert found["words"] in re.sub(r"\n *", " ", PAGE)
