"""A league file that anything changed is refused or found by `arena verify`, never met with a traceback.

ARENA_EDITS is how many edits of each kind are tried, ARENA_EDITS_SEED which.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import apsw
import pytest

from arena.league.store import League, StoreError
from arena.league.verification import Verification
from tests.arena_command import arena
from tests.faults.edits import EDITS, STAGES, TABLES, edit_row, rng_of
from tests.league.store.samples import problems
from tests.referee.simulation import simulate


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a league with two finished tournaments and one that is not."""
    path = tmp_path_factory.mktemp("leagues") / "written.league"
    with League.create_or_open(path) as league:
        simulate(league, f'name = "first"\ngames = ["hyrule"]\nboards = 1\n{STAGES}', 3)
        simulate(league, 'name = "tables"\ngames = ["nur-mut"]\nseats = 3\nboards = 1\n', 4)
        simulate(league, 'name = "unfinished"\ngames = ["hyrule"]\nboards = 1\n', 2, finish=False)
    return path.read_bytes()


def content(path: Path) -> dict[str, Counter[tuple[Any, ...]]] | None:
    """Every row of every table, both as the table has it and as its indexes do; None if it cannot be read."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    rows: dict[str, Counter[tuple[Any, ...]]] = {}
    try:
        for table in TABLES:
            rows[table] = Counter(db.execute(f"SELECT * FROM {table} NOT INDEXED"))
            for _, index, *_ in db.execute(f"PRAGMA index_list({table})"):
                columns = [name for _, _, name in db.execute(f"PRAGMA index_info({index})")]
                query = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(columns)}"
                rows[index] = Counter(db.execute(query))
    except (apsw.Error, UnicodeDecodeError):
        return None
    finally:
        db.close()
    return rows


def found(path: Path) -> list[str]:
    """What is wrong with a league, or why it is refused."""
    try:
        return problems(path)
    except StoreError as error:
        return [str(error)]


def test_nothing_is_found_in_a_league_that_nobody_changed(written, tmp_path):
    path = tmp_path / "a.league"
    path.write_bytes(written)
    assert found(path) == []


def test_a_changed_byte_that_matters_is_found(written, tmp_path):
    path = tmp_path / "a.league"
    path.write_bytes(written)
    original = content(path)
    rng = rng_of("bytes")
    meaningful = 0
    for number in range(EDITS):
        data = bytearray(written)
        # The header, and the root page with the schema, are small and matter most: every tenth edit is there.
        at = rng.randrange(100 if number % 20 == 0 else 4096 if number % 20 == 10 else len(data))
        old = data[at]
        data[at] = rng.choice([value for value in range(256) if value != old])
        path.write_bytes(data)
        if content(path) != original:
            meaningful += 1
            assert found(path), f"edit {number}: byte {at} from {old} to {data[at]}"
        else:
            found(path)  # raises nothing but StoreErrors
    print(f"bytes: {EDITS} edits, {meaningful} of them meaningful, all of these found")  # noqa: T201 - figures for a person, with pytest -s
    assert meaningful >= EDITS // 4


def test_a_changed_row_is_found(written, tmp_path):
    path = tmp_path / "a.league"
    path.write_bytes(written)
    original = content(path)
    rng = rng_of("rows")
    meaningful: Counter[str] = Counter()
    for number in range(EDITS):
        path.write_bytes(written)
        what = edit_row(path, rng)
        if content(path) != original:
            meaningful[what.split()[0]] += 1
            assert found(path), f"edit {number}: {what}"
    print(f"rows: {EDITS} edits, meaningful and found: {dict(meaningful)}")  # noqa: T201 - figures for a person, with pytest -s
    assert meaningful.total() >= EDITS // 2


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE seat SET tournament = 1 WHERE game = (SELECT max(number) FROM game)", "another tournament"),
        ("UPDATE seat SET seat = seat + 1 WHERE seat = 1 AND game = 3", "not numbered from 0"),
        ("UPDATE entrant SET number = 7 WHERE number = 2 AND tournament = 1", "not numbered from 0"),
        ("UPDATE tournament SET started = replace(started, 'T', ' ') WHERE id = 1", "not written as"),
        ("UPDATE tournament SET file_path = './' || file_path WHERE id = 1", "not written as"),
        ("UPDATE tournament SET started = 'noon' WHERE id = 1", "'noon' is not a time"),
        ("UPDATE tournament SET name = CAST(x'ff' AS TEXT) WHERE id = 1", "is damaged"),
        ("INSERT INTO entrant VALUES (9, 0, 'a', 'b', 'c', 'd')", "of a tournament that is not there"),
    ],
)
def test_verify_tells_what_is_wrong(written, tmp_path, statement, told):
    path = tmp_path / "a.league"
    path.write_bytes(written)
    db = apsw.Connection(str(path))
    db.execute(statement)
    assert db.changes() > 0
    db.close()
    assert told in arena("verify", path, cwd=tmp_path, code=1).stdout


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"CREATE TABLE seat", b"CREATE TABLE sEAT"), (b"(length(link) = 32)", b"(length(link) = 33)")],
)
def test_tables_that_are_not_those_of_a_league_are_refused(written, tmp_path, old, new):
    path = tmp_path / "a.league"
    assert written.count(old) == 1
    path.write_bytes(written.replace(old, new))
    assert "is damaged" in arena("verify", path, cwd=tmp_path, code=1).stdout
    assert "is damaged" in arena("standings", path, cwd=tmp_path, code=2).stderr


@pytest.mark.parametrize("version", [-3, 0])
def test_a_version_that_no_league_has_is_damage(written, tmp_path, version):
    path = tmp_path / "a.league"
    path.write_bytes(written)
    with apsw.Connection(str(path)) as db:
        db.pragma("user_version", version)
    for command in ("standings", "resume"):
        assert re.search("damaged|older version", arena(command, path, cwd=tmp_path, code=2).stderr)
    assert "damaged" in arena("verify", path, cwd=tmp_path, code=1).stdout


def test_a_league_is_verified_as_it_was_at_the_beginning_while_games_come_in(tmp_path):
    path = tmp_path / "a.league"
    with League.create_or_open(path) as writer:
        simulate(writer, 'name = "first"\ngames = ["hyrule"]\nboards = 1\n', 2)
        with League.read(path) as league:
            verification = Verification(league)
            checking = verification.problems()
            assert next(checking) is None
            simulate(writer, 'name = "second"\ngames = ["hyrule"]\nboards = 1\n', 2)
            assert [problem for problem in checking if problem is not None] == []
            assert verification.verified.tournaments == 1
