"""The only place that knows gRPC, protobuf and bot processes."""

import os

GRPC_SETTINGS = {
    # What goes wrong with a bot is told in our own words; gRPC's log lines would stand between them.
    "GRPC_VERBOSITY": "NONE",
    # gRPC's event engine, which it uses from 1.80 on, takes a third more time for a message.
    "GRPC_EXPERIMENTS": "-event_engine_client,-event_engine_listener",
    # Each connection is polled in a thread of its own, so that what one costs is known (see `streams.flood`),
    # and none waits for another's frames to be read. A message also wakes one thread less.
    "GRPC_POLL_STRATEGY": "poll",
}
"""Environment variables that gRPC reads when it is imported, for a program that is a referee."""


def use_grpc_settings() -> None:
    """Sets `GRPC_SETTINGS` for this process and those it starts, less what a user has set.

    For a program's first lines: what has imported gRPC already goes on without
    them. (Bots do not inherit them: see `process.environment`.)
    """
    for name, value in GRPC_SETTINGS.items():
        os.environ.setdefault(name, value)
