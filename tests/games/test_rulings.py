"""The code or the tests of a game name every ruling of its rules page, as the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.games import GAMES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("id", GAMES)
def test_every_ruling_is_cited_and_every_citation_is_a_ruling(id: str) -> None:
    name = id.replace("-", "_")
    page = (ROOT / "arena" / "games" / "rules" / f"{id}.md").read_text("utf-8")
    rulings = set(re.findall(r"^\| ([A-Z]\d+) \|", page, re.MULTILINE))
    letter = min(rulings)[0]
    code = "".join(path.read_text("utf-8") for path in (ROOT / "arena" / "games").glob(f"{name}*.py"))
    tests = (ROOT / "tests" / "games" / f"test_{name}.py").read_text("utf-8")
    cited = set(re.findall(rf"(?<![A-Za-z0-9]){letter}\d+(?!\d)", code))
    assert cited <= rulings
    assert rulings - cited <= set(re.findall(rf"(?<![A-Za-z0-9]){letter}\d+(?!\d)", tests))


@pytest.mark.parametrize(
    ("id", "words"),
    [
        ("nyuri", "The placer does not draw"),  # N10
        ("nyuri", "may draw a card of it back"),  # N13
        ("nyuri", "the players who come later in that window neither draw nor claim"),  # N14
        ("nur-mut", "your whole deck is shuffled with it"),  # M15
        ("hyrule", "it is allowed in two tricks running"),  # H10
    ],
)
def test_the_short_rules_say_what_surprises_a_player(id: str, words: str) -> None:
    page = (ROOT / "arena" / "games" / "rules" / f"{id}.md").read_text("utf-8")
    short = page.partition("## In short\n")[2].partition("\n## ")[0]
    assert words in " ".join(short.split())
