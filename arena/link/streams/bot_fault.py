"""Exceptions for a bot's faults; a module without gRPC, which takes long to load."""

from __future__ import annotations

from arena.results import FAULT_REASONS


class BotFault(Exception):
    """A bot broke the protocol, or cannot be reached.

    Attributes:
        reason: one of `arena.results.FAULT_REASONS`.
        message: what was wrong, one sentence without its full stop. It may
            quote the bot: `arena.text` makes it safe for a terminal.
        short: the message without the bot's words and the place of its log.
    """

    def __init__(self, reason: str, message: str, hint: str = "") -> None:
        assert reason in FAULT_REASONS, reason
        self.reason = reason
        # A text that a record can hold:
        self.short, self.message = (
            text.encode("utf-8", "backslashreplace").decode() for text in (message, message + hint)
        )
        super().__init__(self.message)


class Flood(BotFault):
    """A bot sends without end, or what no bot sends by accident.

    Args:
        how: what it does, the end of a sentence about the bot.
    """

    def __init__(self, how: str) -> None:
        super().__init__("protocol", how)


class Excused(BotFault):
    """The referee's side ended a bot's connection, for which no bot is charged.

    Args:
        how: what happened, the end of a sentence about the bot.
    """

    def __init__(self, how: str) -> None:
        super().__init__("disconnect", how)
