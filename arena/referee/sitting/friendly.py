"""Plays a friendly game: a few bots at one table, and nothing is stored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path

import trio

from arena.games import does_not_play
from arena.league.entrants import Entrant
from arena.link.local.build import build
from arena.referee.rooms.rooms import Rooms
from arena.referee.sitting.keeper import Attendance, Dialler
from arena.referee.sitting.sitting import Sitting
from arena.tournament.seating import Played, Seating


class BotMissing(Exception):
    """A bot did not start, or cannot play the game; the text is one sentence."""


async def play_friendly(
    game: Seating,
    entrants: Sequence[Entrant],
    logs: Path,
    say: Callable[[str], None],
    beside: Callable[[Rooms], Awaitable[None]] | None = None,
) -> Played:
    """Plays one game.

    Args:
        game: the game; its players are numbers of entrants.
        entrants: who plays.
        logs: the folder for what the bots print.
        say: called with news for people.
        beside: runs with the rooms until the game is over, such as a service for onlookers.

    Raises BuildError, BotMissing if a bot does not come, and RefereeBug.
    """
    for entrant in entrants:
        if entrant.bot is not None:
            await build(entrant.bot, say, entrant.sandbox)
    sitting = Sitting()
    sitting.add([game])

    def tell(news: Attendance) -> None:
        if not news.here:
            say(f"{news.entrant.name} {news.what}")

    with closing(sitting):
        keepers = [
            Dialler(number, entrant, sitting, tell, logs / f"{number}.log")
            for number, entrant in enumerate(entrants)
        ]
        async with sitting.open(), trio.open_nursery() as others:
            if beside is not None:
                others.start_soon(beside, sitting.rooms)
            for keeper in keepers:
                sitting.add_bot(keeper)
            for keeper in keepers:
                await keeper.settled.wait()
                if (fault := keeper.presence.fault) is not None:
                    name, check = keeper.entrant.name, keeper.entrant.check
                    raise BotMissing(f"{name} {fault.message}: see what is wrong by {check}")
                assert keeper.info is not None  # it has come
                if problem := does_not_play([game.rules.game.id], keeper.info.games):
                    raise BotMissing(f"{keeper.entrant.name} {problem}")
            async for finished in sitting.played(1):
                others.cancel_scope.cancel()
                return finished[0]
    raise AssertionError("a sitting that is not ended gives out its game")
