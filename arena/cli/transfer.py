"""`arena export` and `arena import`: a league's finished tournaments as a text file, and back."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

import click
from rich.console import Console

from arena.cli.common import league_argument
from arena.cli.output import echo, escaped_json
from arena.runner.leagues.interchange import export_lines, import_lines
from arena.store import League

_STEP = 200  # games between two updates of the progress


@click.command("export")
@league_argument
@click.option("--tournament", type=click.IntRange(min=1), help="Only this tournament (default: all).")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A new file to write (default: standard output).",
)
def export_league(league: Path, tournament: int | None, output: Path | None) -> None:
    """Writes the finished tournaments of a league as lines of JSON, for other programs and other leagues.

    Every line is a LeagueLine, as proto/arena/v1/league.proto describes it: each tournament with
    its file, key and entrants, each game with its result, its record and its thinking times. An
    unfinished tournament is left out, because its key is still secret; to move it, copy the league
    (`arena backup`).
    """
    with League.read(league) as store:
        store.require_sound()
        for item in store.tournaments():
            if tournament in (None, item.id):
                store.require_sound(tournament=item.id)
        lines = export_lines(store, tournament)
        if output is None:
            for line in lines:
                echo(escaped_json(line))
            return
        first = next(lines)  # what is wrong with the league shows before a file is made
        _write(output, itertools.chain([first], lines))
        unfinished = sum(item.finished is None for item in store.tournaments())
    left_out = f" ({unfinished} unfinished left out)" if unfinished and tournament is None else ""
    echo(f"{league} is exported to {output}{left_out}", err=True)


def _write(path: Path, lines: Iterable[str]) -> None:
    """Writes a new file, whole or not at all."""
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise click.UsageError(f"{path} exists already; give the name of a new file") from None
    except OSError as problem:
        raise click.UsageError(f"{path} cannot be written: {problem.strerror}") from None
    try:
        with file:
            file.writelines(f"{line}\n" for line in lines)
    except BaseException as problem:
        path.unlink(missing_ok=True)
        if isinstance(problem, OSError):
            raise click.UsageError(f"{path} cannot be written: {problem.strerror}") from None
        raise


@click.command("import")
@click.argument("file", type=click.File(encoding="utf-8"))
@league_argument
def import_league(file: TextIO, league: Path) -> None:
    """Adds the tournaments in FILE, which `arena export` wrote, to a league, or makes a new league of them.

    Everything is verified first, as `arena verify` does it. If anything is wrong, or a tournament
    is in the league already, nothing is added. FILE can be - for standard input.
    """
    with Console(stderr=True).status("importing ...") as status:

        def on_games(games: int) -> None:
            if games % _STEP == 0:
                status.update(f"importing ... {games} games verified")

        tournaments = import_lines(file, file.name, league, on_games)
    for tournament in tournaments:
        echo(f"tournament {tournament.id} of {league}: {tournament.name}", err=True)
