"""The guests' tokens: their digests are kept in a file beside the league, and the tokens nowhere."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from arena.link.lobby.tickets import first_token, new_token, token_digest


class Token(NamedTuple):
    """What is kept of a guest's token.

    Attributes:
        digest: of the token.
        once: whether it opens the seat a single time (see `arena.link.lobby.tickets.Ticket`).
    """

    digest: str
    once: bool = False


class Tokens:
    """The tokens of a tournament's guests; may be used in any thread.

    Args:
        league: the league file, beside which they are kept once the tournament is stored there.
    """

    def __init__(self, league: Path) -> None:
        self._path = Path(f"{os.path.realpath(league)}-tokens")
        self._lock = threading.Lock()
        self._tokens: dict[str, Token] = {}
        self._tournament: int | None = None

    def recall(self, tournament: int, key: bytes, guests: Iterable[str]) -> None:
        """Goes on with those of a stored tournament.

        Where none are kept, as by the first releases, they are those that followed from its key.

        Args:
            tournament: its id.
            key: its secret key.
            guests: the names of its guests.
        """
        self._tournament = tournament
        self._tokens = {name: Token(token_digest(first_token(key, name))) for name in guests}
        try:
            kept = json.loads(self._path.read_text("utf-8"))
            if kept["tournament"] == tournament:
                self._tokens = {str(name): Token(*token) for name, token in kept["tokens"].items()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            pass  # not kept, or not by us

    def keep(self, tournament: int) -> None:
        """The tournament is stored under this id, and its tokens are kept from now on. Raises OSError."""
        with self._lock:
            self._tournament = tournament
            self._write()

    def forget(self) -> None:
        """Keeps them no longer, for the tournament is over."""
        self._path.unlink(missing_ok=True)

    def of(self, guest: str) -> Token | None:
        """The token of a guest; None if it has none yet."""
        return self._tokens.get(guest)

    def make(self, guest: str, once: bool) -> str:
        """A new token for a guest, which nobody knows but who calls this. Raises OSError."""
        token = new_token()
        self.put(guest, Token(token_digest(token), once))
        return token

    def put(self, guest: str, token: Token) -> None:
        """This is the only token of a guest from now on. Raises OSError."""
        with self._lock:
            self._tokens[guest] = token
            self._write()

    def _write(self) -> None:
        """Writes the file, which is there whole or not at all."""
        if self._tournament is None:
            return
        unfinished = Path(f"{self._path}-unfinished")
        unfinished.unlink(missing_ok=True)
        with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            json.dump({"tournament": self._tournament, "tokens": self._tokens}, file)
        unfinished.rename(self._path)
