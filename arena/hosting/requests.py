"""Requests to the host process, which alone changes the database.

The page and the commands connect to the socket `host-control` in the league's folder. A connection carries
one request and its answer, each a line of JSON: `{"ask": KIND, "account": ID or null, ...}`, and
`{"done": {...}}`, `{"refused": "a sentence with the remedy"}`, or, after an error of the arena itself,
`{"failed": "a sentence"}`. Without an account the host asks, at the terminal. Each request is decided in one
transaction, with an entry in the audit trail. While no host process runs, `decide_alone` decides.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import shutil
import socket
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import apsw
import trio

from arena.hosting.children import rotate
from arena.hosting.database import UNDER_WAY, Account, Bot, Database, Version, a_day_ago, digest, now
from arena.hosting.notices import tell_deactivated, tell_first
from arena.hosting.place import Place
from arena.hosting.settings import BOT_NAME_LIMIT, Settings
from arena.hosting.webhooks import url_problem
from arena.names import did_you_mean, name_problem, same_name, without_version
from arena.referee.night.control import is_trusted, short_name
from arena.text import counted, one_line, shell_word, size_text

NOTE_LIMIT: Final = 500
"""The most characters of a version's note."""

_LONGEST = 1 << 16  # bytes of a request
_PATIENCE = 30.0  # seconds for an answer
_PAUSE = 0.05  # seconds between two attempts
_HASH = re.compile(r"[0-9a-f]{64}")
_BUG = "the arena itself failed here, and nothing was changed: tell the host, whose logs/host.log says why"
_TOKEN = re.compile(r"[0-9A-Za-z_-]{32,100}")


class Refused(Exception):
    """A request is refused; the text is one sentence with the remedy."""


class NoHostProcess(Refused):
    """Nobody listens at the socket."""


class NoAnswer(Refused):
    """The host process ended or hung while it decided; the same request may be made again."""


class Failed(Refused):
    """An error of the arena itself ended a request; the log of the host process has its traceback."""


class Busy(Exception):
    """Another process is the host process of the folder; the text is one sentence."""


def request(place: Place, ask: str, account: int | None = None, **values: Any) -> dict[str, Any]:
    """Has the host process decide a request; returns what it answers. Raises Refused.

    Args:
        place: the folder of the league.
        ask: the kind of the request, a key of `KINDS`.
        account: who asks; None for the host at the terminal.
        values: what is asked.
    """
    line = json.dumps({"ask": ask, "account": account, **values}).encode() + b"\n"
    received = b""
    with socket.socket(socket.AF_UNIX) as stream:
        stream.settimeout(_PATIENCE)
        try:
            with short_name(place.folder) as folder:
                stream.connect(f"{folder}/{place.socket.name}")
            stream.sendall(line)
        except OSError:
            raise NoHostProcess(
                "the league's host process does not run now: it is started by "
                f"arena club up {shell_word(place.folder)}"
            ) from None
        try:
            while not received.endswith(b"\n"):
                data = stream.recv(1 << 16)
                if not data:
                    raise ConnectionError
                received += data
        except OSError:
            raise NoAnswer("the host process did not answer, so try again: it is never done twice") from None
    return _answered(json.loads(received))


def _answered(answer: Mapping[str, Any]) -> dict[str, Any]:
    if "refused" in answer:
        raise Refused(answer["refused"])
    if "failed" in answer:
        raise Failed(answer["failed"])
    return dict(answer["done"])


def decide_alone(
    place: Place,
    settings: Settings,
    ask: str,
    *,
    patience: float = _PATIENCE,
    pause: Callable[[float], None] = time.sleep,
    **values: Any,
) -> dict[str, Any]:
    """Has a request of the host at the terminal decided, by the host process or, if none runs, here.

    A host process that starts or ends has the folder, and does not hear: it is asked again and again.

    Args:
        place, ask, values: see `request`.
        settings: the settings of the league.
        patience: for how many seconds a host process may start or end.
        pause: waits so many seconds until the next attempt.

    Raises Refused.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            return request(place, ask, **values)
        except NoHostProcess:
            with suppress(Busy), host_lock(place), Database(place.database, writer=True) as database:
                return _answered(decide(place, settings, database, {"ask": ask, "account": None, **values}))
        if time.monotonic() >= deadline:
            raise Refused(
                f"an arena club up has {place.folder} and does not answer: stop it, and try again"
            ) from None
        pause(_PAUSE)


@contextmanager
def host_lock(place: Place, patience: float = 0.0) -> Iterator[None]:
    """Makes this process the host process of the folder while the context is entered.

    Args:
        place: the folder.
        patience: for how many seconds another process may still have it, such as one that decides alone.

    Raises Busy.
    """
    file = os.open(place.folder / "host.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + patience
    try:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise Busy(
                        f"another arena club up runs in {place.folder} already: stop that one first"
                    ) from None
                time.sleep(_PAUSE)
        yield
    finally:
        os.close(file)


async def serve(place: Place, decided: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
    """Hears requests at the league's socket until it is cancelled.

    Args:
        place: the folder of the league.
        decided: decides a request, and returns the answer. If it raises, that request alone fails.
    """
    listener = socket.socket(socket.AF_UNIX)
    with suppress(FileNotFoundError):
        place.socket.unlink()  # of a host process that was killed; the lock says that it is gone
    before = os.umask(0o177)
    try:
        with short_name(place.folder) as folder:
            listener.bind(f"{folder}/{place.socket.name}")
    finally:
        os.umask(before)
    listener.listen(128)
    listener.setblocking(False)

    async def hear(stream: trio.SocketStream) -> None:
        line = b""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
            if not is_trusted(stream.socket, place.database):
                return
            with trio.fail_after(_PATIENCE):
                while not line.endswith(b"\n") and len(line) < _LONGEST:
                    data = await stream.receive_some(_LONGEST)
                    if not data:
                        return
                    line += data
            try:
                asked = json.loads(line)
            except (ValueError, RecursionError):
                asked = None
            answer = {"refused": "this arena cannot do that: use the version that runs the league"}
            if isinstance(asked, dict) and isinstance(asked.get("ask"), str):
                try:
                    answer = decided(asked)
                except Exception:  # noqa: BLE001 - of any kind: the host process goes on
                    _log(place, asked["ask"])
                    answer = {"failed": _BUG}
            with trio.fail_after(_PATIENCE):
                await stream.send_all(json.dumps(answer).encode() + b"\n")

    await trio.serve_listeners(hear, [trio.SocketListener(trio.socket.from_stdlib_socket(listener))])


def _log(place: Place, ask: str) -> None:
    """Adds the traceback of the error that is being handled to the log of the host process."""
    head = f"{datetime.now(UTC).isoformat(timespec='seconds')} the request {one_line(ask)} failed:\n"
    path = place.folder / "logs" / "host.log"
    with suppress(OSError):
        rotate(path)
        with path.open("a", encoding="utf-8") as log:
            log.write(head + traceback.format_exc())


class _Asked(NamedTuple):
    """A request: where, under which settings, who asks (None for the terminal), and what."""

    place: Place
    settings: Settings
    database: Database
    account: Account | None
    values: Mapping[str, Any]

    @property
    def is_host(self) -> bool:
        """Whether a host asks."""
        return self.account is None or self.account.role == "host"

    @property
    def author(self) -> Account:
        """The account that asks. Raises Refused for the terminal."""
        if self.account is None:
            raise Refused("this needs an account: arena login LINK, with a link from arena club invite")
        return self.account

    def text(self, key: str, longest: int = 200) -> str:
        """A text of the request. Raises Refused if there is none, or it is too long."""
        value = self.values.get(key)
        if not isinstance(value, str) or len(value) > longest:
            raise Refused(f"{key} must be a text of at most {longest} characters")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Refused(f"{key} has characters that no text can have: write it again") from None
        return value

    def number(self, key: str) -> int:
        """A whole number of the request. Raises Refused if there is none."""
        value = self.values.get(key)
        if type(value) is not int or not 0 < value < 1 << 53:
            raise Refused(f"{key} must be a whole number from 1 on")
        return value

    def bot(self) -> Bot:
        """The bot that the request names, if who asks may change it. Raises Refused."""
        name = self.text("bot")
        bot = self.database.bot_called(name)
        if bot is None or not (self.is_host or bot.account == self.author.id):
            raise Refused(f"you have no bot {name!r}: arena bots list has yours")
        return bot

    def version(self, bot: Bot) -> Version:
        """The version of a bot that the request names. Raises Refused."""
        number = self.number("version")
        for version in self.database.versions(bot.id):
            if version.number == number:
                return version
        raise Refused(f"{bot.name} has no version {number}: arena bots versions {bot.name} lists them")


def decide(place: Place, settings: Settings, database: Database, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Decides a request in one transaction; returns the answer as it is sent.

    Args:
        place: the folder of the league.
        settings: its settings.
        database: a connection that may write.
        asked: the request.
    """
    kind, id = asked["ask"], asked.get("account")
    if kind not in KINDS:
        return {"refused": f"this arena cannot {kind}: use the version that runs the league"}
    account = None if id is None else database.account(id)
    if id is not None and (account is None or account.revoked):
        return {"refused": "this account is closed: ask the host of the league"}
    try:
        with database.transaction():
            done, about = KINDS[kind](_Asked(place, settings, database, account, asked))
            if kind not in ("join", "seen"):
                database.note(id, kind, about)
    except Refused as why:
        return {"refused": str(why)}
    except (OSError, apsw.FullError, apsw.IOError, apsw.BusyError):
        return {"refused": "the host's disk does not take it: try again when the host has made room"}
    return {"done": done}


_Done = tuple[dict[str, Any], dict[str, Any]]  # the answer, and what the audit trail says


def _join(asked: _Asked) -> _Done:
    """Uses an invitation up. Who asks may bring the token, and then may ask again if the answer was lost."""
    token = asked.text("token") if "token" in asked.values else secrets.token_urlsafe(24)
    if _TOKEN.fullmatch(token) is None:
        raise Refused("token must be 32 to 100 random letters, digits, - and _")
    account = asked.database.owner_of(asked.text("invitation"), "invitation")
    same = asked.database.owner_of(token, "token")
    if account is None and same is not None:
        return {"account": same.id, "name": same.name, "role": same.role, "token": token}, {}
    if same is not None or asked.database.owner_of(token, "invitation") is not None:
        raise Refused("another account has this token: make a new one")
    if account is None:
        raise Refused("this invitation is used, too old or wrong: ask the host of the league for another one")
    asked.database.forget_secrets(account.id, "invitation")
    asked.database.give_secret(account.id, "token", token)
    asked.database.note(account.id, "join", {"name": account.name})
    return {"account": account.id, "name": account.name, "role": account.role, "token": token}, {}


def _token(asked: _Asked) -> _Done:
    return {"token": asked.database.give_secret(asked.author.id, "token")}, {}


def _sign_out(asked: _Asked) -> _Done:
    asked.database.forget_secrets(asked.author.id, "token")
    return {}, {}


def _invite(asked: _Asked) -> _Done:
    if not asked.is_host:
        raise Refused("only a host invites: ask the host of the league")
    name, role = asked.text("name"), asked.values.get("role", "author")
    if problem := name_problem(name):
        raise Refused(f"{name!r} cannot be a name: it {problem}")
    if role not in ("author", "host"):
        raise Refused("role must be author or host")
    account = asked.database.account_called(name)
    if account is not None and account.revoked:
        raise Refused(f"the account of {account.name} is revoked: invite under another name")
    if account is not None and account.role != role:
        raise Refused(
            f"{account.name} is {account.role} already: revoke the account, and invite another name"
        )
    id = asked.database.add_account(name, role) if account is None else account.id
    asked.database.forget_secrets(id, "token")  # who found a lost laptop cannot use it any more
    invitation = asked.database.give_secret(id, "invitation")
    url = f"{asked.settings.url}/join/{invitation}"
    return {"invitation": invitation, "url": url}, {"name": name, "role": role}


def _revoke(asked: _Asked) -> _Done:
    if not asked.is_host:
        raise Refused("only a host revokes accounts: ask the host of the league")
    account = asked.database.account_called(asked.text("name"))
    if account is None:
        raise Refused(f"nobody is called {asked.text('name')!r}: arena club accounts FOLDER lists the names")
    asked.database.revoke(account.id)
    for bot in asked.database.bots(account.id):
        asked.database.activate(bot.id, None)
    return {}, {"name": account.name}


def _submit(asked: _Asked) -> _Done:
    author, limits, database = asked.author, asked.settings.limits, asked.database
    trial = asked.values.get("trial") is True
    name, upload, note = asked.text("bot"), asked.text("upload"), asked.text("note", NOTE_LIMIT)
    if _HASH.fullmatch(upload) is None:
        raise Refused("upload must be the SHA-256 of the file, in hex")
    if problem := name_problem(name, BOT_NAME_LIMIT):
        raise Refused(f"{name!r} cannot be the name of a bot: it {problem}; change name in its bot.toml")
    if "/" in name:
        raise Refused(f"{name!r} cannot be the name of a bot: it must have no /; change name in its bot.toml")
    if without_version(name) != name:  # so is a version of another bot called on the ladder, and its log
        raise Refused(
            f"{name!r} cannot be the name of a bot: it ends like a version; change name in its bot.toml"
        )
    bot = database.bot_called(name)
    if bot is not None and bot.account != author.id:
        raise Refused(f"another author has a bot called {bot.name}: change name in your bot.toml")
    if bot is None and same_name(name) in map(same_name, asked.settings.house_bots):
        raise Refused(f"a bot of the host is called {name}: change name in your bot.toml")
    if bot is not None:
        for version in database.versions(bot.id):
            if version.upload == upload and version.state in ("accepted", *UNDER_WAY):
                about = {"bot": bot.name, "version": version.number, "same": True}
                same = {"id": version.id, "version": version.number, "same_as": version.number}
                return same | (_challenged(asked, bot, version, bot.name) if trial else {}), about
    if trial and (bot is None or bot.active is None):
        raise Refused(f"no version of {name} plays yet: submit it without --try")
    playing = [  # or may play yet: a bot that was only ever refused takes no place
        each.id
        for each in database.bots(author.id)
        if any(version.state != "refused" for version in database.versions(each.id))
    ]
    if (bot is None or bot.id not in playing) and len(playing) >= limits.bots:
        raise Refused(
            f"you have {counted(limits.bots, 'bot')}, as many as this league allows: "
            "submit a version of one of them"
        )
    if database.submitted_since(author.id, a_day_ago()) >= limits.builds:
        raise Refused(
            f"you submitted {counted(limits.builds, 'version')} in 24 hours, as many as allowed: "
            "come back later"
        )
    arrived = asked.place.incoming / f"{author.id}-{upload}.zip"
    if not arrived.is_file():
        raise Refused("the upload has not arrived: upload the file first")
    size = arrived.stat().st_size
    if size > limits.size:
        raise Refused(
            f"the file has {size:,} bytes, and {limits.size:,} are allowed: leave files out by .arenaignore"
        )
    if database.disk_of(author.id) + size > limits.disk:
        raise Refused(
            f"your versions fill the {size_text(limits.disk)} that each author has: "
            "withdraw a bot, or wait until old versions are deleted"
        )
    if shutil.disk_usage(asked.place.folder).free < limits.reserve:
        raise Refused(
            "the disk of the host is full: games go on, and you can submit when the host has made room"
        )
    id = database.add_version(
        database.add_bot(author.id, name) if bot is None else bot.id, upload, size, note
    )
    number, bot = database.version(id), database.bot_called(name)
    assert number is not None
    assert bot is not None
    done: dict[str, Any] = {"id": id, "version": number.number, "same_as": None}
    done |= _challenged(asked, bot, number, bot.name) if trial else {}
    _keep(arrived, asked.place.submission(id))
    return done, {"bot": name, "version": number.number, **({"trial": True} if trial else {})}


def _challenge(asked: _Asked) -> _Done:
    bot = asked.bot()
    active = None if bot.active is None else asked.database.version(bot.active)
    version = asked.version(bot) if "version" in asked.values else active
    if version is None:
        raise Refused(f"no version of {bot.name} plays: say which one by --version")
    if version.state != "accepted" or not asked.place.bot(version.id).is_dir():
        raise Refused(f"version {version.number} of {bot.name} does not play: it is not accepted, or deleted")
    done = _challenged(asked, bot, version, asked.text("opponent"))
    return done, {"bot": bot.name, "version": version.number, **done}


def _challenged(asked: _Asked, bot: Bot, version: Version, opponent: str) -> dict[str, Any]:
    """Asks for a match of a version with the bot that is called `opponent`; returns its id.

    What is open already is not asked for twice, because the answer may have been lost. Raises Refused.
    """
    database, settings, limits = asked.database, asked.settings, asked.settings.limits
    if not limits.challenges:
        raise Refused("this league takes no challenges: its host may change challenges in league.toml")
    rival = database.bot_called(opponent)
    against = None if rival is None or rival.active is None else database.version(rival.active)
    name = next((each for each in settings.house_bots if same_name(each) == same_name(opponent)), "")
    if rival is not None and against is not None:
        name = f"{rival.name} v{against.number}"
    if not name:
        raise Refused(f"no bot {opponent!r} plays here: arena bots list has those that do")
    if against == version:
        raise Refused(f"version {version.number} of {bot.name} plays already: challenge another bot with it")
    games = asked.text("games").split() if asked.values.get("games") else settings.games
    for game in games:
        if game not in settings.games:
            raise Refused(f"this league does not play {game!r}; {did_you_mean(game, settings.games)}")
    boards = asked.number("boards") if "boards" in asked.values else limits.challenge_boards
    if boards > limits.challenge_boards:
        raise Refused(
            f"a challenge has at most {counted(limits.challenge_boards, 'board')} of each game here"
        )
    new: dict[str, str | int | None] = {
        "account": asked.author.id, "version": version.id, "against": against and against.id,
        "names": json.dumps([f"{bot.name} v{version.number}", name], ensure_ascii=False),
        "games": json.dumps(list(dict.fromkeys(games))), "boards": boards,
    }  # fmt: skip
    for each in database.open_challenges():
        if new.items() <= each._asdict().items():
            return {"challenge": each.id}
    if database.challenged_since(asked.author.id, a_day_ago()) >= limits.challenges:
        raise Refused(
            f"you asked for {counted(limits.challenges, 'challenge')} in 24 hours, as many as allowed: "
            "come back later"
        )
    if shutil.disk_usage(asked.place.folder).free < limits.reserve:
        raise Refused("the disk of the host is full: challenge when the host has made room")
    return {"challenge": database.add_challenge(**new)}


def _keep(arrived: Path, folder: Path) -> None:
    """Gives an upload a second name in the folder of its version, durably; tidying removes the first name."""
    if folder.exists():  # the host process was killed before the database knew the version
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / "upload.zip").hardlink_to(arrived)
    for path in (arrived, folder, folder.parent):
        file = os.open(path, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


def _activate(asked: _Asked) -> _Done:
    bot = asked.bot()
    version = asked.version(bot)
    if version.state != "accepted":
        raise Refused(
            f"version {version.number} of {bot.name} is {version.state}: only an accepted one plays"
        )
    if not asked.place.bot(version.id).is_dir():
        raise Refused(f"version {version.number} of {bot.name} is deleted by now: submit it again")
    asked.database.activate(bot.id, version.id)
    return {}, {"bot": bot.name, "version": version.number}


def _withdraw(asked: _Asked) -> _Done:
    bot = asked.bot()
    asked.database.activate(bot.id, None)
    if bot.active is not None and (asked.account is None or asked.account.id != bot.account):
        tell_deactivated(asked.database, bot.id, now(), "a host withdrew it")
    return {}, {"bot": bot.name}


def _note(asked: _Asked) -> _Done:
    bot = asked.bot()
    version = asked.version(bot)
    asked.database.change_version(version.id, note=asked.text("note", NOTE_LIMIT))
    return {}, {"bot": bot.name, "version": version.number}


def _seen(asked: _Asked) -> _Done:
    asked.database.change_receiver(asked.author.id, seen=asked.number("notice"))
    return {}, {}


def _first(asked: _Asked) -> _Done:
    """Notes which bot has the first place of a season of the ladder, as the page has found out."""
    if asked.account is not None:
        raise Refused("only the page tells who is first")
    season, name = asked.number("season"), asked.text("name")
    bot = asked.database.bot_called(asked.text("bot"))
    about = {"season": season, "bot": bot.id if bot else 0, "name": name}
    last = asked.database.last_noted("first") or {"season": 0}
    if last["season"] != season:
        tell_first(asked.database, season, bot, name, None)
    elif last["bot"] != about["bot"]:
        tell_first(asked.database, season, bot, name, asked.database.bot(last["bot"]))
    return {}, about


def _feed(asked: _Asked) -> _Done:
    """Makes a new address of the feed of an account; the old one works no more."""
    secret = secrets.token_urlsafe(24)
    asked.database.change_receiver(asked.author.id, feed=digest(secret))
    return {"url": f"{asked.settings.url}/notices/{secret}.atom"}, {}


def _webhook(asked: _Asked) -> _Done:
    """Sets or, with an empty address, removes the webhook of an account. Its first notice says so."""
    url, account, database = asked.text("url", 1000), asked.author.id, asked.database
    if url and (problem := url_problem(url)):
        raise Refused(f"this address {problem}: give one such as https://hooks.example.org/arena")
    secret, host = secrets.token_urlsafe(24) if url else "", urlsplit(url).hostname or ""
    newest = max((each.id for each in database.notices(account)), default=0)
    database.change_receiver(account, url=url, secret=secret, sent=newest, tries=0, again="", problem="")
    if url:
        text = f"Notices to {asked.author.name} go to {host} from now on."
        database.tell(account, "webhook", secrets.token_hex(8), text, "/authors")
    return {"host": host, "secret": secret}, {"host": host}


def _webhook_test(asked: _Asked) -> _Done:
    account = asked.author
    if not asked.database.receiver(account.id).url:
        raise Refused("you have no webhook: arena bots webhook URL sets one")
    text = f"This is a test of the webhook of {account.name}."
    asked.database.tell(account.id, "webhook", secrets.token_hex(8), text, "/authors")
    asked.database.change_receiver(account.id, again="")
    return {}, {}


KINDS: Final[Mapping[str, Callable[[_Asked], _Done]]] = {
    "join": _join,
    "token": _token,
    "sign-out": _sign_out,
    "submit": _submit,
    "challenge": _challenge,
    "activate": _activate,
    "withdraw": _withdraw,
    "note": _note,
    "seen": _seen,
    "first": _first,
    "feed": _feed,
    "webhook": _webhook,
    "webhook-test": _webhook_test,
    "invite": _invite,
    "revoke": _revoke,
}
"""The kinds of requests."""
