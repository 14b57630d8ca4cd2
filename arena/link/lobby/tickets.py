"""Makes tokens and their digests. The arena stores only the digest of a token."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import NamedTuple

_BYTES = 10  # of a token


class Ticket(NamedTuple):
    """The meaning of a token: the number and the name of an entrant.

    Attributes:
        once: whether the token works a single time; the bot then gets another one, to come back with.
    """

    player: int
    name: str
    once: bool = False


def new_token() -> str:
    """A token that nobody can guess, 16 letters and digits."""
    return base64.b32encode(secrets.token_bytes(_BYTES)).decode().lower()


def first_token(tournament_key: bytes, name: str) -> str:
    """An entrant's token in a league of the first releases, which is computed from the tournament's key."""
    digest = hmac.digest(tournament_key, f"arena token 1\n{name}".encode(), "sha256")
    return base64.b32encode(digest[:_BYTES]).decode().lower()


def token_digest(token: str) -> str:
    """The stored form of a token. Looking it up takes a time that tells nothing about the token."""
    return hashlib.sha256(token.encode()).hexdigest()
