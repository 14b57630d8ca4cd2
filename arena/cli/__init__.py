"""What people type: the `arena` command, one module per subcommand."""

from __future__ import annotations

import atexit
import gc

from arena.cli.loading import loading
from arena.link import use_grpc_settings


def main() -> None:
    """The `arena` command, with gRPC set up for a referee before anything imports it."""
    use_grpc_settings()
    atexit.register(gc.freeze)  # else all that was loaded is searched for garbage as the process ends
    with loading():
        from arena.cli.commands import arena

    arena(prog_name="arena")
