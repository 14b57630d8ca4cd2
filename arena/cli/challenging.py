"""Unrated matches at a standing league: `arena challenge` and `arena bots challenges`."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from arena.cli.output import echo, echo_json
from arena.cli.process import FAILED, INTERRUPTED
from arena.cli.standing import json_option, print_table, url_option
from arena.hosting.client import Client
from arena.hosting.logins import client_of
from arena.text import one_line

_TELL_EVERY = 20.0  # seconds between two lines about a challenge
_POLL = 1.0  # seconds between two looks at it


@click.command("challenge")
@click.argument("opponent", metavar="BOT")
@click.option("--with", "bot", metavar="NAME", help="The bot of yours that plays (default: the only one).")
@click.option(
    "--version", "number", type=click.IntRange(min=1), help="Its version (default: the one that plays)."
)
@click.option(
    "--game", "games", multiple=True, help="Only this game; may be given several times (default: all)."
)
@click.option(
    "--boards",
    type=click.IntRange(min=1),
    help="The most boards of each game (default: what the host allows).",
)
@click.option("--no-wait", is_flag=True, help="Do not wait for the result.")
@url_option
@json_option
def challenge(
    opponent: str,
    bot: str | None,
    number: int | None,
    games: tuple[str, ...],
    boards: int | None,
    no_wait: bool,
    url: str | None,
    as_json: bool,
) -> None:
    """Lets your bot play an unrated match against BOT.

    BOT is a bot of a standing league. The match is played on the host's machine, beside the ladder, and
    stops as soon as it is sure which bot is better. It changes no rating. If BOT is your own, --version
    says which version plays against the one that is active: would it be better?

    Exit code 0: played; 1: it failed; 2: it cannot be asked for; 130: you did not wait.
    """
    client = client_of(url)
    own = client.get("/api/me")["bots"]
    if bot is None:
        bot = opponent if opponent in own else own[0] if len(own) == 1 else None
    if bot is None:
        which = (
            f"say which by --with NAME: {', '.join(own)}" if own else "submit one first: arena submit FOLDER"
        )
        raise click.UsageError(f"you have {len(own)} bots here; {which}")
    if bot == opponent and number is None:
        raise click.UsageError(
            f"{bot} is your own: say by --version which version plays against the one that is active"
        )
    values = {"version": number, "games": " ".join(games) or None, "boards": boards}
    given = {key: value for key, value in values.items() if value is not None}
    asked = client.post("/api/challenges", bot=bot, opponent=opponent, **given)
    follow(client, int(asked["challenge"]), no_wait, as_json)


def follow(client: Client, id: int, no_wait: bool, as_json: bool, data: dict[str, Any] | None = None) -> None:
    """Waits until a challenge is over, and prints its result; exits if it failed.

    Args:
        client: the client.
        id: the challenge.
        no_wait: whether to look only once.
        as_json: whether JSON is printed, and nothing else.
        data: what the challenge is a part of as JSON; None if it is all.
    """
    path, page = f"/api/challenges/{id}", f"{client.url}/challenges/{id}"
    found = client.get(path)
    one, other = map(one_line, found["names"])
    if not as_json:
        echo(f"{one} challenges {other}: {page}")
    try:
        told, due = "", 0.0
        while found["ended"] is None and not no_wait:
            if found["progress"] != told and time.monotonic() >= due:
                told, due = found["progress"], time.monotonic() + _TELL_EVERY
                echo(f"it {told}", err=True)
            time.sleep(_POLL)
            found = client.get(path)
    except KeyboardInterrupt:
        echo(f"\narena: ended by Ctrl-C; the host goes on, and the report is at {page}", err=True)
        if as_json:
            echo_json({**(data or {}), "challenge": id, "page": page, "interrupted": True})
        sys.exit(INTERRUPTED)
    found.pop("shown")
    if as_json:
        found["page"] = page
        echo_json(found if data is None else {**data, "challenge": found})
    elif found["ended"] is None:
        echo(f"it {found['progress']}; later: arena bots challenges {id}")
    elif said := found["text"] or one_line(found["verdict"]):
        echo(said)
    if found["state"] == "failed":
        echo(f"arena: the challenge failed: {one_line(found['reason'])}", err=True)
        sys.exit(FAILED)


@click.command("challenges")
@click.argument("number", required=False, type=click.IntRange(min=1))
@url_option
@json_option
def challenges(number: int | None, url: str | None, as_json: bool) -> None:
    """Lists your challenges, or prints the report of one.

    Without NUMBER it lists those that you asked for, and those in which others challenged a bot of yours.
    """
    client = client_of(url)
    if number is not None:
        follow(client, number, True, as_json)
        return
    found = client.get("/api/challenges")
    if as_json:
        echo_json(found)
        return
    rows = [("challenge", "at (UTC)", "who", "games", "")]
    for each in found:
        said = each["progress"] or each["reason"] or each["verdict"]
        who = " against ".join(map(one_line, each["names"]))
        at = each["created"][:16].replace("T", " ")
        rows.append((str(each["challenge"]), at, who, str(each["games_played"]), one_line(said)))
    print_table(rows)
