"""`arena bench`: how fast the arena is on this machine."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from arena.bench.whole import TABLES, Result, run_bench
from arena.cli.options import sandbox_option
from arena.cli.output import echo, echo_json, say_engine, status_line
from arena.cli.process import run_async
from arena.games import BUILT_IN
from arena.kits import KITS, kits_folder
from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.local.build import build
from arena.link.local.ignored import STAMP
from arena.link.local.sandbox import Level, require
from arena.report.bench_text import bench_json, bench_text


@click.command()
@click.option(
    "--bot",
    type=click.Path(path_type=Path),
    help="Also measure with this bot (default: an example bot that is built already, if there is one).",
)
@click.option("--quick", is_flag=True, help="Measure for a tenth of the time, for a first look.")
@sandbox_option("How the bots are contained (default: basic), to measure what that costs.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, and nothing else.")
def bench(bot: Path | None, quick: bool, sandbox: str | None, as_json: bool) -> None:
    """Measures how fast the arena is on this machine.

    It measures gRPC alone, the referee end to end, the rules and verify, in under two minutes.

    The referee is measured as it is used: with bots in processes of their own, all rules, clocks and
    records, and every game stored durably in a league file in the current folder, which is removed
    afterwards. A decision is a turn that was answered; forced turns do not count. Compare figures of
    different runs only on a quiet machine; compare ratios within one run on any machine.
    """
    level = Level(sandbox) if sandbox else None
    if level is not None:
        require(level)
    played_by = say_engine()
    result = measure(_compiled(bot), 0.1 if quick else 1.0, level)
    if as_json:
        echo_json({**bench_json(result), "played_by": played_by})
    else:
        echo(f"the tables were played, and verified, by the {played_by}\n")
        echo(bench_text(result))


def measure(
    compiled: tuple[str, Path] | None,
    scale: float,
    level: Level | None,
    games: Sequence[str] = tuple(BUILT_IN),
    tables: Sequence[int] = TABLES,
) -> Result:
    """Measures in a folder in the current one, which it removes afterwards; see `run_bench`."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="arena-bench-", dir="."))
    except OSError as error:
        raise click.UsageError(
            f"nothing can be measured in {Path.cwd()}: {error.strerror}; go to a folder that you may write"
        ) from None
    try:
        with status_line("measuring ...") as show:
            return run_bench(
                folder.resolve(),
                compiled,
                scale,
                lambda what: show(f"measuring {what} ..."),
                level,
                games,
                tables,
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _compiled(bot: Path | None) -> tuple[str, Path] | None:
    """The name and the folder of the bot that is measured besides the Python bot."""
    if bot is None:
        built = (kits_folder() / kit.folder for kit in KITS.values())
        bot = next((folder for folder in built if (folder / STAMP).exists()), None)
    if bot is None:
        return None
    manifest = read_bot_manifest(bot)
    run_async(build, manifest, partial(echo, err=True))
    return manifest.name, manifest.folder
