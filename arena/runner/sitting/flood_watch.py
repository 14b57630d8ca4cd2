"""Looking, a few times a second, what the connections of bots cost the referee."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import trio

from arena.link.streams.dial import BotFault
from arena.link.streams.flood import GLANCE, Meter
from arena.link.streams.stream import PlayStream
from arena.link.streams.trio_thread import unwrapped

Result = TypeVar("Result")


async def watch(stream: PlayStream) -> None:
    """Cuts a stream whose bot floods its connection; until cancelled."""
    while True:
        await trio.sleep(GLANCE)
        stream.look()


async def watched(call: Callable[[], Result], meter: Meter) -> Result:
    """Calls what waits for a bot's answer, in a thread of its own; left alone when cancelled.

    Args:
        call: what is called.
        meter: tells what the bot's connection costs.

    Raises what the call does, and Flood where the bot floods its connection meanwhile.
    """

    def metered() -> Result:
        meter.follow(threading.get_native_id())
        return call()

    async def look() -> None:
        while True:
            await trio.sleep(GLANCE)
            meter.check(0)

    with unwrapped(BotFault):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(look)
            result = await in_a_thread(metered)
            nursery.cancel_scope.cancel()
            return result
    raise AssertionError("cancelled by nobody")


async def in_a_thread(call: Callable[[], Result]) -> Result:
    """Calls what blocks, in a thread that waits for no other bot's; left alone when cancelled."""
    return await trio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=trio.CapacityLimiter(1))
