"""A damaged or edited league never gives wrong tables: a reading command refuses it, or prints the truth.

ARENA_EDITS is how many edits of each kind are tried, ARENA_EDITS_SEED which.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli.commands import arena
from arena.league.store import League
from tests.faults.edits import EDITS, STAGES, edit_row, rng_of
from tests.referee.simulation import simulate

COMMANDS = (
    ("standings", "--json", "--no-intervals"),
    ("standings", "--tournament", "1", "--json", "--no-intervals"),
    ("season", "--json"),
    ("replay", "--tournament", "1", "--json"),
    ("replay", "3", "--json"),
    ("replay", "--tournament", "1", "1.1.1/hyrule/1.1"),
    ("export",),
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a league with a finished tournament and one that is not."""
    path = tmp_path_factory.mktemp("leagues") / "written.league"
    with League.create_or_open(path) as league:
        simulate(league, f'name = "first"\ngames = ["hyrule"]\nboards = 1\n{STAGES}', 3)
        simulate(league, 'name = "unfinished"\nseats = 3\ngames = ["nur-mut"]\nboards = 1\n', 4, finish=False)
    return path.read_bytes()


def printed(path: Path, command: tuple[str, ...]) -> tuple[int, str, str]:
    """The exit code of a command, what it printed, and what it said on standard error."""
    name, *options = command
    done = CliRunner().invoke(arena, [name, str(path), *options])
    assert done.exception is None or isinstance(done.exception, SystemExit), (command, done.exc_info)
    return done.exit_code, done.stdout, done.stderr


def check(path: Path, expected: dict[tuple[str, ...], str], told: str) -> bool:
    """Whether a command refused the league; each one either did, in one sentence, or printed the truth."""
    refused = False
    for command, text in expected.items():
        code, output, errors = printed(path, command)
        if code == 0:
            assert output == text, (command, told)
            continue
        refused = True
        assert code == 2, (command, told, errors)
        assert errors.startswith("arena: "), (command, told, errors)
        assert errors.count("\n") == 1, (command, told, errors)
    return refused


@pytest.fixture
def expected(written, tmp_path) -> dict[tuple[str, ...], str]:
    path = tmp_path / "a.league"
    path.write_bytes(written)
    outputs: dict[tuple[str, ...], str] = {}
    for command in COMMANDS:
        code, outputs[command], errors = printed(path, command)
        assert (code, errors) == (0, "")
    assert path.read_bytes() == written
    return outputs


def test_a_changed_byte_never_changes_what_is_printed(written, expected, tmp_path):
    path = tmp_path / "a.league"
    rng = rng_of("read bytes")
    refused = 0
    for number in range(EDITS // 3):
        data = bytearray(written)
        at = rng.randrange(4096 if number % 10 == 0 else len(data))
        data[at] ^= rng.randrange(1, 256)
        path.write_bytes(data)
        refused += check(path, expected, f"edit {number}: byte {at} to {data[at]}")
    assert refused > EDITS // 10


def test_a_changed_row_never_changes_what_is_printed(written, expected, tmp_path):
    path = tmp_path / "a.league"
    rng = rng_of("read rows")
    refused = 0
    for number in range(EDITS // 2):
        path.write_bytes(written)
        told = edit_row(path, rng)
        refused += check(path, expected, f"edit {number}: {told}")
    assert refused > EDITS // 6


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_sentence_names_the_remedies(written, tmp_path, command):
    path = tmp_path / "a.league"
    path.write_bytes(written)
    with League.create_or_open(path) as league:
        league._db.execute("UPDATE seat SET points = points + 1")
    code, _, errors = printed(path, command)
    assert code == 2
    for word in ("is damaged", "arena verify", "copy", "arena backup"):
        assert word in errors
