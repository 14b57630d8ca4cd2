"""A standing league for tests of its page: a folder, the real decisions of a host process, and the page."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.hosting.database import Database, now
from arena.hosting.place import Place
from arena.hosting.requests import NoHostProcess, Refused, decide, request, serve
from arena.hosting.settings import Settings, read_settings
from tests.patience import PATIENCE
from tests.threads import in_a_thread
from tests.view.served import Served, served

LEAGUE = """
name = "Club <b>league</b>"
sandbox = "none"
games = ["nyuri", "kleftis"]
[clock]
move = "2s"
[limits]
size = "1MiB"
reserve = "1MiB"
"""


class Author:
    """A person who asks the page, with a token or as nobody."""

    def __init__(self, page: Served, token: str = "") -> None:
        self.page, self.token = page, token

    def ask(self, method: str, path: str, code: int = 200, body: Any = None, **headers: str) -> Any:
        """The answer of the API, which must have this code; `body` is bytes, or becomes JSON."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            names.setdefault("Authorization", f"Bearer {self.token}")
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.page.url + path, data, names, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as found:
                status, text = found.status, found.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                status, text = error.code, error.read().decode()
        assert status == code, text
        return json.loads(text)


def digest(data: bytes) -> str:
    """The name of an upload."""
    return hashlib.sha256(data).hexdigest()


def submit(author: Author, bot: str, data: bytes, note: str = "", code: int = 200) -> Any:
    """Submits a version of a bot; returns the answer."""
    upload = digest(data)
    author.ask("PUT", f"/api/uploads/{upload}?from=0", 200, data)
    body = {"upload": upload, "size": len(data), "note": note}
    return author.ask("POST", f"/api/bots/{bot}/versions", code, body)


class Club:
    """A standing league: its folder, its settings, and its page once it is served."""

    def __init__(self, folder: Path, text: str = LEAGUE) -> None:
        self.place = Place(folder)
        self.place.settings.write_text(text)
        self.settings: Settings = read_settings(self.place)
        self.page: Served
        self.people: dict[str, Author] = {}

    def invitation(self, name: str, role: str = "author") -> str:
        """A new invitation, as `arena club invite` makes it."""
        with Database(self.place.database, writer=True) as database:
            asked = {"ask": "invite", "account": None, "name": name, "role": role}
            told = decide(self.place, self.settings, database, asked)
        return str(told["done"]["invitation"])

    def author(self, name: str, role: str = "author") -> Author:
        """A person who has joined."""
        joined = Author(self.page).ask("POST", "/api/join", 200, {"invitation": self.invitation(name, role)})
        assert joined["name"] == name
        return Author(self.page, joined["token"])

    def version_id(self, bot: str, number: int) -> int:
        """The id of a version."""
        with Database(self.place.database) as database:
            found = database.bot_called(bot)
            assert found is not None
            return next(each.id for each in database.versions(found.id) if each.number == number)

    def decided(self, bot: str, number: int, reason: str = "") -> int:
        """Decides a version, as the host process does when a builder has ended; returns its id."""
        id = self.version_id(bot, number)
        with Database(self.place.database, writer=True) as database, database.transaction():
            state = "refused" if reason else "accepted"
            database.change_version(id, state=state, reason=reason, decided=now())
            version = database.version(id)
            assert version is not None
            if not reason:
                self.place.bot(id).mkdir(exist_ok=True)
                database.activate(version.bot, id)
        return id

    def report(self, version: int, *lines: str) -> None:
        """Adds lines to the report about a version, as a builder does."""
        with (self.place.submission(version) / "report.jsonl").open("a") as file:
            for text in lines:
                told = {"at": "2026-01-01T00:00:00+00:00", "step": "check", "text": text, "level": "info"}
                file.write(json.dumps(told) + "\n")


def _answered(club: Club) -> None:
    """Returns when somebody decides."""
    end = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(NoHostProcess, Refused):
            request(club.place, "nothing")
        if club.place.socket.exists():
            return
        assert time.monotonic() < end
        time.sleep(0.01)


@contextlib.contextmanager
def deciding(club: Club) -> Iterator[None]:
    """Decides requests at the socket of the league, as the host process does."""

    async def hear() -> None:
        with Database(club.place.database, writer=True) as database:
            await serve(club.place, lambda asked: decide(club.place, club.settings, database, asked))

    with in_a_thread(hear):
        _answered(club)
        yield


@contextlib.contextmanager
def standing(folder: Path, text: str = LEAGUE) -> Iterator[Club]:
    """A standing league with its page and somebody who decides."""
    club = Club(folder, text)
    with deciding(club), served(club.place.league, no_host=True, standing=folder) as page:
        club.page = page
        yield club
