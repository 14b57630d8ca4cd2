"""Explains finished games: says what their decisions cost, and has that computed if a person asks for it.

Workers compute it, for one game after another, and what they find is kept beside the league. While the
hands of a game are hidden, a person who played it sees what their own decisions cost, and nobody sees more.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Protocol

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.checkup.analysed import PROBLEMS, analyse_games, is_analysable, kept_game, wanted_of
from arena.checkup.analysis_jobs import AnalysisPool
from arena.league.store import StoreError
from arena.league.stored import record_of
from arena.results import GameKey
from arena.table.record import BrokenRecord
from arena.text import one_line
from arena.view.league.snapshot import Snapshot
from arena.view.newest import Newest
from arena.view.pictures.explained import explained
from arena.view.pictures.moments import ending
from arena.view.serving.actors import Role
from arena.view.serving.site import Site

_MOST = 16  # games that wait
_KEPT = 32  # explanations, and computations that failed
_FULL: Final = "Too many games wait to be explained; try again later."
_NOT_YOURS: Final = (
    "Only the host, a person who played this game, or the author of a bot that did can have it explained."
)
_BUG: Final = "the analysis stopped because of a bug in it"


class Seated(Protocol):
    """The seat of a person: the name of the entrant."""

    @property
    def entrant(self) -> str:
        """The name."""


class Asked(NamedTuple):
    """What is to be explained: a game by the number of the league file and its own, and the seats."""

    file: int
    number: int
    seats: tuple[int, ...]


@dataclass(slots=True)
class _Job:
    """An explanation that is computed.

    Attributes:
        state: what is done with it.
        share: the share of the work that is done.
        wrong: why it failed.
    """

    state: Literal["waiting", "running", "failed"] = "waiting"
    share: float = 0.0
    wrong: str = ""


class _Asker(NamedTuple):
    """A person who asks about a game.

    Attributes:
        seats: the seats whose decisions they may see.
        may: whether they may have these decisions explained.
    """

    seats: tuple[int, ...]
    may: bool


class Explanations:
    """The explanations of the games of a league.

    Args:
        site: the pages.
        seat: the role of people who play on this page.
        host: the role of the host; None if there is none.
        pool: makes the pool that analyses a game.
    """

    def __init__(
        self,
        site: Site,
        seat: Role[Seated],
        host: Role[object] | None,
        pool: Callable[[], AnalysisPool],
    ) -> None:
        self._site, self._seat, self._host, self._pool = site, seat, host, pool
        self._jobs: dict[Asked, _Job] = {}
        self._found: Newest[Asked, dict[str, Any]] = Newest(_KEPT)
        self._due, self._taken = trio.open_memory_channel[Asked](_MOST)

    # --- Computing ---

    def _begin(self, asked: Asked) -> None:
        """Has a game explained, unless that is under way. Raises HTTPException if too many wait."""
        if asked in self._jobs and self._jobs[asked].state != "failed":
            return
        try:
            self._due.send_nowait(asked)
        except trio.WouldBlock:
            raise HTTPException(503, _FULL) from None
        failed = [each for each, job in self._jobs.items() if job.state == "failed"]
        for each in {asked, *failed[:-_KEPT]}:
            self._jobs.pop(each, None)
        self._jobs[asked] = _Job()

    async def run(self) -> None:
        """Computes what is asked for, one game after another, until it is cancelled."""
        async for asked in self._taken:
            job = self._jobs[asked]
            job.state = "running"
            try:
                job.wrong = await self._compute(asked, job)
            finally:
                job.state = "failed"
                if not job.wrong:
                    del self._jobs[asked]

    async def _compute(self, asked: Asked, job: _Job) -> str:
        """Computes an explanation; returns why that failed, or an empty text."""
        pool = self._pool()
        try:
            await trio.to_thread.run_sync(self._analyse, asked, job, pool, abandon_on_cancel=True)
        except PROBLEMS as problem:
            return str(problem)
        except Exception as bug:  # noqa: BLE001 - of any kind: the page goes on
            self._site.bugs.tell("an analysis", bug)
            return _BUG
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(pool.close)
        return ""

    def _analyse(self, asked: Asked, job: _Job, pool: AnalysisPool) -> None:
        """Analyses a game, in a thread, and keeps what is found; ends with the pool."""

        def tell(share: float) -> None:
            job.share = share

        reader = self._site.reader
        wanted = reader.ask(lambda league: wanted_of(league, asked.number, asked.seats))
        analyse_games(reader.path, [wanted], pool, tell)

    # --- Answers ---

    async def answer(
        self, request: Request, snapshot: Snapshot, key: GameKey, number: int, *, is_author: bool
    ) -> Response:
        """What is known of a game, as JSON; a POST has it computed. Raises HTTPException.

        Args:
            request: the request.
            snapshot: the tournament.
            key: the key of the game.
            number: its number in the league.
            is_author: whether a bot of the person who asks played in it.
        """
        asker = await trio.to_thread.run_sync(self._asker, request, snapshot, key, number, is_author)
        asked = Asked(self._site.reader.file, number, asker.seats)
        if request.method == "POST":
            if not asker.may:
                raise HTTPException(403, _NOT_YOURS)
            self._begin(asked)
        state: dict[str, Any] = await self._state(asked) if asker.seats else {"state": "unknown"}
        if state["state"] == "failed" and not asker.may:
            state = {"state": "unknown"}
        state["may"] = asker.may
        return Response(
            json.dumps(state, separators=(",", ":")),
            media_type="application/json",
            headers={"Cache-Control": "no-store"},
        )

    def _asker(
        self, request: Request, snapshot: Snapshot, key: GameKey, number: int, is_author: bool
    ) -> _Asker:
        """Who asks. The decisions of all seats are for everybody as soon as the hands are shown.

        Before that an author sees nothing: another instance of the bot may still play the same cards.
        """
        if not is_analysable(key.game):
            return _Asker((), may=False)
        names = self._site.reader.ask(lambda league: wanted_of(league, number).names)
        seat, newest, own = self._seat.of(request), self._site.reader.newest(), []
        if seat is not None and newest is not None and newest.id == snapshot.tournament.id:
            # In another tournament the same name may be another person's.
            own = [each for each, name in enumerate(names) if one_line(name) == one_line(seat.entrant)]
        if not snapshot.shows_hands(key):
            return _Asker(tuple(own), may=bool(own))
        is_host = self._host is not None and self._host.of(request) is not None
        return _Asker(tuple(range(len(names))), may=bool(own) or is_host or is_author)

    async def _state(self, asked: Asked) -> dict[str, Any]:
        """What is known of a game."""
        job = self._jobs.get(asked)
        if job is not None and job.state != "failed":
            before = [*self._jobs.values()][: [*self._jobs].index(asked)]
            ahead = sum(each.state != "failed" for each in before)
            return {"state": job.state, "ahead": ahead, "share": job.share}
        if asked not in self._found:
            try:
                found = await trio.to_thread.run_sync(self._read, asked)
            except (StoreError, BrokenRecord) as problem:
                return {"state": "failed", "why": self._sentence(str(problem))}
            if found is None and job is not None:
                return {"state": "failed", "why": self._sentence(job.wrong)}
            if found is None:
                return {"state": "unknown"}
            self._found[asked] = found
        return {"state": "found", "found": self._found[asked]}

    def _sentence(self, wrong: str) -> str:
        told = self._site.reader.by_name(one_line(wrong))
        return f"{told[:1].upper()}{told[1:].rstrip('.')}."

    def _read(self, asked: Asked) -> dict[str, Any] | None:
        """What is kept beside the league. Raises StoreError, BrokenRecord."""
        reader = self._site.reader
        wanted = reader.ask(lambda league: wanted_of(league, asked.number, asked.seats))
        found = kept_game(reader.path, wanted)
        if found is None:
            return None
        record = record_of(wanted.stored)
        return explained(found, len(record.actions), asked.seats, ending(record).marked)
