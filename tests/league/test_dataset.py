"""The tables of a league: what `arena export --parquet` writes, and what docs/league-file.md says."""

from __future__ import annotations

import re
import shutil
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from arena.league.store import League, UnknownTournament
from arena.league.store.schema import KEEP_FACES, KEEP_LUCKS, KEEP_THOUGHTS, LUCK_TABLES
from arena.league.stored import record_of
from arena.report.game_log import game_steps
from arena.results import FAULT_REASONS, GameResult
from tests.arena_command import arena
from tests.referee.simulation import simulate

PAGE = Path(__file__).parents[2] / "docs" / "league-file.md"
NIGHT = 'name = "Night"\ngames = ["nyuri", "kleftis"]\nboards = 2\n'


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two finished tournaments and one that is not."""
    path = tmp_path_factory.mktemp("dataset") / "l.league"
    with League.create_or_open(path) as store:
        simulate(store, NIGHT, 3)
        simulate(store, NIGHT, 4)
        simulate(store, NIGHT, 3, at_most=2, finish=False)
    return path


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    found: list[dict[str, Any]] = parquet.read_table(folder / f"{table}.parquet").to_pylist()
    return found


def test_every_game_and_decision_of_the_finished_tournaments_is_in_the_tables(league, tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    folder = tmp_path / "tables"
    assert "README.md says what is there" in arena("export", league, "--parquet", folder, cwd=tmp_path).stderr
    games = {row["game"]: row for row in rows(folder, "games")}
    seats, decisions, faults = (rows(folder, name) for name in ("seats", "decisions", "faults"))
    with League.read(league) as store:
        stored = {number: result for id in (1, 2) for number, result in store.games(id)}
        assert games.keys() == stored.keys()
        assert {row["game"] for row in seats} == games.keys()
        for number, result in stored.items():
            record = record_of(store.game(number))
            log = [line for lines in game_steps(record, ["a"] * record.seats) for line in lines]
            assert games[number]["key"] == str(result.key)
            assert games[number]["actions"] == len(record.actions)
            assert [row for row in seats if row["game"] == number] == [*expected_seats(number, result)]
            chosen = [row for row in decisions if row["game"] == number]
            for row in chosen:
                assert record.actions[row["step"] - 1] == row["action"] < row["choices"]
                assert f"{row['step']:4}. seat {row['seat']} (a): {row['text']}" in log
            assert len(chosen) == sum(bool(re.match(r" *\d+\. seat \d+ \(a\): ", line)) for line in log)
            assert [
                (row["seat"], row["step"] - 1, row["reason"]) for row in faults if row["game"] == number
            ] == [(seat, step, fault.reason) for seat, step, fault in record.faults]
    assert [row["key"] for row in rows(folder, "tournaments")] == [bytes(range(32)).hex()] * 2
    assert len(rows(folder, "entrants")) == 7


def expected_seats(number: int, result: GameResult):
    """The rows of a game of two seats in the table of seats."""
    for at, seat in enumerate(result.seats):
        other = result.seats[1 - at]
        score = Fraction(1 + (seat.place < other.place) - (seat.place > other.place), 2)
        yield {
            "game": number, "seat": at, "entrant": seat.entrant, "place": seat.place, "points": seat.points,
            "score": float(score), "forfeit": seat.forfeit,
            **dict(zip(FAULT_REASONS, seat.faults, strict=True)),
            "decisions": seat.decisions, "time": seat.time,
        }  # fmt: skip


def test_the_data_card_names_every_column_and_its_query_runs(league, tmp_path):
    dataset = pytest.importorskip("arena.league.dataset", reason="needs the extra parquet")
    duckdb = pytest.importorskip("duckdb")
    with League.read(league) as store:
        assert dataset.write_dataset(store, tmp_path / "tables", 1) == 3 * 2 * 2 * 2
    card = (tmp_path / "tables" / "README.md").read_text("utf-8")
    for name, columns in dataset.TABLES.items():
        section = card.partition(f"## {name}.parquet")[2].partition("\n## ")[0]
        assert re.findall(r"^\| (\w+) \|", section, re.MULTILINE)[1:] == [*columns]
        assert f": {len(rows(tmp_path / 'tables', name))} rows" in section
    (query,) = re.findall(r"```sql\n(.*?)```", card, re.DOTALL)
    found = duckdb.sql(query.replace(" '", f" '{tmp_path}/tables/")).fetchall()
    assert len(found) == 3 * 2
    assert sum(games for _, _, games, _ in found) == 2 * 3 * 2 * 2 * 2


def test_what_is_asked_for_wrongly_is_told_and_leaves_nothing(league, tmp_path):
    dataset = pytest.importorskip("arena.league.dataset", reason="needs the extra parquet")
    folder = tmp_path / "tables"
    with League.read(league) as store, pytest.raises(UnknownTournament, match="not finished"):
        dataset.write_dataset(store, folder, 3)
    assert not folder.exists()
    folder.mkdir()
    assert "exists already" in arena("export", league, "--parquet", folder, cwd=tmp_path, code=2).stderr
    both = arena("export", league, "--parquet", folder, "-o", "x", cwd=tmp_path, code=2).stderr
    assert "either --output or --parquet" in both
    nowhere = tmp_path / "nowhere" / "tables"
    assert "cannot be written" in arena("export", league, "--parquet", nowhere, cwd=tmp_path, code=2).stderr


def test_the_page_names_every_table_and_column_and_its_queries_run(league, tmp_path):
    page = PAGE.read_text("utf-8")
    described = {
        table: re.findall(r"`([a-z_]+)`", columns)
        for table, columns in re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", page, re.MULTILINE)
    }
    whole = shutil.copy(league, tmp_path / "whole.league")
    opened = sqlite3.connect(whole)
    try:
        lucks = [KEEP_LUCKS.format(table=table) for table in LUCK_TABLES.values()]
        for later in (KEEP_FACES, *lucks, KEEP_THOUGHTS):
            opened.execute(later)
        tables = [name for (name,) in opened.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        assert sorted(described) == sorted(tables)
        for table, columns in described.items():
            found = [row[1] for row in opened.execute(f"PRAGMA table_info({table})")]
            assert sorted(columns) == sorted(found), table
        for query in re.findall(r"```sql\n(.*?)```", page, re.DOTALL):
            assert opened.execute(query).fetchall()
    finally:
        opened.close()
