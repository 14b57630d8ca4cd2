"""Uploads: files that arrive slowly, in parts, or not at all, and cost other people nothing.

The bytes of an upload go to the disk as they come, and its sender waits for the disk. An upload that broke
off goes on from where it stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import trio
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from arena.hosting.place import Place
from arena.hosting.settings import Limits

MOST_OF_ONE: Final = 2
"""How many uploads of an account may run at once."""

MOST: Final = 10
"""How many uploads may run at once in all."""

_HASH = re.compile("[0-9a-f]{64}")
_PATIENCE = 30.0  # seconds in which some bytes must come
_LONGEST = 3600.0  # seconds for one upload
_MOST_KEPT = 4  # uploads of an account that broke off, or were not submitted, and are kept
_WAIT = {"Retry-After": "5"}


class Uploads:
    """The uploads into a folder.

    Args:
        place: the folder of the standing league.
    """

    def __init__(self, place: Place) -> None:
        self._folder = place.incoming
        self._running: Counter[int] = Counter()  # by account
        self._writers: dict[Path, tuple[trio.CancelScope, trio.Event]] = {}

    async def received(self, account: int, upload: str) -> int:
        """How many bytes of an upload are there."""
        part, whole = self._paths(account, upload)

        def size() -> int:
            for path in (whole, part):
                with contextlib.suppress(OSError):
                    return path.stat().st_size
            return 0

        return await trio.to_thread.run_sync(size)

    async def receive(self, request: Request, account: int, upload: str, limits: Limits) -> int | None:
        """Takes the body of a request as the rest of an upload, from the byte `from` in its query on.

        Returns its size once it is whole; None if it is damaged, and has to begin again. Raises
        HTTPException.
        """
        part, whole = self._paths(account, upload)
        start, size = self._extent(request, limits)
        while before := self._writers.get(part):  # its connection is lost, and nobody has told the page
            before[0].cancel()
            await before[1].wait()
        if whole.exists():
            return await self.received(account, upload)
        with self._place_for(account), self._writing(part):
            self._tidy(account, part)
            await self._write(request, part, start, size)
            if await trio.to_thread.run_sync(_hash, part) != upload:
                part.unlink(missing_ok=True)
                return None
            part.replace(whole)
            return size

    async def receive_any(self, request: Request, account: int, limits: Limits) -> tuple[str, int]:
        """Takes the body of a request as a whole upload; returns its hash and its size.

        Raises HTTPException.
        """
        _, size = self._extent(request, limits)
        part = self._folder / f"{account}-any{secrets.token_hex(8)}.part"
        with self._place_for(account), self._writing(part):
            self._tidy(account, part)
            try:
                await self._write(request, part, 0, size)
                upload = await trio.to_thread.run_sync(_hash, part)
                part.replace(self._paths(account, upload)[1])
            finally:
                part.unlink(missing_ok=True)
        return upload, size

    def _paths(self, account: int, upload: str) -> tuple[Path, Path]:
        """The file of an upload while it is not whole, and then."""
        if not _HASH.fullmatch(upload):
            raise HTTPException(400, "An upload is named by its SHA-256, in hexadecimal.")
        return self._folder / f"{account}-{upload}.part", self._folder / f"{account}-{upload}.zip"

    def _extent(self, request: Request, limits: Limits) -> tuple[int, int]:
        """Where the body of a request begins in its upload, and how long the upload is then."""
        start, length = request.query_params.get("from", "0"), request.headers.get("content-length", "")
        if not (start.isdecimal() and len(start) < 16):
            raise HTTPException(400, "from has to be a number of bytes.")
        if not (length.isdecimal() and len(length) < 16):
            raise HTTPException(411, "An upload has to say how long it is, by Content-Length.")
        size = int(start) + int(length)
        if size > limits.size:
            raise HTTPException(
                413,
                f"It has {size:,} bytes, and {limits.size:,} are allowed; leave files out by .arenaignore.",
            )
        free = shutil.disk_usage(self._folder.parent).free
        if free < limits.reserve + int(length):
            raise HTTPException(
                503, "The host's disk is almost full, so no version is taken now; tell the host."
            )
        return int(start), size

    @contextlib.contextmanager
    def _place_for(self, account: int) -> Iterator[None]:
        """One of the places for uploads. Raises HTTPException if there is none."""
        if self._running[account] >= MOST_OF_ONE:
            raise HTTPException(429, f"You have {MOST_OF_ONE} uploads under way already; wait.", _WAIT)
        if self._running.total() >= MOST:
            raise HTTPException(503, "Too many uploads are under way now; try again.", _WAIT)
        self._running[account] += 1
        try:
            yield
        finally:
            self._running[account] -= 1

    def _tidy(self, account: int, part: Path) -> None:
        """Makes the folder; removes the oldest of too many uploads of an account.

        What was submitted has another name in the folder of its version.
        """
        self._folder.mkdir(exist_ok=True)
        kept = []
        for each in self._folder.glob(f"{account}-*"):
            if each != part and each not in self._writers:
                with contextlib.suppress(FileNotFoundError):  # the host process removes them too
                    kept.append((each.stat().st_mtime, each))
        for _, each in sorted(kept)[: max(0, len(kept) - _MOST_KEPT + 1)]:
            each.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _writing(self, part: Path) -> Iterator[None]:
        """Takes a file for one writer, which another may cancel. Raises HTTPException if it was cancelled."""
        with trio.move_on_after(_LONGEST) as scope:
            self._writers[part] = scope, trio.Event()
            try:
                yield
            finally:
                self._writers.pop(part)[1].set()
        if scope.cancelled_caught:
            raise HTTPException(408, "The upload took too long, or was begun again; go on with it.")

    async def _write(self, request: Request, part: Path, start: int, size: int) -> None:
        """Writes the body of a request into a file from a byte on. Raises HTTPException."""
        try:
            file = await trio.to_thread.run_sync(_opened, part, start)
            with file:
                await _copy(request, file, size - start)
        except (trio.TooSlowError, ClientDisconnect):
            raise HTTPException(408, "The upload broke off; go on with it.") from None
        except OSError as error:
            raise HTTPException(
                503, f"The upload cannot be kept ({error.strerror}); tell the host."
            ) from None


async def _copy(request: Request, file: BinaryIO, length: int) -> None:
    async with contextlib.aclosing(request.stream()) as stream:
        while True:
            with trio.fail_after(_PATIENCE):
                chunk = await anext(stream, None)
            if chunk is None:
                break
            length -= len(chunk)
            if length < 0:
                raise HTTPException(400, "The upload is longer than it said.")
            await trio.to_thread.run_sync(file.write, chunk)
    if length:
        raise HTTPException(408, "The upload broke off; go on with it.")


def _opened(part: Path, start: int) -> BinaryIO:
    """The file of an upload, cut off at a byte, at which writing begins. Raises HTTPException."""
    handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    file = os.fdopen(handle, "r+b")
    if start > os.fstat(handle).st_size:
        file.close()
        raise HTTPException(409, "Fewer bytes are here than that; ask how many, and go on from there.")
    file.truncate(start)
    file.seek(start)
    return file


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        os.fsync(file.fileno())
        return hashlib.file_digest(file, "sha256").hexdigest()
