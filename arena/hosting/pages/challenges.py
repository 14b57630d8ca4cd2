"""The pages of challenges, and their data for programs.

Who asked for a challenge sees all of it, and so do hosts. The author of the challenged bot sees that it was
played, and what was found. Nobody else sees anything, and nobody sees cards.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.hosting.challenges import in_turn, progress
from arena.hosting.database import Account, Challenge, Database
from arena.hosting.pages.standing import Standing

_LAST: Final = 100  # challenges that are listed


class ChallengePages:
    """The pages `/challenges` of a standing league."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing

    def routes(self) -> list[BaseRoute]:
        """The addresses."""
        return [
            Route("/challenges", self._list, methods=["GET"]),
            Route("/challenges/{number:int}", self._one, methods=["GET"]),
        ]

    async def _list(self, request: Request) -> Response:
        account = await self._standing.account(request)
        if account is None:
            return RedirectResponse("/login", 303)
        listed = await challenges_of(self._standing, account)
        return await self._shown(request, "challenges", account, {"challenges": listed})

    async def _one(self, request: Request) -> Response:
        account = await self._standing.account(request)
        if account is None:
            return RedirectResponse("/login", 303)
        found = await challenge_of(self._standing, request)
        shown = found.pop("shown") or {"pairs": []}
        return await self._shown(request, "challenge", account, {"challenge": found, **shown})

    async def _shown(self, request: Request, name: str, account: Account, values: dict[str, Any]) -> Response:
        brand = (await self._standing.settings()).name
        common = {"account": account, "brand": brand, "headline": brand}
        page = partial(self._standing.site.html, request, name, None, common | values, store=False)
        return await trio.to_thread.run_sync(page)


async def challenges_of(standing: Standing, account: Account) -> list[dict[str, Any]]:
    """The challenges that an account may see, the newest first; all for a host."""

    def read(database: Database) -> list[dict[str, Any]]:
        whose = None if account.role == "host" else account.id
        order = [each.id for each in in_turn(database)]
        return [_line(database, each, account, order) for each in database.challenges(whose, _LAST)]

    return await standing.read(read)


async def challenge_of(standing: Standing, request: Request) -> dict[str, Any]:
    """The challenge in the address, with its report, as far as who asks may see it. Raises HTTPException."""
    account, number = await standing.author(request), request.path_params["number"]

    def read(database: Database) -> dict[str, Any] | None:
        challenge = database.challenge(number)
        if challenge is None:
            return None
        line = _line(database, challenge, account, [each.id for each in in_turn(database)])
        if not line["own"] and account.id != database.author_of(challenge.against):
            return None
        report = json.loads(challenge.report) if challenge.report else {}
        text = {"text": report.get("text", "")} if line["own"] else {"text": ""}
        return {**line, "answers": report.get("answers", {}), "shown": report.get("shown", {}), **text}

    found = await standing.read(read)
    if found is None:
        raise HTTPException(404, "There is no such challenge of yours.")
    return found


def _line(database: Database, challenge: Challenge, account: Account, order: Sequence[int]) -> dict[str, Any]:
    """What is said of a challenge in a line. Whether it is the account's own includes every host."""
    asked = database.account(challenge.account)
    report = json.loads(challenge.report) if challenge.report else {}
    return {
        "challenge": challenge.id,
        "own": account.role == "host" or challenge.account == account.id,
        "author": asked.name if asked else "",
        "names": json.loads(challenge.names),
        "games": json.loads(challenge.games),
        "boards": challenge.boards,
        "state": challenge.state,
        "reason": challenge.reason,
        "progress": progress(database, challenge, order),
        "created": challenge.created,
        "ended": challenge.ended,
        "games_played": report.get("games_played", 0),
        "verdict": report.get("verdict", ""),
    }
