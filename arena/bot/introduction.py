"""What a bot says of itself, and the bytes of its own that it puts into a tournament's deals."""

from __future__ import annotations

import hashlib
import os
import sys
import threading

from arena.v1 import bot_pb2

CONTRIBUTION_BYTES = 16


class Introduction:
    """What answers Describe, by whichever way it is asked; in any thread.

    It pledges secret bytes by their hash, and gives them once, when it is told
    the commitment to the deals and the digest of all pledges: nobody can choose
    anything any more by what they are (docs/fair-deals.md).

    Args:
        description: what the bot says it is.
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
        answer.pledge = hashlib.sha256(secret).digest()
        if request.pledges:
            answer.contribution = secret
            print(  # noqa: T201 - the bot's log, for its author
                f"put into the deals: bytes {secret.hex()}, commitment {request.commitment.hex()}, "
                f"pledges {request.pledges.hex()}",
                file=sys.stderr,
            )
        return answer
