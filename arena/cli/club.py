"""The commands of `arena club`, which run a standing league, such as `up`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from arena.cli.options import sandbox_option
from arena.cli.output import echo
from arena.games import BUILT_IN
from arena.hosting.database import DISK_ERRORS, Database
from arena.hosting.host_process import host_up
from arena.hosting.place import Place
from arena.hosting.requests import decide_alone, host_lock
from arena.hosting.settings import LeagueFileError, read_settings, settings_of
from arena.link.local.sandbox import Level, SandboxMissing, about_strongest, missing, require, strongest
from arena.link.tls.address import is_loopback
from arena.names import did_you_mean
from arena.referee.night.settings import CannotRun
from arena.strict_toml import Section, WrongFile
from arena.text import shell_word
from arena.view.listening import listening, new_token, url_for_phones, url_of

_HOUSE = ["greedy-python", "random-python"]
_HANDOVER = 2.0  # seconds in which a command that decides alone, such as arena club invite, is done

folder_argument = click.argument("folder", type=click.Path(path_type=Path, file_okay=False))


def _place(folder: Path) -> Place:
    place = Place(folder.resolve())
    if not place.settings.is_file():
        raise CannotRun(f"{folder} is no standing league: make one by arena club new {shell_word(folder)}")
    return place


@contextmanager
def using(folder: Path) -> Iterator[None]:
    """Says in a sentence why files cannot be written in a folder. Raises CannotRun."""
    try:
        yield
    except DISK_ERRORS as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise CannotRun(
            f"{folder} cannot be used ({why}): see whether its disk is full and whose it is, or give "
            "another folder"
        ) from None


@click.command("new")
@folder_argument
@click.option("--yes", is_flag=True, help="Ask nothing, and take the defaults.")
@sandbox_option("How bots are contained (default: asked, or with --yes the strongest level of this machine).")
def new(folder: Path, yes: bool, sandbox: str | None) -> None:
    """Begins a standing league in FOLDER.

    It asks six questions and writes league.toml. In a standing league authors submit bots, which play
    each other on a ladder. The file league.toml can be changed at any time; arena club up reads it when
    it starts.
    """
    place = Place(folder.resolve())
    if place.settings.exists():
        raise CannotRun(f"{place.settings} is there already: change it, or give another folder")
    if sandbox is not None:
        require(Level(sandbox))

    values: dict[str, Any] = {"name": "league"}

    def ask(key: str, question: str, default: str, read: Callable[[str], Any] = str.strip) -> None:
        """Asks for the value of a key of league.toml, again until it can be used."""

        def usable(answer: str) -> Any:
            value = read(answer)
            try:
                settings_of(Section(values | {key: value}, "", LeagueFileError), place.settings)
            except WrongFile as problem:
                raise click.UsageError(str(problem).removeprefix(": ")) from None
            return value

        values[key] = usable(default) if yes else click.prompt(question, default, value_proc=usable)

    ask("name", "The league's name", place.folder.name)
    ask("listen", "Where the page listens, HOST:PORT", "127.0.0.1:8000")
    ask("url", "The address that people open", f"http://{values['listen']}")
    ask("games", "Which games", " ".join(BUILT_IN), _games)
    ask("season", "How long a season lasts (month, quarter, year, forever)", "month")
    if sandbox is None:
        echo(about_strongest())
        ask("sandbox", f"How bots are contained ({', '.join(reversed(Level))})", str(strongest()), _level)
    else:
        values["sandbox"] = sandbox
    if missing(Level(values["sandbox"])):  # the default, of which the machine lacks a part: it is no demand
        del values["sandbox"]
    values["house"] = _HOUSE
    lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
    text = "\n".join(("# docs/standing-league.md has all keys.", *lines, ""))
    with using(folder):
        place.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.settings.write_text(text, "utf-8")
        Database(place.database, writer=True).close()
    echo(f"wrote {place.settings}")
    echo(f"go on with: arena club up {shell_word(folder)}")


def _level(answer: str) -> str:
    """The level that somebody typed: one that this machine has, or its default. Raises UsageError."""
    level = answer.strip().lower()
    if level not in tuple(Level):
        raise click.UsageError(f"unknown level {level!r}; {did_you_mean(level, tuple(Level))}")
    if level != strongest():
        try:
            require(Level(level))
        except SandboxMissing as problem:
            raise click.UsageError(str(problem)) from None
    return level


def _games(answer: str) -> list[str]:
    """The games that somebody typed. Raises UsageError."""
    games = answer.replace(",", " ").split()
    for game in games:
        if game not in BUILT_IN:
            raise click.UsageError(f"unknown game {game!r}; {did_you_mean(game, BUILT_IN)}")
    return games


@click.command("up")
@folder_argument
@click.option("--listen", metavar="HOST:PORT", help="Where the page listens, in place of league.toml's.")
def up(folder: Path, listen: str | None) -> None:
    """Runs the standing league in FOLDER until it is stopped.

    That is its page, submissions, ladder and nights. It can be stopped by Ctrl-C or SIGTERM, or killed,
    at any time, and goes on when it is started again. When the arena is installed anew, it goes on with
    the new version by itself.
    """
    place = _place(folder)
    settings = read_settings(place)
    for night in settings.never_played:
        told = f'the night {night} never comes, because a season "forever" has no end: change season or on'
        echo(f"{place.settings}: {told}", err=True)
    token = new_token()
    # Another host process of this league also has its port, but the port is not the cause: so first the lock.
    with using(folder), host_lock(place, _HANDOVER), listening(listen or settings.listen) as listener:
        echo(f"{settings.name}: {url_of(listener)}")
        echo(f"the host's token, to be entered at {url_of(listener)}host: {token}")
        settings = settings.listening_at(url_for_phones(listener) or url_of(listener))
        goes_on = host_up(place, settings, listener, token, partial(echo, err=True))
    if goes_on:
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    echo(f"the league is stopped; go on with: arena club up {shell_word(folder)}", err=True)


@click.command("invite")
@folder_argument
@click.argument("name")
@click.option("--role", type=click.Choice(("author", "host")), default="author", help="Default: author.")
def invite(folder: Path, name: str, role: str) -> None:
    """Prints a link by which NAME joins the league in FOLDER.

    The link works once. For somebody who has an account already, the link replaces the lost token.
    """
    place = _place(folder)
    with using(folder):
        done = decide_alone(place, read_settings(place), "invite", name=name, role=role)
    echo(f"send this link to {name}; it works once, within 14 days")
    echo(f"  {done['url']}")
    if is_loopback(urlsplit(done["url"]).hostname or ""):
        echo(f"it opens on this machine alone: for others, set url in {place.settings}", err=True)


@click.command("accounts")
@folder_argument
def accounts(folder: Path) -> None:
    """Lists the accounts of the league in FOLDER."""
    place = _place(folder)
    with Database(place.database) as database:
        for account in database.accounts():
            if account.revoked:
                state = f"revoked {account.revoked[:10]}"
            elif database.has_secret(account.id, "token"):
                state = "has joined"
            else:
                state = "is invited" if database.has_secret(account.id, "invitation") else "is signed out"
            bots = ", ".join(bot.name for bot in database.bots(account.id))
            echo(f"{account.name} ({account.role}) {state}{f'; bots: {bots}' if bots else ''}")


@click.command("revoke")
@folder_argument
@click.argument("name")
def revoke(folder: Path, name: str) -> None:
    """Closes the account of NAME, and withdraws its bots."""
    place = _place(folder)
    with using(folder):
        decide_alone(place, read_settings(place), "revoke", name=name)
    echo(f"the account of {name} is revoked")
