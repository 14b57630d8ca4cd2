"""The files of a finished tournament that a page offers for download: made once, and kept beside the league.

They are for everybody (`arena.league.public`). Their folder, `LEAGUE-downloads`, may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import tempfile
import zipfile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, NamedTuple

from arena.league.interchange import WrongExport, export_lines
from arena.league.store import League, StoredTournament, StoreError
from arena.processes.pool import Tell, do_jobs, told
from arena.table.record import BrokenRecord

LINES: Final = "jsonl.gz"
"""The ending of lines of JSON as `arena export` writes them, compressed."""

TABLES: Final = "parquet.zip"
"""The ending of tables for DuckDB, Polars and pandas, with their data card."""

ERRORS: Final = StoreError, WrongExport, BrokenRecord, OSError
"""What may go wrong while they are made."""

_STEP = 50  # games between two reports of the progress


class Job(NamedTuple):
    """The files of a tournament that are to be made: the league file, and the number of the tournament."""

    league: Path
    tournament: int


def download_path(league: Path, stored: StoredTournament, ending: str) -> Path:
    """Where a file about a tournament is kept: by its commitment, because numbers are those of one league."""
    return league.with_name(f"{league.name}-downloads") / f"{stored.key_commitment}.{ending}"


def program(asker: Connection) -> None:
    """What a worker of a pool runs that makes files."""
    with told(asker, *ERRORS):
        do_jobs(asker, make)


def make(job: Job, tell: Tell) -> None:
    """Makes the files of a finished tournament, all of them or none; without pyarrow there are no tables.

    Raises one of ERRORS, also if the tournament is not finished.
    """
    with League.read(job.league, only_shown=True) as league:
        league.require_sound(tournament=job.tournament)
        stored = league.tournament(job.tournament)
        events = max(1, sum(1 for _ in league.games(job.tournament)))
        lines, tables = (download_path(job.league, stored, ending) for ending in (LINES, TABLES))
        lines.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=lines.parent) as folder:
            half = Path(folder)
            with gzip.open(half / LINES, "wt", compresslevel=6, encoding="utf-8") as file:
                for number, line in enumerate(export_lines(league, job.tournament, only_public=True)):
                    file.write(f"{line}\n")
                    if number % _STEP == 0:
                        tell(min(1.0, number / events) / 2)
            with contextlib.suppress(ModuleNotFoundError):
                from arena.league.dataset import write_dataset  # only here: pyarrow is no dependency

                def on_game(games: int) -> None:
                    if games % _STEP == 0:
                        tell(0.5 + games / events / 2)

                write_dataset(league, half / "tables", job.tournament, on_game, only_public=True)
                with zipfile.ZipFile(half / TABLES, "w") as archive:  # the tables are compressed already
                    for table in sorted((half / "tables").iterdir()):
                        archive.write(table, table.name)
                os.replace(half / TABLES, tables)
            os.replace(half / LINES, lines)
