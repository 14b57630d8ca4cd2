"""Commands for authors at a standing league: `arena login`, `logout` and `submit`."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import click

from arena.cli.challenging import follow
from arena.cli.output import echo, echo_json
from arena.cli.process import FAILED, INTERRUPTED
from arena.cli.standing import json_option, tell_done, url_option
from arena.hosting.client import Client, Problem, Refused, quoted
from arena.hosting.logins import TOKEN, client_of, forget, join, keep
from arena.hosting.unpacking import BadUpload, check_packed
from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.local.packing import IGNORE, CannotPack, Packed, pack
from arena.text import counted, one_line, shell_word, size_text

_JOIN = re.compile(r"(?P<url>.+)/join/(?P<invitation>[^/?#]+)/?")
_UNDER_WAY = {
    "received": "waits to be built",
    "building": "is being built",
    "checking": "is being checked",
}
_TELL_EVERY = 20.0  # seconds between two lines about a state, if there is no terminal
_POLL = 1.0  # seconds between two looks at a report
_LARGEST = 5  # files that a dry run lists
_DECIDED = ("accepted", "refused")


@click.command("login")
@click.argument("url")
@click.option(
    "--token-file",
    type=click.File(encoding="utf-8-sig", errors="replace"),
    help="A file that holds your token and nothing else; - for standard input.",
)
@json_option
def login(url: str, token_file: TextIO | None, as_json: bool) -> None:
    """Keeps your token for the standing league at URL.

    URL is your invitation, which is used up by this, or the address of the page. With the address, the
    token that the page showed you is asked for, or taken from the environment variable
    ARENA_AUTHOR_TOKEN. It is kept in a file that only you can read.
    """
    joined = _JOIN.fullmatch(url)
    client = Client(joined["url"] if joined else url)
    if client.in_the_clear:
        echo("arena: others in the network can read your token: the address is not https://", err=True)
    if joined:
        join(client, joined["invitation"])
    else:
        _require_league(client)
        if token_file is not None:
            client.token = token_file.read().strip()
        else:
            client.token = os.environ.get(TOKEN) or _typed_token()
    if not (client.token.isascii() and client.token.isprintable()):
        raise click.UsageError("the token has to be a single line of printable characters")
    me = client.get("/api/me")
    keep(client)
    if as_json:
        echo_json({"url": client.url, "name": me["name"], "role": me["role"]})
    else:
        echo(f"You are {me['name']} at {client.url}. Next: arena submit FOLDER")


def _require_league(client: Client) -> None:
    """Raises Problem unless a standing league is at the client's address."""
    found = client.get("/api/environment")
    if not isinstance(found, dict) or "games" not in found:
        raise Problem(f"{client.url} is no standing league: check the address")


def _typed_token() -> str:
    """The token that a person types, or that standard input holds. Raises UsageError if there is none."""
    if sys.stdin is not None and sys.stdin.isatty():
        return str(click.prompt("Token", hide_input=True, err=True)).strip()
    token = "" if sys.stdin is None else sys.stdin.readline().strip()
    if not token:
        raise click.UsageError(
            f"there is no terminal to type the token: set {TOKEN}, or give a file by --token-file"
        )
    return token


@click.command("logout")
@url_option
@click.option("--here", is_flag=True, help="Only forget the token here; it stays valid elsewhere.")
@json_option
def logout(url: str | None, here: bool, as_json: bool) -> None:
    """Makes your token invalid, and forgets it.

    It is the token at your standing league. Log in again with a new invitation, which its host has for
    you.
    """
    client = client_of(url)
    if not here:
        client.post("/api/sign-out")
    forget(client.url)
    tell_done(as_json, {"url": client.url}, f"You are logged out of {client.url}.")


@click.command("submit")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--note", default="", help="A few words about this version, for you alone.")
@click.option("--dry-run", is_flag=True, help="Only say what would be sent, and what the host has.")
@click.option(
    "--try",
    "trial",
    is_flag=True,
    help="Let the version play against your active one, and not in its place: would it be better?",
)
@click.option("--no-wait", is_flag=True, help="Do not wait for the host's decision.")
@url_option
@json_option
def submit(
    folder: Path, note: str, dry_run: bool, trial: bool, no_wait: bool, url: str | None, as_json: bool
) -> None:
    """Submits the bot in FOLDER to a standing league.

    FOLDER has a bot.toml (default: this folder). The league is that of your last login. What
    .arenaignore names stays here. The host builds and checks the bot, and the report appears as it is
    written. An interrupted upload goes on where it stopped: type the same command again. An accepted
    version plays at once, in place of the bot's last one; with --try it plays an unrated match against
    that one instead, and nothing else changes (arena challenge --help).

    Exit code 0: accepted; 1: refused; 2: wrong use.
    """
    manifest = read_bot_manifest(folder)
    client = Client(url) if url and dry_run else client_of(url)
    with tempfile.TemporaryDirectory(prefix="arena-submit-") as place:
        archive = Path(place, "bot.zip")
        packed = pack(folder, archive)
        host = client.get("/api/environment")
        if dry_run:
            _dry_run(manifest.name, packed, host, as_json)
            if not as_json:
                check = f"arena check-bot {shell_word(folder)} --as {shell_word(client.url)}"
                echo(f"\nCheck it as that host does: {check}")
            return
        if trial and "challenges" not in host["limits"]:
            raise Problem(f"{client.url} knows no challenges: ask its host to install a newer arena")
        with _refusals(manifest.name, as_json):
            known = _accepted_as(client, manifest.name, packed.content)
            if known is None:
                _check(packed, archive, host["limits"])
                with _progress(packed.size) as show:
                    client.upload(archive, packed.digest, show)
            done = known or client.post(
                f"/api/bots/{quoted(manifest.name)}/versions",
                upload=packed.digest,
                size=packed.size,
                note=note,
                trial=trial,
            )
            if trial and known:
                asked = {"bot": manifest.name, "opponent": manifest.name, "version": known["version"]}
                done = {**known, **client.post("/api/challenges", **asked)}
    number, same = int(done["version"]), done.get("same_as")
    page = f"{client.url}/submissions/{quoted(manifest.name)}/{number}"
    data = {
        "bot": manifest.name, "version": number, "same_as": same, "content": packed.content,
        "upload": packed.digest, "size": packed.size, "page": page,
    }  # fmt: skip
    try:
        if not as_json:
            already = f"the host has this already, as version {same} of {manifest.name}: nothing new is made"
            echo(already if same else f"{manifest.name} is version {number}: {page}")
        silent = as_json or known is not None  # whose report was read before
        with _elapsed(known is None and not no_wait) as show_state:
            report = follow_report(
                client, manifest.name, number, no_wait, None if silent else say_line, show_state
            )
    except KeyboardInterrupt:
        echo(f"\narena: ended by Ctrl-C; the host goes on, and the report is at {page}", err=True)
        if as_json:
            echo_json({**data, "interrupted": True})
        sys.exit(INTERRUPTED)
    if as_json and not (trial and report["state"] == "accepted"):
        echo_json({**data, **report, "interrupted": False})
    elif not as_json and report["state"] in _DECIDED:
        why = f": {report['reason']}" if report["reason"] else ""
        echo(f"{manifest.name} version {number} is {report['state']}{why}")
        if same and not trial and report["state"] == "accepted" and not _plays(client, manifest.name, same):
            activate = f"arena bots activate {shell_word(manifest.name)} {number}"
            echo(f"it does not play; to let it play: {activate}")
    if report["state"] == "refused":
        sys.exit(FAILED)
    if trial and (report["state"] == "accepted" or not as_json):
        follow(client, done["challenge"], no_wait, as_json, {**data, **report, "interrupted": False})
        if not (as_json or no_wait):
            echo(f"to let it play: arena bots activate {shell_word(manifest.name)} {number}")


def _plays(client: Client, bot: str, number: int) -> bool:
    """Whether a version of a bot is the active one."""
    return bool(client.get(f"/api/bots/{quoted(bot)}").get("version") == number)


def _accepted_as(client: Client, bot: str, content: str) -> dict[str, int] | None:
    """The accepted version of a bot with the same content, as the answer to its submission; None if none."""
    try:
        found = client.get(f"/api/bots/{quoted(bot)}")
    except Refused as refused:
        if refused.status != 404:
            raise
        return None  # it is a new bot
    for each in found.get("versions", ()):
        if each["state"] == "accepted" and each["content"] == content:
            return {"version": each["version"], "same_as": each["version"]}
    return None


def _check(packed: Packed, archive: Path, limits: Mapping[str, Any]) -> None:
    """Raises CannotPack if the host would refuse a zip for its size or what is in it."""
    if packed.size > limits["size"]:
        raise CannotPack(
            f"the zip has {size_text(packed.size)}, and the host takes {size_text(limits['size'])}: "
            f"leave out with {IGNORE} what the bot does not need"
        )
    try:
        check_packed(archive, limits["disk"])
    except BadUpload as problem:
        raise CannotPack(f"nothing was sent, because the host would refuse it: {problem}") from None


@contextlib.contextmanager
def _refusals(bot: str, as_json: bool) -> Iterator[None]:
    """Ends the command with exit code 1 if the host refuses a bot before it becomes a version."""
    try:
        yield
    except Refused as refused:
        if refused.status == 401:
            raise
        if as_json:
            echo_json({"bot": bot, "version": None, "state": "refused", "reason": str(refused)})
        else:
            echo(f"arena: {bot} is refused: {refused}", err=True)
        sys.exit(FAILED)


@contextlib.contextmanager
def _progress(size: int) -> Iterator[Callable[[int], None]]:
    """Shows how much of an upload is there: a bar on a terminal, one line elsewhere."""
    if not sys.stderr.isatty():
        echo(f"uploads {size_text(size)}", err=True)
        yield lambda there: None
        return
    from rich.console import Console  # only here, because it loads much
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("uploads"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=size)
        yield lambda there: bar.update(task, completed=there)


@contextlib.contextmanager
def _elapsed(shown: bool) -> Iterator[Callable[[str, str], None]]:
    """Shows for how long a version has been in its state: on a terminal in a line below the report.

    Elsewhere it prints a line for each new state, and then one now and then. Gives a function that takes the
    state at each look, and why the version waits.
    """
    if not shown:
        yield lambda state, waits: None
        return
    if not sys.stderr.isatty():
        yield PlainStates(partial(echo, err=True)).show
        return
    from rich.console import Console  # only here, because it loads much
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    both = sys.stdout.isatty()  # then the report is printed above the line
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=both) as line:
        task = line.add_task("")

        def show(state: str, waits: str = "") -> None:
            if state != line.tasks[task].fields.get("state"):
                line.reset(task, state=state)
            said = ": ".join(filter(None, (_UNDER_WAY.get(state, state), waits)))
            line.update(task, description=escape(said))

        yield show


class PlainStates:
    """Prints a line for each new state of a version, and then one now and then until it is decided.

    Args:
        say: takes a line.
        now: tells the time, in seconds.
    """

    def __init__(self, say: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._say, self._now = say, now
        self._state, self._waits, self._since, self._due = "", "", 0.0, 0.0

    def show(self, state: str, waits: str = "") -> None:
        """Takes the state at a look, and why the version waits."""
        now = self._now()
        is_new, is_other = state != self._state, (state, waits) != (self._state, self._waits)
        if is_new:
            self._since = now
        if state in _UNDER_WAY and (is_other or now >= self._due):
            so_far = "" if is_new else f"{now - self._since:.0f} s so far"
            said = "; ".join(filter(None, (waits, so_far)))
            self._say(f"the version {_UNDER_WAY[state]}{f': {said}' if said else ' ...'}")
            self._due = now + _TELL_EVERY
        self._state, self._waits = state, waits


def follow_report(
    client: Client,
    bot: str,
    number: int,
    once: bool,
    say: Callable[[Mapping[str, Any]], None] | None,
    show_state: Callable[[str, str], None] = lambda state, waits: None,
) -> dict[str, Any]:
    """Follows a version's report until it is decided; returns its state, the reason, and all lines.

    Args:
        client: the client.
        bot: the bot's name.
        number: the version's number.
        once: whether to look only once.
        say: takes each new line.
        show_state: takes the state at each look, and why the version waits.
    """
    lines: list[Any] = []
    while True:
        report = client.get(f"/api/bots/{quoted(bot)}/versions/{number}/report?from={len(lines)}")
        for line in report["lines"]:
            lines.append(line)
            if say is not None:
                say(line)
        show_state(report["state"], report.get("waits", ""))
        if once or (report["state"] in _DECIDED and not report["lines"]):
            return {"state": report["state"], "reason": report["reason"], "report": lines}
        if not report["lines"]:
            time.sleep(_POLL)


_MARKS = {"passed": "✓ ", "failed": "✗ ", "noted": "! "}


def say_line(line: Mapping[str, Any]) -> None:
    """Prints a line of a report."""
    echo(f"{line['step']:7} {_MARKS.get(line['level'], '')}{line['text']}")


def _dry_run(bot: str, packed: Packed, environment: Mapping[str, Any], as_json: bool) -> None:
    """Prints what would be sent, and what the host has. Exits with 1 if it is too much."""
    most = environment["limits"].get("size")
    too_large = most is not None and packed.size > most
    if as_json:
        files = [{"name": name, "size": size} for name, size in packed.files]
        sent = {"bot": bot, "content": packed.content, "size": packed.size, "files": files}
        echo_json({**sent, "fits": not too_large, "environment": environment})
    else:
        echo(
            f"{bot}: {counted(len(packed.files), 'file')}, {size_text(packed.size)} packed, "
            f"content {packed.content[:12]}"
        )
        largest = sorted(packed.files, key=lambda file: -file[1])[:_LARGEST]
        for name, size in largest:
            echo(f"  {size_text(size):>10}  {one_line(name)}")
        echo(f"\n{environment_text(environment)}")
    if too_large:
        echo(f"arena: the host takes {size_text(most)} at most: leave files out with {IGNORE}", err=True)
        sys.exit(FAILED)


def environment_text(environment: Mapping[str, Any]) -> str:
    """What a host has, for people."""
    limits = environment["limits"]
    lines = [
        f"{environment['name']} (arena {environment['version']}) plays {', '.join(environment['games'])}",
        f"clock: {', '.join(f'{name} {value}' for name, value in environment['clock'].items())}",
        f"sandbox: {environment['level']}, network: {'yes' if limits.get('network') else 'no'}",
        f"limits: {', '.join(_limits(limits))}",
        *(f"{each['name']}: {each['version']}" for each in environment["languages"]),
    ]
    return "\n".join(one_line(line) for line in lines)


_LIMITS = {
    "memory": "a bot may ask for {} of memory",
    "threads": "and for {} threads",
    "disk": "{} of disk for your versions",
    "size": "{} for a zip",
    "bots": "{} bots",
    "builds": "{} versions in 24 hours",
    "build_time": "{} min for a build",
    "challenges": "{} challenges in 24 hours",
}


def _limits(limits: Mapping[str, Any]) -> Iterator[str]:
    for name, words in _LIMITS.items():
        if (value := limits.get(name)) is not None:
            is_size, is_time = name in ("memory", "disk", "size"), name == "build_time"
            yield words.format(size_text(value) if is_size else f"{value / 60:g}" if is_time else value)
