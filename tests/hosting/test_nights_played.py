"""A night between two parts of a ladder, in one league file, with kills of the process that plays it."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import time
from datetime import UTC, datetime, timedelta

import pytest

from arena.hosting.database import Database
from arena.hosting.nights import LOBBY, Orders, look, read_nights
from arena.hosting.place import Place
from arena.league.store import League, LeagueNotFound
from arena.league.stored import season_of
from arena.link.local.sandbox import Level, Trust
from arena.strict_toml import WrongFile, parse
from arena.view.league.reader import LeagueReader
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import UNHURRIED, good_bot
from tests.hosting.standing_league import SETTINGS, Club, until
from tests.patience import PATIENCE

NIGHT = (
    '[[night]]\nname = "Friday night"\nfile = "friday.toml"\non = "friday 19:00"\nzone = "Europe/Berlin"\n'
)
DUE = datetime(2025, 12, 5, 18, tzinfo=UTC)  # long ago, so that the tournament itself never waits

pytestmark = pytest.mark.campaign


def orders(place: Place, database: Database, now: datetime) -> Orders:
    plans = read_nights(parse(NIGHT, place.settings, WrongFile), place.folder)
    return look(place, database, plans, now, lambda after: None, Trust(Level.NONE, threads=2), 8)


def games(place: Place, tournament: int) -> int:
    try:
        with League.read(place.league) as league:
            return len([*league.games(tournament)]) if len(league.tournaments()) >= tournament else 0
    except LeagueNotFound:
        return 0


def wait_for_games(place: Place, tournament: int, more_than: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while games(place, tournament) <= more_than:
        assert time.monotonic() < deadline
        assert process.poll() is None, (place.folder / "child.log").read_text()
        time.sleep(0.05)


def begun(place: Place, words: tuple[str, ...]) -> subprocess.Popen[bytes]:
    with (place.folder / "child.log").open("ab") as log:
        return subprocess.Popen([*ARENA, *words], cwd=place.folder, stdout=log, stderr=log)


def test_a_night_is_played_while_the_ladder_rests(tmp_path):
    place = Place(tmp_path)
    place.tournaments.mkdir()
    (tmp_path / "friday.toml").write_text('games = ["nyuri"]\nboards = 4\nconcurrency = 1\n')
    tables = []
    with contextlib.ExitStack() as stack, Database(place.database, writer=True) as database:
        account = database.add_account("Ada", "author")
        for name in ("one", "two", "three"):
            bot = database.add_bot(account, name)
            version = database.add_version(bot, "", 1, "")
            made = good_bot(place.folder, name, UNHURRIED)
            shutil.copytree(made, place.bot(version))
            tables.append(f'[[entrant]]\nname = "{name} v1"\nbot = "../submissions/{version}/bot"\n')
            database.activate(bot, version)
        season = place.tournaments / "season-1.toml"
        season.write_text(
            'name = "Season"\ngames = ["nyuri"]\nsandbox = "none"\n[[stage]]\nformat = "ladder"\n'
            + "".join(tables)
        )
        assert orders(place, database, DUE - LOBBY - timedelta(days=1)).night is None
        ladder = begun(place, ("run", str(season), "--league", str(place.league), "--hosted"))
        wait_for_games(place, 1, 3, ladder)
        night = orders(place, database, DUE)
        assert night.night is not None
        ladder.send_signal(signal.SIGTERM)
        ladder.wait(PATIENCE)
        before, kills = games(place, 1), 0
        reader = LeagueReader(place.league)
        stack.callback(reader.close)
        while night.night is not None:
            child = begun(place, night.command)
            if kills < 3:
                wait_for_games(place, 2, games(place, 2), child)
                child.kill()
                kills += 1
                assert reader.last() == 2  # the page shows the night
            assert child.wait(PATIENCE) in (0, -signal.SIGKILL), (place.folder / "child.log").read_text()
            night = orders(place, database, DUE + timedelta(minutes=1))
        assert reader.last() == 2  # its podium
        newest = reader.newest()
        assert newest is not None
        assert newest.id == 1
        assert [each.state for each in database.nights()][:1] == ["played"]
        assert games(place, 1) == before
        ladder = begun(place, ("resume", str(place.league), "--tournament", "1", "--hosted"))
        wait_for_games(place, 1, before, ladder)
        ladder.send_signal(signal.SIGTERM)
        ladder.wait(PATIENCE)
    with League.read(place.league) as league:
        assert [each.id for each in season_of(league)] == [2]  # of the two only the night counts
    arena("verify", place.league, cwd=tmp_path)


def test_the_terminal_of_the_host_shows_the_tokens(tmp_path):
    due = datetime.now(UTC) + timedelta(minutes=10, seconds=1)
    night = f'[[night]]\nname = "Night"\nfile = "night.toml"\ndate = {due.isoformat()}\n'
    (tmp_path / "night.toml").write_text('games = ["hyrule"]\n')
    club = Club(tmp_path, f'{SETTINGS}{night}freeze = "10m"\nhouse = true\nguests = ["visitor"]\n')
    club.up()
    try:
        assert until(lambda: "  visitor: ARENA_TOKEN=" in (tmp_path / "up.log").read_text())
    finally:
        club.down()
