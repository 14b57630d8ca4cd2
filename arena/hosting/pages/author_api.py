"""The API of a standing league: JSON over HTTP for `arena submit`, `arena bots`, and other programs.

An error is an object with one sentence, `error`. docs/submitting.md has the commands that use it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.hosting.database import Bot, Version
from arena.hosting.environment import environment
from arena.hosting.pages.author_data import AuthorData
from arena.hosting.pages.challenges import challenge_of, challenges_of
from arena.hosting.pages.season_bots import Season, session_of_game
from arena.hosting.pages.standing import Standing
from arena.hosting.pages.uploads import Uploads
from arena.results import read_game_key
from arena.view.serving.forms import body_of
from arena.view.serving.site import ForPrograms

API: Final = "/api"
_NO_GAME = "There is no such game of this bot, or its round is not over yet."


class AuthorApi:
    """The addresses under `/api`.

    Args:
        standing: the league.
        data: the data of its bots.
        uploads: its uploads.
    """

    def __init__(self, standing: Standing, data: AuthorData, uploads: Uploads) -> None:
        self._standing, self._data, self._uploads = standing, data, uploads

    def routes(self) -> list[BaseRoute]:
        """The addresses."""
        bot = "/bots/{name}"
        return [
            ForPrograms(
                API,
                error=_told,
                routes=[
                    Route("/environment", self._environment, methods=["GET"]),
                    Route("/join", self._join, methods=["POST"]),
                    Route("/me", self._me, methods=["GET"]),
                    Route("/token", partial(self._own_secret, ask="token"), methods=["POST"]),
                    Route("/sign-out", partial(self._own_secret, ask="sign-out"), methods=["POST"]),
                    Route("/notices", self._notices, methods=["GET"]),
                    Route("/feed", partial(self._own_secret, ask="feed"), methods=["POST"]),
                    Route("/webhook", self._webhook, methods=["POST"]),
                    Route("/webhook/test", partial(self._own_secret, ask="webhook-test"), methods=["POST"]),
                    Route("/uploads", self._put_any, methods=["PUT"]),
                    Route("/uploads/{upload}", self._received, methods=["GET"]),
                    Route("/uploads/{upload}", self._put, methods=["PUT"]),
                    Route("/challenges", self._challenge, methods=["POST"]),
                    Route("/challenges", self._challenges, methods=["GET"]),
                    Route("/challenges/{number:int}", self._challenged, methods=["GET"]),
                    Route("/bots", self._bots, methods=["GET"]),
                    Route(bot, self._bot, methods=["GET"]),
                    Route(f"{bot}/versions", self._submit, methods=["POST"]),
                    Route(f"{bot}/versions/{{number:int}}/report", self._report, methods=["GET"]),
                    Route(f"{bot}/activate", partial(self._change, ask="activate"), methods=["POST"]),
                    Route(f"{bot}/withdraw", partial(self._change, ask="withdraw"), methods=["POST"]),
                    Route(f"{bot}/note", partial(self._change, ask="note"), methods=["POST"]),
                    Route(f"{bot}/log", self._log, methods=["GET"]),
                    Route(f"{bot}/games", self._games, methods=["GET"]),
                    Route(f"{bot}/games/{{key:path}}", self._game, methods=["GET"]),
                    Route("/bots/{name:path}", self._bot, methods=["GET"]),  # no bot has such a name
                ],
            )
        ]

    # --- Accounts ---

    async def _environment(self, request: Request) -> Response:
        settings = await self._standing.settings()
        return answered(await trio.to_thread.run_sync(environment, settings))

    async def _join(self, request: Request) -> Response:
        body = await _body(request)
        given = {key: _text(body, key) for key in ("invitation", "token") if key in body}
        done = await self._standing.join(request, **given)
        return answered({key: done[key] for key in ("name", "role", "token")})

    async def _me(self, request: Request) -> Response:
        account = await self._standing.author(request)
        bots = await self._standing.read(lambda database: database.bots(account.id))
        return answered({"name": account.name, "role": account.role, "bots": [bot.name for bot in bots]})

    async def _own_secret(self, request: Request, ask: str) -> Response:
        account = await self._standing.author(request)
        return answered(await self._standing.decide(ask, account.id))

    # --- Notices ---

    async def _notices(self, request: Request) -> Response:
        return answered(await self._data.notices(await self._standing.author(request)))

    async def _webhook(self, request: Request) -> Response:
        account, body = await self._standing.author(request), await _body(request)
        return answered(await self._standing.decide("webhook", account.id, url=_text(body, "url")))

    # --- Uploads ---

    async def _received(self, request: Request) -> Response:
        account = await self._standing.author(request)
        return answered({"received": await self._uploads.received(account.id, request.path_params["upload"])})

    async def _put(self, request: Request) -> Response:
        account, settings = await self._standing.author(request), await self._standing.settings()
        upload = request.path_params["upload"]
        size = await self._uploads.receive(request, account.id, upload, settings.limits)
        return answered({"received": 0} if size is None else {"received": size, "complete": True})

    async def _put_any(self, request: Request) -> Response:
        """A whole upload, of which this answer tells the hash: the page's form uses it."""
        account, settings = await self._standing.author(request), await self._standing.settings()
        upload, size = await self._uploads.receive_any(request, account.id, settings.limits)
        return answered({"upload": upload, "received": size, "complete": True})

    async def _submit(self, request: Request) -> Response:
        account, body = await self._standing.author(request), await _body(request)
        done = await self._standing.decide(
            "submit",
            account.id,
            bot=request.path_params["name"],
            upload=_text(body, "upload"),
            note=_text(body, "note") if "note" in body else "",
            trial=body.get("trial") is True,
        )
        return answered({key: value for key, value in done.items() if key != "id"})

    # --- Challenges ---

    async def _challenge(self, request: Request) -> Response:
        account, body = await self._standing.author(request), await _body(request)
        values: dict[str, str | int] = {key: _text(body, key) for key in ("bot", "opponent")}
        values |= {key: _text(body, key) for key in ("games",) if key in body}
        values |= {key: _number(body, key) for key in ("version", "boards") if key in body}
        return answered(await self._standing.decide("challenge", account.id, **values))

    async def _challenges(self, request: Request) -> Response:
        return answered(await challenges_of(self._standing, await self._standing.author(request)))

    async def _challenged(self, request: Request) -> Response:
        return answered(await challenge_of(self._standing, request))

    # --- Bots ---

    async def _bots(self, request: Request) -> Response:
        return answered(await self._data.bots(await self._standing.account(request)))

    async def _bot(self, request: Request) -> Response:
        account = await self._standing.account(request)
        bot, versions = await self._standing.public_bot(request, account)
        return answered(await self._data.bot(bot, versions, account))

    async def _report(self, request: Request) -> Response:
        bot = await self._standing.own_bot(request, await self._standing.author(request))
        version = await self._standing.version(request, bot)
        start = request.query_params.get("from", "0")
        if not (start.isdecimal() and len(start) < 10):
            raise HTTPException(400, "from has to be the number of a line.")
        return answered(await self._data.report(version, int(start)))

    async def _change(self, request: Request, ask: str) -> Response:
        account, body = await self._standing.author(request), await _body(request)
        values: dict[str, str | int] = {"bot": request.path_params["name"]}
        if ask != "withdraw":
            values["version"] = _number(body, "version")
        if ask == "note":
            values["note"] = _text(body, "note")
        return answered(await self._standing.decide(ask, account.id, **values))

    async def _log(self, request: Request) -> Response:
        bot = await self._standing.own_bot(request, await self._standing.author(request))
        accepted = await self._accepted(bot)

        def log(season: Season | None) -> str:
            return season.log(season.entries(accepted)) if season else ""

        return answered({"log": await self._data.of_season(log)})

    async def _games(self, request: Request) -> Response:
        _, versions = await self._standing.public_bot(request, await self._standing.account(request))
        accepted = [each for each in versions if each.state == "accepted"]

        def games(season: Season | None) -> list[dict[str, Any]]:
            return season.games(season.entries(accepted)) if season else []

        return answered(await self._data.of_season(games))

    async def _game(self, request: Request) -> Response:
        bot = await self._standing.own_bot(request, await self._standing.author(request))
        accepted, place = await self._accepted(bot), self._standing.place
        tournament, _, rest = request.path_params["key"].partition("/")
        key = read_game_key(rest)
        if key is None or not (tournament.isdecimal() and len(tournament) < 10):
            raise HTTPException(404, _NO_GAME)

        def session(season: Season | None) -> list[dict[str, Any]] | None:
            return session_of_game(self._standing.site.reader, place, int(tournament), key, accepted)

        found = await self._data.of_season(session)
        if found is None:
            raise HTTPException(404, _NO_GAME)
        return answered({"session": found})

    # --- Helpers ---

    async def _accepted(self, bot: Bot) -> list[Version]:
        """The accepted versions of a bot, the newest first."""
        versions = await self._standing.read(lambda database: database.versions(bot.id))
        return [each for each in versions if each.state == "accepted"]


def answered(data: Any, code: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON, which nobody stores."""
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    kept = {"Cache-Control": "no-store", **(headers or {})}
    return Response(body, code, kept, media_type="application/json")


def _told(error: str, code: int, headers: Mapping[str, str]) -> Response:
    return answered({"error": error}, code, headers)


async def _body(request: Request) -> dict[str, Any]:
    """The JSON object in a request; an empty body is an empty one. Raises HTTPException."""
    try:
        body = json.loads(await body_of(request, "request") or b"{}")
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise HTTPException(400, "The request has to be a JSON object.")
    return body


def _text(body: dict[str, Any], key: str) -> str:
    value = body.get(key)
    if not isinstance(value, str):
        raise HTTPException(400, f"The request needs a text, {key}.")
    return value


def _number(body: dict[str, Any], key: str) -> int:
    value = body.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
        raise HTTPException(400, f"The request needs a number, {key}.")
    return value
