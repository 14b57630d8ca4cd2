"""What authors and hosts are told, in words; each thing once, in the transaction that makes it true."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from arena.hosting.database import Bot, Database, Night, Version, now
from arena.hosting.place import Place


class Told(NamedTuple):
    """A notice that is to be given: the arguments of `Database.tell`."""

    account: int | None
    kind: str
    about: str
    text: str
    path: str


def tell_decided(database: Database, version: Version, accepted: bool, reason: str) -> None:
    """Tells the author of a version what became of it."""
    bot = database.bot(version.bot)
    assert bot is not None
    name = f"{bot.name} version {version.number}"
    plays = "is tried in a challenge" if database.is_tried(version.id) else "plays from now on"
    text = f"{name} is accepted, and {plays}." if accepted else f"{name} is refused: {reason}."
    page = f"/submissions/{quote(bot.name, safe='')}/{version.number}"
    database.tell(bot.account, "accepted" if accepted else "refused", str(version.id), text, page)


def tell_deactivated(database: Database, id: int, about: str, why: str) -> None:
    """Tells the author of a bot, and the hosts, that it plays no more."""
    bot = database.bot(id)
    assert bot is not None
    text = f"{bot.name} plays no more: {why or 'the host took it out'}. Its page lets it play again."
    for account in (bot.account, None):
        database.tell(account, "deactivated", about, text, _page_of(bot))


def tell_first(database: Database, season: int, first: Bot | None, name: str, last: Bot | None) -> None:
    """Tells of a bot that has the first place of the ladder, and the author of the bot that has lost it.

    Args:
        database: the database.
        season: the id of the tournament.
        first, last: the bots; None for one of the host, and of `last` for none.
        name: the name of the first one.
    """
    about, text = f"{season} {name} {now()}", f"{name} has the first place of the ladder."
    database.tell(None, "first", about, text, "/bots")
    if first is not None:
        database.tell(first.account, "first", about, text, _page_of(first))
    if last is not None:
        text = f"{last.name} has lost the first place of the ladder to {name}."
        database.tell(last.account, "overtaken", about, text, _page_of(last))


def _page_of(bot: Bot) -> str:
    return f"/bots/{quote(bot.name, safe='')}"


def of_night(
    place: Place,
    database: Database,
    night: Night,
    kind: str,
    hosts: str,
    players: Mapping[Path, str],
    path: str,
) -> list[Told]:
    """Notices about a night: a sentence to the hosts, and one to each author of a bot that plays in it.

    Args:
        place: the folder of the league.
        database: the database.
        night: the night.
        kind: the kind of the notices.
        hosts: the sentence to the hosts.
        players: how the sentence to an author goes on after the bot's name, by the folder of the bot.
        path: of the page that says more.
    """
    about, versions = f"{night.name} {night.due}", database.versions_by_bot()
    told = [Told(None, kind, about, hosts, path)]
    for bot in database.bots():
        for version in versions.get(bot.id, ()):
            if words := players.get(place.bot(version.id)):
                told.append(Told(bot.account, kind, f"{about} {bot.id}", f"{bot.name} {words}", path))
    return told


def tell_challenge(database: Database, id: int) -> None:
    """Tells who asked for a challenge how it ended, and the author of the challenged bot if it was played."""
    challenge = database.challenge(id)
    assert challenge is not None
    over = challenge.state == "over"
    found = json.loads(challenge.report)["verdict"] if over else f"failed: {challenge.reason}"
    text = f"{' against '.join(json.loads(challenge.names))}: {found}."
    for account in {challenge.account, over and database.author_of(challenge.against)}:
        if account:
            database.tell(account, "challenge", str(id), text, f"/challenges/{id}")
