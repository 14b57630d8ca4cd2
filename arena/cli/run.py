"""`arena run`: a tournament from its file to its standings."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from arena.cli.addresses import require_port
from arena.cli.common import league_path
from arena.cli.output import echo
from arena.cli.page_beside import delay_option, page_beside, serve_option
from arena.cli.playing import play, playing_options
from arena.cli.tls import Security
from arena.runner.night.settings import CannotRun, Settings
from arena.runner.sitting.sitting import DEFAULT_CONCURRENCY
from arena.runner.tournament_file import read_tournament
from arena.store import League
from arena.table.deal import KEY_BYTES, key_of_seed


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--league",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=league_path,
    help="The league file that keeps the games (default: FILE's name with .league, in this folder).",
)
@click.option(
    "--seed", help="Any text; makes the deals reproducible, and with deterministic bots the results."
)
@serve_option
@delay_option
@playing_options
def run(
    file: Path,
    league: Path | None,
    seed: str | None,
    listen: str | None,
    watch_delay: float,
    concurrency: int | None,
    workers: int | None,
    cluster: str | None,
    lobby: str,
    start_after: float | None,
    as_json: bool,
    sandbox: str | None,
    security: Security,
) -> None:
    """Runs the tournament that FILE (TOML) describes and prints its standings.

    FILE needs a name and two or more [[entrant]] tables, each with one of bot = "FOLDER", address =
    "HOST:PORT", or join = true and a name; docs/tournament-file.md explains every key.

    Bots given as folders are built if needed, started and stopped; what they print is kept beside
    the league file. Every finished game is stored at once. If the tournament is stopped, however
    that happens, arena resume continues it.

    Exit code 0: played to the end; 1: played, but a bot never came; 2: it cannot be run as it is,
    or half of the bots to be started or dialled never came; 130: stopped by Ctrl-C, SIGTERM or
    SIGHUP.
    """
    require_port(lobby, "--lobby")
    tournament = read_tournament(file)
    path = league or Path(f"{file.stem}.league")
    with League.create_or_open(path) as store:
        earlier = store.tournaments()
        for stored in earlier:
            if stored.finished is None:
                raise CannotRun(
                    f"{path} holds the unfinished tournament {stored.name!r}: go on with it by arena resume "
                    f"{path}, or keep the new one in another file with --league"
                )
        if earlier:
            echo(f"{path} holds games already: this is its tournament {earlier[-1].id + 1}", err=True)
        settings = Settings(
            key=secrets.token_bytes(KEY_BYTES) if seed is None else key_of_seed(seed),
            concurrency=concurrency or tournament.concurrency or DEFAULT_CONCURRENCY,
            logs=path.with_suffix(".logs"),
            lobby=lobby,
            workers=workers,
            contributions=seed is None,
            tls=security.serving(path, lobby),
            require_tls=security.require_tls,
            one_time=security.one_time,
            watch_delay=watch_delay,
        )
        with page_beside(path, listen, settings.tls) as page:
            play(tournament, store, settings, start_after, as_json, sandbox, cluster=cluster, page=page)
