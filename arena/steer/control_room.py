"""What the control room shows: how the tournament stands, what can be decided now, and what happened."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from arena.league.store.reading import Wanted
from arena.referee.night.night_now import Awaited, BotNow, NightNow
from arena.results import FAULT_REASONS, GameResult, read_game_key
from arena.table.clock import SECOND, TimeControl
from arena.text import counted, joined, one_line
from arena.tournament.rulings import read_ruling
from arena.view.league.choices import UNKNOWN
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Snapshot, headline, isolated
from arena.view.pictures.emblem import emblem_of
from arena.view.views.faces import emblems_now
from arena.view.views.view import Values

_AWAITED = 3.0  # seconds from which a turn is one that people wait for
_MOST_AWAITED = 4
_AWAY = {"lost": "lost", "gone": "missing", "coming": "expected"}
_UNKNOWN = "The page cannot tell how it stands; what you decide is carried out."
_FOR_A_PERSON = 30 * SECOND  # a person who has less for a move is in a hurry
_FAULTS = 30  # how many games with faults the log lists
_HAPPENED = 60  # how many lines the log has


def control_room(
    reader: LeagueReader, snapshot: Snapshot | None, night: NightNow, people: Collection[str] = ()
) -> Values:
    """The values of the page of the host.

    Args:
        reader: the league.
        snapshot: the last tournament of the league; None if there is none.
        night: what only the run knows.
        people: the names of the entrants that people play on this page.
    """
    if night.waits:  # the last tournament of the league is another one
        snapshot = None
    playing = snapshot is not None and not snapshot.finished
    is_known = snapshot is not None or night.waits or not reader.path.exists()  # before its first game
    newest = None if is_known else reader.newest()
    unknown = newest is not None and newest.finished is None
    return {
        "night": night,
        "begins_in": round(night.begins_in) if night.waits and night.begins_in >= 0 else None,
        "state": _UNKNOWN if unknown else _state(snapshot, night),
        "choices": UNKNOWN if unknown else snapshot.choices if snapshot is not None and playing else None,
        "missing": [bot.name for bot in night.bots if bot.state != "here"],
        "bots": _bots(snapshot, night, people),
        "awaited": _awaited(snapshot, night) if playing else [],
        "matches": _matches(snapshot),
        "pace": _pace(snapshot),
    }


def _state(snapshot: Snapshot | None, night: NightNow) -> str:
    """The state of the night in one sentence."""
    if night.waits:
        missing = sum(bot.state != "here" for bot in night.bots)
        if not missing:
            return f"All {counted(len(night.bots), 'bot')} are here."
        return f"Waiting for {missing} of {counted(len(night.bots), 'bot')}."
    if snapshot is None:
        return "Connecting the bots." if night.plays else "No tournament has begun."
    if snapshot.finished:
        return f"Over. {headline(snapshot)}"
    if not night.plays:
        return "Stopped: no games are played now."
    if snapshot.choices.paused:
        return "Paused: no further games begin." if night.tables else "Paused: no game runs."
    expected = [bot for entrant, bot in enumerate(night.bots) if entrant not in snapshot.choices.withdrawn]
    away = {
        state: [isolated(one_line(bot.name)) for bot in expected if bot.state == state] for state in _AWAY
    }
    for state, words in _AWAY.items():
        if names := away[state]:
            named = joined(names if len(names) < 4 else [*names[:2], f"{len(names) - 2} more"])
            return f"{named} {'is' if len(names) == 1 else 'are'} {words}."
    return f"All {len(expected)} bots are here."


def _matches(snapshot: Snapshot | None) -> str:
    """How many matches of the present stage are over, such as `3 of 10`; empty if that is not known."""
    if snapshot is None or snapshot.summary is None:
        return ""
    stage = snapshot.summary.stages[-1]
    return f"{stage.played}" if stage.matches is None else f"{stage.played} of {stage.matches}"


def _pace(snapshot: Snapshot | None) -> float:
    """How many seconds a game takes on the whole, as far as that is known; else 0."""
    if snapshot is None or snapshot.summary is None:
        return 0.0
    left, time_left = snapshot.summary.games_left, snapshot.summary.time_left
    return time_left / left if left and time_left else 0.0


def clock_words(clock: TimeControl) -> str:
    """A clock in words, such as `20 s a move, 60 s a game`."""
    return f"{_duration(clock.move)} a move, {_duration(clock.bank)} a game"


def _duration(time: int) -> str:
    seconds = time / SECOND
    return f"{seconds / 60:g} min" if seconds >= 120 else f"{seconds:g} s"


def _bots(snapshot: Snapshot | None, night: NightNow, people: Collection[str]) -> list[Values]:
    """A line for each bot; withdrawn ones are last."""
    summary = snapshot.summary if snapshot is not None else None
    rows = {} if summary is None else {row.entrant: row for row in summary.rows}
    gone = snapshot.choices.withdrawn if snapshot is not None else frozenset()
    names = snapshot.names if snapshot is not None else [one_line(bot.name) for bot in night.bots]
    over = snapshot is not None and snapshot.finished
    drawn = [] if over else emblems_now(night.bots)
    lines = []
    for entrant, name in enumerate(names):
        now = night.bots[entrant] if entrant < len(night.bots) and not over else None
        row = rows.get(entrant)
        clock = snapshot.plan.own_clocks.get(entrant) if snapshot is not None else None
        hurried = ""
        if name in people and snapshot is not None and snapshot.plan.clock_of(entrant).move < _FOR_A_PERSON:
            hurried = clock_words(snapshot.plan.clock_of(entrant))
        lines.append(
            {
                "entrant": entrant,
                "name": name,
                "emblem": drawn[entrant] if entrant < len(drawn) else emblem_of(name),
                "gone": entrant in gone,
                "state": "withdrawn" if entrant in gone else "" if now is None else now.state,
                "words": "withdrawn" if entrant in gone else "" if now is None else _connection(now),
                "seconds": round(now.seconds) if now is not None and now.state == "lost" else None,
                "tables": now.tables if now is not None else None,
                "ms": row.time / row.decisions / 1000 if row is not None and row.decisions else None,
                "faults": sum(row.faults) if row is not None else 0,
                "forfeits": row.forfeits if row is not None else 0,
                "dials_in": now.dials_in if now is not None else _dials_in(snapshot, entrant),
                "person": name in people,
                "clock": clock_words(clock) if clock is not None else "",
                "hurried": hurried,
            }
        )
    return sorted(lines, key=lambda line: bool(line["gone"]))


def _dials_in(snapshot: Snapshot | None, entrant: int) -> bool:
    return snapshot is not None and not snapshot.tournament.entrants[entrant].bot


def _connection(bot: BotNow) -> str:
    """Whether a bot is connected, and since when, in a few words."""
    at = (datetime.now(UTC) - timedelta(seconds=bot.seconds)).astimezone().strftime("%H:%M")
    if bot.state == "here":
        return f"since {at}"
    if bot.state == "lost":
        return "lost"
    if bot.state == "building":
        return "being built"
    if bot.state == "coming":
        return "expected" if bot.dials_in else "starting"
    return "missing" if bot.dials_in else f"given up at {at}"


def _awaited(snapshot: Snapshot | None, night: NightNow) -> list[Values]:
    """The entrants for which others wait, each with its turn that has been open longest."""
    found: dict[int, Awaited] = {}
    for turn in night.awaited:
        if turn.seconds >= _AWAITED:
            found.setdefault(turn.entrant, turn)
    known = len(snapshot.names) if snapshot is not None else 0
    return [
        {
            "entrant": turn.entrant,
            "seconds": int(turn.seconds),
            "left": turn.left,
            "tight": turn.left < 30,
            "game": key.game if key is not None else "",
            "table": turn.table,
        }
        for turn, key in [(turn, read_game_key(turn.game)) for turn in found.values()]
        if turn.entrant < known
    ][:_MOST_AWAITED]


def happened(reader: LeagueReader, snapshot: Snapshot) -> list[Values]:
    """The decisions and the games with faults, newest first."""
    number = snapshot.tournament.id

    def faulty(league: Any) -> list[tuple[GameResult, datetime]]:
        found = league.newest_games(number, Wanted(faults=True), _FAULTS)
        return [(result, league.game(each).moment) for each, result in found]

    lines: list[Values] = [
        {
            "kind": "fault",
            "when": recorded,
            "key": str(result.key),
            "game": result.key.game,
            "who": [
                {"entrant": seat.entrant, "what": _faults(seat.faults, seat.forfeit)}
                for seat in result.seats
                if sum(seat.faults) or seat.forfeit
            ],
        }
        for result, recorded in reader.ask(faulty)
    ]
    lines += [
        {
            "kind": "decision",
            "key": "",
            "when": datetime.fromisoformat(each.decided),
            "what": one_line(ruling.words(snapshot.names)),
            "reason": one_line(each.reason),
        }
        for ruling, each in [(read_ruling(each.ruling), each) for each in snapshot.decisions[-_HAPPENED:]]
        if ruling.form is not None  # what only the rules add, such as the bots' bytes, is no news here
    ]
    return sorted(lines, key=lambda line: line["when"], reverse=True)[:_HAPPENED]


def _faults(faults: Sequence[int], forfeit: bool) -> str:
    """The faults of one seat in words, such as `2 × timeout, game forfeited`."""
    told = [
        f"{count} × {reason.replace('_', ' ')}"
        for reason, count in zip(FAULT_REASONS, faults, strict=True)
        if count
    ]
    return ", ".join([*told, *(["game forfeited"] if forfeit else [])])
