"""What the host may do on the page, and who the host is.

Whoever enters the token, by a form, gets a cookie that no script can read and
no other site can have sent; each form holds besides a word that follows from
the cookie. Nothing is changed by anything but a POST with both.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Final, NamedTuple

COOKIE: Final = "arena-host"
_SESSIONS = 16  # the last of them are known
MOST_FORMS: Final = 32
"""Of how many forms it is known what came of them."""


class HostAction(NamedTuple):
    """Something the host can have decided.

    Attributes:
        kind: as `arena.runner.night.host_requests.Request` has it.
        verb: what stands on its button.
        effect: what it does, in a sentence.
        about: what has to be given besides, as a label; empty for nothing.
        where: the same of an address.
    """

    kind: str
    verb: str
    effect: str
    about: str = ""
    where: str = ""


ADMIT_AT: Final = "admit-at"
"""The kind of the action that admits a bot at an address."""

START: Final = HostAction(
    "start",
    "Start now",
    "It begins without those who are missing: until they come their games are forfeited.",
)
"""What the host can do as long as the tournament waits for guests."""

ACTIONS: Final = (
    HostAction("pause", "Pause", "No further games begin; those that run are played to their end."),
    HostAction("go", "Go on", "A paused tournament goes on."),
    HostAction(
        "withdraw",
        "Withdraw a bot",
        "It plays no more: at tables of two what it has left are walkovers.",
        "Bot",
    ),
    HostAction(
        "admit",
        "Admit a guest",
        "A bot or a person that dials in, with the token that you are shown; it plays as the format says.",
        "Its name",
    ),
    HostAction(
        ADMIT_AT,
        "Admit a running bot",
        "A bot that runs already: it is asked what it plays, and dialled; it plays as the format says.",
        "Its name",
        "Its address, such as 192.168.1.17:50051",
    ),
    HostAction(
        "annul",
        "Annul",
        "The game's board, or all of the match, is void and played again on fresh boards.",
        "Game such as 1.3.2/nyuri/1.2, or match such as 1.3.2",
    ),
    HostAction(
        "extend",
        "Extend",
        "The present stage gets more cycles, or more boards a match.",
        "A number of cycles, or boards and a number, such as boards 2",
    ),
    HostAction("end", "End the tournament", "What is left is not played. This cannot be undone."),
)
"""What the host can do, in the order of the page."""


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
