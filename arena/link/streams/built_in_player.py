"""The referee's built-in player: it sits where a bot's stream would, plays at random, and never errs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from arena.link.streams.moments import Moment
from arena.link.streams.stream import Batch
from arena.link.streams.trio_thread import in_trio
from arena.link.wire.convert import wire_in
from arena.link.wire.messages import Decision
from arena.v1 import bot_pb2


class BuiltInPlayer:
    """A stream whose other end is in this process.

    It chooses by the seed of its seat and the number of the turn, so the same
    board brings the same choices. To be made in trio's thread.

    Args:
        on_decisions: called, soon after a request was sent, with the decisions
            on it and the moment.
        now: tells the moment.
    """

    def __init__(
        self, on_decisions: Callable[[list[Decision], Moment], None], now: Callable[[], Moment]
    ) -> None:
        self._on_decisions = on_decisions
        self._now = now
        self._answer_soon = in_trio(self._answer)
        self._seeds: dict[int, bytes] = {}  # by table number

    def send(self, data: bytes, turns: int) -> Batch:
        """Takes an encoded PlayRequest that asks so many turns."""
        batch = Batch(data, turns, self._now())
        batch.sent = batch.queued
        request = bot_pb2.PlayRequest.FromString(data)
        for start in request.starts:
            self._seeds[start.table] = start.seed
        decisions = [Decision(turn.table, turn.turn, self._choose(turn)) for turn in request.turns]
        for end in request.ends:
            del self._seeds[end.table]
        if decisions:
            self._answer_soon(decisions)
        return batch

    def _answer(self, decisions: list[Decision]) -> None:
        self._on_decisions(decisions, self._now())

    def _choose(self, turn: bot_pb2.Turn) -> int:
        number = turn.turn.to_bytes(8, "big")
        draw = hashlib.blake2b(number, key=self._seeds[turn.table], digest_size=8).digest()
        return int.from_bytes(draw, "big") % len(getattr(turn, wire_in(turn).field).legal_actions)
