"""What rooms are told of a bot with one instance."""

from __future__ import annotations

from typing import Any

from arena.link.streams.bot_fault import BotFault
from arena.referee.presence import State
from arena.referee.rooms.rooms import BotChange


def here(player: int, stream: Any) -> BotChange:
    """It has connected."""
    return BotChange(player, State.HERE, [player], State.HERE, stream)


def lost(player: int, fault: BotFault) -> BotChange:
    """It is lost."""
    return BotChange(player, State.LOST, [player], State.LOST, fault=fault)


def gone(player: int, fault: BotFault) -> BotChange:
    """It is given up."""
    return BotChange(player, State.GONE, [player], State.GONE, fault=fault)
