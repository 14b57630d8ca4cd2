"""What goes over the wire and into files as bytes: protobuf's messages and the values that they stand for."""

PROTOCOL_VERSION = 1
"""The version of the protocol that the referee and its bots speak."""
