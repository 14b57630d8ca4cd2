"""`arena play`: a person at a table with bots, in the terminal or in a browser."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import trio

from arena.bot.chair import Chair
from arena.cli.friendly import Words, friendly_of
from arena.cli.options import deal_key, sandbox_option
from arena.cli.output import echo
from arena.cli.parameters import OneOf
from arena.cli.process import FAILED, INTERRUPTED, run_async
from arena.cli.seat import Left, Seat
from arena.games import GAMES
from arena.link.streams.trio_thread import in_trio
from arena.page.listening import DEFAULT_LISTEN
from arena.report.game_log import game_steps, outcome_lines
from arena.runner.entrants import Entrant
from arena.runner.rooms.room import Played
from arena.runner.sitting.friendly import BotMissing, play_friendly
from arena.table.record import Record
from arena.text import one_line

_YOU = "you"
_BANK, _MOVE = "30m", "5m"


@click.command()
@click.argument("game", metavar="GAME", type=OneOf(list(GAMES)))
@click.option(
    "--against",
    "bots",
    multiple=True,
    required=True,
    metavar="BOT",
    help="A folder or an address; several may be given.",
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
@click.option(
    "--serve",
    "listen",
    is_flag=False,
    flag_value=DEFAULT_LISTEN,
    metavar="[HOST:PORT]",
    help=f"Play in a browser instead, on a page that is served there (default: {DEFAULT_LISTEN}).",
)
def play(seed: str | None, listen: str | None, **given: Any) -> None:
    """Lets you play a game against bots.

    You play in the terminal. You see what a bot in your seat would be told, and choose by number or by
    words. Nothing is played before you confirm it. The bots play with their own clocks, you with yours.
    When the game is over, you can see all of it, with the cards of all players.

    With --serve you play on a page. The first person who opens the printed address and sits down plays,
    and may play again on other boards. Nothing is kept after the page ends; Ctrl-C ends it.

    Exit code 0: played, or served; 1: a bot never came; 130: you left.
    """
    words = Words(**given)  # the other options are its fields
    friendly = friendly_of(words)
    key = deal_key(seed)
    if listen is not None:
        from arena.cli.friendly_page import serve_friendly  # only here, because it loads much

        serve_friendly(words, friendly, key, listen)
        return
    chair = Chair()
    with chair.served() as address, TemporaryDirectory(prefix="arena-play-") as logs:
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
