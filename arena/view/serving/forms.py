"""The forms of the page: protection against forms of other sites, and sessions in cookies.

A person who enters a token gets a cookie. No script can read it, and no other site can make the browser send
it. Each form of the person also holds a word that is derived from the cookie. Only a POST with both changes
anything.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
from collections.abc import Mapping
from typing import Final, Literal
from urllib.parse import parse_qsl

import trio
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

_LARGEST = 10_000  # bytes
_PATIENCE = 10.0  # seconds in which it must arrive
_DAY = 24 * 3600  # seconds for which a browser keeps a session
_FORGOTTEN: Final = "arena.forgotten"  # in the scope of a request: the cookies that its answer deletes
_PAUSE = 0.3  # seconds


async def form_of(request: Request) -> dict[str, str]:
    """The form of a request. Raises HTTPException if it is another site's, too long, or incomplete."""
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise HTTPException(403, "Only a form of this page can do this.")
    body = await body_of(request, "form")
    return dict(parse_qsl(body.decode("utf-8", "replace")))


async def body_of(request: Request, what: str) -> bytes:
    """The body of a request, of which no more is read than a form may have.

    `what` it is stands in the sentence for one that arrives incomplete. Raises HTTPException.
    """
    body = b""
    try:
        with trio.fail_after(_PATIENCE):
            async with contextlib.aclosing(request.stream()) as stream:
                async for chunk in stream:  # it need not say how long it is
                    body += chunk
                    if len(body) > _LARGEST:
                        raise HTTPException(413, "That is too long.")
    except (trio.TooSlowError, ClientDisconnect):
        raise HTTPException(408, f"The {what} arrived incomplete; send it again.") from None
    return body


def word_of(session: str) -> str:
    """The word that each form of a session holds."""
    return hashlib.sha256(f"form {session}".encode()).hexdigest()


def require_word(form: Mapping[str, str], session: str) -> None:
    """Raises HTTPException for a form that does not hold the word of the session."""
    if not hmac.compare_digest(form.get("word", "").encode(), word_of(session).encode()):
        raise HTTPException(403, "Only a form of this page can do this.")


async def wait_before_comparing() -> None:
    """Waits before a token that a person has typed is looked at.

    So the time of an answer tells nothing, and a person who guesses has to wait for each answer.
    """
    await trio.sleep(_PAUSE)


def entered(request: Request, address: str, cookie: str, session: str, mark: str = "") -> Response:
    """The answer to a right token: a cookie with the session, and a redirection.

    `mark` is the name of a second cookie, which only tells scripts of the page that there is a session: they
    show buttons that other people cannot use.
    """
    response = RedirectResponse(address, 303)
    keep(response, request, cookie, session, _DAY)
    if mark:
        keep(response, request, mark, "yes", _DAY, httponly=False)
    return response


def keep(
    response: Response,
    request: Request,
    cookie: str,
    value: str,
    seconds: int,
    *,
    samesite: Literal["strict", "lax"] = "strict",
    httponly: bool = True,
) -> None:
    """Has the browser keep a cookie, which it sends by https alone if the request came by https."""
    secure = request.url.scheme == "https"
    response.set_cookie(cookie, value, seconds, httponly=httponly, samesite=samesite, secure=secure)


def forget(request: Request, cookie: str) -> None:
    """Has the answer to a request delete a cookie that opens nothing."""
    request.scope.setdefault(_FORGOTTEN, []).append(cookie)


def forgotten(scope: Scope) -> list[tuple[bytes, bytes]]:
    """The headers of an answer that delete the cookies that were to be forgotten."""
    answer = Response()
    for cookie in scope.get(_FORGOTTEN, ()):
        answer.delete_cookie(cookie, httponly=True, samesite="strict")
    return [header for header in answer.raw_headers if header[0] == b"set-cookie"]


def left(address: str, *cookies: str) -> Response:
    """The answer to a person who leaves a session: no such cookies, and a redirection."""
    response = RedirectResponse(address, 303)
    for cookie in cookies:
        response.delete_cookie(cookie)
    return response
