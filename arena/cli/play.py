"""`arena play`: a person at a table with bots, in the terminal or in a browser."""

from __future__ import annotations

import contextlib
import secrets
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import trio

from arena.bot.chair import Chair
from arena.cli.friendly import Words, friendly_of
from arena.cli.options import sandbox_option
from arena.cli.output import echo
from arena.cli.parameters import OneOf
from arena.cli.process import FAILED, INTERRUPTED, first_error
from arena.cli.seat import Left, Seat
from arena.games import GAMES
from arena.page.listening import DEFAULT_LISTEN
from arena.report.game_log import game_steps, outcome_lines
from arena.runner.entrants import Entrant
from arena.runner.rooms.room import Played, Seating
from arena.runner.sitting.friendly import NobodyThere, play_friendly
from arena.table.deal import KEY_BYTES, key_of_seed
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
@click.option("--seat", type=click.IntRange(min=0), default=0, show_default=True, help="Where you sit.")
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
def play(
    game: str,
    bots: tuple[str, ...],
    seat: int,
    seed: str | None,
    bank: str,
    move: str,
    options: tuple[str, ...],
    sandbox: str | None,
    listen: str | None,
) -> None:
    """Lets you play a game against bots, in the terminal or in a browser.

    You see what a bot in your seat would be told, and choose by number or by words. Nothing is
    played before you confirm it. The bots play with their own clocks, you with yours. When the game
    is over you can see all of it, with everybody's cards.

    With --serve you play on a page. The first person who opens the printed address and sits down
    plays, and may play again on other boards. Nothing is kept after the page ends; Ctrl-C ends it.

    Exit code 0: played, or served; 1: a bot never came; 130: you left.
    """
    words = Words(game, bots, seat, bank, move, options, sandbox)
    friendly = friendly_of(words)
    key = secrets.token_bytes(KEY_BYTES) if seed is None else key_of_seed(seed)
    if listen is not None:
        from arena.cli.friendly_page import serve_friendly  # only here, for it loads much

        serve_friendly(words, friendly, key, listen)
        return
    chair = Chair()
    with chair.served() as address, TemporaryDirectory(prefix="arena-play-") as logs:
        entrants = friendly.with_person(Entrant(_YOU, address=address))
        names = [entrant.name for entrant in entrants]
        table = _Table(friendly.seating("friendly", key), entrants, Path(logs))
        table.start()
        try:
            Seat(chair, names, input).play(table.over)
        except (Left, KeyboardInterrupt):
            echo("\nYou left the game.", err=True)
            sys.exit(INTERRUPTED)
        finally:
            table.stop()
        played = table.result()
    _show_end(played, names)


class _Table:
    """The game while it is played, in a thread of its own: the person has this one."""

    def __init__(self, seating: Seating, entrants: list[Entrant], logs: Path) -> None:
        self.over = threading.Event()
        self._played: Played | None = None
        self._error: BaseException | None = None
        self._scope = trio.CancelScope()
        self._token: trio.lowlevel.TrioToken | None = None
        self._arguments = seating, entrants, logs
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Lets the bots come and the game begin."""
        self._thread.start()

    def _run(self) -> None:
        try:
            trio.run(self._play)
        except BaseException as error:  # noqa: BLE001 - told in the person's thread
            self._error = error
        finally:
            self.over.set()

    async def _play(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        with self._scope:
            self._played = await play_friendly(*self._arguments, lambda line: echo(one_line(line), err=True))

    def stop(self) -> None:
        """Ends the game before it is over."""
        if self._token is not None:
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(self._scope.cancel)
        self._thread.join()

    def result(self) -> Played:
        """The game, which is over. Raises what went wrong; exits where a bot never came."""
        if self._error is not None:
            error = first_error(self._error)
            if isinstance(error, NobodyThere):
                echo(f"arena: {error}", err=True)
                sys.exit(FAILED)
            raise error
        assert self._played is not None
        return self._played


def _show_end(played: Played, names: list[str]) -> None:
    """How it ended, and all of it where that is wished."""
    record = played.record
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
