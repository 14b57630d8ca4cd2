"""The seasons of a ladder: which bots should be its entrants, and which command plays now.

What is due follows from the database, the league file and the time alone. So a host process that was killed
goes on by looking again (`look`).
"""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from arena.formats.ladder import LadderFormat
from arena.hosting import nights
from arena.hosting.database import Database
from arena.hosting.notices import tell_deactivated
from arena.hosting.place import Place
from arena.hosting.settings import Settings, season_end, season_name
from arena.kits import copy_example
from arena.league.entrants import WrongEntrant, started
from arena.league.store import League, LeagueNotFound, StoredTournament
from arena.league.tournament_file import Bots, TournamentFileError, made, safe_to_share, write_made
from arena.link.local.bot_manifest import read_bot_manifest
from arena.names import same_name
from arena.referee.night.host_requests import admit, ask
from arena.tournament.rulings import Newcomer, Refused, Withdraw, effects_of, read_ruling

CLOSED: Final = "its author's account is closed"
WITHDRAWN: Final = "withdrawn by its author"
"""The reason of the host process for a withdrawal; the rules, and the host at the terminal, give others."""


class Due(NamedTuple):
    """What should be played now.

    Attributes:
        what: the season or the night; empty if nothing can be played.
        command: the words after `arena` that begin it or go on with it.
        problem: why a bot that should play does not, in a sentence; the others play.
    """

    what: str = ""
    command: tuple[str, ...] = ()
    problem: str = ""


class _Bot(NamedTuple):
    """A bot that should play.

    Attributes:
        bot: its id; 0 for one of the host.
        name: its name with its version, for people.
        version: the version, such as `v2`; empty for a bot of the host.
        folder: the folder by which it is known among the entrants.
        author: its author.
    """

    bot: int
    name: str
    version: str
    folder: Path
    author: str


def look(place: Place, settings: Settings, database: Database, now: datetime) -> Due:
    """Brings the ladder's entrants up to what the database says; returns what should be played now.

    It may be called at any time, by one thread at a time. Raises Refused and StoreError while the league
    cannot be asked.
    """
    house = settings.house if any(night.house for night in settings.nights) else ()
    orders = nights.look(
        place, database, settings.nights, now, partial(season_end, settings.season),
        settings.trust, settings.concurrency, [kept(place, folder) for folder in house],
    )  # fmt: skip
    if orders.night is not None:
        if orders.night.tournament is not None:
            _withdraw_closed(place, database, orders.night.tournament)
        return Due(f"night {orders.night.name} {orders.night.due}", orders.command)
    season = f"season-{season_name(settings.season, now)}"
    ladders, newest_unfinished = _ladders(place)
    wanted = _wanted(place, settings, database)
    problem = ""
    current = next((stored for stored in ladders if stored.finished is None), None)
    if current is not None and newest_unfinished == current.id:
        if _season_of(current) != season:
            ask(place.league, "end", reason="the season is over")
            current = None
        else:
            try:
                _admit(place, database, current, wanted)
            except Refused as why:
                problem = str(why)
    if current is not None:
        command = ("resume", str(place.league), "--tournament", str(current.id), "--hosted")
        return Due(f"season {current.file_path.stem}", (*command, *_options(settings)), problem)
    if len(wanted) < 2:
        return Due()
    ended = sum(_season_of(stored) == season for stored in ladders)  # by the host at the terminal
    file = place.tournaments / f"{season}{f'.{ended + 1}' if ended else ''}.json"
    _write(place, file, settings, wanted)
    command = ("run", str(file), "--league", str(place.league), "--hosted")
    return Due(f"season {file.stem}", (*command, *_options(settings)))


def _season_of(stored: StoredTournament) -> str:
    return stored.file_path.name.split(".")[0]


def _options(settings: Settings) -> tuple[str, ...]:
    """The options of the command that plays, which hold also for a season that began under other settings."""
    level = ("--sandbox", str(settings.trust.level))
    return (*level, "--cluster", settings.cluster) if settings.cluster else level


def _ladders(place: Place) -> tuple[list[StoredTournament], int | None]:
    """The ladders of the league, and the id of its newest unfinished tournament."""
    try:
        with League.read(place.league) as league:
            stored = league.tournaments()
    except LeagueNotFound:
        return [], None
    unfinished = [each.id for each in stored if each.finished is None]
    ladders = [each for each in stored if each.file_path.name.startswith("season-")]
    return ladders, max(unfinished, default=None)


def _wanted(place: Place, settings: Settings, database: Database) -> list[_Bot]:
    """The bots that should play: the host's own, and each author's active version."""
    house = []
    for folder in settings.house:
        folder = kept(place, folder)
        name = read_bot_manifest(folder).name
        house.append(_Bot(0, name, "", folder, "house"))
    active = []
    for bot, version, account in database.active():
        number = f"v{version.number}"
        active.append(_Bot(bot.id, f"{bot.name} {number}", number, place.bot(version.id), account.name))
    return [*house, *active]


def kept(place: Place, folder: Path) -> Path:
    """The folder of a bot of the host; an example bot of the arena is copied, and so stays what it is.

    Raises OSError.
    """
    copy = place.house_bot(folder)
    if copy != folder and not copy.exists():
        half = copy.with_suffix(".part")
        if half.exists():
            shutil.rmtree(half)
        copy_example(folder, half)
        half.rename(copy)
    return copy


def _write(place: Place, file: Path, settings: Settings, wanted: list[_Bot]) -> None:
    """Writes the tournament file of a season, whole or not at all. Raises TournamentFileError.

    It has two entrants. All others are admitted, because an admission says who the author is.
    """
    rules, trust = settings.rules, settings.trust
    try:
        entrants = tuple(started(bot.folder, rules.games, trust, bot.name) for bot in wanted[:2])
    except WrongEntrant as problem:
        raise TournamentFileError(str(problem)) from None
    name = f"{settings.name} {file.stem.removeprefix('season-')}"
    plan = rules.plan(name, (LadderFormat.of(len(entrants)),))
    plan = dataclasses.replace(plan, shared_cards=safe_to_share(plan, entrants))
    write_made(made(file, plan, Bots(settings.concurrency, entrants, trust), home=place.folder))


def _admit(place: Place, database: Database, stored: StoredTournament, wanted: list[_Bot]) -> None:
    """Admits the bots that should play and do not, and withdraws the others.

    Raises Refused, of the first bot that is refused, after it has dealt with all others.
    """
    with League.read(place.league) as league:
        entrants = league.tournament(stored.id).entrants
        rulings = [(read_ruling(each.ruling), each.reason) for each in league.rulings(stored.id)]
    gone = effects_of(len(entrants) - stored.late, [ruling for ruling, _ in rulings]).withdrawn
    excluded = {
        ruling.entrant: reason
        for ruling, reason in rulings
        if isinstance(ruling, Withdraw) and reason != WITHDRAWN
    }
    folders = [Path(each.bot) for each in entrants]
    playing = [number for number in range(len(entrants)) if number not in gone]
    kept: set[int | None] = set()
    refused = []
    for bot in wanted:
        number = max((at for at, folder in enumerate(folders) if folder == bot.folder), default=None)
        if number in playing:
            kept.add(number)
            continue
        if number in excluded:
            told = {"entrant": entrants[number].name, "season": stored.name}
            if bot.bot == 0:
                continue  # the host has a look, and takes it out of league.toml or begins a new season
            if not database.noted("excluded", told):
                with database.transaction():
                    database.activate(bot.bot, None)
                    database.note(None, "excluded", told)
                    tell_deactivated(database, bot.bot, f"{stored.id}.{number}", excluded[number])
                continue
        versions = {place.bot(version.id) for version in database.versions(bot.bot)}
        old = next((at for at in playing if folders[at] in versions), None)
        newcomer = Newcomer(
            _free(bot.name, [each.name for each in entrants]),
            "bot",
            str(bot.folder),
            bot.version,
            bot.author,
            "" if old is None else entrants[old].name,
        )
        try:
            admit(place.league, newcomer, "its author submitted it")
        except Refused as why:
            refused.append(why)
            kept.add(old)
            continue
        if old is not None:
            playing.remove(old)
    for number in playing:
        if number not in kept:
            ask(place.league, "withdraw", entrants[number].name, WITHDRAWN)
    if refused:
        raise refused[0]


def _withdraw_closed(place: Place, database: Database, night: int) -> None:
    """Withdraws the bots of accounts that were closed since the entrants of a night were settled."""
    closed = {account.id for account in database.accounts() if account.revoked}
    bots = [bot for account in closed for bot in database.bots(account)]
    folders = {place.bot(version.id) for bot in bots for version in database.versions(bot.id)}
    if not folders:
        return
    with League.read(place.league) as league:
        stored = league.tournament(night)
        rulings = [read_ruling(each.ruling) for each in league.rulings(night)]
    gone = effects_of(len(stored.first_entrants), rulings).withdrawn
    for number, entrant in enumerate(stored.entrants):
        folder = Path(os.path.normpath(stored.file_path.parent / entrant.bot))
        if entrant.bot and folder in folders and number not in gone:
            with suppress(Refused):  # the night goes on; it is asked again
                ask(place.league, "withdraw", entrant.name, CLOSED)


def _free(name: str, taken: Sequence[str]) -> str:
    """The name, with a count behind it if it is taken, such as `walker v3 (2)` of a bot that comes back."""
    same, free, times = set(map(same_name, taken)), name, 1
    while same_name(free) in same:
        times += 1
        free = f"{name} ({times})"
    return free


def now() -> datetime:
    """The moment, in UTC."""
    return datetime.now(UTC)
