"""What decorates the names of entrants: it is kept beside the hash chain."""

from __future__ import annotations

import apsw
import pytest

from arena.face import NO_FACE, Face
from arena.league.store import Contradiction, League
from tests.league.store.samples import TOURNAMENT

SPADE = "..#..\n.###.\n#####\n..#..\n.###."
ADA = Face("go", f"{SPADE}\nteal")


def faces(path) -> tuple[Face, ...]:
    with League.read(path) as league:
        return league.tournament(1).faces


def head(path) -> bytes:
    with League.read(path) as league:
        return [*league.chain()][-1].link


def test_faces_are_kept_and_replaced_and_no_link_changes(tmp_path):
    path = tmp_path / "a.league"
    with League.create_or_open(path) as league:
        league.start_tournament(TOURNAMENT, "", {0: ADA})
    before = head(path)
    assert faces(path) == (ADA, NO_FACE)
    with League.create_or_open(path) as league:
        league.keep_faces(1, {0: Face("rust"), 1: Face("c")})
        league.backup(tmp_path / "copy.league")
    assert faces(path) == faces(tmp_path / "copy.league") == (Face("rust"), Face("c"))
    assert head(path) == before
    with League.read(path) as league:
        league.require_sound(1)


def test_a_league_without_faces_has_no_table_for_them(tmp_path):
    path = tmp_path / "a.league"
    with League.create_or_open(path) as league:
        league.start_tournament(TOURNAMENT)
    assert faces(path) == (NO_FACE, NO_FACE)
    db = apsw.Connection(str(path))
    assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'face'").get == 0
    db.close()


@pytest.mark.parametrize(
    ("face", "shown"),
    [
        (Face("go\x1b[31m", SPADE), Face("", SPADE)),
        (Face("\u202ego", SPADE), Face("", SPADE)),
        (Face("x" * 41, f"{SPADE}\nteal\nteal"), NO_FACE),
        (Face("go", f"{SPADE}\n<b>"), Face("go")),
        (Face("go", SPADE.replace("#", ".")), Face("go")),
        (Face("go", "<svg/>"), Face("go")),
    ],
)
def test_what_cannot_be_shown_is_left_out(face, shown, tmp_path):
    path = tmp_path / "a.league"
    with League.create_or_open(path) as league:
        league.start_tournament(TOURNAMENT, "", {0: ADA})
        league.keep_faces(1, {0: face})
    assert faces(path)[0] == shown
    with apsw.Connection(str(path)) as db:  # whoever wrote it there
        db.execute("UPDATE face SET language = ?, emblem = ?", face)
    assert faces(path)[0] == shown


def test_the_face_of_nobody_is_refused(tmp_path):
    with League.create_or_open(tmp_path / "a.league") as league:
        league.start_tournament(TOURNAMENT)
        with pytest.raises(Contradiction):
            league.keep_faces(1, {2: ADA})
        assert league.tournament(1).faces == (NO_FACE, NO_FACE)
