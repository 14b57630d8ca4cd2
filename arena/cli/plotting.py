"""The option `--plot`, and what it needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.runner.night.settings import CannotRun
from arena.text import installing

if TYPE_CHECKING:
    from arena.runner.leagues.compared import ComparisonSummary

KINDS = (".svg", ".png", ".pdf")


def _kind(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in KINDS:
        raise click.BadParameter(f"{path} ends in none of {', '.join(KINDS)}")
    return path


plot_option = click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_kind,
    help="Draw the scores with their intervals, board by board, into FILE.svg, .png or .pdf.",
)


def require_plotting(path: Path | None) -> None:
    """Raises CannotRun where a plot is asked for and cannot be drawn."""
    if path is None:
        return
    try:
        import matplotlib as matplotlib
    except ImportError:
        raise CannotRun(
            f"--plot needs matplotlib: {installing('plot')} in a clone of the arena, or leave it out"
        ) from None
    if not path.resolve().parent.is_dir():
        raise CannotRun(f"{path} cannot be written: there is no folder {path.resolve().parent}")


def write_plot(summary: ComparisonSummary, path: Path) -> None:
    """Draws a comparison. Raises CannotRun where the file cannot be written."""
    from arena.report.comparison_plot import draw

    try:
        draw(summary, path)
    except OSError as error:
        raise CannotRun(f"{path} cannot be written: {error.strerror}") from None
