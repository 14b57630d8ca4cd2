"""`arena standings`: all tables of a tournament, recomputed from the league file."""

from __future__ import annotations

import csv
import sys
from datetime import datetime
from pathlib import Path

import click

from arena.cli.common import choose_tournament, league_argument, tournament_option
from arena.cli.output import echo, echo_json, screen_width
from arena.report.outcome import outcome_json, outcome_of, outcome_rows, outcome_text
from arena.report.standings_markdown import summary_markdown
from arena.runner.leagues.summary import Summary
from arena.store import League


@click.command()
@league_argument
@tournament_option
@click.option(
    "--at",
    type=click.DateTime(["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"]),
    help="As it stood at an earlier moment (local time).",
)
@click.option(
    "--no-intervals",
    is_flag=True,
    help="Ratings without their intervals, which take minutes for hundreds of bots.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, with exact scores.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the overall standings as CSV.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print standings and ranking as Markdown.")
def standings(
    league: Path,
    tournament: int | None,
    at: datetime | None,
    no_intervals: bool,
    as_json: bool,
    as_csv: bool,
    as_markdown: bool,
) -> None:
    """Prints the tables of a league's tournament: overall, per game, crosstable, bracket, faults, times.

    They are computed from the stored games each time, also while the
    tournament is running.
    """
    if as_json + as_csv + as_markdown > 1:
        raise click.UsageError("choose one of --json, --csv and --markdown")
    with League.read(league) as store:
        chosen = choose_tournament(store, tournament)
        moment = at and at.astimezone()
        if moment is not None and moment < chosen.started:
            began = chosen.started.astimezone().strftime("%Y-%m-%d %H:%M:%S")
            raise click.BadParameter(
                f"tournament {chosen.id} began only at {began}; give that or a later moment",
                param_hint="--at",
            )
        outcome = outcome_of(store, chosen.id, moment, bootstrap=not no_intervals)
    if as_json:
        echo_json(outcome_json(outcome))
    elif as_markdown and isinstance(outcome, Summary):
        echo(summary_markdown(outcome).rstrip("\n"))
    elif as_markdown:
        raise click.UsageError("a comparison has no standings; leave out --markdown")
    elif as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(outcome_rows(outcome))
    else:
        echo(outcome_text(outcome, screen_width()))
