"""A bot that says what actions are worth, for `arena analyse --with`: the protocol's service Analysis."""

from __future__ import annotations

import dataclasses
import random
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import grpc
import trio
from google.protobuf.message import DecodeError

from arena.analysis.decision import Trial
from arena.analysis.game import CannotAnalyse, Searcher
from arena.analysis.turns import Turn
from arena.games import GAMES, does_not_play
from arena.link.local.build import fingerprint
from arena.link.local.process import running_bot
from arena.link.streams.dial import BotFault, Channel, fault_of_status, open_channel
from arena.link.wire.messages import encode_start, encode_turn
from arena.runner.checkup.bot import introduced, last_lines
from arena.runner.entrants import Entrant
from arena.table.clock import SECOND, TimeControl
from arena.table.position import View
from arena.table.record import Record
from arena.table.table import Ask, TableRules
from arena.v1 import analysis_pb2

WORLDS = 1024
"""The most fresh worlds for a decision if nothing else is asked for."""

_MOST_SCORES = 1024  # in one answer
_PATIENCE = 60.0  # seconds for an answer
_START = 10.0  # seconds until it listens
_CLOCK = TimeControl(60 * SECOND, SECOND // 10, 5 * SECOND)  # no clock runs; a bot may want to know one
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
        raise CannotAnalyse(f"{entrant.name} {fault.message}: see arena check-bot") from None
    digest = ""
    if (manifest := entrant.bot) is not None:
        patterns = manifest.sources or ("*",)
        found = await trio.to_thread.run_sync(fingerprint, manifest.folder, manifest.command, patterns)
        digest = found or ""
    return AnalysisBot(entrant, f"{info.name} {info.version}".rstrip(), info.games, digest)


@asynccontextmanager
async def channel_to_bot(bot: AnalysisBot) -> AsyncIterator[Channel]:
    """Starts an instance of a bot, or dials it. Raises CannotAnalyse if that fails."""
    if (address := bot.entrant.address) is not None:
        channel = open_channel(address, bot.entrant.shown)
        with channel:
            yield channel
        return
    assert bot.entrant.bot is not None, "a bot that joins cannot be asked"
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        log = Path(folder, "bot.log")
        async with running_bot(bot.entrant.bot, log, sandbox=bot.entrant.sandbox) as process:
            listens = False
            with trio.move_on_after(_START):
                listens = await process.wait_listening()
            if not listens:
                raise CannotAnalyse(f"{bot.name} does not listen: see arena check-bot")
            with open_channel(process.address) as channel:
                try:
                    yield channel
                except CannotAnalyse as problem:
                    printed = last_lines(log).rpartition("\n")[2]
                    hint = "" if printed in str(problem) else f" (it printed last: {printed})"
                    raise CannotAnalyse(f"{problem}{hint}") from None


def searcher_of(channel: Channel, bot: AnalysisBot, record: Record) -> Callable[[Turn, str], Searcher]:
    """What has a bot try the actions of a record's turns.

    Raises CannotAnalyse if it does not play the game.
    """
    if lack := does_not_play([record.game], bot.games):
        raise CannotAnalyse(f"{bot.name} {lack}: leave out --with, or give another bot")
    rules = TableRules(GAMES[record.game], record.options, record.seats, _CLOCK, 1, record.starter)
    return lambda turn, game: Searcher(bot.name, WORLDS, partial(_trial, channel, bot.name, rules))


def _trial(channel: Channel, name: str, rules: TableRules, turn: Turn, rng: random.Random) -> Trial:
    """Has a bot try actions of a turn."""
    game = rules.game.id
    told = encode_turn(_TABLE, game, Ask(turn.seat, turn.number, View(*turn.view), _CLOCK.move))

    def trial(actions: Sequence[int], worlds: int) -> list[Sequence[float]]:
        rows: list[Sequence[float]] = []
        while len(rows) < worlds:
            some = min(worlds - len(rows), max(1, _MOST_SCORES // len(actions)))
            # Both parts have the same numbers in a PlayRequest, as which they are encoded.
            start = encode_start(_TABLE, rules, turn.seat, rng.randbytes(16), ())
            more = analysis_pb2.TryActionsRequest(actions=actions, worlds=some).SerializeToString()
            scores = _asked(channel, name, start + told + more)
            if len(scores) != some * len(actions):
                raise CannotAnalyse(
                    f"{name} gives {len(scores)} scores for {len(actions)} actions in {some} worlds: it has "
                    f"to give {some * len(actions)}"
                )
            if not all(0.0 <= score <= 1.0 for score in scores):  # no number is outside, too
                raise CannotAnalyse(f"{name} gives a score that is not from 0 to 1")
            rows += [scores[at : at + len(actions)] for at in range(0, len(scores), len(actions))]
        return rows

    return trial


def _asked(channel: Channel, name: str, request: bytes) -> Sequence[float]:
    """The scores that a bot gives. Raises CannotAnalyse."""
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes]
    call = channel.unary_unary("/arena.v1.Analysis/TryActions")
    try:
        data = call(request, timeout=_PATIENCE, wait_for_ready=True)
        return analysis_pb2.TryActionsResponse.FromString(data).scores
    except DecodeError:
        raise CannotAnalyse(f"{name} answers with bytes that are no TryActionsResponse") from None
    except grpc.RpcError as error:
        code = error.code() if isinstance(error, grpc.Call) else None
        if code is grpc.StatusCode.UNIMPLEMENTED:
            raise CannotAnalyse(
                f"{name} does not offer to try actions (the service Analysis, bots/REFERENCE.md): leave out "
                "--with, or give another bot"
            ) from None
        if code is grpc.StatusCode.DEADLINE_EXCEEDED:
            raise CannotAnalyse(f"{name} takes more than {_PATIENCE:.0f} s for an answer") from None
        raise CannotAnalyse(f"{name} {fault_of_status(error, 'does not try actions').message}") from None
