"""`arena rehearse`: asks a bot for its choice in every turn of a recorded game.

A table that gets the recorded answers makes the script. The bot is asked turn by
turn, and the game goes on as recorded, whatever the bot chooses. The bot may take
as long as it likes, so an author can debug it.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import trio

from arena.games import GAMES, does_not_play
from arena.games.game import Action, Event, Seat
from arena.league.entrants import Entrant
from arena.link.local.build import build
from arena.link.streams.dial import BotFault
from arena.link.streams.moments import Moment
from arena.link.streams.trio_thread import in_trio, unwrapped
from arena.link.wire.codec import BadMessage
from arena.link.wire.messages import (
    Decision,
    decode_decisions,
    encode_end,
    encode_start,
    encode_turn,
    request_from_json,
    request_json,
    response_from_json,
    response_json,
    turn_in,
)
from arena.referee.rooms.room_state import Stream
from arena.referee.rooms.rooms import BotChange
from arena.referee.sitting.keeper import Dialler
from arena.strict_toml import WrongFile, read_text
from arena.table.clock import TimeControl
from arena.table.deal import seat_seed
from arena.table.position import View
from arena.table.record import Fault, Record, asked_until, first_position, replay
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
    """

    turn: int
    actions: tuple[Action, ...]
    recorded: int
    fault: Fault | None
    request: bytes


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
    record: Record, seat: Seat, times: Iterable[int], control: TimeControl, names: Iterable[str]
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
    rules = TableRules(GAMES[record.game], record.options, record.seats, control, _ENDLESS, record.starter)
    table = Table(rules, record.board_key)
    scenes: list[Scene] = []
    untold: list[Event] = []  # of the turns after a forfeit, which were not asked

    def answer(ask: Ask[View]) -> None:
        index, elapsed = chosen[ask.seat].popleft()
        if ask.seat == seat and len(table.times()) < until:
            request = encode_turn(TABLE, record.game, ask)
            scenes.append(Scene(ask.turn, tuple(ask.view.actions), index, missed.get(ask.turn), request))
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
        answer = response_json([Decision(TABLE, scene.turn, scene.recorded)])
        yield {"request": request_json(scene.request), "response": answer}
    yield {"request": request_json(script.end)}


def read_session(path: Path) -> tuple[str, Script]:
    """The game and the script of a file with the lines of `session_of`. Raises WrongSession."""
    requests, scenes, game = [], [], ""
    for number, line in enumerate(read_text(path, WrongSession).splitlines(), start=1):
        try:
            data = json.loads(line)
            request = request_from_json(data["request"])
            if "response" not in data:
                requests.append(request)
                continue
            game, turn, actions = turn_in(request)
            [answer] = decode_decisions(response_from_json(data["response"]))
        except (ValueError, LookupError, TypeError, RecursionError, BadMessage):
            raise WrongSession(
                f"{path}: line {number} is no line of a session, as arena rehearse --dump writes it"
            ) from None
        scenes.append(Scene(turn, actions, answer.action, None, request))
    if len(requests) != 2 or not scenes:
        raise WrongSession(f"{path}: it is not a whole session: get it again")
    return game, Script(requests[0], tuple(scenes), requests[1])


class _Prompter:
    """Gets the events of the bot in place of a sitting (see `BotEvents`).

    Args:
        leave: called when the bot is lost, at once: else it would be started again.
    """

    def __init__(self, leave: Callable[[], None]) -> None:
        self.stream: Stream | None = None
        self._leave = leave
        self._put, self._heard = trio.open_memory_channel[Sequence[Decision] | BotFault | None](math.inf)
        self._hear = in_trio(self._put.send_nowait)

    def bot_changed(self, change: BotChange) -> None:
        if change.stream is not None:
            self.stream = change.stream
        else:
            self._leave()
        self._put.send_nowait(change.fault)

    def decided(self, number: int, decisions: Sequence[Decision], read: Moment) -> None:
        self._hear(decisions)

    def now(self) -> Moment:
        return Moment(0, 0)  # no clock runs here

    async def next(self) -> Sequence[Decision]:
        """Waits for the next event: first empty, when the bot connects; then decisions. Raises BotFault."""
        heard = await self._heard.receive()
        if isinstance(heard, BotFault):
            raise heard
        return heard or []


async def rehearse(
    script: Script,
    game: str,
    entrant: Entrant,
    log: Path,
    say: Callable[[str], None],
    heard: Callable[[Scene, int], None],
) -> None:
    """Builds a bot if needed, and plays a script to it.

    Args:
        script: the script; its last scenes may be left out.
        game: the game's id.
        entrant: the bot.
        log: the file for a local bot's output.
        say: called with a line for people, such as that the bot is being built.
        heard: called with each scene and the index that the bot chooses now,
            which may be out of range.

    Raises BuildError if the bot cannot be built; BotFault if it does not
    start, is lost, or answers a turn that it was not asked.
    """
    if entrant.bot is not None:
        await build(entrant.bot, say, entrant.sandbox)
    prompter = _Prompter(lambda: host.close())
    host = Dialler(0, entrant, prompter, lambda _: None, log)
    with unwrapped(BotFault):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(host.run)
            await prompter.next()
            assert host.info is not None
            assert prompter.stream is not None
            if problem := does_not_play([game], host.info.games):
                raise BotFault("protocol", problem)
            prompter.stream.send(script.start, 0)
            for scene in script.scenes:
                prompter.stream.send(scene.request, 1)
                heard(scene, await _decision(prompter, scene))
            prompter.stream.send(script.end, 0)
            host.close()


async def _decision(prompter: _Prompter, scene: Scene) -> int:
    table, turn, action = (await prompter.next())[0]
    if (table, turn) != (TABLE, scene.turn):
        raise BotFault("unknown_turn", f"answers turn {turn} of table {table} in turn {scene.turn}")
    return action
