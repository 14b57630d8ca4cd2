"""What a form of the page sends: only a form of this page, and no more than one can hold."""

from __future__ import annotations

from urllib.parse import parse_qsl

import trio
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

_LARGEST = 10_000  # bytes
_PATIENCE = 10.0  # seconds in which it has to come
WRONG_TOKEN_PAUSE = 1.0
"""How long whoever enters a wrong token waits, and all who enter one meanwhile, in seconds."""


async def form_of(request: Request) -> dict[str, str]:
    """What was sent. Raises HTTPException where another site sent it, it is too long, or does not come."""
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
