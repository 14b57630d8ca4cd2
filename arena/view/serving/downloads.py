"""The download of a finished tournament: its page, the files, and what has them made.

A visitor asks for the files. One worker at a time makes them, once for each tournament, and they are kept
beside the league.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.league.downloads import ERRORS, LINES, TABLES, Job, download_path, program
from arena.league.public import LEFT_OUT
from arena.league.store import StoredTournament
from arena.processes.pool import Pool
from arena.text import file_name, one_line
from arena.view.serving.site import Site

DownloadPool = Pool[Job, None]

_MOST = 16  # tournaments that wait
_AGAIN = "2"  # seconds after which a browser looks again
_TYPES: Final = {LINES: "application/gzip", TABLES: "application/zip"}
_NOT_OVER: Final = "There is a download when the tournament is over."
_FULL: Final = "Too many downloads wait to be made; try again later."
_FAILED: Final = "The files cannot be made now: the host can see why."


class _File(NamedTuple):
    """A file that is there: its ending, its size in bytes, and when it was made."""

    ending: str
    size: int
    made: datetime


@dataclass(slots=True)
class _Job:
    """Files that are to be made: the share of the work that is done, and whether that failed."""

    share: float = 0.0
    failed: bool = False


def download_pool() -> DownloadPool:
    """A pool that makes files for downloads."""
    return Pool("makes downloads", program)


class Downloads:
    """The downloads of the finished tournaments of a league.

    Args:
        site: the pages.
        pool: makes the pool that makes the files of a tournament.
    """

    def __init__(self, site: Site, pool: Callable[[], DownloadPool] = download_pool) -> None:
        self._site, self._pool = site, pool
        self._jobs: dict[str, _Job] = {}  # by commitment
        self._due, self._taken = trio.open_memory_channel[StoredTournament](_MOST)

    def routes(self) -> list[BaseRoute]:
        """The addresses: for the last tournament, and below the address of another."""
        return [
            Route("/download", self._page),
            Route("/download", self._ask, methods=["POST"]),
            Route("/download/{ending}", self._file),
        ]

    async def run(self) -> None:
        """Makes what is asked for, one tournament after another, until it is cancelled."""
        async for stored in self._taken:
            job, pool = self._jobs[stored.key_commitment], self._pool()
            try:
                await trio.to_thread.run_sync(self._make, stored, job, pool, abandon_on_cancel=True)
                del self._jobs[stored.key_commitment]
            except ERRORS as problem:
                job.failed = True
                self._site.reader.told(problem)
            except Exception as bug:  # noqa: BLE001 - of any kind: the page goes on
                job.failed = True
                self._site.bugs.tell("a download", bug)
            finally:
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(pool.close)

    def _make(self, stored: StoredTournament, job: _Job, pool: DownloadPool) -> None:
        """Has the files made, in a thread; ends with the pool."""

        def tell(number: int, share: float) -> None:
            job.share = share

        for _ in pool.do([Job(self._site.reader.path, stored.id)], tell):
            pass

    def _stored(self, request: Request) -> StoredTournament | None:
        """The tournament that an address names, if it is over."""
        snapshot = self._site.snapshot(request)
        return snapshot.tournament if snapshot is not None and snapshot.finished else None

    def _files(self, stored: StoredTournament) -> list[_File]:
        """The files that are there."""
        found = []
        for ending in (TABLES, LINES):
            path = download_path(self._site.reader.path, stored, ending)
            if path.is_file():
                about = path.stat()
                found.append(_File(ending, about.st_size, datetime.fromtimestamp(about.st_mtime, UTC)))
        return found

    def _page(self, request: Request) -> Response:
        snapshot = self._site.snapshot(request)
        stored = self._stored(request)
        files = self._files(stored) if stored else []
        job = self._jobs.get(stored.key_commitment) if stored and not files else None
        values = {"files": files, "job": job, "left_out": LEFT_OUT}
        response = self._site.html(request, "download", snapshot, values, store=False)
        if job and not job.failed:
            response.headers["Refresh"] = _AGAIN
        return response

    async def _ask(self, request: Request) -> Response:
        """Has the files made, unless they are there or that is under way."""
        stored = await trio.to_thread.run_sync(self._stored, request)
        if stored is None:
            raise HTTPException(404, _NOT_OVER)
        job = self._jobs.get(stored.key_commitment)
        if not await trio.to_thread.run_sync(self._files, stored) and (job is None or job.failed):
            try:
                self._due.send_nowait(stored)
            except trio.WouldBlock:
                raise HTTPException(503, _FULL) from None
            self._jobs[stored.key_commitment] = _Job()
        return RedirectResponse(request.url.path, 303)

    def _file(self, request: Request) -> Response:
        stored, ending = self._stored(request), request.path_params["ending"]
        if stored is None or ending not in _TYPES:
            raise HTTPException(404, _NOT_OVER)
        path = download_path(self._site.reader.path, stored, ending)
        if not path.is_file():
            raise HTTPException(404, "There is no such file: it is made if somebody asks for it.")
        return FileResponse(
            path,
            media_type=_TYPES[ending],
            filename=f"{file_name(one_line(stored.name))}.{ending}",
            headers={"Content-Encoding": "identity"},  # it is compressed: GZipMiddleware leaves it alone
        )
