"""The only place that knows gRPC, protobuf and bot processes."""

import os

# What goes wrong with a bot is told in our own words; gRPC's log lines would stand between them.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
