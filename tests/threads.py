"""Work of trio in a thread of the tests."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Awaitable, Callable, Iterator

import trio


@contextlib.contextmanager
def in_a_thread(work: Callable[[], Awaitable[None]]) -> Iterator[None]:
    """Runs work in a thread of its own as long as the context lasts; raises the error that ended it."""
    scope, token = trio.CancelScope(), list[trio.lowlevel.TrioToken]()
    begun, wrong = threading.Event(), list[BaseException]()

    async def run() -> None:
        token.append(trio.lowlevel.current_trio_token())
        begun.set()
        with scope:
            await work()

    def run_here() -> None:
        try:
            trio.run(run)
        except BaseException as error:  # noqa: BLE001 - of any kind: it is raised below
            wrong.append(error)
            begun.set()

    thread = threading.Thread(target=run_here)
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        with contextlib.suppress(trio.RunFinishedError):
            token[0].run_sync_soon(scope.cancel)
        thread.join()
        if wrong:
            raise wrong[0]
