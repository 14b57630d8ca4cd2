"""The commands of `arena bots`: the bots of a standing league, one's own, and what the league tells."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from arena.cli.output import echo, echo_json
from arena.cli.parameters import SESSION
from arena.cli.standing import json_option, print_table, tell_done, url_option
from arena.cli.submitting import follow_report, say_line
from arena.hosting.client import Refused, quoted
from arena.hosting.logins import client_of
from arena.text import counted, one_line, shell_word, size_text


@click.command("list")
@url_option
@json_option
def list_bots(url: str | None, as_json: bool) -> None:
    """Lists all bots, with their ratings."""
    found = client_of(url).get("/api/bots")
    if as_json:
        echo_json(found)
        return
    rows = [("bot", "author", "version", "rating", "games")]
    for each in found:
        version = "-" if each.get("house") else "none" if each["version"] is None else str(each["version"])
        rows.append((each["name"], each["author"], version, _rating(each), str(each.get("games") or 0)))
    print_table(rows)
    _explain(found)


def _rating(bot: Mapping[str, Any]) -> str:
    """The rating of a bot with its interval, and a question mark for a provisional one."""
    low, high = bot.get("interval") or (None, None)
    return f"{_between(bot.get('rating'), low, high)}{' ?' if bot.get('provisional') else ''}"


def _between(rating: float | None, low: float | None, high: float | None) -> str:
    """A rating with its interval, if that is known."""
    around = "" if low is None or high is None else f" [{number_text(low)}, {number_text(high)}]"
    return f"{number_text(rating)}{around}"


def _explain(bots: Sequence[Mapping[str, Any]]) -> None:
    """Says what a question mark means, if one of the bots has it."""
    if any(each.get("provisional") for each in bots):
        from arena.report.standings_text import PROVISIONAL  # only here, because it loads much

        echo(f"? {PROVISIONAL}")


@click.command("show")
@click.argument("name")
@url_option
@json_option
def show(url: str | None, name: str, as_json: bool) -> None:
    """Prints what the host says of the bot NAME.

    Of your bots it also says times, memory and faults.
    """
    found = client_of(url).get(f"/api/bots/{quoted(name)}")
    if as_json:
        echo_json(found)
        return
    plays = "no version" if found["version"] is None else f"version {found['version']}"
    echo(f"{found['name']} by {found['author']}: {plays} plays")
    echo(f"rating {_rating(found)}, {counted(found.get('games') or 0, 'game')}")
    _explain([found])
    if found.get("change"):
        echo(found["change"])
    for key, what in (("opponents", "opponent"), ("by_game", "game")):
        rows = [
            (each["what"], f"{100 * each['score']:.1f}", str(each["games"])) for each in found.get(key) or ()
        ]
        _print_part([(what, "score in %", "games"), *rows])
    if own := found.get("estimates"):
        bands = [
            (f"{100 * each['estimate']:.0f}", f"{100 * each['score']:.0f}", str(each["estimates"]))
            for each in own["bands"]
        ]
        _print_part([("expected in %", "scored in %", "estimates"), *bands])
        first, last, plain = (f"{own[each]:.3f}" for each in ("first", "last", "plain"))
        echo(f"squared error in {counted(own['games'], 'game')}: of its first estimates {first}, of its last")
        echo(f"ones {last}; always saying its mean score would give {plain}")
    moments = [
        (each["at"], str(each["version"]), _between(each["rating"], each["low"], each["high"]))
        for each in found.get("history") or ()
    ]
    _print_part([("at (UTC)", "version", "rating"), *moments])
    parts = ("p50", "p95", "p99", "longest", "limit")
    times = [
        (each["game"], *(number_text(each[part]) for part in parts), str(each["decisions"]))
        for each in found.get("times") or ()
    ]
    _print_part([("ms a decision", "median", "95 %", "99 %", "longest", "limit", "decisions"), *times])
    if memory := found.get("memory"):
        limit = f"; the limit is {size_text(memory['limit'])}" if memory["limit"] else ""
        echo(f"\nmemory: {size_text(memory['peak'])} at most{limit}")
    faults = [
        (each["game"], str(each["version"]), str(each["turn"]), each["kind"], one_line(each["message"]))
        for each in found.get("faults") or ()
    ]
    _print_part([("fault in game", "version", "turn", "kind", ""), *faults])
    if found.get("versions"):
        echo("")
        _print_versions(found["versions"])


@click.command("versions")
@click.argument("name")
@url_option
@json_option
def versions(url: str | None, name: str, as_json: bool) -> None:
    """Lists the versions of your bot NAME."""
    found = client_of(url).get(f"/api/bots/{quoted(name)}")
    if "versions" not in found:
        raise Refused(f"{name} is not yours: only its author sees its versions", 403)
    if as_json:
        echo_json(found["versions"])
    else:
        _print_versions(found["versions"])


@click.command("report")
@click.argument("name")
@click.argument("number", type=click.IntRange(min=1))
@url_option
@json_option
def report(url: str | None, name: str, number: int, as_json: bool) -> None:
    """Prints the report about version NUMBER of your bot NAME."""
    found = follow_report(client_of(url), name, number, True, None if as_json else say_line)
    tell_done(as_json, found, f"{found['state']}{': ' * bool(found['reason'])}{found['reason']}")


@click.command("activate")
@click.argument("name")
@click.argument("number", type=click.IntRange(min=1))
@url_option
@json_option
def activate(url: str | None, name: str, number: int, as_json: bool) -> None:
    """Lets version NUMBER of your bot NAME play from now on."""
    client_of(url).post(f"/api/bots/{quoted(name)}/activate", version=number)
    tell_done(as_json, {"bot": name, "version": number}, f"{name} plays with version {number}.")


@click.command("withdraw")
@click.argument("name")
@url_option
@json_option
def withdraw(url: str | None, name: str, as_json: bool) -> None:
    """Withdraws your bot NAME.

    arena bots activate brings it back.
    """
    client_of(url).post(f"/api/bots/{quoted(name)}/withdraw")
    tell_done(as_json, {"bot": name, "version": None}, f"{name} is withdrawn.")


@click.command("note")
@click.argument("name")
@click.argument("number", type=click.IntRange(min=1))
@click.argument("text")
@url_option
@json_option
def note(url: str | None, name: str, number: int, text: str, as_json: bool) -> None:
    """Notes TEXT at version NUMBER of your bot NAME.

    Only you can see it.
    """
    client_of(url).post(f"/api/bots/{quoted(name)}/note", version=number, note=text)
    tell_done(as_json, {"bot": name, "version": number, "note": text}, "Noted.")


@click.command("log")
@click.argument("name")
@url_option
@json_option
def log(url: str | None, name: str, as_json: bool) -> None:
    """Prints the end of what your bot NAME has printed."""
    found = client_of(url).get(f"/api/bots/{quoted(name)}/log")
    tell_done(as_json, found, str(found["log"]) or f"{name} has printed nothing in this season.")


@click.command("games")
@click.argument("name")
@url_option
@json_option
def games(url: str | None, name: str, as_json: bool) -> None:
    """Lists the games of the bot NAME whose round is over."""
    found = client_of(url).get(f"/api/bots/{quoted(name)}/games")
    if as_json:
        echo_json(found)
        return
    rows = [("game", "opponent", "score", "faults")]
    for each in found:
        rows.append((str(each["game"]), opponents_of(each), number_text(each["score"]), str(each["faults"])))
    print_table(rows)


def opponents_of(game: Mapping[str, Any]) -> str:
    """The names of the opponents in a game."""
    opponent = game["opponent"]
    return ", ".join(opponent) if isinstance(opponent, list) else str(opponent)


@click.command("get-game")
@click.argument("name")
@click.argument("game")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@url_option
@json_option
def get_game(url: str | None, name: str, game: str, file: Path, as_json: bool) -> None:
    """Writes what your bot NAME was sent in GAME to FILE.jsonl.

    arena analyse says what its decisions cost, and arena rehearse plays it back to a bot.
    """
    if file.suffix != SESSION:
        raise click.BadParameter(f"{file} does not end in {SESSION}, as a session does", param_hint="FILE")
    found = client_of(url).get(f"/api/bots/{quoted(name)}/games/{quoted(game)}")
    try:
        file.write_text("".join(f"{json.dumps(line)}\n" for line in found["session"]), "utf-8")
    except OSError as error:
        raise click.BadParameter(f"{file}: {error.strerror}", param_hint="FILE") from None
    word = shell_word(file)
    tell_done(as_json, {"file": str(file)}, f"Now: arena analyse {word}, or arena rehearse {word} FOLDER")


@click.command("notices")
@url_option
@json_option
def notices(url: str | None, as_json: bool) -> None:
    """Lists what the league has told you, the newest first."""
    client = client_of(url)
    found = client.get("/api/notices")
    if as_json:
        echo_json(found)
        return
    print_table([("at (UTC)", "notice"), *((_minute(each), each["text"]) for each in found["notices"])])
    echo(f"\nwebhook: {found['webhook'] or 'none'}")
    if found["problem"]:
        echo(f"the last attempt failed: {found['problem']}")


def _minute(notice: Mapping[str, Any]) -> str:
    return str(notice["at"])[:16].replace("T", " ")


@click.command("webhook")
@click.argument("address")
@url_option
@json_option
def webhook(address: str, url: str | None, as_json: bool) -> None:
    """Has notices sent to ADDRESS, which begins with https://.

    The word off removes your webhook, and test sends a test to it. Each notice is one signed POST. At
    Discord and Slack it is a message.
    """
    client = client_of(url)
    if address == "test":
        done = client.post("/api/webhook/test")
        text = "A test is on its way; arena bots notices says if it is not taken."
    elif address == "off":
        done = client.post("/api/webhook", url="")
        text = "You have no webhook any more."
    else:
        done = client.post("/api/webhook", url=address)
        text = (
            f"Notices go to {done['host']} from now on, and the first is on its way.\n"
            f"This secret signs them, and is shown this once: {done['secret']}"
        )
    tell_done(as_json, done, text)


@click.command("feed")
@url_option
@json_option
def feed(url: str | None, as_json: bool) -> None:
    """Makes an address at which feed readers see your notices.

    It takes the place of the last one, and is shown this once. Who knows it can read your notices, and
    nothing else.
    """
    done = client_of(url).post("/api/feed")
    tell_done(as_json, done, done["url"])


def _print_versions(found: Sequence[Mapping[str, Any]]) -> None:
    rows = [("version", "state", "submitted", "note or reason")]
    for each in found:
        said = each.get("reason") or each.get("note") or ""
        rows.append((str(each["version"]), each["state"], each["created"], one_line(said)))
    print_table(rows)


def _print_part(rows: Sequence[Sequence[str]]) -> None:
    """Prints a table below an empty line, unless it has a heading alone."""
    if len(rows) > 1:
        echo("")
        print_table(rows)


def number_text(value: float | None) -> str:
    """A number with four digits; `-` for none."""
    return "-" if value is None else f"{value:.4g}"
