"""What the author of a bot may see of its games: what it was sent, and the time of each of its decisions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from arena.league.store import League
from arena.league.stored import plan_of, record_of
from arena.link.wire.messages import decode_times
from arena.results import StoredGame
from arena.table.record import first_position, replay


def session(league: League, stored: StoredGame, seat: int) -> list[dict[str, Any]]:
    """The messages to a seat's bot in a game, as `arena rehearse` reads them. Raises BrokenRecord."""
    # Only here: the page, which seldom needs it, would load what analyses games.
    from arena.checkup.session_file import script_of, session_of

    info = league.tournament(stored.tournament)
    plan = plan_of(info)
    names = [info.entrants[each.entrant].name for each in stored.result.seats] if plan.show_names else []
    clock = plan.clock_of(stored.result.seats[seat].entrant)
    thoughts = league.thoughts(league.game_number(stored.tournament, stored.result.key))
    script = script_of(record_of(stored), seat, decode_times(stored.times), clock, names, thoughts)
    return list(session_of(script))


def decision_times(stored: StoredGame, seat: int) -> Iterator[int]:
    """The nanoseconds that a seat took for each of its decisions. Raises BrokenRecord."""
    record = record_of(stored)
    played = zip(replay(record, first_position(record)), decode_times(stored.times), strict=True)
    choices = (time for step, time in played if step.seat == seat and step.choices > 1)
    yield from islice(choices, stored.result.seats[seat].decisions)  # behind them it was not asked any more
