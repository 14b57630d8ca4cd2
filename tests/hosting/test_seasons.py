"""Seasons of a ladder, in simulated time: what `look` has played, and which league file comes of it.

Nothing is played: what is due begins in the league file, as `arena run` begins it, and the test ends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.hosting.seasons import CLOSED, Due, look
from arena.hosting.settings import Settings, parse_settings
from arena.kits import copy_example
from arena.league.store import League, StoredTournament, StoreError
from arena.league.stored import course_of, plan_of, stored_tournament
from arena.league.summary import final_places
from arena.link.local.sandbox import Asked, Level
from arena.referee.night.host_requests import ask
from arena.tournament.rulings import Admit, Withdraw, effects_of, read_ruling
from tests.hosting.standing_league import begin
from tests.referee.simulation import play_course

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

    def begin(self, due: Due) -> None:
        """Begins what is due, as the first look of `arena run` does."""
        assert due.command[0] == "run"
        begin(self.place.league, Path(due.command[1]))

    def submit(self, name: str, bot: str) -> int:
        """A bot of a new author plays from now on; returns the id of its version."""
        with self.database.transaction():
            number = self.database.add_bot(self.database.add_account(name, "author"), bot)
            version = self.database.add_version(number, bot, 1, "")
            self.database.change_version(version, state="accepted")
            self.database.activate(number, version)
        self.place.submission(version).mkdir(parents=True)
        copy_example(self.settings.house[1], self.place.bot(version))
        return version

    def playing(self) -> list[str]:
        """The entrants of the first tournament that are not withdrawn."""
        with League.read(self.place.league) as league:
            stored, *_ = league.tournaments()
            rulings = [read_ruling(each.ruling) for each in league.rulings(stored.id)]
        gone = effects_of(len(stored.first_entrants), rulings).withdrawn
        return [each.name for number, each in enumerate(stored.entrants) if number not in gone]


@pytest.fixture
def seasons(tmp_path: Path) -> Iterator[Seasons]:
    place = Place(tmp_path)
    with Database(place.database, writer=True) as database:
        yield Seasons(place, database)


def test_a_season_follows_another(seasons: Seasons) -> None:
    due = seasons.look(DECEMBER)
    assert due == seasons.look(DECEMBER)  # it was not begun: the same again
    seasons.begin(due)
    resumed = seasons.look(DECEMBER)
    assert (due.what, due.command[0]) == (resumed.what, "run")
    assert resumed.command[0] == "resume"
    seasons.begin(seasons.look(JANUARY))
    assert [each.name for each in seasons.stored()] == ["Club 2026-12", "Club 2027-01"]
    assert [each.finished is None for each in seasons.stored()] == [False, True]


def test_a_season_that_the_host_ended_is_followed_by_another_at_once(seasons: Seasons) -> None:
    seasons.begin(seasons.look(DECEMBER))
    ask(seasons.place.league, "end")
    seasons.begin(seasons.look(DECEMBER))
    assert [each.file_path.name for each in seasons.stored()] == [
        "season-2026-12.json",
        "season-2026-12.2.json",
    ]


def test_one_bot_is_not_enough(seasons: Seasons) -> None:
    seasons.settings = seasons.settings._replace(house=seasons.settings.house[:1])
    assert seasons.look(DECEMBER) == Due()


def test_a_bot_of_the_house_is_admitted_and_withdrawn(seasons: Seasons) -> None:
    greedy, random = seasons.settings.house
    seasons.begin(seasons.look(DECEMBER))
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
    seasons.begin(seasons.look(DECEMBER))
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
    assert stored.file_path == seasons.place.tournaments / "season-2026-12.json"
    folder = bytes(seasons.place.folder)
    files = [path for path in seasons.place.folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert seasons.place.league in files
    assert [path for path in files if folder in path.read_bytes()] == []


def test_a_bot_that_may_not_play_keeps_nobody_else_out(seasons: Seasons) -> None:
    """It plays none of the season's games: the host has changed the games since the season began."""
    seasons.begin(seasons.look(DECEMBER))
    other = seasons.place.bot(seasons.submit("Ada", "greedy")) / "bot.toml"
    other.write_text('games = ["nyuri"]\n' + other.read_text())
    seasons.submit("Bob", "modest")
    due = seasons.look(DECEMBER)
    assert "greedy v1 cannot be admitted: the bot random does not play hyrule" in due.problem
    assert due.command[0] == "resume"  # also when nothing plays yet: the host process was started again
    assert [each.name for each in seasons.stored()[0].entrants][2:] == ["modest v1"]


def test_a_version_replaces_the_one_before_and_comes_back_by_another_name(seasons: Seasons) -> None:
    seasons.begin(seasons.look(DECEMBER))
    one = seasons.submit("Ada", "heron")
    seasons.look(DECEMBER)
    assert seasons.playing() == ["greedy", "random", "heron v1"]
    with seasons.database.transaction():
        two = seasons.database.add_version(1, "next", 1, "")
        seasons.database.activate(1, two)
    seasons.place.submission(two).mkdir(parents=True)
    copy_example(seasons.settings.house[0], seasons.place.bot(two))
    for version, name in ((two, "heron v2"), (one, "heron v1 (2)")):
        seasons.database.activate(1, version)
        for _ in range(2):  # the second look changes nothing
            seasons.look(DECEMBER)
            assert seasons.playing() == ["greedy", "random", name]
    with League.read(seasons.place.league) as league:
        rulings = [read_ruling(each.ruling) for each in league.rulings(1)]
    assert [each.replaces for each in rulings if isinstance(each, Admit)] == [None, 2, 3]
    seasons.database.activate(1, None)
    seasons.look(DECEMBER)
    assert seasons.playing() == ["greedy", "random"]


def test_a_bot_that_was_taken_out_stays_out_until_its_author_brings_it_back(seasons: Seasons) -> None:
    seasons.begin(seasons.look(DECEMBER))
    version = seasons.submit("Ada", "heron")
    seasons.look(DECEMBER)
    ask(seasons.place.league, "withdraw", "heron v1")  # by anybody but its author, as the rules do
    for _ in range(2):
        seasons.look(DECEMBER)
        assert seasons.playing() == ["greedy", "random"]
        assert seasons.database.active() == []
        (told,) = seasons.database.notices(1)
        assert told.text.startswith("heron plays no more: ")
    seasons.database.activate(1, version)
    seasons.look(DECEMBER)
    assert seasons.playing() == ["greedy", "random", "heron v1 (2)"]
    ask(seasons.place.league, "withdraw", "greedy")  # the host's own comes back with the next season
    for _ in range(2):
        seasons.look(DECEMBER)
        assert seasons.playing() == ["random", "heron v1 (2)"]


def with_night(seasons: Seasons, begins: datetime) -> None:
    """Adds a night to the settings."""
    (seasons.place.folder / "night.toml").write_text('games = ["hyrule"]\n')
    night = f'[[night]]\nname = "Night"\nfile = "night.toml"\ndate = {begins:%Y-%m-%dT%H:%M:%SZ}\n'
    seasons.settings = parse_settings(f"{SETTINGS}{night}", seasons.place.settings)


def test_the_ladder_rests_while_a_night_is_played(seasons: Seasons) -> None:
    with_night(seasons, DECEMBER)
    seasons.submit("Ada", "heron")
    seasons.submit("Bob", "swan")
    before = DECEMBER - timedelta(hours=1)
    seasons.begin(seasons.look(before))
    ladder = seasons.look(before)  # which admits the two
    assert ladder.command[:4] == ("resume", str(seasons.place.league), "--tournament", "1")
    night = seasons.look(DECEMBER)
    assert (night.what, night.command[0]) == ("night Night 2026-12-05T00:00:00+00:00", "run")
    seasons.begin(night)
    resumed = seasons.look(DECEMBER)
    assert resumed.what == night.what  # so the host process lets its command run
    assert resumed.command[:4] == ("resume", str(seasons.place.league), "--tournament", "2")
    with League.create_or_open(seasons.place.league) as league:
        league.finish_tournament(2)
    assert seasons.look(DECEMBER) == ladder
    season, friday = seasons.stored()
    assert {each.name for each in friday.entrants} == {"heron", "swan"}
    assert (season.finished is None, friday.finished is None) == (True, False)
    assert [each.state for each in seasons.database.nights()] == ["played"]


def test_a_closed_account_plays_no_more_in_a_night_that_is_played(seasons: Seasons) -> None:
    with_night(seasons, DECEMBER)
    for name in ("Ada", "Bob", "Cleo"):
        seasons.submit(name, f"{name}bot")
    seasons.look(DECEMBER - timedelta(days=1))
    due = seasons.look(DECEMBER)
    assert due.what.startswith("night")
    seasons.begin(due)
    seasons.look(DECEMBER)
    with seasons.database.transaction():
        bob = seasons.database.account_called("Bob")
        assert bob is not None
        seasons.database.revoke(bob.id)
    for _ in range(2):  # it is withdrawn once
        assert seasons.look(DECEMBER).what == due.what
    (stored,) = seasons.stored()
    with League.read(seasons.place.league) as league:
        rulings = [(read_ruling(each.ruling), each.reason) for each in league.rulings(stored.id)]
    withdrawn = [
        (stored.entrants[each.entrant].name, why) for each, why in rulings if isinstance(each, Withdraw)
    ]
    assert withdrawn == [("Bobbot", CLOSED)]


def test_a_season_that_an_earlier_version_began_goes_on_at_the_level_that_the_host_sets_now(
    seasons: Seasons,
) -> None:
    due = seasons.look(DECEMBER)
    made = Path(due.command[1])
    bots = "".join(
        f'[[entrant]]\nname = "{name}"\nbot = "../house/{name}-python"\n' for name in ("greedy", "random")
    )
    earlier = made.with_suffix(".toml")
    earlier.write_text(
        'name = "Club 2026-12"\nconcurrency = 1\ngames = ["hyrule"]\nsandbox = "strict"\n'
        f'[[stage]]\nformat = "ladder"\n{bots}'
    )
    seasons.begin(due._replace(command=("run", str(earlier))))
    again = seasons.look(DECEMBER)
    assert again.command == (
        "resume", str(seasons.place.league), "--tournament", "1", "--hosted", "--sandbox", "none",
    )  # fmt: skip
    with League.read(seasons.place.league) as league:
        (stored,) = league.tournaments()
        file = stored_tournament(league, stored, Asked(Level.NONE, demanded=False))
        assert [each.sandbox.level for each in file.entrants] == [Level.NONE, Level.NONE]


def test_a_season_ends_with_its_finals_which_the_ladder_has_seeded(seasons: Seasons) -> None:
    seasons.settings = parse_settings(
        f'{SETTINGS}finals = "knockout"\nboards = 2\n[clock]\nmove = "3s"\n', seasons.place.settings
    )
    for number in range(9):
        seasons.submit(f"Ada {number}", f"bot {number}")
    seasons.begin(seasons.look(DECEMBER))
    seasons.look(DECEMBER)  # which admits the others
    with League.create_or_open(seasons.place.league) as league:
        play_course(league, 1, course_of(league, 1), 400)
        ladder = league.tournament(1).entrants
        best = [ladder[line.entrant].name.removesuffix(" v1") for line in final_places(league, 1)]
    assert len(best) == 11, "two are the host's"
    assert seasons.look(JANUARY - timedelta(seconds=1)).what == "season season-2026-12"
    finals = seasons.look(JANUARY)
    assert (finals.what, finals.command[0]) == ("night Finals 2027-01-01T00:00:00+00:00", "run")
    assert seasons.look(JANUARY) == finals, "it was not begun: the same again"
    seasons.begin(finals)
    resumed = seasons.look(JANUARY + timedelta(days=40))
    assert (resumed.what, resumed.command[0]) == (finals.what, "resume"), "also after it was down"
    stored = seasons.stored()[1]
    plan = plan_of(stored)
    assert stored.name == "Finals"
    assert [each.name for each in stored.entrants] == [name for name in best if name.startswith("bot")][:8]
    assert (plan.first.id, plan.games, plan.boards) == ("knockout", ("hyrule",), 2)
    assert plan.clock.move == 3_000_000_000
    with League.create_or_open(seasons.place.league) as league:
        league.finish_tournament(2)
    seasons.begin(seasons.look(JANUARY))
    assert [each.name for each in seasons.stored()] == ["Club 2026-12", "Finals", "Club 2027-01"]
    assert [each.finished is None for each in seasons.stored()] == [False, False, True]
    seasons.look(JANUARY)
    coming = [night.due[:10] for night in seasons.database.nights() if night.state == "awaited"]
    assert coming == ["2027-02-01"]


def test_finals_may_have_a_file_of_their_own(seasons: Seasons) -> None:
    file = seasons.place.folder / "finals.toml"
    file.write_text('games = ["nyuri"]\nreveal = "host"\n[[stage]]\nformat = "swiss"\nrounds = 2\n')
    seasons.settings = parse_settings(f'{SETTINGS}finals = "finals.toml"\n', seasons.place.settings)
    for name in ("Ada", "Bob", "Cleo"):
        seasons.submit(name, f"{name}bot")
    seasons.begin(seasons.look(DECEMBER))
    seasons.begin(seasons.look(JANUARY))
    plan = plan_of(seasons.stored()[1])
    assert (plan.first.id, plan.games, plan.reveal) == ("swiss", ("nyuri",), 0)
