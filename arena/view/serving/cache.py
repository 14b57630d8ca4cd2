"""A cache of answers: each is made once for all browsers that ask for it. Used in trio's thread alone."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

import trio
from starlette.requests import Request
from starlette.responses import Response

from arena.view.newest import Newest

Asked = TypeVar("Asked", bound=Hashable)
Found = TypeVar("Found")

_LEAST = 2000  # bytes from which on an answer is compressed


class Answer(NamedTuple):
    """The body of an answer, also compressed; make one with `answer`."""

    body: bytes
    compressed: bytes
    media_type: str

    def response(self, request: Request) -> Response:
        """The response to a browser: compressed if the browser accepts that."""
        headers = {"Cache-Control": "no-cache"}
        body = self.body
        if self.compressed and "gzip" in request.headers.get("accept-encoding", ""):
            body = self.compressed
            headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}  # else GZipMiddleware says so
        return Response(body, media_type=self.media_type, headers=headers)


def answer(body: bytes, media_type: str) -> Answer:
    """Makes an answer that can be kept."""
    return Answer(body, gzip.compress(body) if len(body) >= _LEAST else b"", media_type)


class Cache(Generic[Asked]):
    """The last answers, by the key of the request.

    Args:
        most: how many are kept; the oldest are dropped.
    """

    def __init__(self, most: int) -> None:
        self._answers: Newest[Asked, Answer] = Newest(most)
        self._under_way: dict[Asked, trio.Event] = {}

    async def ask(self, asked: Asked, find: Callable[[], Answer]) -> Answer:
        """The answer for a key; if it is not kept, `find` makes it in a thread, once for all that wait."""
        while asked not in self._answers:
            under_way = self._under_way.get(asked)
            if under_way is not None:
                await under_way.wait()
                continue
            self._under_way[asked] = done = trio.Event()
            try:
                self._answers[asked] = await trio.to_thread.run_sync(find)
            finally:
                del self._under_way[asked]
                done.set()
        return self._answers[asked]


class Fresh(Generic[Asked, Found]):
    """Values that are never older than the request, but computed once for all requests that wait.

    Args:
        most: how many are kept for those that wait; the oldest are dropped.
    """

    def __init__(self, most: int = 1) -> None:
        self._lock = trio.Lock()
        self._found: Newest[Asked, tuple[float, Found]] = Newest(most)

    async def ask(self, asked: Asked, find: Callable[[], Found]) -> Found:
        """The value for a key: `find` computes it in a thread, and begins after this call."""
        came = trio.current_time()
        async with self._lock:
            begun, found = self._found.get(asked, (-1.0, None))
            if found is None or begun < came:
                begun = trio.current_time()
                found = await trio.to_thread.run_sync(find)
                self._found[asked] = begun, found
            return found
