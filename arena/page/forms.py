"""What a form of the page sends: only a form of this page, and no more than one can hold."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

_LARGEST = 10_000  # bytes
WRONG_TOKEN_PAUSE = 1.0
"""How long whoever enters a wrong token waits, and all who enter one meanwhile, in seconds."""


async def form_of(request: Request) -> dict[str, str]:
    """What was sent. Raises HTTPException where another site sent it, or it is too long."""
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise HTTPException(403, "Only a form of this page can do this.")
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > _LARGEST:
        raise HTTPException(413, "That is too long.")
    return dict(parse_qsl((await request.body()).decode("utf-8", "replace")))
