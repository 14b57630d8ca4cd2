"""Encoding: converts the arena's values to and from protobuf messages, for connections and files."""

PROTOCOL_VERSION = 1
"""The version of the protocol that the referee and its bots speak."""

MOST_VALUES = 64
"""Of so many actions a bot may say what it thinks they are worth."""

MOST_TEXT = 200
"""The most characters of a bot's remark about a turn."""
