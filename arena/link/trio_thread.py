"""From other threads into trio's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import trio


def in_trio(function: Callable[..., object]) -> Callable[..., None]:
    """A function for any thread that has `function` called soon in trio's, with the same arguments.

    To be made in trio's thread. Once trio has ended nothing is called.
    """
    token = trio.lowlevel.current_trio_token()

    def call(*arguments: object) -> None:
        with contextlib.suppress(trio.RunFinishedError):  # nobody waits for it any more
            token.run_sync_soon(function, *arguments)

    return call
