"""Who asks: each request has one actor, and a role says who may be what.

A visitor may be more: the host, an author, the person of a seat. Each of these is a `Role`. A person enters a
token once. The browser then keeps a secret for this role: one cookie has the secrets of all roles. No script
can read it, and no other site can make the browser send it. A program shows an author's token in the header
`Authorization` instead.

A request that may change something comes from a page of this server, which the header `Origin` shows, or from
a program, which has no cookie (`is_from_here`). So no page of another site can use what a browser keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar
from urllib.parse import quote, unquote

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from arena.view.proxies import site_of

HOST: Final = "host"
AUTHOR: Final = "author"
SEAT: Final = "seat"
JOINING: Final = "joining"
"""A browser that has opened an invitation: by its secret, a use whose answer was lost is repeated."""

_DAY: Final = 24 * 3600  # seconds


class _Cookie(NamedTuple):
    """A cookie: its name, for how many seconds it is kept, and whether links of other sites send it."""

    name: str
    seconds: int
    samesite: Literal["strict", "lax"]


_KEPT: Final = _Cookie("arena", 90 * _DAY, "strict")
_JOINING: Final = _Cookie("arena-joining", _DAY, "lax")  # an invitation is opened from a letter
_COOKIES: Final = (_KEPT, _JOINING)
_ACTOR: Final = "arena.actor"  # in the scope of a request
_CHANGING: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_PAUSE: Final = 0.3  # seconds

T = TypeVar("T", covariant=True)


class Actor:
    """Who sends a request. Use `actor_of`.

    Args:
        request: the request.

    Attributes:
        asker: the address, as the requests of one are counted.
        secrets: the secrets by role.
        is_program: whether a token was shown in the header `Authorization`.
    """

    def __init__(self, request: Request) -> None:
        self.asker = site_of(request.client.host) if request.client else ""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        self.is_program = kind.lower() == "bearer"
        self.secrets: dict[str, str] = {}
        self._changed: set[_Cookie] = set()
        self._secure = request.url.scheme == "https"
        self.found: dict[str, Any] = {}
        if self.is_program:
            self.secrets[AUTHOR] = token.strip()
            return
        for cookie in _COOKIES:
            for each in request.cookies.get(cookie.name, "").split("&"):
                role, _, secret = each.partition(":")
                if secret and _cookie_of(role) is cookie:
                    self.secrets[role] = unquote(secret)

    def enter(self, role: str, secret: str) -> None:
        """Has the browser keep a secret for a role."""
        self.found.pop(role, None)
        self.secrets[role] = secret
        self._changed.add(_cookie_of(role))

    def leave(self, role: str) -> None:
        """Has the browser forget the secret of a role."""
        self.found.pop(role, None)
        self.secrets.pop(role, None)
        if not self.is_program:
            self._changed.add(_cookie_of(role))

    def cookies(self) -> list[tuple[bytes, bytes]]:
        """The headers of the answer for the cookies that change; by https, they are for https alone."""
        answer = Response()
        for cookie in sorted(self._changed):
            kept = [each for each in self.secrets.items() if _cookie_of(each[0]) is cookie]
            answer.set_cookie(
                cookie.name,
                "&".join(f"{role}:{quote(secret, safe='')}" for role, secret in kept),
                cookie.seconds if kept else 0,
                httponly=True,
                samesite=cookie.samesite,
                secure=self._secure,
            )
        return [header for header in answer.raw_headers if header[0] == b"set-cookie"]


def _cookie_of(role: str) -> _Cookie:
    return _JOINING if role == JOINING else _KEPT


def actor_of(request: Request) -> Actor:
    """Who sends a request: one actor for each."""
    if _ACTOR not in request.scope:
        request.scope[_ACTOR] = Actor(request)
    found: Actor = request.scope[_ACTOR]
    return found


def cookies_for(scope: Scope) -> list[tuple[bytes, bytes]]:
    """The headers of the answer to a request for the cookies that change."""
    found: Actor | None = scope.get(_ACTOR)
    return [] if found is None else found.cookies()


class Role(Generic[T]):
    """What a visitor may be: the one check of permissions.

    Args:
        name: the name of the role, under which a browser keeps the secret.
        find: from the secrets by role, who has the role; None for nobody. It may block.
        refusal: the sentence for others.
        code: the HTTP status for them.
    """

    def __init__(
        self, name: str, find: Callable[[Mapping[str, str]], T | None], refusal: str, code: int = 403
    ) -> None:
        self.name, self._find, self._refusal, self._code = name, find, refusal, code

    def of(self, request: Request) -> T | None:
        """Who has the role in a request; None for a visitor. It is found once for each request.

        The browser forgets a secret that opens nothing. Raises what `find` raises.
        """
        actor = actor_of(request)
        if self.name not in actor.found:
            actor.found[self.name] = self._find(actor.secrets)
            if actor.found[self.name] is None and self.name in actor.secrets and not actor.is_program:
                actor.leave(self.name)
                actor.found[self.name] = None
        found: T | None = actor.found[self.name]
        return found

    def require(self, request: Request) -> T:
        """Who has the role in a request. Raises HTTPException for a visitor."""
        found = self.of(request)
        if found is None:
            raise HTTPException(self._code, self._refusal)
        return found


def is_from_here(request: Request) -> bool:
    """Whether a request may change something: it is of a page of this server, or of a program.

    A program shows a token, or has no cookie, and names no origin.
    """
    if request.method not in _CHANGING or actor_of(request).is_program:
        return True
    origin = request.headers.get("origin")
    if origin is None:
        return not any(cookie.name in request.cookies for cookie in _COOKIES)
    return origin.partition("://")[2] == request.headers.get("host")


async def wait_before_comparing() -> None:
    """Waits before a token that a person has typed is looked at.

    So the time of an answer tells nothing, and a person who guesses has to wait for each answer.
    """
    await trio.sleep(_PAUSE)
