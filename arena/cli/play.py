"""`arena play`: a person at a table with bots, in the terminal or in a browser."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import click
import trio

from arena.bot.chair import Chair
from arena.cli.friendly import Words, friendly_of
from arena.cli.house import HOUSE, USUAL
from arena.cli.options import deal_key, sandbox_option
from arena.cli.output import echo, screen_width
from arena.cli.page_beside import listen_option, serve_option
from arena.cli.parameters import OneOf
from arena.cli.process import FAILED, INTERRUPTED, run_async
from arena.games import GAMES
from arena.league.entrants import Entrant
from arena.link.streams.trio_thread import in_trio
from arena.referee.sitting.friendly import BotMissing, play_friendly
from arena.report.game_log import game_steps, outcome_lines
from arena.report.tables import fitting
from arena.seat.terminal import Left, Seat
from arena.table.record import Record
from arena.temporary import temporary_folder
from arena.text import one_line
from arena.tournament.seating import Played

_YOU = "you"
_BANK, _MOVE = "24h", "1h"  # nobody else waits for the person
_USUAL_GAME = "kleftis"
_ANY_PORT = "127.0.0.1:0"
_IN_A_LINE = {
    "nyuri": "steal the piles that others lay out",
    "forty-one": "draw and discard until four cards of a suit make 41",
    "nur-mut": "get rid of ten cards that have two faces",
    "kleftis": "a rummy in which groups are stolen",
    "hyrule": "seven tricks, with suits that beat each other in a ring",
}
"""What people are told of a game before they choose it."""


@click.command()
@click.argument("game", metavar="[GAME]", required=False, type=OneOf(list(GAMES)))
@click.option(
    "--against",
    "opponents",
    multiple=True,
    metavar="BOT",
    help=f"Play BOT: in a folder, at an address, or a bot of the house ({', '.join(HOUSE)}). Several may be "
    f"given (default: {USUAL}).",
)
@click.option("--seat", type=click.IntRange(min=0), default=0, show_default=True, help="Your seat.")
@click.option("--seed", help="Any text; the same one deals the same cards.")
@click.option("--bank", default=_BANK, show_default=True, metavar="TIME", help="Your time for the game.")
@click.option("--move", default=_MOVE, show_default=True, metavar="TIME", help="Your time for one decision.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the game (arena games lists them).",
)
@sandbox_option("How the bots are contained (default: basic).")
@serve_option("Play in a browser instead, on a page that is served.")
@listen_option
def play(game: str | None, seed: str | None, serve: str | None, listen: str | None, **given: Any) -> None:
    """Lets you play a game against bots.

    Without GAME it asks what you want to play, against whom and where. Without --against you play a
    good bot of the house.

    You play in the terminal. You see what a bot in your seat would be told, and choose by number or by
    words. Nothing is played before you confirm it. The bots play with their own clocks, you with yours.
    When the game is over, you can see all of it, with the cards of all players.

    With --serve you play on a page. The first person who opens the printed address and sits down plays,
    and may play again on other boards. Nothing is kept after the page ends; Ctrl-C ends it.

    Exit code 0: played, or served; 1: a bot never came; 130: you left.
    """
    listen = listen or serve
    if game is None:
        game = _wanted_game()
        given["opponents"] = given["opponents"] or (_wanted_opponent(),)
        listen = listen or _wanted_place()
    words = Words(game, **given)  # the other options are its fields
    friendly = friendly_of(words)
    key = deal_key(seed)
    if listen is not None:
        from arena.cli.friendly_page import serve_friendly  # only here, because it loads much

        serve_friendly(words, friendly, key, listen)
        return
    chair = Chair()
    with chair.served() as address, temporary_folder() as logs:
        entrants = friendly.with_person(Entrant(_YOU, address=address))
        names = [entrant.name for entrant in entrants]
        game_of_all = partial(play_friendly, friendly.seating("friendly", key), entrants, Path(logs), _say)
        with _in_a_thread(game_of_all) as (over, played):
            try:
                Seat(chair, names, input).play(over)
            except (Left, KeyboardInterrupt):
                echo("\nYou left the game.", err=True)
                sys.exit(INTERRUPTED)
        try:
            record = played.result().record
        except BotMissing as problem:
            echo(f"arena: {problem}", err=True)
            sys.exit(FAILED)
    _show_end(record, names)


def _wanted_game() -> str:
    """Asks which game to play. Raises UsageError if there is nobody to ask."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError(f"say which game, such as arena play kleftis; valid: {', '.join(GAMES)}")
    return _choice(
        "Which game?", {game: _IN_A_LINE.get(game, rules.title) for game, rules in GAMES.items()}, _USUAL_GAME
    )


def _wanted_opponent() -> str:
    """Asks how strong the opponent is to be."""
    return _choice("How strong an opponent?", {name: bot.about for name, bot in HOUSE.items()}, USUAL)


def _wanted_place() -> str | None:
    """Asks where to play; returns the address of a page, or None for the terminal."""
    places = {"terminal": "here, by typing", "browser": "on a page, with the cards"}
    return {"terminal": None, "browser": _ANY_PORT}[_choice("Where?", places, "browser")]


def _choice(question: str, choices: Mapping[str, str], usual: str) -> str:
    """Asks for one of a few words, by number or by the word itself; Enter takes the usual one."""
    words = list(choices)
    width = max(map(len, words))
    echo(question)
    for number, (word, about) in enumerate(choices.items(), 1):
        echo(fitting(f"{number:3}  {word:{width}}  {about}", screen_width(), " " * (width + 7)))
    while True:
        try:
            answer = input(f"number or word (Enter: {usual}): ").strip().casefold()
        except (EOFError, KeyboardInterrupt):
            echo("", err=True)
            sys.exit(INTERRUPTED)
        found = [word for word in words if answer and word.startswith(answer)]
        if not answer:
            return usual
        if answer.isdecimal() and 1 <= int(answer) <= len(words):
            return words[int(answer) - 1]
        if len(found) == 1:
            return found[0]
        if answer in ("q", "quit"):
            sys.exit(INTERRUPTED)
        echo(f"{answer!r} is none of these: type a number from 1 to {len(words)}, or q to leave")


def _say(line: str) -> None:
    echo(one_line(line), err=True)


@contextlib.contextmanager
def _in_a_thread(
    play: Callable[[], Awaitable[Played]],
) -> Iterator[tuple[threading.Event, Future[Played]]]:
    """Plays in a thread of its own, because the person has this one. Gives the game's end, and its result.

    An unfinished game is ended when the context is left.
    """
    over, cancel = threading.Event(), Future[Callable[[], None]]()

    async def playing() -> Played:
        with trio.CancelScope() as scope:
            cancel.set_result(in_trio(scope.cancel))
            return await play()
        raise AssertionError("a game that was ended has no result")

    with ThreadPoolExecutor(1) as thread:
        played = thread.submit(run_async, playing)
        played.add_done_callback(lambda _: over.set())
        try:
            yield over, played
        finally:
            cancel.result()()


def _show_end(record: Record, names: list[str]) -> None:
    """Shows how a game ended and, if the person wants that, all of it."""
    echo("")
    for line in outcome_lines(record.outcome, record.forfeits, names):
        echo(one_line(line))
    if not sys.stdin.isatty():
        return
    try:
        answer = input("\nShow everything, with all cards? [Y/n] ")
    except EOFError:
        return
    if answer.strip().casefold() in ("", "y", "yes"):
        click.echo_via_pager(
            "\n".join(one_line(line) for lines in game_steps(record, names) for line in lines)
        )
