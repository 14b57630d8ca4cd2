"""The example of bots/README.md that looks ahead, taken from the page, plays every game over the protocol."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from arena.bot import Bot
from arena.games import GAMES
from arena.link.wire.records import decode_record
from arena.store import League
from arena.table.clock import MILLISECOND, SECOND, TimeControl
from tests.arena_command import arena
from tests.bots.playing import RANDOM, ROOT, play, rules

PAGE = ROOT / "bots" / "README.md"
HURRY = TimeControl(bank=20 * MILLISECOND, increment=0, move=1 * SECOND)
MOST_LINES = 40


def example() -> str:
    code: str
    (code,) = [
        code
        for code in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
        if "sample" in code
    ]
    return code


@pytest.fixture
def lookahead() -> type[Bot]:
    names: dict[str, Any] = {}
    exec(example().replace("serve(Lookahead)", ""), names)
    bot: type[Bot] = names["Lookahead"]
    return bot


def test_the_example_is_short() -> None:
    assert len(example().splitlines()) < MOST_LINES


@pytest.mark.parametrize(
    ("game", "seats", "given"),
    [
        *[(game, 3 if game == "nyuri" else 2, {}) for game in GAMES],
        ("nur-mut", 4, {"model": "one"}),
        ("hyrule", 3, {"mode": "chance", "runoff": 1}),
    ],
)
def test_it_plays_any_game(game, seats, given, lookahead) -> None:
    table = dataclasses.replace(rules(game, seats, GAMES[game].parse_options(given)), time_control=HURRY)
    play(table, "look ahead", [lookahead, *[RANDOM] * (seats - 1)])


def test_it_plays_in_a_tournament_as_it_stands_on_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "lookahead"
    folder.mkdir()
    (folder / "bot.py").write_text(example(), "utf-8")
    (folder / "bot.toml").write_text('name = "lookahead"\n[run]\ncommand = ["python", "bot.py"]\n', "utf-8")
    night = tmp_path / "night.toml"
    night.write_text(
        'name = "night"\nboards = 1\ngames = ["hyrule", "nur-mut"]\n'
        '[clock]\nbank = "500ms"\nincrement = "0ms"\nmove = "500ms"\n'
        f'[[entrant]]\nbot = "{folder}"\n[[entrant]]\nname = "other"\nbot = "{ROOT}/bots/random-python"\n',
        "utf-8",
    )
    arena("run", night, "--league", tmp_path / "night.league", cwd=tmp_path)
    with League.read(tmp_path / "night.league") as league:
        records = [decode_record(league.game(number).record) for number, _ in league.games(1)]
    assert len(records) == 4
    faults = {fault.reason for record in records for _, _, fault in record.faults}
    assert faults <= {"timeout"}  # on a machine that stands still, but it neither crashes nor chooses wrongly
