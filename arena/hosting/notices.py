"""What authors and hosts are told, in words; each thing once, in the transaction that makes it true."""

from __future__ import annotations

from urllib.parse import quote

from arena.hosting.database import Database, Version


def tell_decided(database: Database, version: Version, accepted: bool, reason: str) -> None:
    """Tells the author of a version what became of it."""
    bot = database.bot(version.bot)
    assert bot is not None
    name = f"{bot.name} version {version.number}"
    text = f"{name} is accepted, and plays from now on." if accepted else f"{name} is refused: {reason}."
    page = f"/submissions/{quote(bot.name, safe='')}/{version.number}"
    database.tell(bot.account, "accepted" if accepted else "refused", str(version.id), text, page)


def tell_deactivated(database: Database, id: int, about: str, why: str) -> None:
    """Tells the author of a bot, and the hosts, that it plays no more."""
    bot = database.bot(id)
    assert bot is not None
    text = f"{bot.name} plays no more: {why or 'the host took it out'}. Its page lets it play again."
    for account in (bot.account, None):
        database.tell(account, "deactivated", about, text, f"/bots/{quote(bot.name, safe='')}")
