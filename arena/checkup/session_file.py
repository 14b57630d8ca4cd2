"""A session: all messages to one seat's bot in a recorded game, and its answers, as a file of JSON lines.

A table that gets the recorded answers makes the script. `arena rehearse` plays it back to a bot, and
`arena analyse` judges its turns by what the bot was told, and by nothing else.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from arena.checkup.analysis.turns import NO_CHOICE, Setup, Told, Turn
from arena.games import GAMES
from arena.games.game import Action, Event, Seat
from arena.link.wire.codec import BadMessage
from arena.link.wire.messages import (
    decode_decisions,
    encode_end,
    encode_start,
    encode_turn,
    encoded_thoughts,
    end_in,
    request_from_json,
    request_json,
    response_from_json,
    response_json,
    start_in,
    thoughts_by_turn,
    turn_in,
    view_in,
)
from arena.strict_toml import WrongFile, read_text
from arena.table.clock import TimeControl
from arena.table.deal import seat_seed
from arena.table.position import View
from arena.table.record import Fault, Record, Thought, asked_until, first_position, replay
from arena.table.table import Ask, Table, TableRules

TABLE = 1
"""The number of the table on the stream."""

_ENDLESS = 1 << 30  # faults before a forfeit: the record already has the default actions


class Scene(NamedTuple):
    """A recorded turn of the seat.

    Attributes:
        turn: its number, from 1.
        actions: the legal actions.
        recorded: the index of the action that was played.
        fault: the fault for which the default action was played, None if the bot chose.
        request: the turn as an encoded PlayRequest.
        thought: what the bot thought, as an encoded Thought; may be empty.
    """

    turn: int
    actions: tuple[Action, ...]
    recorded: int
    fault: Fault | None
    request: bytes
    thought: bytes = b""


class Script(NamedTuple):
    """All messages to one seat's bot in a recorded game.

    Attributes:
        start: the table's start as an encoded PlayRequest.
        scenes: the turns, in order.
        end: the table's end as an encoded PlayRequest.
    """

    start: bytes
    scenes: tuple[Scene, ...]
    end: bytes


def script_of(
    record: Record,
    seat: Seat,
    times: Iterable[int],
    control: TimeControl,
    names: Iterable[str],
    thoughts: bytes = b"",
) -> Script:
    """Makes the script of a seat in a recorded game.

    A bot that was lost and came back got all events again; here it gets every
    event once.

    Args:
        record: the game.
        seat: the seat.
        times: for each action the time its seat took, in nanoseconds.
        control: the clock of the game.
        names: the names by seat that the bots were told; empty if hidden.
        thoughts: what the bots of the game thought, as it is stored.

    Raises BrokenRecord if the record does not follow the rules.
    """
    chosen: list[deque[tuple[int, int]]] = [deque() for _ in range(record.seats)]  # index, time
    for step, index, elapsed in zip(
        replay(record, first_position(record)), record.actions, times, strict=True
    ):
        if step.choices > 1:
            chosen[step.seat].append((index, elapsed))
    own_faults = [(step, fault) for charged, step, fault in record.faults if charged == seat]
    missed = {fault.turn: fault for _, fault in own_faults if fault.reason != "unknown_turn"}
    until = asked_until(record, seat)
    own = encoded_thoughts(thoughts)[seat] if thoughts else {}
    rules = TableRules(GAMES[record.game], record.options, record.seats, control, _ENDLESS, record.starter)
    table = Table(rules, record.board_key)
    scenes: list[Scene] = []
    untold: list[Event] = []  # of the turns after a forfeit, which were not asked

    def answer(ask: Ask[View]) -> None:
        index, elapsed = chosen[ask.seat].popleft()
        if ask.seat == seat and len(table.times()) < until:
            request = encode_turn(TABLE, record.game, ask)
            actions, thought = tuple(ask.view.actions), own.get(ask.turn, b"")
            scenes.append(Scene(ask.turn, actions, index, missed.get(ask.turn), request, thought))
        elif ask.seat == seat:
            untold.extend(ask.view.events)
        table.answer(ask.seat, ask.turn, index, elapsed if ask.seat == seat else 0)

    while asks := table.asks():
        for ask in asks:
            answer(ask)
    closing = table.closing_view(seat)
    return Script(
        encode_start(TABLE, rules, seat, seat_seed(record.board_key, seat), tuple(names)),
        tuple(scenes),
        encode_end(
            TABLE,
            record.game,
            (record.outcome, record.forfeits),
            [fault for _, fault in own_faults],
            closing._replace(events=(*untold, *closing.events)),
        ),
    )


class WrongSession(WrongFile):
    """A file is no session of a bot; the text says in one sentence where and why."""


def session_of(script: Script) -> Iterator[dict[str, Any]]:
    """A script as lines of JSON: the requests, each with the recorded response if it has a turn."""
    yield {"request": request_json(script.start)}
    for scene in script.scenes:
        answer = response_json([(TABLE, scene.turn, scene.recorded, scene.thought)])
        yield {"request": request_json(scene.request), "response": answer}
    yield {"request": request_json(script.end)}


def read_session(path: Path) -> tuple[str, Script]:
    """The game and the script of a file with the lines of `session_of`. Raises WrongSession."""
    lines = []
    for number, line in enumerate(read_text(path, WrongSession).splitlines(), start=1):
        try:
            lines.append(json.loads(line))
        except (ValueError, RecursionError):
            raise WrongSession(_no_line(str(path), number)) from None
    return session_in(lines, str(path))


def session_in(lines: Iterable[Any], where: str) -> tuple[str, Script]:
    """The game and the script in the lines of `session_of`.

    Args:
        lines: the lines, as JSON knows them.
        where: where they are from, for people.

    Raises WrongSession.
    """
    requests, scenes, game = [], [], ""
    for number, data in enumerate(lines, start=1):
        try:
            request = request_from_json(data["request"])
            if "response" not in data:
                requests.append(request)
                continue
            game, turn, actions = turn_in(request)
            [(_, _, action, thought)] = decode_decisions(response_from_json(data["response"]))
            actions[action]  # which must be there
        except (ValueError, LookupError, TypeError, RecursionError, BadMessage):
            raise WrongSession(_no_line(where, number)) from None
        scenes.append(Scene(turn, actions, action, None, request, thought))
    try:
        whole = len(requests) == 2 and start_in(requests[0])[0] == game and bool(end_in(requests[1]))
        whole &= [scene.turn for scene in scenes] == [*range(1, len(scenes) + 1)]
    except BadMessage:
        whole = False
    if not whole:
        raise WrongSession(f"{where}: it is not a whole session: get it again")
    return game, Script(requests[0], tuple(scenes), requests[1])


def _no_line(where: str, number: int) -> str:
    return f"{where}: line {number} is no line of a session, as arena rehearse --dump writes it"


def setup_in(script: Script) -> Setup:
    """What is played in a script. Raises BadMessage."""
    game, options, seats, _, starter = start_in(script.start)
    return Setup(game, options, seats, starter)


def seat_in(script: Script) -> Seat:
    """The seat of a script's bot. Raises BadMessage."""
    return start_in(script.start)[3]


def thoughts_in(script: Script) -> dict[int, Thought]:
    """What the bot of a script thought, by its turns."""
    return thoughts_by_turn({scene.turn: scene.thought for scene in script.scenes})


def turns_in(script: Script) -> Iterator[Turn]:
    """The turns of a script, as `arena.checkup.analysis` judges them.

    Their plies count the seat's turns alone. They hold nothing but what the bot was told. If the seat
    forfeited, and not by its last turn, nobody knows whether the bot answered that one: it is left out.
    Raises BadMessage.
    """
    seat = seat_in(script)
    told = Told(setup_in(script), seat)
    faults, forfeits = end_in(script.end)
    missed = {fault.turn: fault.reason for fault in faults if fault.reason != NO_CHOICE}
    scenes = script.scenes
    if seat in forfeits and scenes and scenes[-1].turn not in missed:
        scenes = scenes[:-1]
    for ply, scene in enumerate(scenes):
        events, seen, actions = view_in(scene.request)
        for event in events:
            told.tell(event)
        yield told.turn(ply, scene.turn, seen, actions, scene.recorded, missed.get(scene.turn, ""))
