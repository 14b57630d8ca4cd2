"""The numbers of instances: the processes of one bot, of which each plays one seating of a board."""

from __future__ import annotations

_SHIFT = 32  # there are far fewer bots


def instance_number(player: int, instance: int) -> int:
    """The number of an instance of a bot, from 0; that of the first is the bot's own number."""
    return player + (instance << _SHIFT)


def player_of(number: int) -> int:
    """The number of the bot to which an instance belongs."""
    return number & ((1 << _SHIFT) - 1)
