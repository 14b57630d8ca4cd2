"""Nights of a standing league: their times, their entrants, and what the host process is to do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.database import Database, Night
from arena.hosting.nights import LOBBY, NightPlan, Orders, file_of, look, names_of, next_due, read_nights
from arena.hosting.place import Place
from arena.league.store import League
from arena.league.summary import final_places
from arena.league.tournament_file import read_tournament
from arena.link.local.sandbox import Level, Trust
from arena.strict_toml import WrongFile, parse
from tests.arena_command import arena
from tests.bots_for_tests import good_bot
from tests.referee.simulation import simulate

BERLIN = (
    '[[night]]\nname = "Friday night"\nfile = "friday.toml"\non = "friday 19:00"\nzone = "Europe/Berlin"\n'
)
FRIDAY = 'games = ["nyuri"]\n'
THURSDAY = datetime(2025, 12, 4, 12, tzinfo=UTC)  # long ago, so that the tournament itself never waits
DUE = datetime(2025, 12, 5, 18, tzinfo=UTC)


def plans(text: str, folder: Path = Path("/league")) -> tuple[NightPlan, ...]:
    return read_nights(parse(text, folder / "league.toml", WrongFile), folder)


def never(after: datetime) -> datetime | None:
    return None


def dues(text: str, after: datetime, count: int) -> list[str]:
    found = []
    for _ in range(count):
        due = next_due(plans(text)[0], after, never)
        if due is None:
            break
        found.append(due.isoformat())
        after = due
    return found


# --- When ---


def test_the_local_time_counts_when_summer_time_begins_and_ends():
    spring = dues(BERLIN, datetime(2027, 3, 20, tzinfo=UTC), 2)
    assert spring == ["2027-03-26T18:00:00+00:00", "2027-04-02T17:00:00+00:00"]
    autumn = dues(BERLIN, datetime(2026, 10, 17, tzinfo=UTC), 2)
    assert autumn == ["2026-10-23T17:00:00+00:00", "2026-10-30T18:00:00+00:00"]


def test_an_hour_that_is_leapt_over_is_later_and_one_that_occurs_twice_is_the_first():
    early = BERLIN.replace("friday 19:00", "Sunday 02:30")
    assert dues(early, datetime(2027, 3, 25, tzinfo=UTC), 1) == ["2027-03-28T01:30:00+00:00"]
    assert dues(early, datetime(2026, 10, 20, tzinfo=UTC), 2) == [
        "2026-10-25T00:30:00+00:00",
        "2026-11-01T01:30:00+00:00",
    ]


def test_far_zones_have_their_own_weekday():
    auckland = BERLIN.replace("Europe/Berlin", "Pacific/Auckland").replace("19:00", "08:00")
    assert dues(auckland, datetime(2026, 12, 1, tzinfo=UTC), 1) == ["2026-12-03T19:00:00+00:00"]


def test_a_date_comes_once():
    once = BERLIN.replace('on = "friday 19:00"', "date = 2026-12-05T20:00:00")
    assert dues(once, THURSDAY, 3) == ["2026-12-05T19:00:00+00:00"]
    offset = once.replace("20:00:00", "20:00:00-05:00").replace('zone = "Europe/Berlin"\n', "")
    assert dues(offset, THURSDAY, 3) == ["2026-12-06T01:00:00+00:00"]


def test_a_night_at_the_end_of_each_season():
    def ends(after: datetime) -> datetime:
        return datetime(2026, 1 if after < datetime(2026, 1, 1, tzinfo=UTC) else 2, 1, tzinfo=UTC)

    final = plans(BERLIN.replace("friday 19:00", "season end"))[0]
    first = next_due(final, THURSDAY, ends)
    assert first == datetime(2026, 1, 1, tzinfo=UTC)
    assert next_due(final, first, ends) == datetime(2026, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('on = "friday"', 'on must be as "friday 19:00"'),
        ('on = "friday 24:00"', 'on must be as "friday 19:00"'),
        ("on = 5", "on must be a text in quotes"),
        ("", "needs either on"),
        ('on = "friday 19:00"\ndate = 2026-12-05T20:00:00', "needs either on"),
        ("date = 2026-12-05T20:00:00Z", "zone must be left out"),
        ("date = 2026-12-05", "date must be a date and a time"),
        ('on = "friday 19:00"\nfreeze = "soon"', "freeze must be a duration"),
        ('on = "friday 19:00"\ntop = 1', "top must be from 2"),
        (
            'on = "friday 19:00"\nguests = ["a"]\npeople = ["A"]',
            "guests and people must have different names",
        ),
        ('on = "friday 19:00"\nguests = ["a\\u0007"]', "name"),
        ('on = "friday 19:00"\nmissed = "no"', "unknown missed"),
        ('on = "friday 19:00"\nhouse = "all"', "house must be true or false"),
        ('on = "friday 19:00"\nwho = "all"', "unknown key 'who'"),
    ],
)
def test_a_wrong_table_is_refused_with_its_place(wrong, said):
    with pytest.raises(WrongFile, match="night") as refused:
        plans(BERLIN.replace('on = "friday 19:00"', wrong))
    assert said in str(refused.value)


@pytest.mark.parametrize("zone", ["Europe/Atlantis", "", "/etc/passwd", "../x", "Europe"])
def test_an_unknown_zone_is_refused(zone):
    with pytest.raises(WrongFile, match="zone must be a name such as"):
        plans(BERLIN.replace("Europe/Berlin", zone))


def test_two_nights_have_different_names():
    with pytest.raises(WrongFile, match="another night has this name"):
        plans(BERLIN + BERLIN.replace("Friday night", "friday  NIGHT"))


NAMES = (
    "Friday",
    "Friday 2",
    "Пятница",
    "ПЯТНИЦА 2",
    "Суббота",
    "金曜日",
    "Runde",
    "Runde Ä",
    "Runde Ö",
    "2",
)


def test_nights_of_all_scripts_have_files_of_their_own(tmp_path):
    text = "".join(BERLIN.replace("Friday night", name) for name in NAMES)
    nights = [Night(plan.name, DUE.isoformat(), "frozen", None, "") for plan in plans(text)]
    files = [file_of(Place(tmp_path), night).name for night in nights]
    assert len(set(files)) == len(NAMES)
    assert files[0] == "night-friday-2025-12-05T180000Z.json"
    with pytest.raises(WrongFile, match="names must differ in letters or digits"):
        plans(text + BERLIN.replace("Friday night", "пятница!"))


def test_the_file_of_a_night_that_an_earlier_version_wrote_is_found(tmp_path):
    place, night = Place(tmp_path), Night("Café", DUE.isoformat(), "playing", None, "")
    place.tournaments.mkdir()
    earlier = place.tournaments / "night-caf-2025-12-05T180000Z.json"
    earlier.touch()
    assert file_of(place, night) == earlier
    assert file_of(place, night._replace(state="awaited")) != earlier  # it may be the file of a night "Caf"


# --- What is to be done ---


class Host:
    """What the host process has: the folder, the database and the settings; the time is the test's."""

    def __init__(self, folder: Path, text: str = BERLIN) -> None:
        self.place = Place(folder)
        self.text = text
        self.house: list[Path] = []
        self.trust = Trust(Level.NONE)
        self.database = Database(self.place.database, writer=True)
        (folder / "friday.toml").write_text(FRIDAY)
        self.account = self.database.add_account("Ada", "author")

    def look(self, now: datetime) -> Orders:
        return look(
            self.place,
            self.database,
            plans(self.text, self.place.folder),
            now,
            never,
            self.trust,
            1,
            self.house,
        )

    def accept(self, name: str) -> int:
        """A new version of a bot that plays from now on."""
        known = self.database.bot_called(name)
        bot = known.id if known else self.database.add_bot(self.account, name)
        version = self.database.add_version(bot, "", 1, "")
        made = good_bot(self.place.folder, f"{name} {version}")
        shutil.copytree(made, self.place.bot(version))
        self.database.activate(bot, version)
        return version

    def told(self, name: str) -> list[str]:
        """What a person was told, the newest first."""
        account = self.database.account_called(name)
        assert account is not None
        return [notice.text for notice in self.database.notices(account.id)]

    def states(self) -> list[tuple[str, str]]:
        return [(night.due[:16], night.state) for night in self.database.nights()]

    def entrants(self) -> list[tuple[str, Any]]:
        night = next(night for night in self.database.nights() if night.state in ("frozen", "playing"))
        file = read_tournament(file_of(self.place, night))
        return [(each.name, each.bot and each.bot.folder) for each in file.entrants]


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    made = Host(tmp_path)
    yield made
    made.database.close()


def test_versions_accepted_after_the_freeze_do_not_enter(host):
    first, second = host.accept("one"), host.accept("two")
    assert host.look(THURSDAY) == Orders()
    assert host.look(DUE - timedelta(minutes=31)) == Orders()
    assert host.states() == [("2025-12-05T18:00", "awaited")]
    assert host.look(DUE - timedelta(minutes=30)) == Orders()
    host.accept("one")
    host.accept("three")
    assert host.look(DUE - timedelta(seconds=1)) == Orders()
    assert host.entrants() == [("one", host.place.bot(first)), ("two", host.place.bot(second))]
    orders = host.look(DUE)
    assert orders.night is not None
    assert orders.command[0] == "run"
    assert host.look(DUE + timedelta(seconds=1)) == orders  # looking again decides nothing new


def test_a_night_is_played_resumed_and_followed_by_the_next(host):
    host.accept("one")
    host.accept("two")
    host.look(THURSDAY)
    orders = host.look(DUE)
    arena(*(word for word in orders.command if word != "--hosted"), cwd=host.place.folder)
    assert host.look(DUE + timedelta(minutes=2)) == Orders()
    host.look(DUE + timedelta(minutes=3))
    assert host.states() == [("2025-12-05T18:00", "played"), ("2025-12-12T18:00", "awaited")]
    with League.read(host.place.league) as league:
        assert [each.id for each in league.tournaments()] == [host.database.nights()[0].tournament]


def test_who_plays_in_a_night_and_the_hosts_are_told_when_it_begins_and_how_it_ended(host):
    host.accept("one")
    host.account = host.database.add_account("Bob", "author")
    host.accept("two")
    host.account = host.database.add_account("Carol", "author")
    hilda = host.database.add_account("Hilda", "host")
    host.look(THURSDAY)
    host.look(DUE - LOBBY - timedelta(seconds=1))
    assert host.told("Ada") == []
    host.accept("three")  # too late
    for seconds in (0, 1, 599, 600):
        orders = host.look(DUE - LOBBY + timedelta(seconds=seconds))
        assert host.told("Ada") == ["one plays in the night Friday night, which begins at 18:00 UTC."]
    arena(*(word for word in orders.command if word != "--hosted"), cwd=host.place.folder)
    host.look(DUE + timedelta(minutes=2))
    with host.database.transaction():  # a host process that was killed before the database knew
        host.database.put_night(orders.night)
    host.look(DUE + timedelta(minutes=3))
    with League.read(host.place.league) as league:
        places = {line.entrant: line.place for line in final_places(league, 1)}
    for entrant, (author, bot) in enumerate((("Ada", "one"), ("Bob", "two"))):
        assert host.told(author) == [
            f"{bot} has place {places[entrant]} of 2 in the night Friday night.",
            f"{bot} plays in the night Friday night, which begins at 18:00 UTC.",
        ]
    assert host.told("Carol") == []
    over, soon = host.told("Hilda")
    assert soon == "The night Friday night begins at 18:00 UTC."
    assert over.startswith("The night Friday night is over: ")
    assert [each.path for each in host.database.notices(hilda)] == ["/nights/1/", "/nights-to-come"]


def test_guests_and_people_find_the_lobby_open_before_the_time(host):
    host.text += 'guests = ["visitor"]\npeople = ["Grace"]\n'
    host.accept("visitor")
    host.look(THURSDAY)
    assert host.look(DUE - LOBBY - timedelta(seconds=1)) == Orders()
    assert [name for name, _ in host.entrants()] == ["visitor 2", "visitor", "Grace"]
    orders = host.look(DUE - LOBBY)
    assert orders.night is not None
    file = read_tournament(file_of(host.place, orders.night))
    assert file.begins == DUE
    assert file.plan.own_clocks[2].bank > file.plan.clock.bank
    assert orders.command[-4:-2] == ("--start-after", "600")


@pytest.mark.parametrize("expects", ['guests = ["visitor"]\n', 'people = ["Grace"]\n', "the file"])
def test_a_night_whose_entrants_are_settled_after_its_lobby_opens_is_refused(host, expects):
    if expects == "the file":
        (host.place.folder / "friday.toml").write_text(f'{FRIDAY}[[entrant]]\nname = "x"\njoin = true\n')
    host.text += f'freeze = "9m59s"\n{"" if expects == "the file" else expects}'
    with pytest.raises(
        WrongFile, match='"Friday night": freeze must be at least "10m" for a night with guests'
    ):
        host.look(THURSDAY)
    host.text = host.text.replace("9m59s", "10m")
    assert host.look(THURSDAY) == Orders()


def test_a_file_that_expects_guests_too_late_fails_in_a_sentence(host):
    host.text += 'freeze = "4m"\n'
    host.accept("one")
    host.look(THURSDAY)
    early = plans(host.text, host.place.folder)
    (host.place.folder / "friday.toml").write_text(f'{FRIDAY}[[entrant]]\nname = "x"\njoin = true\n')
    look(host.place, host.database, early, DUE - timedelta(minutes=4), never, host.trust, 1)
    night = host.database.nights()[0]
    assert (night.state, night.reason.partition(": ")[2]) == (
        "failed",
        'has guests, whose lobby opens ten minutes before the time: set freeze to "10m" or more in a '
        "table [[night]]",
    )


@pytest.mark.parametrize("freeze", ["10m", "30m", "2h"])
@pytest.mark.parametrize("back", [-60, -10, -4, 0, 5, 2880])
def test_an_announced_time_holds_whenever_the_host_is_there(host, freeze, back):
    """The time is never another one; guests have ten minutes to come if the night starts after it."""
    host.text += f'guests = ["visitor"]\nfreeze = "{freeze}"\n'
    host.accept("one")
    host.look(THURSDAY)
    orders = Orders()
    for minutes in (back, max(back, -10)):
        orders = host.look(DUE + timedelta(minutes=minutes))
    assert orders.night is not None
    assert read_tournament(file_of(host.place, orders.night)).begins == DUE
    assert orders.command[-4:-2] == ("--start-after", "600")


@pytest.mark.parametrize(("missed", "state"), [("play", "playing"), ("skip", "skipped")])
@pytest.mark.parametrize("frozen", [False, True])
def test_a_night_that_the_host_was_down_for(host, missed, state, frozen):
    host.text += f'missed = "{missed}"\n'
    host.accept("one")
    host.accept("two")
    host.look(DUE - timedelta(minutes=10) if frozen else THURSDAY)
    orders = host.look(DUE + timedelta(days=2))
    assert host.states()[0] == ("2025-12-05T18:00", state)
    assert (orders.night is not None) == (state == "playing")
    assert host.look(DUE + timedelta(days=2)) == orders


def test_only_one_of_several_missed_nights_is_played(host):
    host.accept("one")
    host.accept("two")
    host.look(THURSDAY)
    host.look(DUE + timedelta(weeks=3, days=1))
    host.look(DUE + timedelta(weeks=3, days=1))
    assert [state for _, state in host.states()] == ["playing"]


def test_a_night_added_after_its_time_is_not_missed(host):
    assert host.look(DUE + timedelta(hours=1)) == Orders()
    assert host.states() == [("2025-12-12T18:00", "awaited")]


def test_a_changed_time_replaces_the_awaited_one(host):
    host.look(THURSDAY)
    host.text = host.text.replace("19:00", "20:00")
    host.look(THURSDAY)
    assert host.states() == [("2025-12-05T19:00", "awaited")]
    host.text = ""
    host.look(THURSDAY)
    assert host.states() == []


def test_a_kill_between_the_file_and_the_database_changes_nobody(host):
    first = host.accept("one")
    host.accept("two")
    host.look(THURSDAY)
    awaited = host.database.nights()[0]
    host.look(DUE - timedelta(minutes=30))
    host.database.put_night(awaited)  # as if the host process had been killed before it wrote this
    host.accept("one")
    host.look(DUE - timedelta(minutes=20))
    assert host.entrants()[0] == ("one", host.place.bot(first))


def test_a_night_without_entrants_fails_in_a_sentence(host):
    host.accept("one")
    host.look(THURSDAY)
    assert host.look(DUE) == Orders()
    night = host.database.nights()[0]
    assert (night.state, night.reason) == ("failed", "Friday night needs two entrants, and there are 1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("games = 7\n", "games must be a list"),
        ("begins = 2026-12-04T19:00:00\n", "must leave begins out"),
        ('[[entrant]]\nbot = "x"\n', "join = true only"),
    ],
)
def test_a_wrong_tournament_file_fails_in_a_sentence(host, text, said):
    host.accept("one")
    host.accept("two")
    (host.place.folder / "friday.toml").write_text(text)
    host.look(THURSDAY)
    assert host.look(DUE) == Orders()
    night = host.database.nights()[0]
    assert night.state == "failed"
    assert said in night.reason


def test_a_night_that_cannot_begin_is_given_up_and_the_ladder_goes_on(host):
    host.accept("one")
    host.accept("two")
    host.look(THURSDAY)
    assert host.look(DUE).night is not None
    assert host.look(DUE + timedelta(minutes=59)).night is not None
    assert host.look(DUE + timedelta(minutes=61)) == Orders()
    assert host.states()[0] == ("2025-12-05T18:00", "failed")
    host.database.add_account("Hilda", "host")
    assert host.told("Hilda")[0] == (
        "The night Friday night was not played: it could not begin for an hour; the host's log says why."
    )


def test_nights_at_the_same_time_are_played_one_after_the_other(host):
    host.text += BERLIN.replace("Friday night", "Another")
    host.accept("one")
    host.accept("two")
    host.look(THURSDAY)
    host.look(DUE)
    assert sorted(state for _, state in host.states()) == ["frozen", "playing"]


def test_the_bots_of_the_host_play_if_the_night_says_so(host, tmp_path_factory):
    own, elsewhere = host.place.folder, tmp_path_factory.mktemp("elsewhere")
    host.house = [good_bot(own, "one"), good_bot(elsewhere, "greedy")]
    version = host.accept("one")
    host.text += "house = true\n"
    host.look(THURSDAY)
    host.look(DUE)
    assert host.entrants() == [
        ("one", host.place.bot(version)),  # the author's bot keeps its name
        ("one 2", host.house[0]),
        ("greedy", host.house[1]),
    ]


def test_without_a_word_the_bots_of_the_host_do_not_play(host):
    host.house = [good_bot(host.place.folder, "greedy")]
    host.accept("one")
    host.accept("two")
    host.look(THURSDAY)
    host.look(DUE)
    assert [name for name, _ in host.entrants()] == ["one", "two"]


def test_the_best_of_the_ladder_play(host):
    host.text += "top = 2\n"
    names = ["one", "three", "two"]
    folders = [host.place.bot(host.accept(name)) for name in names]
    season = 'name = "Season"\ngames = ["nyuri"]\n[[stage]]\nformat = "ladder"\n'
    with League.create_or_open(host.place.league) as league:
        entrants = ["house", "three v1", "two v1 (2)", "one v1"]  # two has come back
        bots = [host.place.house, folders[1], folders[2], folders[0]]
        simulate(league, season, 4, at_most=120, names=entrants, folders=bots)
        ranked = [line.entrant for line in final_places(league, 1) if line.entrant]
        best = [["three", "two", "one"][entrant - 1] for entrant in ranked][:2]
    host.look(THURSDAY)
    host.look(DUE)
    assert [name for name, _ in host.entrants()] == best == ["three", "two"]


def test_a_night_that_an_earlier_version_wrote_is_played_as_it_was_written(host):
    host.accept("one")
    host.accept("two")
    host.look(THURSDAY)
    host.look(DUE - timedelta(minutes=20))
    night = host.database.nights()[0]
    made = file_of(host.place, night)
    tables = "".join(
        f'[[entrant]]\nname = "{name}"\nbot = "../submissions/{id}/bot"\n'
        for id, name in ((1, "one"), (2, "two"))
    )
    made.with_suffix(".toml").write_text(
        f'begins = 2025-12-05T18:00:00Z\nname = "Friday night"\nsandbox = "none"\n{FRIDAY}{tables}'
    )
    made.unlink()
    assert names_of(host.place, night) == ("one", "two")
    orders = host.look(DUE)
    assert orders.command[:2] == ("run", str(made.with_suffix(".toml")))
    assert "--sandbox" not in orders.command  # it has the level of its time
    assert len(read_tournament(Path(orders.command[1])).entrants) == 2


def test_a_night_has_the_level_of_the_league_unless_its_file_has_one(host):
    host.accept("one")
    host.accept("two")
    host.look(THURSDAY)
    assert host.look(DUE).command[-2:] == ("--sandbox", "none")


def test_a_night_that_demands_what_the_machine_lacks_fails_in_a_sentence(host, without_bubblewrap):
    host.accept("one")
    host.accept("two")
    (host.place.folder / "friday.toml").write_text(f'sandbox = "strict"\n{FRIDAY}')
    host.look(THURSDAY)
    assert host.look(DUE) == Orders()
    night = host.database.nights()[0]
    assert (night.state, night.reason.partition(",")[0]) == (
        "failed",
        'sandbox "strict" cannot be had on this machine',
    )


def test_a_night_allows_bots_what_the_league_allows_unless_its_file_says(host):
    host.trust = Trust(Level.NONE, threads=2)
    host.accept("one")
    host.accept("two")
    host.look(THURSDAY)
    orders = host.look(DUE)
    assert read_tournament(Path(orders.command[1])).trust == host.trust
    (host.place.folder / "friday.toml").write_text(f'{FRIDAY}[allow]\nmemory = "1GiB"\n')
    Path(orders.command[1]).unlink()
    host.database.put_night(host.database.nights()[0]._replace(state="awaited"))
    orders = host.look(DUE)
    trust = read_tournament(Path(orders.command[1])).trust
    assert (trust.memory, trust.threads) == (1 << 30, Trust(Level.NONE).threads)
