"""`arena bench` measures something of everything; how fast it is, is no test's business."""

from __future__ import annotations

import json
import subprocess
import sys

from arena.bench.referee import Referee, bench_bot
from arena.games import GAMES
from arena.store import League
from tests.patience import PATIENCE


def test_every_figure_is_there(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "arena.cli", "bench", "--quick", "--json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert set(figures["bare"]) == {"unary_1", "unary_64", "stream_1"}
    assert set(figures["referee"]) == {"mix", *GAMES}
    for rates in (figures["bare"], *figures["referee"].values(), figures["rules"], figures["clone_us"]):
        assert all(rate > 0 for rate in rates.values())
    assert all(
        set(rates) == {f"tables_{n}" for n in (1, 8, 64, 256)} for rates in figures["referee"].values()
    )
    assert figures["verify"] > 0
    assert set(figures["cpu_us_per_decision"]) == {"rules", "encoding", "scheduling", "transport", "store"}
    assert figures["latency_us"]["p99"] >= figures["latency_us"]["p50"] > 0
    assert list(tmp_path.iterdir()) == []  # nothing is left behind


def test_however_slow_the_machine_there_is_a_decision_to_count_and_a_game_to_verify(tmp_path):
    referee = Referee(tmp_path, bench_bot(tmp_path / "bot"))
    speed = referee.measure(list(GAMES), 64, seconds=0, least=1)
    assert speed.rate > 0
    with League.read(referee.league) as league:
        assert list(league.games(1))
