"""Answers a referee's questions to a Python bot: the description of the bot, and its turns."""

from __future__ import annotations

import inspect
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from math import isfinite
from operator import itemgetter
from typing import TypeVar

from arena.bot.player import Bot, Choice, LazyActions, Seated, Turn, outcome_of, table_info
from arena.link.wire import MOST_TEXT, MOST_VALUES, PROTOCOL_VERSION
from arena.link.wire.codec import BadMessage
from arena.link.wire.convert import WIRES
from arena.table.deal import CONTRIBUTION_BYTES, pledge_of
from arena.text import one_line
from arena.v1 import bot_pb2

A = TypeVar("A")
B = TypeVar("B")
Answer = Callable[[bot_pb2.PlayRequest], list[bot_pb2.Decision]]
"""A function that answers the batches of one connection."""

_TOGETHER = (
    128  # decisions of a response: with what a bot thinks, each may have 1.5 KB, and a message 256 KiB
)
_MOST = 1000  # bytes of an exception's text; escaped, they take three times as many of a status's 4 KiB


def description_of(bot: type[Bot]) -> bot_pb2.DescribeResponse:
    """A bot's description of itself."""
    wires = [WIRES[game] for game in bot.games]
    return bot_pb2.DescribeResponse(
        protocol_version=PROTOCOL_VERSION,
        name=bot.name,
        version=bot.version,
        author=bot.author,
        games=[wire.enum for wire in wires if wire.enum],
        max_tables=bot.max_tables,
        language="python",
        other_games=[wire.game_id for wire in wires if not wire.enum],
    )


class Introduction:
    """Answers Describe, over any connection; in any thread.

    It pledges secret bytes by their hash. It gives the bytes once, when it is told
    the commitment to the deals and the digest of all pledges: from then on nobody can
    make a choice that depends on them (docs/fair-deals.md).

    Args:
        description: the bot's description of itself.
    """

    def __init__(self, description: bot_pb2.DescribeResponse) -> None:
        self._description = description
        self._secret = os.urandom(CONTRIBUTION_BYTES)
        self._lock = threading.Lock()

    def answer(self, request: bot_pb2.DescribeRequest) -> bot_pb2.DescribeResponse:
        """The answer to a request, which may be empty."""
        answer = bot_pb2.DescribeResponse()
        answer.CopyFrom(self._description)
        with self._lock:
            secret = self._secret
            if request.pledges:
                self._secret = os.urandom(CONTRIBUTION_BYTES)
        answer.pledge = pledge_of(secret)
        if request.pledges:
            answer.contribution = secret
            print(  # noqa: T201 - the bot's log, for its author
                f"put into the deals: bytes {secret.hex()}, commitment {request.commitment.hex()}, "
                f"pledges {request.pledges.hex()}",
                file=sys.stderr,
            )
        return answer


def new_tables(bot_class: type[Bot]) -> Answer:
    """A function that answers the batches of one connection."""
    tables: dict[int, Seated] = {}
    return reporting(lambda request: answers(bot_class, tables, request))


def answers(
    bot_class: type[Bot], tables: dict[int, Seated], request: bot_pb2.PlayRequest
) -> list[bot_pb2.Decision]:
    """Answers a batch, and keeps `tables` up to date, which has the tables that are being played.

    Raises WrongRequest.
    """
    for start in request.starts:
        try:
            table = table_info(start)
        except BadMessage as problem:
            raise WrongRequest(f"the start of table {start.table} cannot be read: {problem}") from None
        tables[start.table] = Seated(bot_class, table)
    decisions = [_decide(_table_of(turn, tables), turn) for turn in request.turns]
    for end in request.ends:
        over = tables.pop(end.table, None)
        if over is not None:
            over.bot.forfeits = (*end.outcome.forfeits,)
            over.bot.ended(outcome_of(end))
    return decisions


def responses(decisions: Sequence[bot_pb2.Decision]) -> Iterator[bot_pb2.PlayResponse]:
    """The responses with these decisions, each small enough for a referee, whatever the bot thinks."""
    for first in range(0, len(decisions), _TOGETHER):
        yield bot_pb2.PlayResponse(decisions=decisions[first : first + _TOGETHER])


def _table_of(turn: bot_pb2.Turn, tables: dict[int, Seated]) -> Seated:
    """The table of a turn. Raises WrongRequest if there is none."""
    if turn.table not in tables:
        raise WrongRequest(
            f"a turn came for table {turn.table}, which has not begun in this stream: "
            "send its TableStart in starts first"
        )
    return tables[turn.table]


def _decide(seated: Seated, message: bot_pb2.Turn) -> bot_pb2.Decision:
    try:
        turn = Turn(message, seated.history)
    except BadMessage as problem:
        raise WrongRequest(f"a turn of table {message.table} cannot be read: {problem}") from None
    actions = turn.actions
    assert isinstance(actions, LazyActions)
    choice = seated.choose(turn, time.perf_counter)
    action = choice.action
    index = actions.find(action)
    if index is None:
        told = f"{seated.bot.name} chose {_wrong(action, len(actions))}"
        print(told, file=sys.stderr)  # noqa: T201 - the bot's log
        index = len(actions)  # out of range: the referee counts it as an illegal action
    decision = bot_pb2.Decision(table=message.table, turn=message.turn, action=index)
    if choice.estimate is not None or choice.text or len(choice.values):
        values = _values(choice, actions)
        decision.thought.MergeFrom(
            bot_pb2.Thought(estimate=choice.estimate, values=values, text=one_line(choice.text[:MOST_TEXT]))
        )
    return decision


def _values(choice: Choice, actions: LazyActions) -> dict[int, float]:
    """The values of a choice by the indices of the actions: the best ones, as many as are kept."""
    given = choice.values
    pairs: Iterable[tuple[int | None, float]]
    if isinstance(given, Mapping):
        pairs = ((actions.find(action), value) for action, value in given.items())
    else:
        pairs = enumerate(given)
    finite = [(index, float(value)) for index, value in pairs if index is not None and isfinite(value)]
    return dict(nlargest(MOST_VALUES, finite, key=itemgetter(1)))


def _wrong(action: object, count: int) -> str:
    """Why a choice is wrong that is not one of the `count` legal actions."""
    told = f"{action!r}, which is not one of turn.actions"
    if inspect.iscoroutine(action):
        action.close()
        return f"{told}: write choose without async"
    if isinstance(action, str):
        return f"{told}: return the action itself, not a text"
    if action is None:
        return f"{told}: choose has to return one of them, whatever way it takes"
    if isinstance(action, int) and 0 <= action < count:
        return f"{told}: return turn.actions[{action}] itself"
    return told


class Crash(Exception):
    """The bot's own code raised an exception; the text is its name and message."""


class WrongRequest(Crash):
    """The referee's request makes no sense; the text is a sentence that says why."""


class Stopped(BaseException):
    """SIGTERM or Ctrl-C came while the bot was playing in the main thread."""


def reporting(answer: Callable[[A], B]) -> Callable[[A], B]:
    """Wraps a function: prints its exceptions, also SystemExit and KeyboardInterrupt, and raises Crash.

    A bot's process ends by a signal or with its tournament, never because of
    one table.
    """

    def answer_or_crash(request: A) -> B:
        try:
            return answer(request)
        except Stopped:
            raise
        except WrongRequest as wrong:
            print(_fit(str(wrong)), file=sys.stderr)  # noqa: T201 - the bot's log
            raise
        except BaseException as error:  # noqa: BLE001 - any exception is the bot's crash
            print(_fit(traceback.format_exc()), file=sys.stderr)  # noqa: T201 - the bot's log
            raise Crash(_told(error)) from None

    return answer_or_crash


def _told(error: BaseException) -> str:
    """An exception as text for the referee."""
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - its __str__ is the bot's code too
        text = ""
    return _fit(f"{type(error).__name__}{': ' if text else ''}{text}", _MOST)


def _fit(text: str, most: int | None = None) -> str:
    """A text that UTF-8 can encode, in at most so many bytes."""
    return text.encode("utf-8", "backslashreplace")[:most].decode("utf-8", "ignore")
