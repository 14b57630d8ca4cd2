"""Authors of a simulated club, who type the arena's own commands: see `tests.hosting.club`."""

from __future__ import annotations

import http.client
import io
import json
import os
import re
import socket
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import NamedTuple

from arena.hosting.client import Client, Problem
from arena.kits import find_kit, write_bot

HOSTILE = "club-hostile-file"
"""A part of the name of each file that a hostile upload tries to write elsewhere."""

_DECIDED = re.compile(r"^(.+) version ([0-9]+) is (accepted|refused)", re.MULTILINE)
_PAUSE = 5.0  # seconds until a command that got no answer is typed again
_TIMES = 40  # how often it is typed
_LONGEST = 3000.0  # seconds for a command

_BEHAVIOURS = {
    "hangs": "import time; time.sleep(1e6)",
    "crashes": "import os; os._exit(3)",
    "fills the disk": "chunk = bytes(1 << 20)\nfor n in range(2000): open('full', 'ab').write(chunk)",
    "prints": "line = 'x' * 1023\nfor n in range(2_000_000): print(line)",
    "forks": (
        "import os, time\nfor n in range(500):\n    if os.fork() == 0:\n"
        "        os.setsid(); time.sleep(1e6); os._exit(0)"
    ),
}
"""What hostile bots do at a decision of their third game."""

_SPY = """
import contextlib, json, os, socket, sys
found = []
def reaches(name, what):
    try:
        what()
    except (OSError, ValueError):
        return
    found.append(name)
folder = {folder!r}
for name in ("host.db", "league.arena", "league.toml", "host-control"):
    reaches(name, lambda: open(os.path.join(folder, name), "rb").read(1))
for name in ("submissions", "caches", "incoming"):  # the folders of this version and this author are there
    reaches(name, lambda: len(os.listdir(os.path.join(folder, name))) > 1 or os.stat("/nothing"))
reaches("another version", lambda: open(os.path.join(folder, "submissions/1/upload.zip"), "rb").read(1))
with contextlib.suppress(OSError):
    open(os.path.join(folder, {hostile!r}), "w")  # in memory of the sandbox, if at all
reaches("a file in /etc", lambda: open("/etc/" + {hostile!r}, "w"))
reaches("the page", lambda: socket.create_connection(("127.0.0.1", {port}), 2))
reaches("the internet", lambda: socket.create_connection(("1.1.1.1", 443), 2))
def control():
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(os.path.join(folder, "host-control"))
reaches("the control socket", control)
for pid in filter(str.isdigit, os.listdir("/proc")):
    reaches("/proc/" + pid, lambda: open(f"/proc/{{pid}}/root{{folder}}/host.db", "rb"))
open("loot.json", "w").write(json.dumps(found))
"""


class Typed(NamedTuple):
    """A command that an author typed: its words, its exit code, and all that the terminal showed."""

    words: tuple[str, ...]
    code: int
    shown: str


class Claim(NamedTuple):
    """What a terminal said about a version: its bot, its number, and `accepted` or `refused`."""

    bot: str
    version: int
    state: str


class Author(threading.Thread):
    """An author: a thread that types commands until it is told to stop.

    Args:
        name: the name.
        folder: a folder of the author's own.
        invitation: gets a link by which the author joins.
        seed: of what the author does.

    Attributes:
        typed: all commands.
        claims: what the terminal said about versions.
        active: the version of each bot that should play, as the terminal said; None for none.
        wrong: what the author found wrong.
        lost: how many invitations were used up without an answer.
    """

    def __init__(self, name: str, folder: Path, invitation: Callable[[str], str], seed: str) -> None:
        super().__init__(name=name, daemon=True)
        self.folder, self.invitation = folder, invitation
        self.random, self.stopping = Random(seed), threading.Event()
        self.typed: list[Typed] = []
        self.claims: list[Claim] = []
        self.active: dict[str, int | None] = {}
        self.wrong: list[str] = []
        self.lost = 0
        folder.mkdir()
        self._config = folder / "config"

    def run(self) -> None:
        """Joins, and does what this author does."""
        try:
            self.join_club()
            self.work()
        except Exception as error:  # noqa: BLE001 - the run goes on, and says it at its end
            self.wrong.append(f"{self.name}: {type(error).__name__}: {error}")

    def work(self) -> None:
        """What the author does once joined, until `stopping` is set."""
        raise NotImplementedError

    def type(self, *words: str) -> Typed:
        """Types a command; returns what came of it."""
        environment = os.environ | {"XDG_CONFIG_HOME": str(self._config), "COLUMNS": "120"}
        done = subprocess.run(
            [sys.executable, "-m", "arena.cli", *words], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_LONGEST,
        )  # fmt: skip
        shown = done.stdout.decode(errors="replace")
        self.typed.append(Typed(words, done.returncode, shown))
        with (self.folder / "terminal.log").open("a", encoding="utf-8") as log:
            log.write(f"$ arena {' '.join(words)}\n{shown}[exit code {done.returncode}]\n")
        return self.typed[-1]

    def join_club(self) -> None:
        """Logs in with an invitation; asks for another one if the answer to it was lost."""
        for _ in range(_TIMES):
            link = self.invitation(self.name)
            done = self.type("login", link)
            while done.code != 0 and "does not answer" in done.shown:  # the link is still good, perhaps
                self.stopping.wait(_PAUSE)
                done = self.type("login", link)
            if done.code == 0:
                return
            if (self._config / "arena" / "logins.json").exists():
                return  # the token is there, and only the greeting was lost
            self.lost += "this invitation is used" in done.shown
            self.stopping.wait(_PAUSE)
        self.wrong.append(f"{self.name} could not join")

    def submit(self, bot: str) -> str:
        """Submits the bot in a folder of its name, as often as it takes; returns what became of it."""
        for _ in range(_TIMES):
            done = self.type("submit", str(self.folder / bot))
            if found := _DECIDED.search(done.shown):
                claim = Claim(found[1], int(found[2]), found[3])
                self.claims.append(claim)
                if done.code != (0 if claim.state == "accepted" else 1):
                    self.wrong.append(f"{self.name}: exit code {done.code} for a version {claim.state}")
                if claim.state == "accepted":
                    self.active[bot] = claim.version
                return claim.state
            self.stopping.wait(_PAUSE)
        self.wrong.append(f"{self.name} got no answer about {bot}")
        return ""

    def change(self, bot: str, version: int | None) -> None:
        """Lets a version of a bot play, or none."""
        words = ("withdraw", bot) if version is None else ("activate", bot, str(version))
        for _ in range(_TIMES):
            if self.type("bots", *words).code == 0:
                self.active[bot] = version
                return
            self.stopping.wait(_PAUSE)
        self.wrong.append(f"{self.name} got no answer: {' '.join(words)}")

    def new_version(self, bot: str) -> None:
        """Changes the folder of a bot."""
        (self.folder / bot / "version.txt").write_text(f"{self.random.random()}\n", "utf-8")

    def client(self) -> Client:
        """A client with the author's token, for what no command does."""
        logins = json.loads((self._config / "arena" / "logins.json").read_text("utf-8"))
        ((url, token),) = logins.items()
        return Client(url, token)


class Honest(Author):
    """An author with one good bot, its later versions, returns to earlier ones, and withdrawals."""

    def __init__(
        self, name: str, folder: Path, invitation: Callable[[str], str], seed: str, language: str, rest: float
    ) -> None:
        super().__init__(name, folder, invitation, seed)
        self._language, self._rest = language, rest

    def work(self) -> None:
        """See the class."""
        bot = f"{self.name.lower()}-{self._language}"
        write_bot(find_kit(self._language), self.folder / bot, bot, "")
        accepted: list[int] = []
        while not self.stopping.is_set():
            what = self.random.choices(("submit", "back", "withdraw", "look"), (4, 2, 1, 3))[0]
            if not accepted or what == "submit":
                self.new_version(bot)
                if self.submit(bot) == "accepted":
                    accepted.append(self.claims[-1].version)
            elif what == "back":
                self.change(bot, self.random.choice(accepted))
            elif what == "withdraw":
                self.change(bot, None)
                self.stopping.wait(self._rest / 2)
                self.change(bot, self.random.choice(accepted))
            else:
                words = self.random.choice(
                    (
                        ("list",),
                        ("show", bot),
                        ("versions", bot),
                        ("games", bot),
                        ("log", bot),
                        ("report", bot, "1"),
                    )
                )
                self.type("bots", *words)
            self.stopping.wait(self.random.uniform(0.3, 1.7) * self._rest)


class Misbehaving(Author):
    """An author whose bots pass the check, and later hang, crash, print or fork."""

    def __init__(
        self, name: str, folder: Path, invitation: Callable[[str], str], seed: str, kinds: tuple[str, ...]
    ) -> None:
        super().__init__(name, folder, invitation, seed)
        self._kinds = kinds

    def work(self) -> None:
        """See the class."""
        bots = {kind: f"{self.name.lower()}-{kind.split()[0]}" for kind in self._kinds}
        for kind, bot in bots.items():
            write_bot(find_kit("python"), self.folder / bot, bot, "")
            source = self.folder / bot / "first_bot.py"
            text = source.read_text("utf-8").replace(
                "        return self.rng.choice(",
                "        misbehave(self)\n        return self.rng.choice(",
            )
            source.write_text(
                text.replace("class First(Bot)", f"{_misbehave(kind)}\n\nclass First(Bot)"), "utf-8"
            )
        while not self.stopping.is_set():
            for bot in bots.values():
                self.new_version(bot)
                self.submit(bot)
            self.stopping.wait(self.random.uniform(60, 180))


def _misbehave(kind: str) -> str:
    """A function for a bot: from the third game that an instance sees it misbehaves.

    A checkup has as many games as that, so that some versions are refused; the others wait for it to be over.
    """
    body = "\n".join(f"        {line}" for line in _BEHAVIOURS[kind].split("\n"))
    return (
        "SEEN = set()\n\ndef misbehave(bot):\n    import os, time\n    SEEN.add(id(bot))\n"
        "    made = os.stat('bot.toml').st_ctime  # when it was unpacked\n"
        f"    if len(SEEN) >= 3 and time.time() - made > 120:\n{body}\n"
    )


class Spy(Author):
    """An author whose build looks for what it must not see."""

    def __init__(
        self, name: str, folder: Path, invitation: Callable[[str], str], seed: str, club: Path, port: int
    ) -> None:
        super().__init__(name, folder, invitation, seed)
        self._club, self._port = club, port

    def work(self) -> None:
        """See the class."""
        bot = self.folder / f"{self.name.lower()}-spy"
        write_bot(find_kit("python"), bot, bot.name, "")
        spy = _SPY.format(folder=str(self._club), hostile=HOSTILE, port=self._port)
        (bot / "spy.py").write_text(spy, "utf-8")
        with (bot / "bot.toml").open("a") as manifest:
            manifest.write('\n[build]\ncommand = ["python", "spy.py"]\n')
        while not self.stopping.is_set():
            self.new_version(bot.name)
            self.submit(bot.name)
            self.stopping.wait(self.random.uniform(60, 180))


class Mallory(Author):
    """An author of hostile uploads, by hand and many at once."""

    def work(self) -> None:
        """See the class."""
        while not self.stopping.is_set():
            for what, data in _zips(f"{self.name.lower()}-zip"):
                self._hostile(what, data)
                if self.stopping.is_set():
                    return
            self._halves()
            self._at_once()
            self.stopping.wait(60)

    def _hostile(self, what: str, data: bytes) -> None:
        """Submits a zip that must be refused."""
        path = self.folder / "hostile.zip"
        path.write_bytes(data + self.random.randbytes(8))  # a zip may have something at its end
        upload = sha256(path.read_bytes()).hexdigest()
        bot = f"{self.name.lower()}-zip"
        for _ in range(_TIMES):
            client = self.client()
            try:
                client.upload(path, upload, lambda there: None)
                number = client.post(f"/api/bots/{bot}/versions", upload=upload, note=what)["version"]
                while True:
                    said = client.get(f"/api/bots/{bot}/versions/{number}/report")
                    if said["state"] in ("accepted", "refused"):
                        self.claims.append(Claim(bot, int(number), said["state"]))
                        if said["state"] == "accepted" or not said["reason"]:
                            self.wrong.append(f"the zip with {what} is {said['state']}: {said['reason']}")
                        self._note(f"{what}: {said['state']}: {said['reason']}")
                        return
                    self.stopping.wait(1)
            except Problem as problem:
                self._note(f"{what}: {problem}")
                if "24 hours" in str(problem):
                    self.stopping.wait(1e6)
                    return
                self.stopping.wait(_PAUSE)
        self.wrong.append(f"{self.name} got no answer about {what}")

    def _note(self, text: str) -> None:
        with (self.folder / "terminal.log").open("a", encoding="utf-8") as log:
            log.write(f"{text}\n")

    def _halves(self) -> None:
        """Begins uploads that never arrive."""
        for size in (0, 1, 1000, 100_000):
            with suppress(OSError):
                self._put(sha256(str(size).encode()).hexdigest(), bytes(size), 1_000_000)

    def _put(self, upload: str, data: bytes, length: int) -> int:
        """Sends bytes as an upload of a length; returns the status, 0 if the connection is closed before."""
        client = self.client()
        host, _, port = client.url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), 30) as stream:
            head = (
                f"PUT /api/uploads/{upload} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {length}\r\n"
                f"Authorization: Bearer {client.token}\r\nConnection: close\r\n\r\n"
            )
            stream.sendall(head.encode() + data)
            if len(data) < length:
                return 0
            answer = http.client.HTTPResponse(stream)
            answer.begin()
            return answer.status

    def _at_once(self) -> None:
        """Sends ten uploads at once."""
        statuses: list[int] = []

        def send() -> None:
            data = os.urandom(3_000_000)
            with suppress(OSError, http.client.HTTPException):
                statuses.append(self._put(sha256(data).hexdigest(), data, len(data)))

        threads = [threading.Thread(target=send) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._note(f"ten at once: {sorted(statuses)}")
        if not set(statuses) <= {200, 429, 503}:
            self.wrong.append(f"ten uploads at once were answered {sorted(statuses)}")


def _zips(bot: str) -> Iterator[tuple[str, bytes]]:
    """Hostile zips, each with what it has."""
    names = {
        "a path out": f"../../{HOSTILE}",
        "a long path out": f"{'../' * 20}tmp/{HOSTILE}",
        "an absolute path": f"/tmp/{HOSTILE}",
        "a path with \\": f"..\\..\\{HOSTILE}",
        "a name with NUL": f"a\0{HOSTILE}",
        "a name that is too long": "é" * 200,
        "a deep folder": "/".join("d" * 500),
        "a name and its other case": "BOT.toml",
        "a file of STAMP within itself": "bot.toml/inside",
    }
    for what, name in names.items():
        yield what, _zip(bot, (zipfile.ZipInfo(name), b"x"))
    for what, kind in (("a link", stat.S_IFLNK), ("a device", stat.S_IFBLK), ("a pipe", stat.S_IFIFO)):
        special = zipfile.ZipInfo("special")
        special.create_system, special.external_attr = 3, (kind | 0o777) << 16
        yield what, _zip(bot, (special, b"../../../host.db"))
    inside = zipfile.ZipInfo("folder")
    inside.create_system, inside.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    yield "a link as a folder", _zip(bot, (inside, b"/tmp"), (zipfile.ZipInfo(f"folder/{HOSTILE}"), b"x"))
    yield "a bomb", _zip(bot, (zipfile.ZipInfo("bomb"), bytes(400 << 20)))
    yield "100,000 files", _zip(bot, *((zipfile.ZipInfo(f"f{n}"), b"") for n in range(100_000)))
    lying = _zip(bot, (zipfile.ZipInfo("lying"), bytes(1000)))
    at = lying.rindex(b"PK\x01\x02")
    yield "a size that lies", lying[: at + 24] + (10).to_bytes(4, "little") + lying[at + 28 :]
    raw = _zip(bot, (zipfile.ZipInfo("NAME-IN-ODD-BYTES"), b"x"))
    yield "bytes that are no UTF-8", raw.replace(b"NAME-IN-ODD-BYTES", b"../../\xff\xfe\x80-xxxxxxxx")
    yield "half a zip", raw[: len(raw) // 2]
    yield "no zip", b"hello"


def _zip(bot: str, *entries: tuple[zipfile.ZipInfo, bytes]) -> bytes:
    """A zip of a bot with further entries."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.toml", f'name = "{bot}"\n[run]\ncommand = ["false"]\n')
        for info, data in entries:
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return output.getvalue()
