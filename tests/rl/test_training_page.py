"""docs/training.md agrees with the code: its tables, and its bot that learns.

The table of fields is written anew by `ARENA_UPDATE_README=1 pytest tests/rl/test_training_page.py`.
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from arena.games import GAMES
from arena.rl import encoding_of
from tests.arena_command import arena
from tests.bots.playing import RANDOM, play, rules
from tests.patience import PATIENCE

PAGE = Path(__file__).parents[2] / "docs" / "training.md"
FIELDS = re.compile(r"(?<=<!-- computed: fields -->\n).*?(?=<!-- end -->)", re.DOTALL)


def write_files(folder: Path) -> None:
    """Writes the files of the page, each of which is named before it: "into `NAME`:"."""
    named = re.findall(
        r"into\s`([^`]+)`:\n\n```\w+\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    for name, text in named:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")


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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the page was followed until the bot has learned."""
    folder = tmp_path_factory.mktemp("training")
    write_files(folder)
    subprocess.run([sys.executable, "trained/train.py"], cwd=folder, timeout=PATIENCE, check=True)
    return folder


def test_the_bot_plays_what_the_loop_learned(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "trained")
    trained = runpy.run_path("bot.py")["Trained"]
    won = 0
    for board in range(50):
        bots = [trained, RANDOM] if board % 2 else [RANDOM, trained]
        won += play(rules("nur-mut", 2), f"learned {board}", bots).outcome.places[1 - board % 2] == 1
    assert won >= 35


def test_the_program_for_one_seat_measures_what_the_loop_learned(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "trained/measure.py"], cwd=folder, timeout=PATIENCE, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    won = re.fullmatch(r"It wins (\d+)% of its games against random\.\n", done.stdout)
    assert won is not None
    assert int(won[1]) >= 70


def test_the_bot_is_ready_for_league_night(folder: Path) -> None:
    """Also at the seats and with the options of which it has learned nothing."""
    assert "ready for league night" in arena("check-bot", "trained", cwd=folder).stdout
