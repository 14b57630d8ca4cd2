"""A bot that says what actions are worth, for `arena analyse --with`: the protocol's service Analysis."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import trio

from arena.checkup.analysis.decision import Trial
from arena.checkup.analysis.game import MOST_WORLDS, CannotAnalyse, Searcher, SearcherOf
from arena.checkup.analysis.turns import Setup, Turn
from arena.checkup.bot import introduced, last_lines
from arena.games import GAMES, does_not_play
from arena.league.entrants import Entrant
from arena.link.local.build import TooMuch, fingerprint
from arena.link.local.process import running_bot
from arena.link.streams.dial import BotFault, Channel, NotThere, open_channel, try_actions
from arena.link.wire.messages import encode_start, encode_tries, encode_turn
from arena.referee.sitting.keeper import DESCRIBE_TIMEOUT
from arena.table.deal import SEED_BYTES
from arena.table.position import View
from arena.table.table import Ask, TableRules
from arena.temporary import temporary_folder
from arena.tournament.plan import DEFAULT_CLOCK

PATIENCE = 60.0
"""How long a bot may take for an answer, in seconds."""

_MOST_SCORES = 1024  # in one answer
_TABLE = 1  # the number of the table, in every request


@dataclasses.dataclass(frozen=True, slots=True)
class AnalysisBot:
    """A bot that tries actions.

    Attributes:
        entrant: the bot: a folder or an address.
        name: its name and version.
        games: the ids of the games that it plays.
        digest: of its files, so that findings of another build are not taken for its own; empty for a bot
            that runs elsewhere.
    """

    entrant: Entrant
    name: str
    games: tuple[str, ...]
    digest: str


async def analysis_bot(entrant: Entrant, say: Callable[[str], None]) -> AnalysisBot:
    """Builds a bot if needed, and asks it what it is.

    Args:
        entrant: the bot: a folder or an address.
        say: called with a line for people, such as that it is being built.

    Raises BuildError, and CannotAnalyse if it does not start.
    """
    try:
        info = await introduced(entrant, say)
    except BotFault as fault:
        raise CannotAnalyse(f"{entrant.name} {fault.message}: see {entrant.check}") from None
    digest = None
    if (manifest := entrant.bot) is not None:
        patterns = manifest.sources or ("*",)
        try:
            digest = await trio.to_thread.run_sync(fingerprint, manifest.folder, manifest.command, patterns)
        except TooMuch as problem:
            raise CannotAnalyse(
                f"{entrant.name} cannot be told from its other versions, because its files {problem}: move "
                "large ones into a folder within its folder"
            ) from None
    return AnalysisBot(entrant, f"{info.name} {info.version}".rstrip(), info.games, digest or "")


@asynccontextmanager
async def channel_to_bot(bot: AnalysisBot) -> AsyncIterator[Channel]:
    """Starts an instance of a bot, or dials it. Raises CannotAnalyse if that fails."""
    try:
        if (address := bot.entrant.address) is not None:
            with open_channel(address, bot.entrant.shown) as channel:
                yield channel
            return
        assert bot.entrant.bot is not None, "a bot that joins cannot be asked"
        with temporary_folder() as folder:
            log = Path(folder, "bot.log")
            async with running_bot(bot.entrant.bot, log, sandbox=bot.entrant.sandbox) as process:
                listens = False
                with trio.move_on_after(DESCRIBE_TIMEOUT):
                    listens = await process.wait_listening()
                if not listens:
                    raise BotFault("timeout", f"does not listen: see {bot.entrant.check}")
                with open_channel(process.address) as channel:
                    try:
                        yield channel
                    except CannotAnalyse as problem:
                        printed = last_lines(log).rpartition("\n")[2]
                        hint = "" if printed in str(problem) else f" (it printed last: {printed})"
                        raise CannotAnalyse(f"{problem}{hint}") from None
    except (BotFault, NotThere) as problem:
        raise CannotAnalyse(f"{bot.name} {problem}") from None


def searcher_of(channel: Channel, bot: AnalysisBot, patience: float = PATIENCE) -> SearcherOf:
    """What has a bot try the actions of turns; raises CannotAnalyse for a game that it does not play.

    Args:
        channel: from `channel_to_bot`.
        bot: the bot.
        patience: how long the bot may take for an answer, in seconds.
    """

    def searcher(turn: Turn, setup: Setup) -> Searcher:
        if lack := does_not_play([setup.game], bot.games):
            raise CannotAnalyse(f"{bot.name} {lack}: leave out --with, or give another bot")
        return Searcher(bot.name, MOST_WORLDS, partial(_trial, channel, bot.name, setup, patience))

    return searcher


def _trial(channel: Channel, name: str, setup: Setup, patience: float, turn: Turn, seed: bytes) -> Trial:
    """Has a bot try the actions of a turn."""
    rules = TableRules(GAMES[setup.game], setup.options, setup.seats, DEFAULT_CLOCK, 1, setup.starter)
    told = encode_turn(_TABLE, setup.game, Ask(turn.seat, turn.number, View(*turn.view), DEFAULT_CLOCK.move))
    asked = itertools.count()

    def trial(actions: Sequence[int], worlds: int) -> list[Sequence[float]]:
        rows: list[Sequence[float]] = []
        while len(rows) < worlds:
            some = min(worlds - len(rows), max(1, _MOST_SCORES // len(actions)))
            own_seed = hashlib.sha256(seed + str(next(asked)).encode()).digest()[:SEED_BYTES]
            start = encode_start(_TABLE, rules, turn.seat, own_seed, ())
            request = encode_tries(start, told, actions, some)
            try:
                scores = try_actions(channel, request, some * len(actions), patience)
            except BotFault as fault:
                raise CannotAnalyse(f"{name} {fault.message}") from None
            rows += [scores[at : at + len(actions)] for at in range(0, len(scores), len(actions))]
        return rows

    return trial
