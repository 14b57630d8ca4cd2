"""league.toml: what it may say, and what it says by default."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.formats.round_robin import RoundRobinFormat
from arena.games import BUILT_IN
from arena.hosting.settings import Limits, parse_settings, season_end, season_name
from arena.league.tournament_file import parse_plan
from arena.strict_toml import WrongFile

PATH = Path("/league/league.toml")
TRUSTED = 'name = "Club"\nsandbox = "none"\n'


def test_a_name_is_enough() -> None:
    settings = parse_settings(TRUSTED, PATH)
    assert settings.games == tuple(BUILT_IN)
    assert settings.limits == Limits()
    assert (settings.url, settings.season) == ("http://127.0.0.1:8000", "month")


def test_rules_of_the_games_are_those_of_a_tournament_file() -> None:
    text = 'games = ["nyuri"]\n[clock]\nmove = "2s"\n[options.nyuri]\ncontest = "instant"\n'
    settings = parse_settings(TRUSTED + text, PATH)
    assert settings.rules.clock.move == 2_000_000_000
    plan = settings.rules.plan("x", (RoundRobinFormat(2, 2, cycles=1),))
    guests = "".join(f'[[entrant]]\nname = "{name}"\njoin = true\n' for name in ("one", "two"))
    assert parse_plan(f'name = "x"\n{text}{guests}', PATH) == plan


@pytest.mark.parametrize(("season", "never"), [("forever", ("Finals night",)), ("month", ())])
def test_a_night_at_the_end_of_a_season_without_an_end_is_known(season: str, never: tuple[str, ...]) -> None:
    nights = "".join(
        f'[[night]]\nname = "{name}"\nfile = "night.toml"\non = "{on}"\n'
        for name, on in (("Finals night", "season end"), ("Friday", "friday 19:00"))
    )
    assert parse_settings(f'{TRUSTED}season = "{season}"\n{nights}', PATH).never_played == never


def test_house_names_example_bots() -> None:
    (house,) = parse_settings(TRUSTED + 'house = ["greedy-python"]', PATH).house
    assert (house / "bot.toml").is_file()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "name is missing"),
        ('nam = "x"', "unknown key"),
        (TRUSTED + 'listen = "8000"', 'listen must be "HOST:PORT"'),
        (TRUSTED + 'url = "bots.example.org"', "url must be an address"),
        (TRUSTED + 'proxies = ["gateway"]', "proxies: a proxy is an address such as"),
        (TRUSTED + 'season = "week"', "unknown season"),
        (
            TRUSTED + 'finals = "knokout"',
            'finals must be "knockout", "double-elimination", "swiss", "round-r',
        ),
        (TRUSTED + "finals = 8", "finals must be a text in quotes"),
        (TRUSTED + 'finals = "ladder"', "finals must be"),
        (TRUSTED + 'finals = "finals.toml"', "there is no such file: write it, or name a format"),
        (TRUSTED + 'season = "forever"\nfinals = "swiss"', 'set season to "month", "quarter" or "year"'),
        (
            f'{TRUSTED}finals = "swiss"\n[[night]]\nname = "FINALS!"\nfile = "f"\non = "friday 19:00"',
            "a night is called Finals, as the finals are: give the night another name",
        ),
        (TRUSTED + 'house = ["nobody"]', "no folder or example bot of that name"),
        (TRUSTED + "[limits]\nbots = 0", "bots must be from 1"),
        (TRUSTED + '[limits]\nsize = "50"', "size must be a size"),
        (TRUSTED + '[limits]\nbuild_time = "0s"', "build_time must be a duration"),
        (TRUSTED + '[clock]\nmove = "2"', "move must be a duration"),
        (TRUSTED + '[[night]]\nname = "n"\nfile = "f"', "needs either on"),
    ],
)
def test_mistakes_are_told_in_a_sentence(text: str, problem: str) -> None:
    with pytest.raises(WrongFile, match=problem):
        parse_settings(text, PATH)


def test_finals_with_guests_are_refused(tmp_path: Path) -> None:
    (tmp_path / "finals.toml").write_text('[[entrant]]\nname = "visitor"\njoin = true\n')
    with pytest.raises(WrongFile, match=r"leave out join, or write a \[\[night\]\]"):
        parse_settings(TRUSTED + 'finals = "finals.toml"', tmp_path / "league.toml")


@pytest.mark.parametrize(
    ("season", "name", "end"),
    [
        ("month", "2026-12", datetime(2027, 1, 1, tzinfo=UTC)),
        ("quarter", "2026-Q4", datetime(2027, 1, 1, tzinfo=UTC)),
        ("year", "2026", datetime(2027, 1, 1, tzinfo=UTC)),
        ("forever", "ladder", None),
    ],
)
def test_seasons(season, name: str, end: datetime | None) -> None:
    moment = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
    assert (season_name(season, moment), season_end(season, moment)) == (name, end)
    assert season_end("month", datetime(2027, 1, 1, tzinfo=UTC)) == datetime(2027, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lines", "url"),
    [
        ("", "http://127.0.0.1:9001"),
        ('url = "http://127.0.0.1:8000"', "http://127.0.0.1:9001"),  # as `arena club new` writes it
        ('listen = "0.0.0.0:80"', "http://127.0.0.1:9001"),
        ('url = "https://bots.example.org"', "https://bots.example.org"),
    ],
)
def test_links_have_the_address_of_the_page_unless_the_host_sets_one(lines: str, url: str) -> None:
    settings = parse_settings(f'name = "Club"\n{lines}\n', Path("/league/league.toml"))
    assert settings.listening_at("http://127.0.0.1:9001/").url == url
