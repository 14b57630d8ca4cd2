"""Seasons of a ladder, in simulated time: what `look` has played, and which league file comes of it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.hosting.seasons import CLOSED, Due, look
from arena.hosting.settings import Settings, parse_settings
from arena.kits import copy_example
from arena.runner.night.host_requests import Refused, ask
from arena.store import League, StoredTournament, StoreError
from arena.tournament.rulings import Withdraw, read_ruling
from tests.patience import PATIENCE

DECEMBER, JANUARY = datetime(2026, 12, 5, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
SETTINGS = 'name = "Club"\ngames = ["hyrule"]\nsandbox = "none"\nhouse = ["greedy-python", "random-python"]\n'


class Seasons:
    def __init__(self, place: Place, database: Database) -> None:
        self.place, self.database = place, database
        self.settings: Settings = parse_settings(SETTINGS, place.settings)

    def look(self, now: datetime) -> Due:
        return look(self.place, self.settings, self.database, now)

    def stored(self) -> list[StoredTournament]:
        try:
            with League.read(self.place.league) as league:
                return league.tournaments()
        except StoreError:
            return []

    def play(self, due: Due) -> None:
        """Plays what is due until it is in the league file."""
        before = len(self.stored())
        run = subprocess.Popen(
            [sys.executable, "-m", "arena.cli", *due.command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + PATIENCE
        while len(self.stored()) == before:
            assert time.monotonic() < deadline
            assert run.poll() is None
            time.sleep(0.05)
        run.terminate()
        run.wait(PATIENCE)


@pytest.fixture
def seasons(tmp_path: Path) -> Iterator[Seasons]:
    place = Place(tmp_path)
    with Database(place.database, writer=True) as database:
        yield Seasons(place, database)


def test_a_season_follows_another(seasons: Seasons) -> None:
    due = seasons.look(DECEMBER)
    assert due == seasons.look(DECEMBER)  # it was not begun: the same again
    seasons.play(due)
    resumed = seasons.look(DECEMBER)
    assert (due.what, due.command[0]) == (resumed.what, "run")
    assert resumed.command[0] == "resume"
    seasons.play(seasons.look(JANUARY))
    assert [each.name for each in seasons.stored()] == ["Club 2026-12", "Club 2027-01"]
    assert [each.finished is None for each in seasons.stored()] == [False, True]


def test_a_season_that_the_host_ended_is_followed_by_another_at_once(seasons: Seasons) -> None:
    seasons.play(seasons.look(DECEMBER))
    ask(seasons.place.league, "end")
    seasons.play(seasons.look(DECEMBER))
    assert [each.file_path.name for each in seasons.stored()] == [
        "season-2026-12.toml",
        "season-2026-12.2.toml",
    ]


def test_one_bot_is_not_enough(seasons: Seasons) -> None:
    seasons.settings = seasons.settings._replace(house=seasons.settings.house[:1])
    assert seasons.look(DECEMBER) == Due()


def test_a_bot_of_the_house_is_admitted_and_withdrawn(seasons: Seasons) -> None:
    greedy, random = seasons.settings.house
    seasons.play(seasons.look(DECEMBER))
    thoughtful = greedy.with_name("thoughtful-python")
    seasons.settings = seasons.settings._replace(house=(greedy, thoughtful))
    for _ in range(2):  # the second look changes nothing
        seasons.look(DECEMBER)
        with League.read(seasons.place.league) as league:
            (stored,) = league.tournaments()
            assert [each.name for each in stored.entrants] == ["greedy", "random", "thoughtful"]
            assert stored.entrants[2].author == "house"
            kinds = [ruling.ruling for ruling in league.rulings(1) if '"withdraw"' in ruling.ruling]
            assert len(kinds) == 1
    assert random.is_dir()


def test_no_file_of_a_league_names_the_folder_in_which_it_lies(seasons: Seasons) -> None:
    """So the folder can be moved: see also the restored backup in test_host_process."""
    seasons.play(seasons.look(DECEMBER))
    greedy, random = seasons.settings.house
    thoughtful = greedy.with_name("thoughtful-python")
    seasons.settings = seasons.settings._replace(house=(greedy, random, thoughtful))
    seasons.look(DECEMBER)
    with League.read(seasons.place.league) as league:
        (stored,) = league.tournaments()
    assert [Path(each.bot) for each in stored.entrants] == [
        seasons.place.house / "greedy-python",
        seasons.place.house / "random-python",
        seasons.place.house / "thoughtful-python",
    ]
    assert stored.file_path == seasons.place.tournaments / "season-2026-12.toml"
    folder = bytes(seasons.place.folder)
    files = [path for path in seasons.place.folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert seasons.place.league in files
    assert [path for path in files if folder in path.read_bytes()] == []


def test_a_bot_that_may_not_play_keeps_nobody_else_out(seasons: Seasons) -> None:
    """It plays none of the season's games: the host has changed the games since the season began."""
    due = seasons.look(DECEMBER)
    seasons.play(due)
    for name, games in (("greedy", 'games = ["nyuri"]'), ("modest", "")):
        with seasons.database.transaction():
            account = seasons.database.add_account(name, "author")
            bot = seasons.database.add_bot(account, name)
            version = seasons.database.add_version(bot, name, 1, "")
            seasons.database.change_version(version, state="accepted")
            seasons.database.activate(bot, version)
        folder = seasons.place.bot(version)
        folder.mkdir(parents=True)
        (folder / "bot.toml").write_text(f'name = "{name}"\n{games}\n[run]\ncommand = ["true"]\n')
    with pytest.raises(Refused, match="greedy v1, who came late, does not play hyrule"):
        seasons.look(DECEMBER)
    assert [each.name for each in seasons.stored()[0].entrants][2:] == ["modest v1"]


def test_a_closed_account_plays_no_more_in_a_night_that_is_played(seasons: Seasons) -> None:
    begins = datetime(2025, 12, 5, tzinfo=UTC)  # long ago, so that the tournament itself never waits
    (seasons.place.folder / "night.toml").write_text('games = ["hyrule"]\nboards = 500\n')
    night = '[[night]]\nname = "Night"\nfile = "night.toml"\ndate = 2025-12-05T00:00:00\nzone = "UTC"\n'
    seasons.settings = parse_settings(f"{SETTINGS}{night}", seasons.place.settings)
    for name in ("Ada", "Bob", "Cleo"):
        with seasons.database.transaction():
            account = seasons.database.add_account(name, "author")
            bot = seasons.database.add_bot(account, f"{name}bot")
            version = seasons.database.add_version(bot, name, 1, "")
            seasons.database.activate(bot, version)
        seasons.place.submission(version).mkdir(parents=True)
        copy_example(seasons.settings.house[1], seasons.place.bot(version))
    seasons.look(begins - timedelta(days=1))
    due = seasons.look(begins)
    assert due.what.startswith("night")
    seasons.play(due)
    seasons.look(begins)
    with seasons.database.transaction():
        bob = seasons.database.account_called("Bob")
        assert bob is not None
        seasons.database.revoke(bob.id)
    for _ in range(2):  # it is withdrawn once
        assert seasons.look(begins).what == due.what
    (stored,) = seasons.stored()
    with League.read(seasons.place.league) as league:
        rulings = [(read_ruling(each.ruling), each.reason) for each in league.rulings(stored.id)]
    withdrawn = [
        (stored.entrants[each.entrant].name, why) for each, why in rulings if isinstance(each, Withdraw)
    ]
    assert withdrawn == [("Bobbot", CLOSED)]
