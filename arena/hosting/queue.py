"""The order in which submitted versions are built, and why one of them waits."""

from __future__ import annotations

from collections.abc import Collection

from arena.hosting.database import Database, Version, a_day_ago
from arena.text import counted, joined, ordinal


def in_turn(database: Database, building: Collection[int] = ()) -> list[Version]:
    """The versions that wait to be built, in the order in which they are.

    First come those of authors who submitted least in 24 hours, so that an author with many versions keeps
    nobody waiting. Among these the oldest comes first. An author's builds share the downloads, so while one
    of them runs, the others of that author do not wait in this order.

    Args:
        database: the database.
        building: the ids of the versions that are built now.
    """
    authors = {bot.id: bot.account for bot in database.bots()}
    busy = {authors[version.bot] for version in database.under_way() if version.id in building}
    return [version for version in _in_order(database) if authors[version.bot] not in busy]


def _in_order(database: Database) -> list[Version]:
    """All versions that are under way, in the order in which they are built, were none built now."""
    day = a_day_ago()
    authors = {bot.id: bot.account for bot in database.bots()}
    return sorted(
        database.under_way(),
        key=lambda version: (database.submitted_since(authors[version.bot], day), version.id),
    )


def waits(database: Database, version: Version) -> str:
    """The place of a version in the queue, and what is before it, for its author; empty if it does not wait.

    Of others' versions it says only how many there are.
    """
    order = _in_order(database)
    waiting = [each for each in order if each.state == "received"]
    if version.id not in [each.id for each in waiting]:
        return ""
    bots = {bot.id: bot for bot in database.bots()}
    author = bots[version.bot].account
    runs = [each for each in order if each.state != "received"]
    before = waiting[: [each.id for each in waiting].index(version.id)]
    for each in (*runs, *reversed(before)):
        if bots[each.bot].account == author:
            what = f"your own {'build' if each in runs else 'submission'} of {bots[each.bot].name}"
            behind = [f"{what}, version {each.number}"]
            break
    else:
        behind = [f"{counted(len(runs), 'build')} of other authors"] if runs else []
        behind += [f"{counted(len(before), 'submission')} of other authors"] if before else []
    place = f"{ordinal(len(before) + 1)} in the queue"
    return f"{place}; behind {joined(behind)}" if behind else place
