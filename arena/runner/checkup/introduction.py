"""A bot asked what it is, before it is let into a tournament that is being played."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import trio

from arena.link.local.build import build_all
from arena.link.streams.dial import BotInfo
from arena.runner.checkup.bot import CheckedBot
from arena.runner.entrants import Entrant
from arena.runner.sitting.patience import DESCRIBE_TIMEOUT


async def introduced(entrant: Entrant, say: Callable[[str], None]) -> BotInfo:
    """Builds the bot, where it is a folder, starts or dials it, asks it what it is, and lets it go.

    Args:
        entrant: where it comes from: a folder or an address.
        say: called with a line for people, such as that it is being built.

    Raises BuildError where it cannot be built, and BotFault where it does not come up.
    """
    if entrant.bot is not None:
        await build_all([(entrant.bot, entrant.sandbox)], say)
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        bot = CheckedBot(entrant, Path(folder, "bot.log"), DESCRIBE_TIMEOUT)
        try:
            await bot.start()
            return await bot.describe()
        finally:
            with trio.CancelScope(shield=True):
                await bot.stop()
