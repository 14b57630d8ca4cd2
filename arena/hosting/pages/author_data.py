"""What the pages of authors and the API show of bots: for everybody, and more for a bot's author."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlsplit

import trio
from starlette.exceptions import HTTPException

from arena.hosting.database import UNDER_WAY, Account, Bot, Database, Version
from arena.hosting.pages.season_bots import BotOf, Entry, Season, looks, season_of, titles_in
from arena.hosting.pages.standing import Standing, is_own
from arena.hosting.queue import waits
from arena.league.store import StoreError
from arena.league.stored import ladders_of
from arena.table.record import BrokenRecord
from arena.text import span_text

_MOST_LINES: Final = 500  # of a report, at once
_MINUTE = 60.0
_LOOK, _HELD = 600.0, 3600.0  # seconds between two looks at the first place, and until it is told
_HOST: Final = "the host"  # the author of the bots of the house

T = TypeVar("T")


class First(NamedTuple):
    """The first place of a season of the ladder.

    Attributes:
        season: the id of its tournament.
        bot: the bot that has it; empty for one of the host.
        name: its name.
    """

    season: int
    bot: str
    name: str


async def watch_first(find: Callable[[], First | None], tell: Callable[[First], Awaitable[None]]) -> None:
    """Tells of each bot that has had the first place for an hour, until it is cancelled.

    Args:
        find: finds out who has it now, in a thread; None if that cannot be known.
        tell: tells it. If it raises HTTPException, it is called again later.
    """
    first: First | None = None
    told, since = None, 0.0
    while True:
        found = await trio.to_thread.run_sync(find)
        if found != first:
            first, since = found, trio.current_time()
        if first is not None and first != told and trio.current_time() - since >= _HELD:
            with suppress(HTTPException):
                await tell(first)
                told = first
        await trio.sleep(_LOOK)


class AuthorData:
    """The data of a standing league's bots.

    Args:
        standing: the league.
    """

    def __init__(self, standing: Standing) -> None:
        self._standing = standing
        self._reader = standing.site.reader
        self._bot_of = BotOf(standing.place)

    async def compute_past(self) -> None:
        """Computes the season at earlier moments, then earlier seasons, one by one, until it is cancelled."""
        while True:
            computed = await trio.to_thread.run_sync(self._compute_one)
            await trio.sleep(1.0 if computed else _MINUTE)

    def _compute_one(self) -> bool:
        try:
            season = season_of(self._reader, self._standing.place)
            if season is None or self._reader.work.empty:
                return False
            for at in looks(season.snapshot.tournament):
                if not self._reader.ratings_at(season.id, at, compute=False) and self._reader.ratings_at(
                    season.id, at, compute=True
                ):
                    return True
            for stored in ladders_of(reversed(self._reader.tournaments())):
                if stored.finished and self._reader.over_before(stored.id) is None:
                    self._reader.over(stored.id)
                    return True
                if any(self._reader.look_at(stored.id, at) for at in looks(stored)):
                    return True
        except StoreError:
            pass  # the views show the problem
        return False

    def first(self) -> First | None:
        """Which bot has the first place of the running season. For threads."""
        with suppress(StoreError):  # the views show the problem
            with self._reader.work.spending():
                season = season_of(self._reader, self._standing.place)
            places = season.snapshot.places.items() if season else ()
            if (
                season
                and (found := next((entrant for entrant, place in places if place == 1), None)) is not None
            ):
                entrant = season.snapshot.tournament.entrants[found]
                bot = self._bot_of(entrant)
                return First(season.id, bot, bot or entrant.name)
        return None

    async def tell_first(self, first: First) -> None:
        """Tells the host process which bot has the first place. Raises HTTPException."""
        await self._standing.decide("first", None, **first._asdict())

    async def of_season(self, ask: Callable[[Season | None], T]) -> T:
        """What `ask` finds in the season, in a thread. Raises HTTPException if the league cannot be read."""

        def found() -> T:
            return ask(season_of(self._reader, self._standing.place))

        try:
            return await trio.to_thread.run_sync(found)
        except (StoreError, BrokenRecord) as problem:
            raise HTTPException(503, f"The league cannot be read: {self._reader.told(problem)}.") from None

    async def bots(self, account: Account | None) -> list[dict[str, Any]]:
        """All bots, with the ratings of the season, the best first; of one's own also the newest state.

        A bot of the host has no version, and `page` is the address of its page, if it has played.
        """

        def read(database: Database) -> list[tuple[Bot, list[Version], str]]:
            names = {each.id: each.name for each in database.accounts()}
            versions = database.versions_by_bot()
            return [(bot, versions.get(bot.id, []), names[bot.account]) for bot in database.bots()]

        found = await self._standing.read(read)
        settings = await self._standing.settings()

        def rated(season: Season | None) -> list[dict[str, Any]]:
            rows: list[dict[str, Any]] = []
            for name, folder in settings.house_bots.items():
                entry = season.house_entry(folder) if season else None
                page = season.page_of(entry) if season and entry else ""
                row = {"name": name, "author": _HOST, "version": None, **_rated(entry), "house": True}
                rows.append({**row, "page": page})
            for bot, versions, author in found:
                own = is_own(bot, account)
                if not own and not any(each.state == "accepted" for each in versions):
                    continue
                active = next((each for each in versions if each.id == bot.active), None)
                entry = season.entry(active) if season and active else None
                number = active and active.number
                row = {"name": bot.name, "author": author, "version": number, **_rated(entry), "house": False}
                if own and versions:
                    row |= {"own": bot.account == getattr(account, "id", None), "newest": versions[0].number}
                    row["state"] = versions[0].state
                    row["memory"] = season.memory(entry) if season and entry else None
                rows.append(row)
            return sorted(rows, key=lambda row: (row["rating"] is None, -(row["rating"] or 0)))

        def rated_in_the_budget(season: Season | None) -> list[dict[str, Any]]:
            with self._reader.work.spending():
                return rated(season)

        return await self.of_season(rated_in_the_budget)

    async def bot(self, bot: Bot, versions: Sequence[Version], account: Account | None) -> dict[str, Any]:
        """A bot: its rating over time and its results; for its author also versions, faults and times."""
        author = await self._standing.read(lambda database: database.account(bot.account))
        own = is_own(bot, account)
        active = next((each.number for each in versions if each.id == bot.active), None)
        accepted = [each for each in versions if each.state == "accepted"]
        data: dict[str, Any] = {
            "name": bot.name,
            "author": author.name if author else "",
            "version": active,
        }

        def played(season: Season | None) -> dict[str, Any]:
            return played_in(season) | {"titles": titles_in(self._reader, bot.name, self._bot_of)}

        def played_in(season: Season | None) -> dict[str, Any]:
            entries = season.entries(accepted) if season else []
            if season is None or not entries:
                nothing: dict[str, Any] = (
                    {"times": [], "memory": None, "faults": [], "change": ""} if own else {}
                )
                return {
                    **_rated(None), "page": "", "place": None, "certain": "", "language": "",
                    "emblem": None, "last": [], "history": [], "opponents": [], "by_game": [],
                    "estimates": None, **nothing,
                }  # fmt: skip
            shown = next((each for each in entries if each.number == active), entries[0])
            opponents, games = season.results(shown, self._bot_of)
            told = {
                **_rated(shown),
                "page": season.page_of(shown),
                **season.face_of(shown),
                "history": [
                    {"at": at, "version": number, "rating": each.rating, "low": each.low, "high": each.high}
                    for at, number, each in season.ratings_over_time(entries)
                ],
                "opponents": [each._asdict() for each in opponents],
                "by_game": [each._asdict() for each in games],
                "estimates": season.estimates(shown, own=own),
            }
            if own:
                told |= {
                    "times": season.times(shown),
                    "memory": season.memory(shown),
                    "faults": season.faults(entries[:3]),
                    "change": season.change(entries[0], entries[1]) if len(entries) > 1 else "",
                }
            return told

        data |= await self.of_season(played)
        if own:
            data = {"times": [], "memory": None, "faults": [], "change": ""} | data
            data["versions"] = [version_data(each) for each in versions]
        return data

    async def notices(self, account: Account) -> dict[str, Any]:
        """The notices to an account, the newest first, and how its webhook fares."""
        found, receiver = await self._standing.read(
            lambda database: (database.notices(account.id), database.receiver(account.id))
        )
        return {
            "notices": [{**each._asdict(), "new": each.id > receiver.seen} for each in found],
            "webhook": urlsplit(receiver.url).hostname or "",
            "problem": receiver.problem,
        }

    async def report(self, version: Version, start: int) -> dict[str, Any]:
        """The report about a version, from a line on; how long its present step has lasted; why it waits."""
        path = self._standing.place.submission(version.id) / "report.jsonl"
        lines = await trio.to_thread.run_sync(_lines, path)
        asked = lines[start : start + _MOST_LINES]
        waiting = await self._standing.read(lambda database: waits(database, version))
        # The state is read before the lines, so what is decided has all its lines.
        return {
            "state": version.state,
            "reason": version.reason,
            "lines": asked,
            "next": start + len(asked),
            "elapsed": _elapsed(version, lines),
            "waits": waiting,
        }


def version_data(version: Version) -> dict[str, Any]:
    """A version as its author sees it."""
    return {
        "version": version.number,
        "state": version.state,
        "reason": version.reason,
        "note": version.note,
        "content": version.content,
        "created": version.created,
        "decided": version.decided,
        "size": version.size,
    }


def _rated(entry: Entry | None) -> dict[str, Any]:
    rating = entry.rating if entry else None
    known = rating is not None and rating.low is not None and rating.high is not None
    return {
        "rating": rating.rating if rating else None,
        "interval": [rating.low, rating.high] if rating and known else None,
        "provisional": entry is None or entry.provisional,
        "games": entry.games if entry else 0,
    }


def _lines(path: Path) -> list[Any]:
    """The whole lines of a report."""
    try:
        whole = path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in whole]


def _elapsed(version: Version, lines: Sequence[Mapping[str, Any]]) -> str:
    """For how long the present step of a version has lasted, for people; empty if it is decided."""
    if version.state not in UNDER_WAY:
        return ""
    began = version.created
    for line in reversed(lines):
        if line["step"] != lines[-1]["step"]:
            break
        began = line["at"]
    return span_text(max(0.0, (datetime.now(UTC) - datetime.fromisoformat(began)).total_seconds()))
