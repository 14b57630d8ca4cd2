"""Keeps an author's tokens, one for each standing league, in a file that only its owner can read."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path

from arena.hosting.client import Client, Problem

URL, TOKEN = "ARENA_URL", "ARENA_AUTHOR_TOKEN"
"""Environment variables with an address and a token, for machines on which nobody logs in."""


def logins_file() -> Path:
    """The file with the tokens."""
    settings = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(settings) / "arena" / "logins.json"


def client_for(url: str | None) -> Client:
    """The client for a standing league: the one at `url`, else of the environment, else of the last login.

    Raises Problem if there is none, or no token for it.
    """
    tokens = _read()
    given = os.environ.get(TOKEN)
    if url is None:
        url = os.environ.get(URL) or next(reversed(tokens), None)
    if url is None:
        raise Problem("you are logged in nowhere: open your invitation, and type its arena login URL here")
    client = Client(url)
    token = given or tokens.get(client.url)
    if token is None:
        raise Problem(f"you are not logged in at {client.url}: type arena login {client.url}")
    return Client(url, token)


def keep(client: Client) -> None:
    """Keeps the token of a client; its address is the one that commands take from now on."""
    tokens = _read()
    tokens.pop(client.url, None)
    _write({**tokens, client.url: client.token})


def forget(url: str) -> None:
    """Forgets the token for an address."""
    tokens = _read()
    tokens.pop(url, None)
    _write(tokens)


def _read() -> dict[str, str]:
    """The tokens by address, that of the last login last."""
    path = logins_file()
    try:
        tokens = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        tokens = None
    if not isinstance(tokens, dict) or not all(isinstance(token, str) for token in tokens.values()):
        raise Problem(f"{path} is damaged: remove it, and log in again")
    return tokens


def _write(tokens: dict[str, str]) -> None:
    path = logins_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        number, new = tempfile.mkstemp(dir=path.parent)  # which only its owner can read
        try:
            with open(number, "w", encoding="utf-8") as file:
                json.dump(tokens, file, indent=2)
            os.replace(new, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(new)
            raise
    except OSError as error:
        raise Problem(f"{path} cannot be written: {error.strerror}") from None
