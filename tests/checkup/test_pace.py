"""How far a checkup is, and how long it will still take."""

from __future__ import annotations

import sys

import pytest
import trio

from arena.checkup.checklist import check_bot
from arena.checkup.pace import Pace, Progress
from arena.checkup.values import Conditions
from arena.league.entrants import Entrant
from tests.bots_for_tests import bot_folder, manifest

THINKS = 10.0  # seconds that a decision takes by the clock of this test
THOUGHTFUL = """
from pathlib import Path

from arena.bot import Bot, serve

class Mine(Bot):
    name = "mine"
    max_tables = 1

    def choose(self, turn):
        with open(Path(__file__).parent / "decisions", "ab") as file:
            file.write(b".")
        return turn.actions[0]

serve(Mine)
"""


@pytest.mark.campaign
def test_the_estimate_holds(tmp_path):
    """The clock goes on only while the bot decides, so the busy machine does not count."""
    place = bot_folder(tmp_path, "bot", [sys.executable, "program.py"])
    (place / "program.py").write_text(THOUGHTFUL)
    decisions = place / "decisions"
    decisions.touch()
    shown: list[tuple[float, Progress]] = []
    checks: list[str] = []

    def clock() -> float:
        return decisions.stat().st_size * THINKS

    def show(progress: Progress) -> None:
        shown.append((clock(), progress))
        assert len(checks) == max(0, progress.number - 1)

    conditions = Conditions(games=("hyrule", "forty-one"), thorough=False, tables=8)
    trio.run(
        check_bot, Entrant("bot", bot=manifest(place)), conditions,
        lambda check: checks.append(check.name), lambda line: None, show, clock,
    )  # fmt: skip
    end = clock()
    first = shown[0][1]
    assert (first.number, first.left, first.checks) == (0, None, len(checks))
    assert first.all_games >= shown[-1][1].all_games > 0
    estimates = [(end - when, progress.left) for when, progress in shown if progress.left is not None]
    truth, estimate = estimates[0]
    assert truth / 3 < estimate < truth * 3
    playing = [progress for _, progress in shown if progress.name == "plays hyrule"]
    assert [progress.played for progress in playing] == sorted(progress.played for progress in playing)
    assert playing[-1].games == 2


def test_an_estimate_follows_from_the_decisions_that_were_measured():
    clock = [0.0]
    shown: list[Progress] = []
    pace = Pace(shown.append, lambda: clock[0])
    pace.plan(["plays a", "plays b"], {"plays a": 4, "plays b": 4}, {"plays a": 200, "plays b": 200}, {})
    pace.check_begins(1, "plays a")
    assert pace.left() is None
    pace.play_begins()
    clock[0] = 10.0
    pace.plays(100, 2)  # a tenth of a second each
    assert pace.left() == pytest.approx(30)
    assert shown[-1]._replace(left=None) == Progress(1, 2, "plays a", 2, 4, 8, None)
    assert shown[-1].left == pytest.approx(30)
    clock[0] = 40.0
    pace.plays(400, 4)  # its games are twice as long as expected
    pace.check_ends()
    pace.check_begins(2, "plays b")
    assert pace.left() == pytest.approx(40)
    pace.check_ends()
    assert pace.left() == 0
