"""The bots of docs/tutorial.md: each beats the one before, as the page says it.

The code of the page is played, by the commands of the page. Their boards and moves are the same on every
machine, so what they find is too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arena_command import arena
from tests.docs import text_of
from tests.examples import is_deep

PAGE = text_of("docs/tutorial.md")


def statements(said: str) -> list[str]:
    """The shell commands of the page with a text in them."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if said in line]


def rows(text: str) -> Iterator[list[str]]:
    """The rows of Kleftis in the tables of a text, without the times at their end."""
    for line in re.findall(r"^Kleftis +\d.*$", text, re.MULTILINE):
        yield line.split()[:-2]


def test_the_figures_in_words_are_those_of_the_table():
    _, _, _, boards, wins, one, other, *_ = next(rows(PAGE))
    said = (
        f"The comparison ended after {boards} boards. The greedy bot won all {wins.partition('-')[0]}, "
        f"with {float(one):.0f} points against {float(other):.0f} on average."
    )
    assert said in " ".join(PAGE.split())


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
        pytest.param("greedy", "random", marks=pytest.mark.campaign),
        pytest.param("memory", "greedy", marks=pytest.mark.campaign),
        ("lookahead", "memory"),
    ],
)
def test_a_step_wins_as_the_page_says(bots, better, before):
    if better == "lookahead" and not is_deep():
        pytest.skip("takes minutes; the first boards are played below, and all by --hypothesis-profile=deep")
    (command,) = statements(f"arena compare {better} {before} ")
    _, *arguments = command.split()
    (pair,) = json.loads(arena(*arguments, "--json", cwd=bots).stdout)["pairs"]
    found = pair["games"]["kleftis"]
    assert found["finding"] == "better"
    assert found["words"] in re.sub(r"\n *", " ", PAGE)
    shown = arena("standings", f"{better}-against-{before}.league", cwd=bots).stdout
    assert next(rows(shown)) in [*rows(PAGE)]


@pytest.mark.campaign
def test_the_last_step_plays_as_it_did_when_the_page_was_written(bots):
    arguments = ("compare", "lookahead", "memory", "--seed", "tutorial", "--boards", 8, "--json")
    (pair,) = json.loads(arena(*arguments, cwd=bots).stdout)["pairs"]
    found = pair["games"]["kleftis"]
    assert found["board_scores"] == [0.75, 1.0, 0.5, 0.5, 0.0, 0.75, 1.0, 0.5]
    assert [found[bot]["decisions"] for bot in ("one", "other")] == [586, 556]
