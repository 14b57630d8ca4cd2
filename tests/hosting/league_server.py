"""A small page of a standing league: a real HTTP server that answers as the API says, from memory."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import ssl
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from arena.hosting.packing import content_hash

ENVIRONMENT = {
    "name": "Club",
    "games": ["kleftis"],
    "level": "basic",
    "clock": {"bank": "9s", "increment": "50ms", "move": "2s"},
    "limits": {
        "memory": 1 << 30, "threads": 1, "network": False, "disk": 1 << 30, "size": 50 << 20, "bots": 3,
        "builds": 10, "build_time": 900,
    },
    "languages": [{"name": "Python", "version": "3.11"}],
    "version": "1.0",
}  # fmt: skip


class Hosted:
    """What the page keeps.

    Attributes:
        tokens: names by token.
        uploads: the bytes of each upload so far, by hash.
        versions: the versions of each bot: the upload, the note, and the state.
        active: the active version of each bot.
        lose_after: after how many bytes of an upload the connection is lost, once; None for never.
        hold_after: after how many bytes an upload is held, once; None for never.
        held: set when it is.
        release: set to end it.
        asked: every request: method and path.
        verdict: decides an upload: an empty text accepts it, another is the reason.
        environment: the answer to /api/environment.
        busy: how many requests are answered with 503 first.
        session: the lines of a session.
    """

    def __init__(self) -> None:
        self.tokens: dict[str, str] = {}
        self.invitations = {"inv1": "Ada"}
        self.uploads: dict[str, bytes] = {}
        self.versions: dict[str, list[dict[str, Any]]] = {}
        self.active: dict[str, int | None] = {}
        self.lose_after: int | None = None
        self.asked: list[str] = []
        self.verdict: Callable[[bytes], str] = lambda upload: ""
        self.environment: dict[str, Any] = ENVIRONMENT
        self.busy = 0
        self.hold_after: int | None = None
        self.held, self.release = threading.Event(), threading.Event()
        self.session: list[Any] = []
        self.url = ""

    def report(self, version: dict[str, Any], start: int) -> dict[str, Any]:
        """The report of a version; one more line is there with every look."""
        version["looks"] += 1
        lines = [
            {"at": "2026-01-01T00:00:00Z", "step": step, "text": text, "level": level}
            for step, text, level in (
                ("unpack", "3 files", "info"),
                ("check", "plays \x1b[31mkleftis", "passed"),
                ("end", version["reason"] or "admitted", "failed" if version["reason"] else "passed"),
            )
        ][: version["looks"]]
        state = ("refused" if version["reason"] else "accepted") if version["looks"] > 3 else "checking"
        version["state"] = state
        reason = version["reason"] if state == "refused" else ""
        return {"state": state, "reason": reason, "lines": lines[start:], "next": len(lines)}


class _Handler(BaseHTTPRequestHandler):
    hosted: Hosted

    def log_message(self, *_: object) -> None:
        """Prints nothing."""

    def _say(self, status: int, data: Any) -> None:
        text = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _refuse(self, status: int, sentence: str) -> None:
        self._say(status, {"error": sentence})

    def _answer(self) -> None:
        hosted, place = self.hosted, urlsplit(self.path)
        hosted.asked.append(f"{self.command} {self.path}")
        if hosted.busy:
            hosted.busy -= 1
            self._refuse(503, "the host process does not run")
            return
        words = [unquote(word) for word in place.path.split("/")[2:]]
        given = {key: values[0] for key, values in parse_qs(place.query).items()}
        name = hosted.tokens.get(self.headers.get("Authorization", "").removeprefix("Bearer "))
        if self.command == "PUT" and name:
            self._upload(words[1], int(given["from"]))
            return
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        if words == ["environment"]:
            self._say(200, hosted.environment)
        elif words == ["join"]:
            joined = hosted.invitations.pop(body["invitation"], None)
            if joined is None:
                self._refuse(404, "the invitation is used up: ask the host for another")
                return
            hosted.tokens["token-1"] = joined
            self._say(200, {"name": joined, "role": "author", "token": "token-1"})
        elif name is None:
            self._refuse(401, "log in")
        else:
            self._known(name, words, given, body)

    do_GET = do_POST = do_PUT = _answer

    def _upload(self, digest: str, start: int) -> None:
        hosted, length = self.hosted, int(self.headers["Content-Length"])
        kept = hosted.uploads.get(digest, b"")[:start]
        if hosted.hold_after is not None:
            hosted.uploads[digest] = kept + self.rfile.read(hosted.hold_after)
            hosted.hold_after = None
            hosted.held.set()
            hosted.release.wait()
            self.close_connection = True
            return
        if hosted.lose_after is not None:
            hosted.uploads[digest] = kept + self.rfile.read(min(hosted.lose_after, length))
            hosted.lose_after = None
            self.close_connection = True
            self.connection.close()
            return
        hosted.uploads[digest] = whole = kept + self.rfile.read(length)
        if hashlib.sha256(whole).hexdigest() != digest:
            del hosted.uploads[digest]
            self._say(200, {"received": 0})
            return
        self._say(200, {"received": len(whole), "complete": True})

    def _known(self, name: str, words: list[str], given: dict[str, str], body: dict[str, Any]) -> None:
        hosted = self.hosted
        match self.command, words:
            case "GET", ["me"]:
                self._say(200, {"name": name, "role": "author", "bots": list(hosted.versions)})
            case "POST", ["sign-out"]:
                hosted.tokens.clear()
                self._say(200, {})
            case "GET", ["uploads", digest]:
                self._say(200, {"received": len(hosted.uploads.get(digest, b""))})
            case "POST", ["bots", bot, "versions"]:
                self._submit(bot, body)
            case "GET", ["bots"]:
                found = [
                    {"name": bot, "author": name, "version": hosted.active.get(bot), "rating": 12.25,
                     "interval": [-3.0, 30.5], "provisional": True, "games": 7}
                    for bot in hosted.versions
                ]  # fmt: skip
                self._say(200, found)
            case _, ["bots", bot, *_] if bot not in hosted.versions:
                self._refuse(404, f"there is no bot {bot}")
            case "GET", ["bots", bot]:
                versions = [
                    {"version": number, "created": "2026-01-01", **each}
                    for number, each in enumerate(hosted.versions[bot], start=1)
                ]
                self._say(
                    200,
                    {"name": bot, "author": "Ada", "version": hosted.active.get(bot), "versions": versions},
                )
            case "GET", ["bots", bot, "versions", number, "report"]:
                version = hosted.versions[bot][int(number) - 1]
                self._say(200, hosted.report(version, int(given["from"])))
            case "POST", ["bots", bot, "activate"]:
                hosted.active[bot] = body["version"]
                self._say(200, {})
            case "POST", ["bots", bot, "withdraw"]:
                hosted.active[bot] = None
                self._say(200, {})
            case "POST", ["bots", bot, "note"]:
                hosted.versions[bot][body["version"] - 1]["note"] = body["note"]
                self._say(200, {})
            case "GET", ["bots", bot, "log"]:
                self._say(200, {"log": "hello\x1b[2J"})
            case "GET", ["bots", bot, "games"]:
                self._say(200, [{"game": "1.2.3", "opponent": "other", "score": 0.5, "faults": 0}])
            case "GET", ["bots", bot, "games", "1.2.3/nyuri/1.1"]:
                self._say(200, {"session": hosted.session})
            case _:
                self._refuse(404, "there is nothing here")

    def _submit(self, bot: str, body: dict[str, Any]) -> None:
        versions = self.hosted.versions.setdefault(bot, [])
        for number, version in enumerate(versions, start=1):
            if version["upload"] == body["upload"] and version["state"] != "refused":
                self._say(200, {"version": number, "same_as": number})
                return
        if len(versions) == 3:
            self._refuse(429, "you have built 3 times today: try again tomorrow")
            return
        reason = self.hosted.verdict(self.hosted.uploads[body["upload"]])
        versions.append(
            {
                "upload": body["upload"],
                "content": _content(self.hosted.uploads[body["upload"]]),
                "note": body["note"],
                "reason": reason,
                "state": "received",
                "looks": 0,
            }
        )
        if not reason:
            self.hosted.active[bot] = len(versions)
        self._say(200, {"version": len(versions), "same_as": None})


def _content(upload: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(upload)) as archive, tempfile.TemporaryDirectory() as folder:
        for info in archive.infolist():
            Path(archive.extract(info, folder)).chmod(info.external_attr >> 16)
        return content_hash(Path(folder))


@contextlib.contextmanager
def hosting(context: ssl.SSLContext | None = None, port: int = 0) -> Iterator[Hosted]:
    """Serves such a page at a port (0 for a free one), with TLS if there is a context."""
    hosted = Hosted()
    with ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"hosted": hosted})) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        hosted.url = f"http{'s' * (context is not None)}://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield hosted
        finally:
            hosted.release.set()
            server.shutdown()
            thread.join()
