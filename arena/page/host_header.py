"""The check of the Host header, against DNS rebinding.

A site elsewhere may have a name that its owner points at this machine ("DNS
rebinding"): a browser here would take what the page answers for that site's. So
where the page listens for this machine alone, it answers to names of this machine
alone: `localhost`, what the machine is called, and addresses in digits.
"""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

_REFUSAL = "This page is for this machine only: open it as localhost or 127.0.0.1."


def is_own(host: str) -> bool:
    """Whether a `Host` header names this machine, and can do so nowhere else."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    with suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    return name == "localhost" or name.endswith(".localhost") or name == socket.gethostname().lower()


class OwnHostOnly:
    """An application that answers where it is asked for by a name of this machine, and refuses elsewhere."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and not is_own(Headers(scope=scope).get("host", "")):
            await PlainTextResponse(_REFUSAL, 421)(scope, receive, send)
        else:
            await self._app(scope, receive, send)
