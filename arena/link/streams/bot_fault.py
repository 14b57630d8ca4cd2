"""What a bot does wrong, as an error: without gRPC, which takes long to load."""

from __future__ import annotations

from arena.results import FAULT_REASONS


class BotFault(Exception):
    """A bot broke the protocol, or cannot be reached.

    Attributes:
        reason: one of `arena.results.FAULT_REASONS`.
        message: what was wrong, one sentence without its full stop. It may
            quote the bot: `arena.text` makes it fit for a terminal.
        short: the message without what the bot said, and where its log is.
    """

    def __init__(self, reason: str, message: str, hint: str = "") -> None:
        assert reason in FAULT_REASONS, reason
        self.reason = reason
        # As text that a record can hold:
        self.short, self.message = (
            text.encode("utf-8", "backslashreplace").decode() for text in (message, message + hint)
        )
        super().__init__(self.message)


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
