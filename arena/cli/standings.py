"""`arena standings`: all tables of a tournament, recomputed from the league file."""

from __future__ import annotations

import csv
import sys
from datetime import datetime
from pathlib import Path

import click

from arena.cli.common import choose_tournament, league_argument, tournament_option
from arena.cli.luck import less_luck_option, require_settled
from arena.cli.output import echo, echo_json, screen_width
from arena.cli.plotting import plot_option, require_plotting, write_plot
from arena.report.company_text import company_json, company_rows, company_text
from arena.report.outcome import outcome_json, outcome_of, outcome_rows, outcome_text
from arena.report.standings_data import summary_markdown
from arena.runner.leagues.compared import ComparisonSummary
from arena.runner.leagues.stored import plan_of
from arena.runner.leagues.summary import Summary, company_of
from arena.store import League


@click.command()
@league_argument
@tournament_option
@click.option(
    "--at",
    type=click.DateTime(["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"]),
    help="The standings at an earlier moment (local time).",
)
@click.option(
    "--no-intervals",
    is_flag=True,
    help="Leave out the intervals of ratings and scores, which take a minute for 300 bots.",
)
@click.option(
    "--pairs",
    is_flag=True,
    help="Print instead which bots seem to help each other at tables of three and more.",
)
@less_luck_option
@plot_option
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, with exact scores.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the overall standings, or all pairs, as CSV.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print standings and ranking as Markdown.")
def standings(
    league: Path,
    tournament: int | None,
    at: datetime | None,
    no_intervals: bool,
    pairs: bool,
    less_luck: bool,
    plot: Path | None,
    as_json: bool,
    as_csv: bool,
    as_markdown: bool,
) -> None:
    """Prints the tables of a league's tournament: overall, per game, crosstable, bracket, faults, times.

    They are computed from the stored games each time, also while the tournament is running.
    """
    if as_json + as_csv + as_markdown > 1:
        raise click.UsageError("choose one of --json, --csv and --markdown")
    if pairs and as_markdown:
        raise click.UsageError("give either --pairs or --markdown")
    if pairs and no_intervals:
        raise click.UsageError("--pairs tells nothing without intervals: leave out --no-intervals")
    if pairs and plot is not None:
        raise click.UsageError("give either --pairs or --plot")
    require_plotting(plot)
    with League.read(league) as store:
        chosen = choose_tournament(store, tournament)
        moment = at and at.astimezone()
        if moment is not None and moment < chosen.started:
            began = chosen.started.astimezone().strftime("%Y-%m-%d %H:%M:%S")
            raise click.BadParameter(
                f"tournament {chosen.id} began only at {began}; give that or a later moment",
                param_hint="--at",
            )
        if pairs:
            if plan_of(chosen).compares:
                raise click.UsageError(
                    f"tournament {chosen.id} is a comparison, where company is set: leave out --pairs"
                )
            company = company_of(store, chosen.id, moment)
        elif plot is not None and not plan_of(chosen).compares:
            raise click.UsageError("--plot draws comparisons alone (arena compare): leave it out")
        else:
            if less_luck:
                require_settled(plan_of(chosen))
            outcome = outcome_of(store, chosen.id, moment, intervals=not no_intervals, less_luck=less_luck)
    if plot is not None and isinstance(outcome, ComparisonSummary):
        write_plot(outcome, plot)
        echo(f"the plot is in {plot}", err=True)
    if as_json:
        echo_json(company_json(company) if pairs else outcome_json(outcome))
    elif as_markdown and isinstance(outcome, Summary):
        echo(summary_markdown(outcome).rstrip("\n"))
    elif as_markdown:
        raise click.UsageError("a comparison has no standings; leave out --markdown")
    elif as_csv:
        lines = company_rows(company) if pairs else outcome_rows(outcome)
        csv.writer(sys.stdout, lineterminator="\n").writerows(lines)
    else:
        echo(company_text(company, screen_width()) if pairs else outcome_text(outcome, screen_width()))
