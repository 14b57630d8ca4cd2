"""Reads and strictly checks `league.toml`: what the host of a standing league decides.

docs/standing-league.md has a table of its keys, with the defaults.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple, cast, get_args
from urllib.parse import urlsplit

from arena.formats.comparison import MAX_CAP
from arena.formats.ladder import LadderFormat
from arena.hosting.nights import NightPlan, read_finals, read_nights
from arena.hosting.place import Place
from arena.league.entrants import trust_of
from arena.league.tournament_file import MAX_CONCURRENCY, TITLE_LENGTH, rules_of
from arena.link.local.bot_manifest import BotManifestError, read_bot_manifest
from arena.link.local.sandbox import Trust, strongest, usual
from arena.strict_toml import Section, WrongFile, parse, read_text, show
from arena.table.clock import SECOND, parse_duration
from arena.tournament.plan import Rules
from arena.view.proxies import HERE, Proxies

Season = Literal["month", "quarter", "year", "forever"]

BOT_NAME_LIMIT: Final = 30
"""The most characters of a submitted bot's name; entrants add the version's number to it."""

REGISTRIES: Final = (
    "pypi.org", "files.pythonhosted.org", "crates.io", "proxy.golang.org", "sum.golang.org",
    "registry.npmjs.org", "repo.maven.apache.org", "repo1.maven.org", "gradle.org", "rubygems.org",
    "api.nuget.org",
)  # fmt: skip
"""The hosts that builds reach, with their subdomains, unless league.toml names others."""

_MIB = 1 << 20
_SOURCE_LENGTH: Final = 300
_HOST: Final = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_RULES: Final = ("games", "boards", "thoughts", "max_faults", "withdraw_after", "allow", "clock", "options")
_LADDER: Final = LadderFormat.of(2)
_LONGEST_BUILD = 24 * 3600
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}


class LeagueFileError(WrongFile):
    """A league.toml that cannot be used; the text says in one sentence where and why."""


class Limits(NamedTuple):
    """What one author may use.

    Attributes:
        bots: how many bots.
        builds: how many versions in 24 hours.
        size: bytes of an uploaded file.
        disk: bytes of all versions that are kept, and of one built version.
        build_time: the seconds of a build.
        reserve: bytes that must be free on the disk for a submission.
        challenges: how many challenges in 24 hours.
        challenge_boards: the boards of each game in a challenge.
        challenge_time: the seconds of a challenge.
    """

    bots: int = 3
    builds: int = 10
    size: int = 50 * _MIB
    disk: int = 1024 * _MIB
    build_time: float = 900.0
    reserve: int = 1024 * _MIB
    challenges: int = 5
    challenge_boards: int = 100
    challenge_time: float = 1800.0


class Settings(NamedTuple):
    """A league.toml that was read.

    Attributes:
        name: the name of the league.
        url: what people open, without a slash at its end.
        listen: where the page listens, `host:port`.
        proxies: the proxies in front of the page that are trusted.
        source: what `pip install` takes to install the arena; empty if people have to ask for it.
        season: how long a ladder lasts.
        concurrency: how many tables are played at once.
        builders: how many versions are built and checked at once.
        house: the folders of the host's own bots, absolute.
        cluster: where games are played; empty for this machine.
        registries: the hosts that builds reach, with their subdomains.
        limits: what one author may use.
        nights: the nights, with the finals.
        rules: games, clock and all other rules, as of a tournament.
        trust: the sandbox level and the most that bots may ask for.
    """

    name: str
    url: str
    listen: str
    proxies: Proxies
    source: str
    season: Season
    concurrency: int
    builders: int
    house: tuple[Path, ...]
    cluster: str
    registries: tuple[str, ...]
    limits: Limits
    nights: tuple[NightPlan, ...]
    rules: Rules
    trust: Trust

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games."""
        return self.rules.games

    @property
    def house_bots(self) -> dict[str, Path]:
        """The folders of the host's own bots by their names, as far as their bot.toml can be read."""
        bots = {}
        for folder in self.house:
            with suppress(BotManifestError):  # the host process tells the host
                bots[read_bot_manifest(folder).name] = folder
        return bots

    @property
    def never_played(self) -> tuple[str, ...]:
        """The names of the nights that wait for the end of a season without an end."""
        endless = self.season == "forever"
        return tuple(
            each.name for each in self.nights if endless and each.weekly is None and each.once is None
        )

    def listening_at(self, url: str) -> Settings:
        """The settings with the address at which the page listens, unless the host has set another `url`."""
        return self._replace(url=url.rstrip("/")) if self.url == f"http://{self.listen}" else self


def read_settings(place: Place) -> Settings:
    """Reads the `league.toml` of a standing league. Raises LeagueFileError."""
    return parse_settings(read_text(place.settings, LeagueFileError), place.settings)


def parse_settings(text: str, path: Path) -> Settings:
    """Reads the text of a league.toml at a path. Raises LeagueFileError."""
    return settings_of(parse(text, path, LeagueFileError), path)


def settings_of(top: Section, path: Path) -> Settings:
    """The settings in the keys of a league.toml at a path; mistakes are reported by `Section.fail`."""
    top.only(
        "name", "url", "listen", "proxies", "source", "season", "finals", "concurrency", "builders",
        "sandbox", "house", "cluster", "registries", "limits", "night", *_RULES,
    )  # fmt: skip
    folder = Path(os.path.abspath(path)).parent
    rules = rules_of(top)
    if misfit := rules.misfit(_LADDER):
        top.fail(misfit)
    season = cast("Season", top.choice("season", get_args(Season), "month"))
    nights = read_nights(top, folder)
    listen = top.text("listen", "127.0.0.1:8000")
    if not re.fullmatch(r".*:[0-9]{1,5}", listen):
        top.fail(f'listen must be "HOST:PORT", not {show(listen)}')
    return Settings(
        name=top.name("name", length=TITLE_LENGTH),
        url=_url(top, f"http://{listen}"),
        listen=listen,
        proxies=_proxies(top),
        source=top.name("source", "", length=_SOURCE_LENGTH),
        season=season,
        concurrency=top.number("concurrency", os.cpu_count() or 1, 1, MAX_CONCURRENCY),
        builders=top.number("builders", 1, 1, 64),
        house=tuple(_bot_folder(top, folder, word) for word in top.texts("house", ())),
        cluster=top.text("cluster", ""),
        registries=_registries(top),
        limits=_limits(top.table("limits")),
        nights=(*nights, *read_finals(top, folder, nights, _RULES, ends=season != "forever")),
        rules=rules,
        trust=trust_of(top, most=Trust(usual() if "sandbox" in top else strongest())),
    )


def _url(top: Section, default: str) -> str:
    url = top.text("url", default).rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path or parts.query:
        top.fail(f'url must be an address such as "https://bots.example.org", not {show(url)}')
    return url


def _proxies(top: Section) -> Proxies:
    try:
        return Proxies(top.texts("proxies", HERE))
    except ValueError as problem:
        top.fail(f"proxies: {problem}")


def _registries(top: Section) -> tuple[str, ...]:
    names = tuple(top.texts("registries", REGISTRIES))
    for name in names:
        if not _HOST.fullmatch(name):
            top.fail(f'registries must be names of hosts, such as "pypi.org", not {show(name)}')
    return names


def _bot_folder(top: Section, folder: Path, word: str) -> Path:
    from arena.kits import kits_folder  # only here, because few need it

    own = folder / word
    found = own if (own / "bot.toml").is_file() else kits_folder() / word
    if not (found / "bot.toml").is_file():
        top.fail(f"house names {show(word)}, but no folder or example bot of that name has a bot.toml")
    return found.resolve()


def _limits(table: Section) -> Limits:
    table.only(*Limits._fields)
    usual = Limits()
    return Limits(
        bots=table.number("bots", usual.bots, 1, 1000),
        builds=table.number("builds", usual.builds, 1, 1000),
        size=table.size("size", usual.size),
        disk=table.size("disk", usual.disk),
        build_time=_seconds(table, "build_time", usual.build_time),
        reserve=table.size("reserve", usual.reserve),
        challenges=table.number("challenges", usual.challenges, 0, 1000),
        challenge_boards=table.number("challenge_boards", usual.challenge_boards, 1, MAX_CAP),
        challenge_time=_seconds(table, "challenge_time", usual.challenge_time),
    )


def _seconds(table: Section, key: str, usual: float) -> float:
    if key not in table:
        return usual
    nanoseconds = parse_duration(text := table.text(key))
    if nanoseconds is None or not 0 < nanoseconds <= _LONGEST_BUILD * SECOND:
        table.fail(f'{key} must be a duration of at most 24h, such as "15m", not {show(text)}')
    return nanoseconds / SECOND


def season_name(season: Season, moment: datetime) -> str:
    """The name of the season in which a moment lies, such as `2026-12`; seasons begin at midnight UTC."""
    moment = moment.astimezone(UTC)
    if season == "forever":
        return "ladder"
    if season == "year":
        return f"{moment.year}"
    if season == "quarter":
        return f"{moment.year}-Q{(moment.month + 2) // 3}"
    return f"{moment:%Y-%m}"


def season_end(season: Season, moment: datetime) -> datetime | None:
    """The end of the season in which a moment lies; None for a season without an end."""
    if season == "forever":
        return None
    moment = moment.astimezone(UTC)
    length = _MONTHS[season]
    months = moment.year * 12 + (moment.month - 1) // length * length + length
    return datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)
