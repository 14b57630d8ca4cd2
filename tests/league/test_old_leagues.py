"""Leagues, records and exports of every earlier version stay readable.

`tests/golden/leagues/schema-N.league` was written with N migrations and
`export-N.jsonl` in the Nth form. They are never written anew; a new schema or
form adds a file.
"""

from __future__ import annotations

import shutil

import pytest

from arena.league.interchange import export_lines, import_lines
from arena.league.store import League, schema
from arena.league.summary import summarize
from arena.link.wire.messages import decode_record
from arena.report.game_log import game_steps
from arena.report.standings_text import summary_text
from arena.results import cyclic_seating
from tests.league.old_leagues import EXPORTS, FOLDER, HEADS, head
from tests.league.store.samples import keys_of

"""The last link of each league's hash chain, as its own version printed it."""
"""The export of each of them."""


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
    assert lines[1:] == (FOLDER / f"{EXPORTS[name]}.jsonl").read_text().splitlines()[1:]


def test_games_of_before_there_were_seatings_have_the_cyclic_ones(tmp_path):
    path = tmp_path / "old.league"
    shutil.copy(FOLDER / "schema-1.league", path)
    with League.read(path) as league:
        keys = [key for item in league.tournaments() for key in keys_of(league, item.id)]
    assert {len(key.seating) for key in keys} == {2, 4}
    assert all(key.seating == cyclic_seating(len(key.seating), key.rotation) for key in keys)


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_an_old_export_comes_in(tmp_path, file):
    with file.open(encoding="utf-8") as lines:
        tournaments = import_lines(lines, file.name, tmp_path / "new.league", lambda games: None)
    names = [tournament.name for tournament in tournaments]
    assert names[:3] == ["All games", "Cup", "At four"]
    assert names[3:] == ([] if file.stem == "export-1" else ["Withdrawn"])
