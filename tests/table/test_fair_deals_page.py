"""The program on the page about fair deals works, and derives the same decks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cards import ALL_CARDS, DECK
from arena.table.deal import KeyedBoard, board_key
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
EXPORT = ROOT / "tests" / "golden" / "leagues" / "export-1.jsonl"
KEY = bytes(range(32))  # of all tournaments in it


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (text,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "fair-deals.md").read_text(), re.DOTALL)
    path = tmp_path_factory.mktemp("page") / "check_deals.py"
    path.write_text(text)
    return path


def run(program: Path, export: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", str(program), str(export)]  # the standard library only
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def test_it_finds_an_export_right_and_derives_the_decks(program):
    done = run(program, EXPORT)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert {line.split()[0] for line in lines} == {"nyuri", "forty-one", "kleftis", "hyrule"}
    for line in lines:
        game, *words = line.split()
        name, cards = " ".join(words[:6]), list(map(int, words[6:]))
        deck = ALL_CARDS if game == "hyrule" else DECK
        assert KeyedBoard(board_key(KEY, game, name), deck).deal(0).deck == cards


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ('"keyCommitment": "', '"keyCommitment": "0', "committed to"),
        ('"boardKey": "', '"boardKey": "AAAA', "does not follow"),
        ('"board": 0', '"board": 1', "does not follow"),
    ],
)
def test_it_finds_a_rigged_deal(program, tmp_path, right, wrong, complaint):
    edited = tmp_path / "edited.jsonl"
    edited.write_text(EXPORT.read_text().replace(right, wrong, 1))
    done = run(program, edited)
    assert done.returncode == 1
    assert complaint in done.stderr
