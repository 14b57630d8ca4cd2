"""How long a bot may take to come up, fairly counted on a busy machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from arena.link.streams.dial import BotFault
from arena.link.streams.trio_thread import unwrapped

DESCRIBE_TIMEOUT = 10.0
"""How long a bot may take to come up and describe itself, in seconds."""

LONGEST = 60.0
"""How long it may take at the most on a machine that is too busy to let it run, in seconds."""

_STRETCH = 0.25  # seconds

Result = TypeVar("Result")


async def patiently(
    come_up: Callable[[], Awaitable[Result]],
    starved: Callable[[], float] = lambda: 0.0,
    patience: float = DESCRIBE_TIMEOUT,
) -> Result:
    """Awaits a bot's coming up, as long as it may take; what it returns.

    The time is counted in short stretches, so that one in which the referee
    itself did not run is no longer than the others; and what the bot had to
    wait for a processor is given back to it.

    Args:
        come_up: what is awaited; cancelled when it takes too long.
        starved: tells how long the bot has waited for a processor so far, in seconds.
        patience: how long it may take, in seconds.

    Raises BotFault where `come_up` does, or where it takes too long.
    """
    with unwrapped(BotFault):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_in_time, nursery.cancel_scope, starved, patience)
            result = await come_up()
            nursery.cancel_scope.cancel()
            return result
    raise BotFault("timeout", f"did not come up in {patience:.0f} s")


async def _cancel_in_time(scope: trio.CancelScope, starved: Callable[[], float], patience: float) -> None:
    taken, granted = 0.0, patience
    while taken < granted:
        await trio.sleep(_STRETCH)
        taken += _STRETCH
        if taken >= granted:
            granted = min(patience + starved(), LONGEST)
    scope.cancel()
