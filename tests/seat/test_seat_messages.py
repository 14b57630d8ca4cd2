"""The events of a person's browser, from the messages of the process that plays for the person."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

import trio

from arena.seat.messages import FromSeat, Table, Turn, Welcome
from arena.seat.seats import Seat
from arena.view.pictures.emblem import emblem_of

SCRIPTED = """
import json, sys
for line in sys.stdin:
    for message in MESSAGES.pop(0) if MESSAGES else []:
        print(json.dumps(message), flush=True)
"""
WELCOME: Welcome = {"kind": "welcome", "entrant": "Ada", "tournament": "A night"}
TABLE: Table = {
    "kind": "table", "game": "kleftis", "title": "Kleftis", "seats": 2, "seat": 0, "names": ["Ada", "bot"],
    "bank": 60.0, "move": 60.0, "increment": 0.0,
}  # fmt: skip


def turn(number: int) -> Turn:
    return {
        "kind": "turn", "turn": number, "left": 60.0, "picture": {}, "events": [],
        "actions": [{"say": ["Play A♣"], "cards": [1], "verb": "play", "targets": ["groups.0"]}],
    }  # fmt: skip


async def seat_of(nursery: trio.Nursery, *messages: list[FromSeat]) -> Seat:
    """A seat whose process sends these messages: the first ones at its start, others after each choice."""
    process = await trio.lowlevel.open_process(
        [sys.executable, "-c", f"MESSAGES = {list(messages)!r}{SCRIPTED}"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    seat = Seat(process, "It is lost.", {"token": "x"}, lambda names: list(map(emblem_of, names)))
    nursery.start_soon(seat.listen)
    await seat.open()
    return seat


@asynccontextmanager
async def browser_of(seat: Seat) -> AsyncIterator[Callable[[], Awaitable[dict[str, Any] | None]]]:
    """A browser at a seat: a function that gives the next event of the seat, None at the end."""
    async with aclosing(seat.events()) as events:

        async def hear() -> dict[str, Any] | None:
            async for event in events:
                if event.startswith(b"event: seat\ndata: "):
                    news: dict[str, Any] = json.loads(event.partition(b"data: ")[2])
                    return news
            return None

        yield hear


def test_who_was_late_once_is_not_told_so_after_the_next_turn():
    trio.run(play_after_a_timeout)


async def play_after_a_timeout() -> None:
    begin: list[FromSeat] = [WELCOME, TABLE, turn(1), {"kind": "late", "turn": 1}, turn(2)]
    async with trio.open_nursery() as nursery:
        seat = await seat_of(nursery, begin)
        async with browser_of(seat) as hear:
            while (news := await hear()) is None or news["turn"].get("turn") != 2:
                assert news is not None
            assert 0 < news["turn"]["left"] <= 60
            assert not await seat.choose(1, 0)  # which is over
            assert not await seat.choose(2, 1)  # no such action
            assert await seat.choose(2, 0)
            assert not await seat.choose(2, 0)  # it was played
            news = await hear()
            assert news is not None
            assert (news["turn"], news["last"], news["over"]) == ({}, {}, "")
        await seat.gone()


def test_the_browser_before_is_told_nothing_more():
    trio.run(change_the_browser)


async def change_the_browser() -> None:
    async with trio.open_nursery() as nursery:
        seat = await seat_of(nursery, [WELCOME, TABLE])
        session = seat.session
        async with browser_of(seat) as one:
            assert await one()
            seat.hand_over()
            assert await one() is None
        async with browser_of(seat) as other:
            assert await other()
            assert seat.session != session
            await seat.gone()
            news = await other()
            assert news is not None
            assert news["over"] == "You have left the seat."
