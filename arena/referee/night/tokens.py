"""The guests' tokens. A file beside the league stores their digests; the tokens themselves are not stored.

They are forgotten when their tournament is finished, and not before (`finish`).
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from arena.league.store import League
from arena.link.lobby.tickets import first_token, new_token, token_digest


def finish(league: League, tournament: int) -> None:
    """Marks a tournament as finished, and forgets the tokens of its guests. Raises as `finish_tournament`."""
    league.finish_tournament(tournament)
    Tokens(league.path).forget()


class Token(NamedTuple):
    """A guest's token as it is stored.

    Attributes:
        digest: the digest of the token.
        once: whether it can be used only once (see `arena.link.lobby.tickets.Ticket`).
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
        """Reads the tokens of a stored tournament.

        Tournaments of the first releases stored none: their tokens follow from the key.

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
            pass  # there is no such file, or another program wrote it

    def keep(self, tournament: int) -> None:
        """Stores the tokens from now on, for the tournament with this id. Raises OSError."""
        with self._lock:
            self._tournament = tournament
            self._write()

    def forget(self) -> None:
        """Deletes the file, because the tournament is finished."""
        self._path.unlink(missing_ok=True)

    def of(self, guest: str) -> Token | None:
        """The token of a guest; None if it has none yet."""
        return self._tokens.get(guest)

    def make(self, guest: str, once: bool) -> str:
        """Makes a new token for a guest and returns it; only its digest is stored. Raises OSError."""
        token = new_token()
        self.put(guest, Token(token_digest(token), once))
        return token

    def put(self, guest: str, token: Token) -> None:
        """Sets the only valid token of a guest. Raises OSError."""
        with self._lock:
            self._tokens[guest] = token
            self._write()

    def _write(self) -> None:
        """Writes the file in one step, by renaming a new one."""
        if self._tournament is None:
            return
        unfinished = Path(f"{self._path}-unfinished")
        unfinished.unlink(missing_ok=True)
        with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            json.dump({"tournament": self._tournament, "tokens": self._tokens}, file)
        unfinished.rename(self._path)
