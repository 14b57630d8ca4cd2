"""Keeps an author's tokens, one for each standing league, in a file that only its owner can read."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import tempfile
from pathlib import Path

from arena.hosting.client import Client, Problem, Refused

URL, TOKEN = "ARENA_URL", "ARENA_AUTHOR_TOKEN"
"""Environment variables with an address and a token, for machines on which nobody logs in."""


_REFUSED = 409  # the status with which the league refuses an invitation


def logins_file() -> Path:
    """The file with the tokens."""
    settings = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(settings) / "arena" / "logins.json"


def join(client: Client, invitation: str) -> None:
    """Uses an invitation up, and keeps the token of its account; `client` has it then.

    The token is made here and kept in a file until the league has answered. So if the answer is lost, the
    same command on this machine uses the invitation once more, with the same token.

    Raises Problem.
    """
    file = logins_file().with_name("joining.json")
    token = _read(file).get(invitation) or secrets.token_urlsafe(24)
    _write(file, {**_read(file), invitation: token})
    try:
        client.token = str(client.post("/api/join", invitation=invitation, token=token)["token"])
    except (KeyError, TypeError):
        raise Problem(f"{client.url} is no standing league: check the address") from None
    except Refused as refused:
        if refused.status == _REFUSED:
            _write(file, _without(_read(file), invitation))
        raise
    keep(client)
    _write(file, _without(_read(file), invitation))


def client_of(url: str | None) -> Client:
    """The client for a standing league: the one at `url`, else of the environment, else of the last login.

    Raises Problem if there is none, or no token for it.
    """
    tokens = _read(logins_file())
    given = os.environ.get(TOKEN)
    if url is None:
        url = os.environ.get(URL) or next(reversed(tokens), None)
    if url is None:
        raise Problem("you are logged in nowhere: open your invitation, and type its arena login URL here")
    client = Client(url)
    token = given or tokens.get(client.url)
    if token is None:
        raise Problem(f"you are not logged in at {client.url}: type arena login {client.url}")
    client.token = token
    return client


def keep(client: Client) -> None:
    """Keeps the token of a client; its address is the one that commands take from now on."""
    _write(logins_file(), {**_without(_read(logins_file()), client.url), client.url: client.token})


def forget(url: str) -> None:
    """Forgets the token for an address."""
    _write(logins_file(), _without(_read(logins_file()), url))


def _without(tokens: dict[str, str], key: str) -> dict[str, str]:
    return {each: token for each, token in tokens.items() if each != key}


def _read(path: Path) -> dict[str, str]:
    """The tokens in a file by address or invitation, the last one last."""
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


def _write(path: Path, tokens: dict[str, str]) -> None:
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
