"""The link to the bots: the only package that knows gRPC, protobuf and bot processes."""

import os

GRPC_SETTINGS = {
    # The arena reports a bot's faults itself; gRPC's log lines would stand between its messages.
    "GRPC_VERBOSITY": "NONE",
    # gRPC's event engine, which it uses from 1.80 on, takes a third more time for a message.
    "GRPC_EXPERIMENTS": "-event_engine_client,-event_engine_listener",
    # Each connection is polled in a thread of its own, so that its cost can be measured (`streams.flood`),
    # and no connection waits until another's frames are read. A message also wakes one thread less.
    "GRPC_POLL_STRATEGY": "poll",
}
"""Environment variables for a referee's process, which gRPC reads when it is imported."""


def use_grpc_settings() -> None:
    """Sets `GRPC_SETTINGS` for this process and those it starts, unless the user has set them.

    To be called before gRPC is imported; later it has no effect. (Bots do not
    inherit the settings: see `process.environment`.)
    """
    for name, value in GRPC_SETTINGS.items():
        os.environ.setdefault(name, value)
