"""A league file that is moved together with what lies beside it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from arena.league.store import EntrantInfo, League, TournamentInfo
from arena.league.store.errors import NotALeague, PathNotKept
from tests.league.store.samples import TOURNAMENT, finished_game, problems_of

ADMIT = {
    "kind": "admit",
    "entrant": 3,
    "name": "late",
    "how": "bot",
    "version": "1",
    "author": "Bob",
    "since": 0,
}


def _played(folder: Path) -> League:
    """A new league in a folder, whose bots and tournament file lie below the folder, but for one bot."""
    league = League.create_or_open(folder / "club.league")
    bots = (
        EntrantInfo("near", str(folder / "bots" / "near")),
        EntrantInfo("far", "/bots/far"),
        EntrantInfo("guest", "host:50051"),
    )
    info = TOURNAMENT._replace(file_path=folder / "tournaments" / "friday.toml", entrants=bots)
    league.start_tournament(info)
    ruling = {**ADMIT, "source": str(folder / "bots" / "late")}
    league.record_ruling(1, json.dumps(ruling), "came late", request="7")
    league.record_game(1, finished_game())
    return league


def _places(league: League) -> tuple[Path, list[str], str]:
    """What is read: the tournament file, the bots, and the source in the ruling."""
    stored = league.tournament(1)
    (ruling,) = league.rulings(1)
    return stored.file_path, [each.bot for each in stored.entrants], json.loads(ruling.ruling)["source"]


def _expected(folder: Path) -> tuple[Path, list[str], str]:
    late = str(folder / "bots" / "late")
    near = str(folder / "bots" / "near")
    return folder / "tournaments" / "friday.toml", [near, "/bots/far", "host:50051", late], late


def _chain_problems(league: League) -> list[str]:
    """The problems with the hash chain and the rows; the sample's deals and schedule are not checked."""
    return [each for each in problems_of(league) if "chain" in each or "entrant" in each or "path" in each]


def test_paths_below_its_folder_move_with_the_league_file(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    with _played(here) as league:
        assert _places(league) == _expected(here)
    assert bytes(here) not in (here / "club.league").read_bytes()
    shutil.move(here, there)
    with League.create_or_open(there / "club.league") as league:
        assert _places(league) == _expected(there)
        assert league.has_decided(1, "7")
        assert _chain_problems(league) == []
        league.finish_tournament(1)
        league.require_sound(1)


@pytest.mark.parametrize(
    "info",
    [
        TOURNAMENT._replace(file_path=Path("/by\udcfftes/friday.toml")),
        TOURNAMENT._replace(entrants=(EntrantInfo("bot", "/by\udcfftes"),)),
    ],
)
def test_a_path_that_is_not_utf8_is_refused_with_a_sentence(tmp_path: Path, info: TournamentInfo) -> None:
    with League.create_or_open(tmp_path / "club.league") as league:
        with pytest.raises(PathNotKept, match=r"by\\udcfftes.* is not in UTF-8.*: rename"):
            league.start_tournament(info)
        assert league.tournaments() == []


def test_a_pipe_is_no_league(tmp_path: Path) -> None:
    path = tmp_path / "club.league"
    os.mkfifo(path)
    with pytest.raises(NotALeague, match="is not a file; give the path of a league file"):
        League.create_or_open(path)


def test_a_history_is_taken_over_link_by_link_with_its_relative_paths(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    with _played(here) as league, League.create_or_open(there / "club.league") as other:
        league.finish_tournament(1)
        other.append(league.history())
        assert [each.link for each in other.chain()] == [each.link for each in league.chain()]
        assert _places(other) == _expected(there)
