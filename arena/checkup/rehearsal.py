"""`arena rehearse`: asks a bot for its choice in every turn of a recorded game.

The bot is asked turn by turn, and the game goes on as recorded, whatever the bot chooses. The bot may take
as long as it likes, so an author can debug it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import trio

from arena.checkup.session_file import TABLE, Scene, Script
from arena.games import does_not_play
from arena.league.entrants import Entrant
from arena.link.local.build import build
from arena.link.streams.dial import BotFault
from arena.link.streams.moments import Moment
from arena.link.streams.trio_thread import in_trio, unwrapped
from arena.link.wire.messages import Decision
from arena.referee.rooms.room_state import Stream
from arena.referee.rooms.rooms import BotChange
from arena.referee.sitting.keeper import Dialler


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
    table, turn, action, _ = (await prompter.next())[0]
    if (table, turn) != (TABLE, scene.turn):
        raise BotFault("unknown_turn", f"answers turn {turn} of table {table} in turn {scene.turn}")
    return action
