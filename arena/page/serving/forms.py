"""The forms of the page: only a form of this page is heard, and a session is kept in a cookie.

A person who enters a token gets a cookie that no script can read and no other site
can have sent. Each form of the person holds besides a word that follows from the
cookie. Nothing is changed by anything but a POST with both.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

import trio
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

_LARGEST = 10_000  # bytes
_PATIENCE = 10.0  # seconds in which it has to come
WRONG_TOKEN_PAUSE: Final = 1.0
"""How long a person who enters a wrong token waits, and all who enter one meanwhile, in seconds."""


async def form_of(request: Request) -> dict[str, str]:
    """What was sent. Raises HTTPException if another site sent it, it is too long, or does not come."""
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise HTTPException(403, "Only a form of this page can do this.")
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > _LARGEST:
        raise HTTPException(413, "That is too long.")
    try:
        with trio.fail_after(_PATIENCE):
            body = await request.body()
    except (trio.TooSlowError, ClientDisconnect):
        raise HTTPException(408, "The form arrived incomplete; send it again.") from None
    return dict(parse_qsl(body.decode("utf-8", "replace")))


def word_of(session: str) -> str:
    """The word that each form of a session holds."""
    return hashlib.sha256(f"form {session}".encode()).hexdigest()


def require_word(form: Mapping[str, str], session: str) -> None:
    """Raises HTTPException for a form that does not hold the word of the session."""
    if not hmac.compare_digest(form.get("word", "").encode(), word_of(session).encode()):
        raise HTTPException(403, "Only a form of this page can do this.")


def entered(address: str, cookie: str, session: str) -> Response:
    """The answer to a right token: the session, in a cookie, and the page to which it leads."""
    response = RedirectResponse(address, 303)
    response.set_cookie(cookie, session, httponly=True, samesite="strict", max_age=24 * 3600)
    return response


def left(address: str, cookie: str) -> Response:
    """The answer to a person who leaves a session."""
    response = RedirectResponse(address, 303)
    response.delete_cookie(cookie)
    return response
