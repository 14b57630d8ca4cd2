"""Which bot an entrant is a version of: told by the folder from which it plays, not by its name."""

from __future__ import annotations

from pathlib import Path

from arena.hosting.database import Database
from arena.hosting.pages.season_bots import BotOf
from arena.hosting.place import Place
from arena.league.store import EntrantInfo


def entrant(name: str, folder: Path) -> EntrantInfo:
    return EntrantInfo(name, str(folder), "", "")


def test_a_bot_is_known_by_its_folder_whatever_names_look_like(tmp_path):
    place = Place(tmp_path)
    bot_of = BotOf(place)
    assert bot_of(entrant("walker v1", tmp_path / "nowhere")) == "", "there is no database yet"
    with Database(place.database, writer=True) as database:
        ada = database.add_account("Ada", "author")
        first = database.add_version(database.add_bot(ada, "rook v2"), "0" * 64, 1, "")
        assert bot_of(entrant("rook v2 v1", place.bot(first))) == "rook v2"
        assert bot_of(entrant("rook", place.bot(first))) == "rook v2", "in a night its name has no version"
        assert bot_of(entrant("house v1", tmp_path / "house")) == "", "a bot of the host is no version"
        second = database.add_version(database.add_bot(ada, "pawn"), "1" * 64, 1, "")
        assert bot_of(entrant("pawn v1 (2)", place.bot(second))) == "pawn", "it came after the first look"
