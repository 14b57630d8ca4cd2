"""`arena run`: a tournament from its file to its standings."""

from __future__ import annotations

import json
import secrets
import sys
from pathlib import Path

import click
import trio

from arena.cli.common import FAILED, INTERRUPTED, first_error, own_host
from arena.cli.progress import make_progress
from arena.report.standings_json import summary_json
from arena.report.standings_text import summary_text
from arena.runner.summary import summarize
from arena.runner.tournament import DEFAULT_CONCURRENCY, DEFAULT_LOBBY, Settings, run_tournament
from arena.runner.tournament_file import read_tournament
from arena.store import League
from arena.table.deal import KEY_BYTES, key_of_seed


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--league",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The league file that keeps the games (default: FILE's name with .league, in this folder).",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 10_000),
    help=f"How many tables are played at once (default: the file's, or {DEFAULT_CONCURRENCY}).",
)
@click.option(
    "--seed", help="Any text; makes the deals, and with deterministic bots the results, reproducible."
)
@click.option(
    "--lobby",
    metavar="HOST:PORT",
    default=DEFAULT_LOBBY,
    show_default=True,
    help="Where bots dial in, if the file has entrants with join = true.",
)
@click.option(
    "--start-after",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Begin after so long without bots that have not dialled in (default: wait for all, or Enter).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the standings as JSON, and nothing else.")
def run(
    file: Path,
    league: Path | None,
    concurrency: int | None,
    seed: str | None,
    lobby: str,
    start_after: float | None,
    as_json: bool,
) -> None:
    """Runs the tournament that FILE (TOML) describes and prints its standings.

    Bots given as folders are started and stopped; what they print is kept
    beside the league file. Every finished game is stored at once.
    Exit code 0: played to the end; 1: played, but a bot never came;
    2: it cannot be run as it is; 130: ended by Ctrl-C.
    """
    tournament = read_tournament(file)
    path = league or Path(f"{file.stem}.league")
    settings = Settings(
        key=secrets.token_bytes(KEY_BYTES) if seed is None else key_of_seed(seed),
        concurrency=concurrency or tournament.concurrency or DEFAULT_CONCURRENCY,
        logs=path.with_suffix(".logs"),
        lobby=lobby,
    )
    with League.create_or_open(path) as store:
        try:
            with make_progress(tournament, own_host(lobby), start_after) as progress:
                number = trio.run(run_tournament, tournament, store, settings, progress)
        except (KeyboardInterrupt, BaseExceptionGroup) as problem:
            error = first_error(problem)
            if isinstance(error, KeyboardInterrupt):
                click.echo(f"\narena: ended by Ctrl-C; the finished games are in {path}", err=True)
                sys.exit(INTERRUPTED)
            raise error from None
        summary = summarize(store, number)
    if as_json:
        click.echo(json.dumps(summary_json(summary), indent=2, ensure_ascii=False))
    else:
        click.echo(summary_text(summary))
        click.echo(f"\nThe games are in {path}: arena standings {path}, arena replay {path}", err=True)
    if progress.absent:
        sys.exit(FAILED)
