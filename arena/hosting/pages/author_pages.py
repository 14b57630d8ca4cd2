"""The pages of authors: joining, logging in, their bots and versions, reports, and what the host offers."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.hosting.database import Account
from arena.hosting.environment import environment
from arena.hosting.pages.author_data import AuthorData, version_data
from arena.hosting.pages.standing import Standing, is_own, joining_token
from arena.hosting.settings import Settings
from arena.league.summary import RANKED_FROM
from arena.view.serving.actors import AUTHOR, JOINING, actor_of, wait_before_comparing
from arena.view.serving.forms import form_of
from arena.view.serving.site import Site
from arena.view.views import lists
from arena.view.views.history import band
from arena.view.views.view import View, rendered

_WRONG: Final = "That is not a token of this league. Ask the host for an invitation if you have lost yours."
_DONE: Final = {
    "activate": "The version plays from now on.",
    "withdraw": "The bot is withdrawn.",
    "note": "Noted.",
    "submit": "Submitted.",
    "webhook-test": "A test is on its way to your webhook.",
}
_BOT: Final = View("/bots/{number}", "bot", lists.bot)


class AuthorPages:
    """The pages of authors.

    Args:
        standing: the league.
        data: the data of its bots.
    """

    def __init__(self, standing: Standing, data: AuthorData) -> None:
        self._standing, self._data = standing, data
        self._site: Site = standing.site

    def routes(self) -> list[BaseRoute]:
        """The addresses."""
        return [
            Route("/join/{invitation}", self._join_form, methods=["GET"]),
            Route("/join/{invitation}", self._join, methods=["POST"]),
            Route("/login", self._login_form, methods=["GET"]),
            Route("/login", self._login, methods=["POST"]),
            Route("/authors", self._own, methods=["GET"]),
            Route("/authors/{what}", self._change, methods=["POST"]),
            Route("/notices/{secret}.atom", self._feed, methods=["GET"]),
            Route("/submissions/{name}/{number:int}", self._submission, methods=["GET"]),
            Route("/environment", self._environment, methods=["GET"]),
            Route("/bots", self._bots, methods=["GET"]),
            Route("/bots/{name}", self._bot, methods=["GET"]),
        ]

    # --- Joining, and logging in ---

    async def _join_form(self, request: Request) -> Response:
        """A form, because previews of links open them too: only sending the form uses the invitation up."""
        settings = await self._standing.settings()
        values = {"joined": None, "games": settings.games, "install": _install(settings)}
        actor = actor_of(request)
        if JOINING not in actor.secrets:
            actor.enter(JOINING, secrets.token_urlsafe(24))
        return await self._shown(request, "join", None, values)

    async def _join(self, request: Request) -> Response:
        await form_of(request)
        invitation, actor = request.path_params["invitation"], actor_of(request)
        secret = actor.secrets.get(JOINING)
        given = {"token": joining_token(secret, invitation)} if secret else {}
        joined = await self._standing.join(request, invitation=invitation, **given)
        settings = await self._standing.settings()
        values = {"joined": joined, "url": settings.url, "install": _install(settings)}
        actor.enter(AUTHOR, joined["token"])
        actor.leave(JOINING)
        return await self._shown(request, "join", None, values)

    async def _login_form(self, request: Request) -> Response:
        return await self._shown(request, "login", await self._standing.account(request), {"wrong": ""})

    async def _login(self, request: Request) -> Response:
        form = await form_of(request)
        token = form.get("token", "").strip()
        await wait_before_comparing()
        if await self._standing.owner(token) is None:
            self._standing.count_failure(request)
            return await self._shown(request, "login", None, {"wrong": _WRONG})
        actor_of(request).enter(AUTHOR, token)
        return RedirectResponse("/authors", 303)

    # --- The author's own ---

    async def _own(self, request: Request) -> Response:
        account = await self._standing.account(request)
        if account is None:
            return RedirectResponse("/login", 303)
        return await self._own_page(request, account)

    async def _own_page(self, request: Request, account: Account, **values: Any) -> Response:
        every = await self._data.bots(account)
        own = [row for row in every if row.get("own")]
        limits = (await self._standing.settings()).limits
        told = await self._data.notices(account)
        if any(each["new"] for each in told["notices"]):
            with suppress(HTTPException):  # they stay new
                await self._standing.decide("seen", account.id, notice=told["notices"][0]["id"])
        shown = {
            **told,
            "bots": own,
            "limits": limits,
            "said": _DONE.get(request.query_params.get("done", ""), ""),
            "token": "",
            "url": "",
            "feed": "",
            "secret": "",
            **values,
        }
        return await self._shown(request, "authors", account, shown)

    async def _change(self, request: Request) -> Response:
        """Decides a form of an author."""
        form, account = await form_of(request), await self._standing.author(request)
        what, bot = request.path_params["what"], form.get("bot", "")
        values: dict[str, str | int]
        if what == "leave":
            return self._left(request)
        if what == "token":
            token = (await self._standing.decide("token", account.id))["token"]
            url = (await self._standing.settings()).url
            actor_of(request).enter(AUTHOR, token)
            return await self._own_page(request, account, token=token, url=url)
        if what == "sign-out":
            await self._standing.decide("sign-out", account.id)
            return self._left(request)
        if what == "feed":
            feed = (await self._standing.decide("feed", account.id))["url"]
            return await self._own_page(request, account, feed=feed)
        if what == "webhook":
            done = await self._standing.decide("webhook", account.id, url=form.get("url", "").strip())
            return await self._own_page(request, account, secret=done["secret"])
        if what == "webhook-test":
            await self._standing.decide("webhook-test", account.id)
            return RedirectResponse("/authors?done=webhook-test", 303)
        if what == "try":
            values = {"bot": bot, "opponent": bot, "version": _number(form)}
            asked = await self._standing.decide("challenge", account.id, **values)
            return RedirectResponse(f"/challenges/{asked['challenge']}", 303)
        if what not in ("activate", "withdraw", "note"):
            raise HTTPException(404, "There is no such form.")
        values = {"bot": bot}
        if what != "withdraw":
            values["version"] = _number(form)
        if what == "note":
            values["note"] = form.get("note", "")
        await self._standing.decide(what, account.id, **values)
        return RedirectResponse(f"/bots/{quote(bot, safe='')}?done={what}", 303)

    def _left(self, request: Request) -> Response:
        """The answer to an author who has logged out."""
        actor_of(request).leave(AUTHOR)
        return RedirectResponse("/", 303)

    async def _feed(self, request: Request) -> Response:
        """The notices to an account as an Atom feed (RFC 4287), for everybody who has its address."""
        await self._standing.account(request)  # which counts the request
        secret = request.path_params["secret"]
        account = await self._standing.read(lambda database: database.reader_of(secret))
        if account is None:
            self._standing.count_failure(request)
            raise HTTPException(404, "There is no such feed, or its author has made a new address.")
        settings, told = await self._standing.settings(), await self._data.notices(account)
        values = {**told, "account": account, "league": settings.name, "url": settings.url}
        text = rendered("notices.xml", values, ("arena.hosting.pages",))
        kept = {"Cache-Control": "no-store"}
        return Response(text.encode("utf-8", "replace"), 200, kept, "application/atom+xml")

    async def _submission(self, request: Request) -> Response:
        account = await self._standing.account(request)
        if account is None:
            return RedirectResponse("/login", 303)
        bot = await self._standing.own_bot(request, account)
        version = await self._standing.version(request, bot)
        values = {
            "bot": bot,
            "version": version_data(version),
            "report": await self._data.report(version, 0),
        }
        return await self._shown(request, "submission", account, values)

    # --- For everybody ---

    async def _environment(self, request: Request) -> Response:
        settings = await self._standing.settings()
        found = await trio.to_thread.run_sync(environment, settings)
        account = await self._standing.account(request)
        values = {"environment": found, "url": settings.url}
        return await self._shown(request, "environment", account, values)

    async def _bots(self, request: Request) -> Response:
        account = await self._standing.account(request)
        return await self._shown(request, "league_bots", account, {"bots": await self._data.bots(account)})

    async def _bot(self, request: Request) -> Response:
        """A bot of the league by its name; a number is an entrant of the tournament that is shown."""
        account, name = await self._standing.account(request), request.path_params["name"]
        if name.isdecimal() and not await self._standing.read(lambda database: database.bot_called(name)):
            request.path_params["number"] = request.path_params.pop("name")
            return await self._site.view(request, _BOT)
        bot, versions = await self._standing.public_bot(request, account)
        data = await self._data.bot(bot, versions, account)
        history = data["history"]
        values = {
            "bot": data,
            "own": is_own(bot, account),
            "said": _DONE.get(request.query_params.get("done", ""), ""),
            "band": band(
                [each["at"] for each in history],
                [(each["rating"], each["low"], each["high"]) for each in history],
                [f"v{each['version']}" for each in history],
            ),
        }
        return await self._shown(request, "league_bot", account, values)

    async def _shown(
        self, request: Request, name: str, account: Account | None, values: Mapping[str, Any]
    ) -> Response:
        """A page that is made for one person."""
        settings = await self._standing.settings()
        common = {
            "account": account,
            "brand": settings.name,
            "ranked_from": RANKED_FROM,
            "headline": settings.name,
        }
        page = partial(self._site.html, request, name, None, common | dict(values), store=False)
        return await trio.to_thread.run_sync(page)


def _install(settings: Settings) -> str:
    """The command that installs the arena; empty if the host has not said where it is."""
    return f"pip install {shlex.quote(settings.source)}" if settings.source else ""


def _number(form: Mapping[str, str]) -> int:
    number = form.get("version", "")
    if not (number.isdecimal() and len(number) < 8):
        raise HTTPException(400, "The form needs the number of a version.")
    return int(number)
