"""The nights of a standing league: tournaments at set times, while the ladder rests.

`league.toml` has a table `[[night]]` for each; docs/nights.md has a table of its keys, with the defaults. The
key `finals` is a night at the end of each season.

What happens next follows from the database, the league file and the time alone. So a host process that was
killed goes on by looking again (`look`). It looks at least once a minute.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from arena.formats.double_elimination import DoubleEliminationFormat
from arena.formats.knockout import KnockoutFormat
from arena.formats.round_robin import RoundRobinFormat
from arena.formats.swiss import SwissFormat
from arena.hosting.database import Database, Night
from arena.hosting.notices import Told, of_night
from arena.hosting.place import Place
from arena.league.entrants import Names
from arena.league.store import League, LeagueNotFound, StoredTournament, StoreError
from arena.league.stored import ladders_of
from arena.league.summary import final_places
from arena.league.tournament_file import (
    TournamentFileError,
    made,
    require_sandboxes,
    tournament_of,
    write_made,
)
from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.local.sandbox import Level, SandboxMissing, Trust
from arena.names import same_name
from arena.strict_toml import Section, WrongFile, parse, read_text, show
from arena.table.clock import SECOND, parse_duration
from arena.text import joined

LATE: Final = timedelta(minutes=15)
"""A night that has not begun so long after its time is missed."""

LOBBY: Final = timedelta(minutes=10)
"""So long before its time the lobby of a night with guests opens, and the ladder rests."""

FINALS: Final = (KnockoutFormat.id, DoubleEliminationFormat.id, SwissFormat.id, RoundRobinFormat.id)
"""The formats of finals that need no file."""

_DOWN: Final = "the host was down at its time"
_GIVE_UP: Final = timedelta(hours=1)
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKLY: Final = re.compile(rf"({'|'.join(_WEEKDAYS)}) ([01][0-9]|2[0-3]):([0-5][0-9])")
_SEASON_END: Final = "season end"
_FINALS: Final = "Finals"
_FINALISTS: Final = 8
_LONGEST_FREEZE: Final = 7 * 24 * 3600 * SECOND
_PERSONS_CLOCK: Final = {"bank": "20m", "move": "3m"}

SeasonEnd = Callable[[datetime], datetime | None]
"""The end of the season at a moment, later than it; None for a season without an end."""


class NightPlan(NamedTuple):
    """A table `[[night]]` of league.toml.

    Attributes:
        name: unique among the nights.
        file: its tournament file, absolute; not used if it has `keys`.
        weekly: its weekday, from 0 for Monday, and its time of day; None if it is not weekly.
        once: its local date and time; None if it is weekly or at the season's end.
        zone: whose local time that is; None for the machine's.
        freeze: how long before its time its entrants are settled.
        top: how many of the best bots play; None for all.
        house: whether the bots of the host play too.
        guests, people: names of bots and of people that join with tokens.
        missed: whether it is played later if the host was down.
        keys: the keys that a tournament file would have; None if it has a file.
    """

    name: str
    file: Path
    weekly: tuple[int, time] | None
    once: datetime | None
    zone: tzinfo | None
    freeze: timedelta
    top: int | None
    house: bool
    guests: tuple[str, ...]
    people: tuple[str, ...]
    missed: bool
    keys: Mapping[str, object] | None = None


class Orders(NamedTuple):
    """What the host process does about nights.

    Attributes:
        night: the night that is played now, while the ladder rests; None if there is none.
        command: the words after `arena` of the command that plays it, or goes on with it.
    """

    night: Night | None = None
    command: tuple[str, ...] = ()


def read_nights(top: Section, folder: Path) -> tuple[NightPlan, ...]:
    """The tables `[[night]]` of a league.toml in `folder`; mistakes are reported by `Section.fail`."""
    if "night" not in top:
        return ()
    plans: list[NightPlan] = []
    for table in top.tables("night"):
        name = table.name("name")
        table = table.called(name)
        if any(_slug(plan.name) == _slug(name) for plan in plans):
            table.fail("another night has this name; names must differ in letters or digits")
        plans.append(_plan(table, name, folder))
    return tuple(plans)


def _plan(table: Section, name: str, folder: Path) -> NightPlan:
    table.only("name", "file", "on", "date", "zone", "freeze", "top", "house", "guests", "people", "missed")
    if ("on" in table) == ("date" in table):
        table.fail(
            'needs either on, such as on = "friday 19:00", or date, such as date = 2026-12-04T19:00:00'
        )
    weekly, once = None, None
    if "on" in table and table.text("on") != _SEASON_END:
        found = _WEEKLY.fullmatch(table.text("on").lower())
        if found is None:
            table.fail(f'on must be as "friday 19:00" or "{_SEASON_END}", not {show(table.text("on"))}')
        weekly = _WEEKDAYS.index(found[1]), time(int(found[2]), int(found[3]))
    if "date" in table:
        table.moment("date")  # which checks its type
        once = table.values()["date"].replace(microsecond=0)
        if once.tzinfo is not None and "zone" in table:
            table.fail("date has an offset from UTC, so zone must be left out")
    freeze = table.text("freeze", "30m")
    nanoseconds = parse_duration(freeze)
    if nanoseconds is None or nanoseconds > _LONGEST_FREEZE:
        table.fail(f'freeze must be a duration of at most 168h, such as "30m", not {show(freeze)}')
    guests, people = table.texts("guests", ()), table.texts("people", ())
    for each in (*guests, *people):
        Section({"name": each}, f"{name}: guests and people", WrongFile).name("name")
    if len({same_name(each) for each in (*guests, *people)}) < len(guests) + len(people):
        table.fail("guests and people must have different names")
    file, settled = folder / table.text("file"), timedelta(seconds=nanoseconds / SECOND)
    if settled < LOBBY and (guests or people or _expects_guests(file)):
        table.fail(
            f'freeze must be at least "10m" for a night with guests, not {show(freeze)}: their lobby opens '
            "ten minutes before its time, with the entrants that are settled by then"
        )
    return NightPlan(
        name=name,
        file=file,
        weekly=weekly,
        once=once,
        zone=_zone(table) if "zone" in table else None,
        freeze=settled,
        top=table.number("top", None, 2, 1_000) if "top" in table else None,
        house=table.flag("house", False),
        guests=guests,
        people=people,
        missed=table.choice("missed", ("play", "skip"), "play") == "play",
    )


def read_finals(
    top: Section, folder: Path, nights: Sequence[NightPlan], rules: Collection[str], *, ends: bool
) -> tuple[NightPlan, ...]:
    """The finals of each season, if a league.toml has the key; mistakes are reported by `Section.fail`.

    Args:
        top: the keys of the file.
        folder: the folder in which it is.
        nights: the nights of the file.
        rules: the keys for the rules of games, which hold for the finals too unless they have a file.
        ends: whether seasons end.
    """
    if "finals" not in top:
        return ()
    word = top.text("finals")
    file, keys = folder / word, None
    if word in FINALS:
        keys = {key: value for key, value in top.values().items() if key in rules}
        keys["stage"] = [{"format": word}]
    elif not word.endswith(".toml"):
        formats = ", ".join(f'"{each}"' for each in FINALS)
        top.fail(f'finals must be {formats} or a tournament file such as "finals.toml", not {show(word)}')
    elif not file.is_file():
        top.fail(f"finals names {show(word)}, but there is no such file: write it, or name a format")
    elif _expects_guests(file):
        top.fail(
            f"finals names {show(word)}, which has guests, but finals begin with bots of the ladder alone: "
            f'leave out join, or write a [[night]] with on = "{_SEASON_END}"'
        )
    if not ends:
        top.fail('finals need seasons that end: set season to "month", "quarter" or "year"')
    if any(_slug(night.name) == _slug(_FINALS) for night in nights):
        top.fail(f"a night is called {_FINALS}, as the finals are: give the night another name")
    plan = NightPlan(_FINALS, file, None, None, None, timedelta(), _FINALISTS, False, (), (), True, keys)
    return (plan,)


def _expects_guests(file: Path) -> bool:
    """Whether a tournament file has entrants that join, as far as it can be read already."""
    try:
        entrants = tomllib.loads(file.read_text("utf-8")).get("entrant", ())
        return any("join" in entrant for entrant in entrants)
    except (OSError, ValueError, TypeError):  # it may be written later, and is checked at the freeze
        return False


def _zone(table: Section) -> ZoneInfo:
    zone = table.text("zone")
    try:
        return ZoneInfo(zone)
    except (KeyError, OSError, ValueError):
        table.fail(f'zone must be a name such as "Europe/Berlin" or "UTC", not {show(zone)}')


def next_due(plan: NightPlan, after: datetime, season_end: SeasonEnd) -> datetime | None:
    """When a night is due next, later than a moment, in UTC; None for never.

    The local time counts, also when summer time begins or ends. A time that occurs twice is the first of the
    two, and a time that the clocks leap over is as much later.
    """
    if plan.once is not None:
        due = _instant(plan.once, plan.zone)
        return due if due > after else None
    if plan.weekly is None:
        end = season_end(after)
        return None if end is None else end.astimezone(UTC)
    weekday, at = plan.weekly
    day: date = after.astimezone(plan.zone).date()
    while True:
        if day.weekday() == weekday:
            due = _instant(datetime.combine(day, at), plan.zone)
            if due > after:
                return due
        day += timedelta(days=1)


def _instant(local: datetime, zone: tzinfo | None) -> datetime:
    if local.tzinfo is None and zone is not None:
        local = local.replace(tzinfo=zone)
    return local.astimezone(UTC)  # without a zone the machine's counts


def look(
    place: Place,
    database: Database,
    plans: Sequence[NightPlan],
    now: datetime,
    season_end: SeasonEnd,
    trust: Trust,
    concurrency: int,
    house: Sequence[Path] = (),
) -> Orders:
    """Brings the nights in the database up to the moment `now`; says what is played now.

    Args:
        place: the folder of the league.
        database: a connection that may write.
        plans: the nights of league.toml.
        now: the moment.
        season_end: when seasons end.
        trust: what bots are allowed, for files that do not say.
        concurrency: how many tables are played at once, for files that do not say.
        house: the folders of the host's bots.

    It may be called at any time and as often as wished, but by one thread at a time.
    """
    _await(place, database, plans, now, season_end)
    by_name = {plan.name: plan for plan in plans}
    running: Orders | None = None
    for night in database.nights():
        plan, due = by_name.get(night.name), datetime.fromisoformat(night.due)
        if night.state == "playing" and running is None:
            night = _followed(place, night, now)
            _put(place, database, night)
            if night.state == "playing":
                running = Orders(night, _command(place, night, trust.level))
        elif night.state == "awaited" and plan is not None and now >= due - plan.freeze:
            if now - due > LATE and not plan.missed:
                night = night._replace(state="skipped", reason=_DOWN)
            else:
                night = _frozen(place, database, plan, night, trust, concurrency, house)
            _put(place, database, night)
        if night.state == "frozen" and due - LOBBY <= now < due:
            _tell_soon(place, database, night)
        if night.state == "frozen" and running is None:
            if now - due > LATE and plan is not None and not plan.missed:
                _put(place, database, night._replace(state="skipped", reason=_DOWN))
            elif now >= _opens(place, night):
                os.utime(file_of(place, night), (now.timestamp(), now.timestamp()))  # see _followed
                night = night._replace(state="playing")
                database.put_night(night)
                running = Orders(night, _command(place, night, trust.level))
    return running or Orders()


def _put(place: Place, database: Database, night: Night) -> None:
    """Stores a night, and with it the notices of its end."""
    told = _of_end(place, database, night)
    with database.transaction():
        database.put_night(night)
        for each in told:
            database.tell(*each)


def _of_end(place: Place, database: Database, night: Night) -> list[Told]:
    """The notices of a night that is over: each bot's place, or why it was not played."""
    if night.state in ("skipped", "failed"):
        words = f"The night {night.name} was not played: {night.reason}."
        return of_night(place, database, night, "night-failed", words, {}, "/nights-to-come")
    if night.state != "played" or night.tournament is None:
        return []
    with League.read(place.league) as league:
        stored = league.tournament(night.tournament)
        try:
            final = final_places(league, stored.id)
        except StoreError:  # the pages say why
            final = ()
    players, first = {}, []
    for line in final:
        entrant = stored.entrants[line.entrant]
        folder = Path(os.path.normpath(stored.file_path.parent / entrant.bot))
        players[folder] = f"has place {line.place} of {len(final)} in the night {night.name}."
        first += [entrant.name] if line.place == 1 else []
    words = f"The night {night.name} is over{f': {joined(first)} came first' if first else ''}."
    return of_night(place, database, night, "night-result", words, players, f"/nights/{stored.id}/")


def _tell_soon(place: Place, database: Database, night: Night) -> None:
    """Tells once who plays in a night that begins soon."""
    about = {"night": night.name, "due": night.due}
    if database.noted("night-soon", about):
        return
    at, folders = f"at {datetime.fromisoformat(night.due):%H:%M} UTC", _written(place, night).folders
    players = dict.fromkeys(folders, f"plays in the night {night.name}, which begins {at}.")
    words = f"The night {night.name} begins {at}."
    with database.transaction():
        database.note(None, "night-soon", about)
        for each in of_night(place, database, night, "night-soon", words, players, "/nights-to-come"):
            database.tell(*each)


def _await(
    place: Place, database: Database, plans: Sequence[NightPlan], now: datetime, season_end: SeasonEnd
) -> None:
    """Adds the next time of each night, and forgets what league.toml no longer has."""
    nights = database.nights()
    by_name = {plan.name: plan for plan in plans}
    waiting, last = set(), dict.fromkeys(by_name, now)
    for night in nights:
        due, plan = datetime.fromisoformat(night.due), by_name.get(night.name)
        if night.state == "awaited" and (
            plan is None or next_due(plan, due - timedelta(seconds=1), season_end) != due
        ):
            database.forget_night(night.name, night.due)
            continue
        if night.state == "frozen" and plan is None:
            _put(place, database, night._replace(state="skipped", reason="it was taken out of league.toml"))
        if plan is not None:
            last[night.name] = max(last[night.name], due)
        if night.state in ("awaited", "frozen", "playing"):
            waiting.add(night.name)
    for plan in plans:
        if plan.name not in waiting and (due_next := next_due(plan, last[plan.name], season_end)):
            database.put_night(Night(plan.name, due_next.isoformat(timespec="seconds"), "awaited", None, ""))


def file_of(place: Place, night: Night) -> Path:
    """The tournament file of a night, which is written when its entrants are settled."""
    due = datetime.fromisoformat(night.due)
    file, *earlier = (
        place.tournaments / f"night-{slug}-{due:%Y-%m-%dT%H%M%SZ}.{kind}"
        for slug in (_slug(night.name), _latin(night.name))
        for kind in ("json", "toml")
    )
    if night.state == "awaited" or file.exists():
        return file
    return next((each for each in earlier if each.exists()), file)  # as earlier versions wrote it


def _slug(name: str) -> str:
    """A name as a part of the name of a file; names that differ in letters or digits have different ones."""
    plain, word = _latin(name), "".join(filter(str.isalnum, same_name(name)))
    return plain if word.isascii() else f"{plain}-{hashlib.sha256(word.encode()).hexdigest()[:8]}".strip("-")


def _latin(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _frozen(
    place: Place,
    database: Database,
    plan: NightPlan,
    night: Night,
    trust: Trust,
    concurrency: int,
    house: Sequence[Path],
) -> Night:
    """The night with its entrants settled: writes its tournament file."""
    path = file_of(place, night)
    if path.exists() and path.stat().st_size:  # the host process was killed before the database knew
        return night._replace(state="frozen")
    try:
        if plan.keys is None:
            own = parse(read_text(plan.file, TournamentFileError), plan.file, TournamentFileError)
        else:
            own = Section(plan.keys, "league.toml, finals", TournamentFileError)
        values = _values(place, database, plan, night, own, concurrency, house)
        file = tournament_of(Section(values, str(plan.file), TournamentFileError), path, most=trust)
        require_sandboxes(file)
        write_made(made(path, file.plan, file.bots, file.begins, place.folder))
    except (WrongFile, SandboxMissing) as problem:
        return night._replace(state="failed", reason=str(problem))
    return night._replace(state="frozen")


def _values(
    place: Place,
    database: Database,
    plan: NightPlan,
    night: Night,
    top: Section,
    concurrency: int,
    house: Sequence[Path],
) -> dict[str, object]:
    """The keys of the host's own file, with the time and the entrants of a night. Raises WrongFile."""
    if "begins" in top:
        top.fail("the file of a night must leave begins out; league.toml has its time")
    own = top.tables("entrant") if "entrant" in top else []
    if any("join" not in table for table in own):
        top.fail("the file of a night may have entrants with join = true only; the league's bots are added")
    names = Names()
    joining = [str(table.values().get("name", "")) for table in own]
    for name in (*joining, *plan.guests, *plan.people):
        names.take(name, 0)
    if joining and plan.freeze < LOBBY:
        top.fail(
            'has guests, whose lobby opens ten minutes before the time: set freeze to "10m" or more in a '
            "table [[night]]"
        )
    order: dict[Path, int] = {}
    for at, folder in enumerate(_ladder_order(place)):
        order.setdefault(folder, at)  # a bot that came back stands there twice
    bots = [(bot.name, place.bot(version.id)) for bot, version, _ in database.active()]
    if plan.house:
        bots += [(read_bot_manifest(folder).name, folder) for folder in house]
    bots.sort(key=lambda each: order.get(each[1], len(order)))
    # Authors' bots have their names first.
    playing = sorted(bots[: plan.top], key=lambda each: each[1] in house)
    entrants: list[Mapping[str, object]] = [table.values() for table in own]
    entrants += [{"name": names.free(name), "bot": str(folder)} for name, folder in playing]
    entrants += [{"name": name, "join": True} for name in plan.guests]
    entrants += [{"name": name, "join": True, "clock": _PERSONS_CLOCK} for name in plan.people]
    if len(entrants) < 2:
        raise TournamentFileError(f"{night.name} needs two entrants, and there are {len(entrants)}")
    defaults = {"name": plan.name, "concurrency": concurrency}
    begins = datetime.fromisoformat(night.due)
    return {**defaults, **top.values(), "begins": begins, "entrant": entrants}


def _ladder_order(place: Place) -> list[Path]:
    """The folders of the ladder's entrants, the best first, as far as the last season is played."""
    try:
        with League.read(place.league) as league:
            for stored in ladders_of(reversed(league.tournaments())):
                ranked = final_places(league, stored.id)
                return [Path(stored.entrants[line.entrant].bot) for line in ranked]
    except LeagueNotFound:
        pass
    return []


def is_night(stored: StoredTournament) -> bool:
    """Whether a tournament of a standing league is a night, and no season of the ladder."""
    return stored.file_path.name.startswith("night-")


class _Written(NamedTuple):
    """What a night's tournament file says.

    Attributes:
        begins: when it begins at the earliest.
        names: the names of its entrants.
        folders: the folders of those that the referee starts.
        waits: whether some of them join.
        demands: whether it has a sandbox level of its own.
    """

    begins: datetime
    names: tuple[str, ...]
    folders: tuple[Path, ...]
    waits: bool
    demands: bool


def _written(place: Place, night: Night) -> _Written:
    path = file_of(place, night)
    text = path.read_text("utf-8")
    if path.suffix == ".toml":  # of an earlier version, which demanded a level always
        values = tomllib.loads(text)
        begins, entrants, demands = values["begins"], values["entrant"], True
    else:
        values = json.loads(text)
        begins, entrants = datetime.fromisoformat(values["begins"]), values["entrants"]
        demands = values["trust"]["demanded"]
    names = tuple(entrant["name"] for entrant in entrants)
    bots = (entrant["bot"] for entrant in entrants if "bot" in entrant)
    folders = tuple(Path(os.path.normpath(path.parent / bot)) for bot in bots)
    return _Written(begins, names, folders, any("join" in entrant for entrant in entrants), demands)


def _opens(place: Place, night: Night) -> datetime:
    """When a night is to be started: its lobby opens before it begins."""
    written = _written(place, night)
    return written.begins - (LOBBY if written.waits else timedelta())


def names_of(place: Place, night: Night) -> tuple[str, ...]:
    """The names of a night's entrants, once they are settled."""
    return _written(place, night).names


def _stored(place: Place, night: Night) -> StoredTournament | None:
    """The tournament of a night; None if it is not in the league yet."""
    name = file_of(place, night).name
    try:
        with League.read(place.league) as league:
            return next((each for each in league.tournaments() if each.file_path.name == name), None)
    except LeagueNotFound:
        return None


def _followed(place: Place, night: Night, now: datetime) -> Night:
    """A night that is played, as the league file has it.

    The time of its tournament file is when it was to begin at last.
    """
    stored = _stored(place, night)
    if stored is not None:
        return night._replace(tournament=stored.id, state="playing" if stored.finished is None else "played")
    asked = datetime.fromtimestamp(file_of(place, night).stat().st_mtime, UTC)
    if now - max(asked, _written(place, night).begins) > _GIVE_UP:
        return night._replace(
            state="failed", reason="it could not begin for an hour; the host's log says why"
        )
    return night


def _command(place: Place, night: Night, level: Level) -> tuple[str, ...]:
    """The command that plays a night, with the level of the league unless the host's own file has one.

    Whenever it starts, also after the time of the night, it waits for guests no longer than their lobby is
    open before that time.
    """
    stored, written = _stored(place, night), _written(place, night)
    options = () if written.demands else ("--sandbox", str(level))
    if written.waits:
        options = ("--start-after", str(LOBBY.seconds), *options)
    if stored is None:
        return ("run", str(file_of(place, night)), "--league", str(place.league), "--hosted", *options)
    return ("resume", str(place.league), "--tournament", str(stored.id), "--hosted", *options)
