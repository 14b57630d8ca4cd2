"""docs/training.md holds to the code: its tables, its loop, its bot.

The table of fields is written anew by `ARENA_UPDATE_README=1 pytest tests/rl/test_training_page.py`.
"""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.games import GAMES
from arena.rl import encoding_of
from tests.bots.playing import RANDOM, play, rules

PAGE = Path(__file__).parents[2] / "docs" / "training.md"
FIELDS = re.compile(r"(?<=<!-- computed: fields -->\n).*?(?=<!-- end -->)", re.DOTALL)


def block(name: str) -> str:
    """The code on the page that a name stands before."""
    (code,) = re.findall(
        rf"^<!-- {name} -->\n```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    return str(code)


def fields_of_all_games() -> str:
    rows = ["", "| game | field | shape | to | holds |", "|---|---|---|---|---|"]
    for game in GAMES.values():
        options = game.parse_options({})
        two, three = (encoding_of(game.id, seats, options).fields for seats in (2, 3))
        for name, field in two.items():
            size = shape(field.shape, three[name].shape)
            rows.append(f"| {game.title} | `{name}` | {size} | {field.high} | {field.about} |")
    several = encoding_of("hyrule", 2, GAMES["hyrule"].parse_options({"series": 2})).fields
    single = encoding_of("hyrule", 2, GAMES["hyrule"].parse_options({})).fields
    rows += [
        f"| several deals | `{name}` | {'n' if field.shape == (2,) else 1} | {field.high} | {field.about} |"
        for name, field in several.items()
        if name not in single
    ]
    return "\n".join([*rows, "", ""])


def shape(two: tuple[int, ...], three: tuple[int, ...]) -> str:
    """A shape in which what grows with the seats is n."""
    sizes = ["n" if small != large else str(small) for small, large in zip(two, three, strict=True)]
    return " x ".join(sizes)


def test_the_fields_are_those_of_the_encodings() -> None:
    text = PAGE.read_text("utf-8")
    if os.environ.get("ARENA_UPDATE_README"):
        PAGE.write_text(FIELDS.sub(lambda match: fields_of_all_games(), text), "utf-8")
    assert FIELDS.findall(PAGE.read_text("utf-8")) == [fields_of_all_games()]


def test_the_loop_learns_and_the_bot_plays_what_it_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: dict[str, Any] = {}
    exec(block("loop"), learned)
    np.save(tmp_path / "weights.npy", learned["weights"])
    (tmp_path / "trained.py").write_text(block("bot"))
    monkeypatch.chdir(tmp_path)
    trained = runpy.run_path(str(tmp_path / "trained.py"))["Trained"]
    won = 0
    for board in range(50):
        bots = [trained, RANDOM] if board % 2 else [RANDOM, trained]
        won += play(rules("nur-mut", 2), f"learned {board}", bots).outcome.places[1 - board % 2] == 1
    assert won >= 35
