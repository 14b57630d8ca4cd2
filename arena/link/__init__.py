"""The link to the bots: the only package that knows gRPC, protobuf and bot processes."""

import os
from collections.abc import Mapping

BOT_SETTINGS = {
    # gRPC's event engine, which it uses from 1.80 on, takes a third more time for a message.
    "GRPC_EXPERIMENTS": "-event_engine_client,-event_engine_listener",
}
"""Environment variables for the process of a Python bot, which gRPC reads when it is imported."""

LIBRARY_SETTINGS = BOT_SETTINGS | {
    # Each connection is polled in a thread of its own, so that its cost can be measured (`streams.flood`),
    # and no connection waits until another's frames are read. A message also wakes one thread less.
    "GRPC_POLL_STRATEGY": "poll",
    # The arena reports a bot's faults itself; gRPC's log lines would stand between its messages.
    "GRPC_VERBOSITY": "NONE",
    # The matrices of the ratings are small: with more threads the page of a long ladder takes twice the
    # processor time, and is no sooner there.
    "OPENBLAS_NUM_THREADS": "1",
}
"""Environment variables for a referee's process, which gRPC and NumPy read when they are imported."""


def use_library_settings(settings: Mapping[str, str] = LIBRARY_SETTINGS) -> None:
    """Sets environment variables for this process and those it starts, unless the user has set them.

    To be called before the libraries that read them are imported; later it has no effect. (Bots do not
    inherit `LIBRARY_SETTINGS`: see `process.environment`.)
    """
    for name, value in settings.items():
        os.environ.setdefault(name, value)
