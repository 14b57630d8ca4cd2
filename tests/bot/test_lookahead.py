"""The look-ahead example of bots/README.md plays every game over the protocol."""

from __future__ import annotations

import dataclasses
from itertools import count
from pathlib import Path
from statistics import fmean

import pytest

from arena.bot.simulation import simulate
from arena.games import GAMES
from arena.league.store import League
from arena.link.wire.messages import decode_record
from arena.table.clock import MILLISECOND, SECOND, TimeControl
from tests.arena_command import arena
from tests.bots.lookahead import counted, example, lookahead, scores
from tests.bots.playing import GREEDY, RANDOM, play, rules
from tests.bots_for_tests import entrant

HURRY = TimeControl(bank=20 * MILLISECOND, increment=0, move=1 * SECOND)
MOST_LINES = 40


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
def test_it_plays_any_game(game, seats, given) -> None:
    table = dataclasses.replace(rules(game, seats, GAMES[game].parse_options(given)), time_control=HURRY)
    assert not play(table, "look ahead", [lookahead(), *[RANDOM] * (seats - 1)]).faults


@pytest.mark.parametrize("game", GAMES)
def test_with_a_single_try_it_plays_what_greedy_plays(game) -> None:
    """One playout proves nothing."""
    usual, tried = [
        simulate(game, [bot, GREEDY], "one try", clock=counted(1))
        for bot in (GREEDY, lookahead(count().__next__))
    ]
    assert tried.outcome == usual.outcome
    assert tried.actions == usual.actions


@pytest.mark.campaign
def test_it_beats_greedy_where_looking_ahead_tells_most() -> None:
    """In Kleftis, also with one try an action. The other games take more boards: tests/bots/lookahead.py."""
    assert fmean(scores("kleftis", tries=3, boards=5)) >= 0.6


def test_it_plays_in_a_tournament_as_it_stands_on_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "lookahead"
    folder.mkdir()
    (folder / "bot.py").write_text(example(), "utf-8")
    (folder / "bot.toml").write_text('name = "lookahead"\n[run]\ncommand = ["python", "bot.py"]\n', "utf-8")
    night = tmp_path / "night.toml"
    night.write_text(
        'name = "night"\nboards = 1\ngames = ["hyrule", "nur-mut"]\n'
        '[clock]\nbank = "500ms"\nincrement = "0ms"\nmove = "500ms"\n'
        f'[[entrant]]\nbot = "{folder}"\n{entrant("other")}',
        "utf-8",
    )
    arena("run", night, "--league", tmp_path / "night.league", cwd=tmp_path)
    with League.read(tmp_path / "night.league") as league:
        records = [decode_record(league.game(number).record) for number, _ in league.games(1)]
    assert len(records) == 4
    faults = {fault.reason for record in records for _, _, fault in record.faults}
    assert faults <= {"timeout"}  # on a machine that stands still, but it neither crashes nor chooses wrongly
