"""The standings as JSON."""

from __future__ import annotations

import dataclasses

from arena.report.standings_data import summary_json
from arena.runner.leagues.summary import summarize
from arena.standings.table import standings
from arena.store import League
from tests.runner.simulation import simulate
from tests.standings.games import league


def test_every_tie_break_is_there_in_its_order_also_one_that_was_used_twice(tmp_path):
    with League.create_or_open(tmp_path / "l.league") as store:
        simulate(store, 'name = "test"\ngames = ["hyrule"]\nboards = 1\n', 5)
        summary = summarize(store, 1, intervals=False)
    # Direct encounter separates some of those that are level, and is then used again on the others.
    rows = standings(league(["-010=", "1-0==", "01-01", "1=1-0", "==01-"]), range(5))
    shown = summary_json(dataclasses.replace(summary, rows=tuple(rows)))["standings"]
    used = [[(item.code, str(item.value)) for item in row.tie_breaks] for row in rows]
    assert [code for code, _ in max(used, key=len)].count("DE") == 2
    assert [[(item["code"], item["exact"]) for item in row["tie_breaks"]] for row in shown] == used
    assert all(set(item) == {"code", "value", "exact"} for row in shown for item in row["tie_breaks"])
