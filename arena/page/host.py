"""What the host may do on the page, and who the host is.

Whoever enters the token, by a form, gets a cookie that no script can read and
no other site can have sent; each form holds besides a word that follows from
the cookie. Nothing is changed by anything but a POST with both.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterator, Sequence
from typing import Final

from arena.tournament.rulings import KINDS, Admit, Form

COOKIE: Final = "arena-host"
_SESSIONS = 16  # the last of them are known
MOST_FORMS: Final = 32
"""Of how many forms it is known what came of them."""


START: Final = "start"
"""The kind of the action that begins a tournament that waits for guests."""

ADMIT_AT: Final = "admit-at"
"""The kind of the action that admits a bot at an address."""

_STARTS: Final = Form(
    "Start now", "It begins without those who are missing: until they come their games are forfeited."
)
_ADMITS_AT: Final = Form(
    "Admit a running bot",
    "A bot that runs already: it is asked what it plays, and dialled; it plays as the format says.",
    "Its name",
    "Its address, such as 192.168.1.17:50051",
)


def _actions() -> Iterator[tuple[str, Form]]:
    yield START, _STARTS
    for kind, ruling in KINDS.items():
        if ruling.form is not None:
            yield kind, ruling.form
        if ruling is Admit:
            yield ADMIT_AT, _ADMITS_AT


ACTIONS: Final = dict(_actions())
"""What the host can do: the kind of the action, and its form on the page, in this order."""


def new_token() -> str:
    """A token for the host, to be typed by hand."""
    text = secrets.token_hex(8)
    return "-".join(text[first : first + 4] for first in range(0, 16, 4))


class Host:
    """Who the host is.

    Args:
        token: what the host has to enter; None where nobody can be the host.
        admitting: the process that has a bot admitted at an address; empty where none can be.
    """

    def __init__(self, token: str | None, admitting: Sequence[str] = ()) -> None:
        self._token = token
        self.admitting = admitting
        self._sessions: list[str] = []

    @property
    def possible(self) -> bool:
        """Whether anybody can be the host."""
        return self._token is not None

    def enter(self, token: str) -> str | None:
        """The session of whoever enters this token; None where it is wrong."""
        given = token.strip().encode()
        if self._token is None or not hmac.compare_digest(given, self._token.encode()):
            return None
        session = secrets.token_urlsafe(24)
        self._sessions = [*self._sessions[1 - _SESSIONS :], session]
        return session

    def knows(self, session: str | None) -> bool:
        """Whether this is the session of a host."""
        given = (session or "").encode()
        return any(hmac.compare_digest(given, each.encode()) for each in self._sessions)

    def leave(self, session: str) -> None:
        """Forgets a session."""
        self._sessions = [each for each in self._sessions if each != session]


def word_of(session: str) -> str:
    """The word that each form of a session holds."""
    return hashlib.sha256(f"form {session}".encode()).hexdigest()
