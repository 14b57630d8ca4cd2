"""A friendly game on a page, from the words of a command line: the page, and the process that plays."""

from __future__ import annotations

import contextlib
import json
import os
from functools import partial
from pathlib import Path

from arena.cli.friendly import Words, friendly_of
from arena.cli.output import echo
from arena.cli.process import first_error
from arena.games import GAMES
from arena.league.store import League
from arena.link.local.build import BuildError
from arena.processes.loading import program_of
from arena.referee.sitting.friendly import BotMissing
from arena.seat.friendly.game import Friendly
from arena.seat.friendly.games import play_games
from arena.seat.friendly.page import compose
from arena.seat.person import Pipe
from arena.temporary import temporary_folder
from arena.text import one_line
from arena.view.listening import listening, url_of
from arena.view.serving.server import serve


def serve_friendly(words: Words, friendly: Friendly, key: bytes, listen: str) -> None:
    """Serves the page of a friendly game until it is interrupted. Raises CannotRun."""
    listener = listening(listen)
    others = ", ".join(one_line(bot.name) for bot in friendly.bots)
    title = f"{GAMES[words.game].title} with {others}"
    echo(f"{title}: {url_of(listener)}")
    with temporary_folder() as folder:
        league = Path(folder) / "friendly.league"
        League.create_or_open(league).close()
        command = program_of("arena.cli.friendly_page", str(league), json.dumps(words._asdict()))
        page = partial(compose, league, title, command, {"key": key.hex()})
        with contextlib.suppress(KeyboardInterrupt):
            serve(listener, page, first=True)  # the page starts the bots


def main(league: str, words: str) -> None:
    """Plays friendly games with the person who sits down, in a process that ends when its input ends."""
    pipe, wanted = Pipe(), Words(**json.loads(words))

    def game(further: int) -> Friendly:
        return friendly_of(wanted._replace(seat=(wanted.seat + further) % seats))

    try:
        seats = friendly_of(wanted).rules.seats
        play_games(pipe, Path(league), game)
    except BaseException as trouble:  # noqa: BLE001 - of any kind: only the page can tell the person
        error = first_error(trouble)
        known = isinstance(error, (BotMissing, BuildError))
        pipe.end(str(error) if known else f"the game went wrong: {type(error).__name__}: {error}")
    os._exit(0)  # a thread may still wait for the person
