"""What a bot does wrong, as an error: without gRPC, which takes long to load."""

from __future__ import annotations

from arena.results import FAULT_REASONS


class BotFault(Exception):
    """A bot broke the protocol, or cannot be reached.

    Attributes:
        reason: one of `arena.results.FAULT_REASONS`.
        message: what was wrong, one sentence without its full stop. It may
            quote the bot: `arena.text` makes it fit for a terminal.
    """

    def __init__(self, reason: str, message: str) -> None:
        assert reason in FAULT_REASONS, reason
        message = message.encode("utf-8", "backslashreplace").decode()  # a record can hold that
        super().__init__(message)
        self.reason = reason
        self.message = message


class Flood(BotFault):
    """A bot sends what none sends by accident, or without end.

    Args:
        how: what it does, as its own sentence about the bot goes on.
    """

    def __init__(self, how: str) -> None:
        super().__init__("protocol", how)


class Excused(BotFault):
    """A bot's connection was ended by the referee's side, for which nobody is charged.

    Args:
        how: what happened, as a sentence about the bot goes on.
    """

    def __init__(self, how: str) -> None:
        super().__init__("disconnect", how)
