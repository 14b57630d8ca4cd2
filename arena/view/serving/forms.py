"""The forms of the page: no more is read of one than a form may have, and none is waited for for long."""

from __future__ import annotations

import contextlib
from typing import Final
from urllib.parse import parse_qsl

import trio
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

_LARGEST: Final = 10_000  # bytes
_PATIENCE: Final = 10.0  # seconds in which it must arrive


async def form_of(request: Request) -> dict[str, str]:
    """The form of a request. Raises HTTPException if it is too long, or incomplete."""
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
