"""Commands on whole leagues: `arena list`, `backup`, `export`, `import` and `verify`."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

import click

from arena.cli.options import file_or_place, league_argument
from arena.cli.output import echo, echo_json, escaped_json, say_engine, screen_width, status_line
from arena.cli.process import FAILED, INTERRUPTED
from arena.engine import RULES_IN_PYTHON
from arena.hosting.place import Place
from arena.league.store import DamagedLeague, League
from arena.league.store.chain import FIRST
from arena.report.tournaments import list_json, list_text
from arena.text import counted, installing, one_line

_STEP = 200  # games between two updates of the progress
_MOST = 100  # problems that are printed


@click.command("list")
@league_argument
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def list_tournaments(league: Path, as_json: bool) -> None:
    """Lists the tournaments of a league.

    The list says when each was played, how far it is, and who won.
    """
    with League.read(league) as store:
        store.require_sound()
        if as_json:
            echo_json(list_json(store))
        else:
            echo(list_text(store, screen_width()))


@click.command()
@click.argument("league", type=click.Path(path_type=Path), callback=file_or_place)
@click.argument("copy", type=click.Path(path_type=Path))
def backup(league: Path | Place, copy: Path) -> None:
    """Copies a league, also while it is played.

    Of a league file, COPY is a new file: a league like any other, on which standings, verify and resume
    work. Of the folder of a standing league, COPY is a new folder with all that the league needs. To
    restore it, here or on another machine, put COPY anywhere and run arena club up on it.
    """
    if isinstance(league, Place):
        _copy_folder(league, copy)
        league = league.folder
    else:
        with League.read(league) as store:
            store.backup(copy)
    echo(f"{league} is copied to {copy}")


def _copy_folder(place: Place, copy: Path) -> None:
    """Copies a standing league into a new folder. Raises UsageError, CannotRun."""
    from arena.cli.club import using  # only here, because these load much
    from arena.hosting.backup import back_up

    if copy.exists():
        raise click.UsageError(f"{copy} exists already; give the name of a new folder")
    with using(copy):
        back_up(Place(place.folder.resolve()), Path(os.path.abspath(copy)))


@click.command("export")
@league_argument
@click.option("--tournament", type=click.IntRange(min=1), help="Only this tournament (default: all).")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A new file to write (default: standard output).",
)
@click.option(
    "--parquet",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write tables to a new FOLDER instead, for DuckDB, Polars and pandas.",
)
@click.option("--public", "only_public", is_flag=True, help="Only what everybody may have.")
def export_league(
    league: Path, tournament: int | None, output: Path | None, parquet: Path | None, only_public: bool
) -> None:
    """Writes the finished tournaments as JSON or tables.

    Other programs can read it, and arena import adds it to another league. Every line is a LeagueLine,
    as proto/arena/v1/league.proto describes it: each tournament with its file, key and entrants, each
    game with its result, its record and its thinking times. An unfinished tournament is left out,
    because its key is still secret; to move it, copy the league (`arena backup`).

    --parquet writes tables of tournaments, entrants, games, seats, decisions and faults, and a README.md
    that says what each column is.

    --public leaves out what visitors of the page do not see: the tournament file, the folders and addresses
    of the bots, the words of faults, the times of decisions, and what the bots thought. The page offers the
    same for download. arena import reads these lines too.
    """
    from arena.league.interchange import export_lines  # only here, because it loads much

    if parquet is not None:
        if output is not None:
            raise click.UsageError("give either --output or --parquet")
        _write_tables(league, tournament, parquet, only_public)
        return
    with League.read(league) as store:
        store.require_sound()
        for item in store.tournaments():
            if tournament in (None, item.id):
                store.require_sound(tournament=item.id)
        lines = export_lines(store, tournament, only_public=only_public)
        if output is None:
            for line in lines:
                echo(escaped_json(line))
            return
        first = next(lines)  # finds a damaged league before it makes a file
        _write(output, itertools.chain([first], lines))
        unfinished = sum(item.finished is None for item in store.tournaments())
    left_out = f" ({unfinished} unfinished left out)" if unfinished and tournament is None else ""
    echo(f"{league} is exported to {output}{left_out}", err=True)


def _write_tables(league: Path, tournament: int | None, folder: Path, only_public: bool) -> None:
    """Writes the tables of a league to a new folder."""
    try:
        from arena.league.dataset import write_dataset  # only here: pyarrow is no dependency
    except ModuleNotFoundError:
        raise click.UsageError(
            f"--parquet needs pyarrow: {installing('parquet')} in a clone of the arena"
        ) from None

    with League.read(league) as store, status_line("exporting ...") as show:
        for item in store.tournaments():
            if tournament in (None, item.id):
                store.require_sound(tournament=item.id)

        def on_game(games: int) -> None:
            if games % _STEP == 0:
                show(f"exporting ... {counted(games, 'game')}")

        try:
            games = write_dataset(store, folder, tournament, on_game, only_public=only_public)
        except FileExistsError:
            raise click.UsageError(f"{folder} exists already; give the name of a new folder") from None
        except OSError as problem:
            raise click.UsageError(f"{folder} cannot be written: {problem.strerror}") from None
    echo(
        f"{league} is exported to {folder}: {counted(games, 'game')}; README.md says what is there", err=True
    )


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
    """Adds exported tournaments to a league.

    FILE is what `arena export` wrote; - is standard input. If there is no file LEAGUE, a new league is
    made. Everything is verified first, as `arena verify` does it. If anything is wrong, or a tournament
    is in the league already, nothing is added.
    """
    from arena.league.interchange import import_lines

    with status_line("importing ...") as show:

        def on_games(games: int) -> None:
            if games % _STEP == 0:
                show(f"importing ... {games} games verified")

        tournaments = import_lines(file, file.name, league, on_games)
    for tournament in tournaments:
        echo(f"tournament {tournament.id} of {league}: {tournament.name}", err=True)


@click.command()
@league_argument
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.option(
    "--python",
    is_flag=True,
    help="Play the records by the rules in Python, even if the native engine is installed.",
)
def verify(league: Path, as_json: bool, python: bool) -> None:
    """Checks a league, and says what is wrong and where.

    It recomputes the commitment to the deals, derives every board, plays every record again by the
    rules, recomputes every result and the schedule, and checks the hash chain over everything stored.
    It prints the chain's last link: write it down, and nobody can change what came before without being
    found out. The native engine plays the records again if it is installed. Exit code 1: something is wrong.
    """
    from arena.league.verification import Problem, Verification, Verified  # it loads much

    rules = RULES_IN_PYTHON if python else say_engine()
    problems: list[Problem] = []
    done = Verified(0, 0, FIRST)
    interrupted = False
    try:
        with League.read(league) as store, status_line("verifying ...") as show:
            verification = Verification(store, native=not python)
            for item in verification.problems():
                done = verification.verified
                if item is not None:
                    problems.append(item)
                elif done.games % _STEP == 0:
                    show(f"verifying ... {done.games} games")
    except DamagedLeague as damage:
        problems.append(Problem("file", str(damage)))
    except KeyboardInterrupt:
        interrupted = True
    if as_json:
        echo_json(
            {
                "tournaments": done.tournaments,
                "games": done.games,
                "head": done.head.hex(),
                "replayed_by": rules,
                "problems": [problem._asdict() for problem in problems],
                "interrupted": interrupted,
            }
        )
    else:
        for problem in problems[:_MOST]:
            echo(one_line(f"{problem.where}: {problem.what}"))
        if len(problems) > _MOST:
            echo(f"... and {len(problems) - _MOST} more")
        well = "interrupted before the end" if interrupted else "all is well"
        state = counted(len(problems), "problem") if problems else well
        echo(f"{counted(done.tournaments, 'tournament')}, {counted(done.games, 'game')}: {state}")
        echo(f"replayed by the {rules}")
        echo(f"last link of the chain: {done.head.hex()}")
    if interrupted:
        sys.exit(INTERRUPTED)
    if problems:
        sys.exit(FAILED)
