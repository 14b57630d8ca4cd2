"""`arena bench` gives a figure for each part; the tests do not judge the speed."""

from __future__ import annotations

import pytest

from arena.bench.referee import Referee, bench_bot
from arena.bench.whole import TABLES, measure_rules
from arena.cli.bench import measure
from arena.games import GAMES
from arena.league.store import League
from arena.report.bench_text import bench_json


@pytest.mark.campaign
def test_every_figure_is_there(tmp_path, monkeypatch):
    # Each game at each number of tables starts bots and workers; a few of each are enough.
    assert TABLES == (1, 8, 64, 256)
    games, tables = ("hyrule",), (1, 64)
    monkeypatch.chdir(tmp_path)
    figures = bench_json(measure(None, 0.1, None, games, tables))
    assert set(figures["bare"]) == {"unary_1", "unary_64", "stream_1"}
    assert set(figures["referee"]) == {"mix", *games}
    for rates in (figures["bare"], *figures["referee"].values(), figures["rules"], figures["clone_us"]):
        assert all(rate > 0 for rate in rates.values())
    assert all(set(rates) == {f"tables_{n}" for n in tables} for rates in figures["referee"].values())
    assert figures["verify"] > 0
    assert set(figures["cpu_us_per_decision"]) == {"rules", "encoding", "scheduling", "transport", "store"}
    assert figures["latency_us"]["p99"] >= figures["latency_us"]["p50"] > 0
    assert list(tmp_path.iterdir()) == []  # nothing is left behind


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_of_each_game_are_measured(game):
    playouts = measure_rules(game, 0.1)
    assert playouts.rate > 0
    assert playouts.clone > 0


@pytest.mark.campaign
def test_however_slow_the_machine_there_is_a_decision_to_count_and_a_game_to_verify(tmp_path):
    referee = Referee(tmp_path, bench_bot(tmp_path / "bot"))
    speed = referee.measure(list(GAMES), 64, seconds=0, least=1)
    assert speed.rate > 0
    with League.read(referee.league) as league:
        assert list(league.games(1))
