"""The titles of a bot, as its pages show them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from arena.league.store import EntrantInfo, StoredTournament
from arena.standings.titles import Part, Upset, titles
from arena.view.league.reader import LeagueReader


def no_looks(season: StoredTournament) -> Sequence[datetime]:
    """The moments at which the first place is looked at, in a league without ladders: none."""
    return ()


def titles_of(
    reader: LeagueReader,
    tournaments: Sequence[StoredTournament],
    bot: str,
    bot_of: Callable[[EntrantInfo], str],
    ladders: Collection[int] = (),
    looks: Callable[[StoredTournament], Sequence[datetime]] = no_looks,
) -> dict[str, Any]:
    """The titles of a bot in plain values; nothing that the host has not shown counts. For threads.

    Of a season of a ladder only what the reader has computed before counts, because computing takes long.

    Args:
        reader: reads the league.
        tournaments: the tournaments that count, oldest first.
        bot: the name of the bot.
        bot_of: the name of the bot of an entrant.
        ladders: the numbers of the tournaments that are seasons of a ladder.
        looks: the moments of a season at which the first place is looked at.
    """
    parts = []
    for stored in tournaments:
        ladder = stored.id in ladders
        over = None
        if stored.finished is not None:
            over = reader.over_before(stored.id) if ladder else reader.over(stored.id)
        parts.append(
            Part(
                tournament=stored.id,
                ladder=ladder,
                bots=[bot_of(entrant) for entrant in stored.entrants],
                first=[entrant for entrant, place in over.places.items() if place == 1] if over else (),
                upsets=over.upsets if over else {},
                looks=[(at, reader.first_at(stored.id, at)) for at in looks(stored)] if ladder else (),
            )
        )
    found, by_number = titles(bot, parts), {stored.id: stored for stored in tournaments}

    def told(number: int) -> dict[str, Any]:
        stored = by_number[number]
        assert stored.finished is not None
        return {"tournament": number, "name": stored.name, "finished": stored.finished.isoformat()}

    return {
        "nights": [told(number) for number in found.nights],
        "in_a_row": found.in_a_row,
        "seasons": [told(number) for number in found.seasons],
        "upset": found.upset and _upset(found.upset) | told(found.upset_in) | {"against": found.upset_of},
        "reign": found.reign and _reign(*found.reign),
    }


def _upset(upset: Upset) -> dict[str, Any]:
    return {"match": str(upset.match), "points": upset.points}


def _reign(begun: datetime, until: datetime) -> dict[str, Any]:
    hours = (until - begun) // timedelta(hours=1)
    return {"from": begun.isoformat(), "until": until.isoformat(), "hours": hours}
