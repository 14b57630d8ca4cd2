"""Threads: calls from other threads into trio's thread, errors in any thread, and a combining queue."""

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
    """An error of the referee itself, for which no bot is charged.

    Attributes:
        what: the error, in one line.
        report: the traceback.
    """

    def __init__(self, what: str, report: str) -> None:
        super().__init__(f"{what}\n{report}")
        self.what = what
        self.report = report

    @classmethod
    def of(cls, error: BaseException) -> RefereeBug:
        """Makes a bug from an error; a bug stays the same."""
        if isinstance(error, cls):
            return error
        return cls.from_report("".join(traceback.format_exception(error)))

    @classmethod
    def from_report(cls, report: str) -> RefereeBug:
        """Makes a bug from a traceback, whose last line names the error."""
        last = report.strip().rpartition("\n")[2].strip() or "no traceback"
        return cls("".join(filter(str.isprintable, last))[:_WHAT_LIMIT], report)


def in_trio(function: Callable[..., object]) -> Callable[..., None]:
    """A function for any thread that has trio's thread call `function` soon, with the same arguments.

    To be made in trio's thread. Once trio has ended nothing is called.
    """
    token = trio.lowlevel.current_trio_token()

    def call(*arguments: object) -> None:
        with contextlib.suppress(trio.RunFinishedError):  # no task waits for it any more
            token.run_sync_soon(function, *arguments)

    return call


@contextlib.contextmanager
def unwrapped(*kinds: type[Exception]) -> Iterator[None]:
    """Unwraps an exception group of a nursery in here, if it has only errors of these kinds."""
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
    """The first error of many threads, for a task in trio's thread that waits for it. To be made there.

    Attributes:
        happened: whether there was an error, after which threads do nothing more.
    """

    def __init__(self) -> None:
        self.happened = False
        self._error: Exception | None = None
        self._noted = trio.Event()
        self._note_in_trio = in_trio(self._note)

    def note(self, error: Exception) -> None:
        """Notes an error; in any thread."""
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
    """A combining queue: the threads that put items handle them, in order and in batches.

    The thread that puts an item handles it, and leaves the items that other threads put
    meanwhile to trio's thread. With a lock instead, hundreds of threads would wait (D. Hendler and
    others, "Flat combining and the synchronization-parallelism tradeoff", SPAA 2010).
    To be made in trio's thread.

    Args:
        handle: handles items; never called again before it has returned.
        failure: notes the errors of `handle`.
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
            return  # the handling thread sees the rest
        try:
            # At least so many wait, because no other thread takes any.
            items = [self._items.popleft() for _ in range(len(self._items))]
            if items:
                self._handle(items)
        except Exception as error:  # noqa: BLE001 - `Failure.wait` raises it
            self._failure.note(RefereeBug.of(error))
        finally:
            self._lock.release()
        if self._items:
            self._handle_rest()
