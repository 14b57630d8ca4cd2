"""Threads: calls from other threads into trio's, errors in any thread, a queue that many threads serve."""

from __future__ import annotations

import contextlib
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import trio

T = TypeVar("T")

_WHAT_LIMIT = 200  # characters


class RefereeBug(Exception):
    """The referee itself went wrong, for which no bot is charged.

    Attributes:
        what: what was raised, in one line.
        report: the traceback.
    """

    def __init__(self, what: str, report: str) -> None:
        super().__init__(f"{what}\n{report}")
        self.what = what
        self.report = report

    @classmethod
    def of(cls, error: BaseException) -> RefereeBug:
        """The bug that an error is; an error that is one already stays the same."""
        if isinstance(error, cls):
            return error
        return cls.from_report("".join(traceback.format_exception(error)))

    @classmethod
    def from_report(cls, report: str) -> RefereeBug:
        """The bug with a traceback, which names in its last line what was raised."""
        last = report.strip().rpartition("\n")[2].strip() or "no traceback"
        return cls("".join(filter(str.isprintable, last))[:_WHAT_LIMIT], report)


def in_trio(function: Callable[..., object]) -> Callable[..., None]:
    """A function for any thread that has `function` called soon in trio's, with the same arguments.

    To be made in trio's thread. Once trio has ended nothing is called.
    """
    token = trio.lowlevel.current_trio_token()

    def call(*arguments: object) -> None:
        with contextlib.suppress(trio.RunFinishedError):  # nobody waits for it any more
            token.run_sync_soon(function, *arguments)

    return call


@contextlib.contextmanager
def unwrapped(*kinds: type[Exception]) -> Iterator[None]:
    """Errors of these kinds leave a nursery in here without its exception group, if there are no others."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException | None = group.subgroup(kinds)
        if error is None or group.subgroup(
            lambda each: not isinstance(each, (*kinds, trio.Cancelled, BaseExceptionGroup))
        ):
            raise
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


class Failure:
    """The first error of many threads, for a task that waits for it in trio's thread. To be made there.

    Attributes:
        happened: whether there was one, so that nothing is to be done any more.
    """

    def __init__(self) -> None:
        self.happened = False
        self._error: Exception | None = None
        self._noted = trio.Event()
        self._note_in_trio = in_trio(self._note)

    def note(self, error: Exception) -> None:
        """There is an error; in any thread."""
        self.happened = True
        self._note_in_trio(error)

    def guarded(self, function: Callable[..., object]) -> Callable[..., None]:
        """A function for any thread that calls `function`, whose errors are noted as bugs, not raised."""

        def call(*arguments: object) -> None:
            try:
                function(*arguments)
            except Exception as error:  # noqa: BLE001 - `wait` raises it
                self.note(RefereeBug.of(error))

        return call

    async def wait(self) -> None:
        """Waits for the first error and raises it."""
        await self._noted.wait()
        assert self._error is not None
        raise self._error

    def _note(self, error: Exception) -> None:
        if self._error is None:
            self._error = error
            self._noted.set()


class CombiningQueue(Generic[T]):
    """A queue that has its items handled in order by the threads that put them, all at once that wait.

    The thread that puts an item handles it, and leaves to trio's thread what other threads
    put meanwhile. With a lock instead, hundreds of threads would wait for it (D. Hendler and
    others, "Flat combining and the synchronization-parallelism tradeoff", SPAA 2010).
    To be made in trio's thread.

    Args:
        handle: handles items; never called again before it has returned.
        failure: told of what `handle` raises.
    """

    def __init__(self, handle: Callable[[list[T]], None], failure: Failure) -> None:
        self._handle = handle
        self._failure = failure
        self._items: deque[T] = deque()
        self._lock = threading.Lock()
        self._handle_rest = in_trio(self._pass)

    def put(self, item: T) -> None:
        """Has an item handled, at once or soon; in any thread."""
        self._items.append(item)
        self._pass()

    def _pass(self) -> None:
        if not self._lock.acquire(blocking=False):
            return  # the thread that has it sees what is left
        try:
            # At least so many wait: no other thread takes any.
            items = [self._items.popleft() for _ in range(len(self._items))]
            if items:
                self._handle(items)
        except Exception as error:  # noqa: BLE001 - `Failure.wait` raises it
            self._failure.note(RefereeBug.of(error))
        finally:
            self._lock.release()
        if self._items:
            self._handle_rest()
