"""What earlier versions wrote stays readable: leagues, records and exports, kept from each of them.

`tests/golden/leagues/schema-N.league` was written with N migrations and
`export-N.jsonl` in the Nth form. They are never written anew; a new schema or
form adds a file.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.link.records import decode_record
from arena.report.game_log import game_steps
from arena.report.standings_text import summary_text
from arena.runner.summary import summarize
from arena.runner.transfer import export_lines, import_lines
from arena.runner.verification import Verification
from arena.store import League, schema

FOLDER = Path(__file__).parents[1] / "golden" / "leagues"
HEADS = {
    "schema-1": "07870b06750efdcfa0709f8e9cfa523c5ad5ffc6b604db9e8c908b723126514b",
}
"""The last link of each league's hash chain, as its own version printed it."""


def head(league: League) -> str:
    verification = Verification(league)
    assert [problem for problem in verification.problems() if problem] == []
    return verification.verified.head.hex()


def test_there_is_a_league_of_every_schema():
    assert {path.stem for path in FOLDER.glob("*.league")} == set(HEADS)
    assert set(HEADS) == {f"schema-{number + 1}" for number in range(len(schema.MIGRATIONS))}


@pytest.mark.parametrize("name", HEADS)
def test_an_old_league_opens_verifies_and_is_exported_as_then(tmp_path, name):
    path = tmp_path / "old.league"
    shutil.copy(FOLDER / f"{name}.league", path)
    with League.read(path) as league:
        assert head(league) == HEADS[name]
        for tournament in league.tournaments():
            assert tournament.name in summary_text(summarize(league, tournament.id))
            for number, result in league.games(tournament.id):
                names = [tournament.entrants[seat.entrant].name for seat in result.seats]
                assert list(game_steps(decode_record(league.game(number).record), names))
        lines = list(export_lines(league))
    assert lines[1:] == (FOLDER / "export-1.jsonl").read_text().splitlines()[1:]


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_an_old_export_comes_in(tmp_path, file):
    with file.open(encoding="utf-8") as lines:
        tournaments = import_lines(lines, file.name, tmp_path / "new.league", lambda games: None)
    assert [tournament.name for tournament in tournaments] == ["All games", "Cup", "At four"]
