"""Encoding: converts the arena's values to and from protobuf messages, for connections and files."""

PROTOCOL_VERSION = 1
"""The version of the protocol that the referee and its bots speak."""
