"""`arena compare`: finds which of several bots is better, as surely as asked, in few games."""

from __future__ import annotations

import csv
import dataclasses
import re
import sys
from pathlib import Path
from typing import Any, Final

import click

from arena.cli.options import (
    asked_of,
    clock_of,
    clock_options,
    deal_key,
    league_path,
    less_luck_option,
    options_of,
    plot_option,
    require_plotting,
    sandbox_option,
    trust_at,
    write_plot,
)
from arena.cli.output import echo, echo_json, screen_width
from arena.cli.parameters import OneOf
from arena.cli.playing import Playing, cluster_option, play, workers_option
from arena.formats.comparison import DEFAULT_CAP, MAX_CAP, ComparisonFormat
from arena.games import GAMES
from arena.league.compared import ComparisonSummary, summarize_comparison, worst_losses
from arena.league.comparison_file import ComparisonRequest, comparison_file
from arena.league.store import League, StoredTournament
from arena.league.stored import course_of, plan_of, require_luck, stored_tournament
from arena.league.tournament_file import MAX_SEATS, TournamentFile, places_of, require_sandboxes
from arena.link.local.sandbox import Asked
from arena.referee.night.settings import CannotRun
from arena.referee.night.tournament import require_whole
from arena.referee.sitting.sitting import DEFAULT_CONCURRENCY
from arena.report.comparison_text import comparison_json, comparison_rows, comparison_text
from arena.text import counted, one_line, shell_word
from arena.tournament.plan import Plan
from arena.tournament.rulings import Extend, ruling_for

PLANNED: Final = 20
"""The number of boards of each game that a plan needs."""

_UNSAFE = re.compile(r"[^\w.-]+")


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="A B [C...]")
@click.option(
    "--game",
    "games",
    multiple=True,
    type=OneOf(list(GAMES)),
    help="Only this game; may be given several times (default: all that the bots play).",
)
@click.option(
    "--seats",
    type=click.IntRange(2, MAX_SEATS),
    default=2,
    show_default=True,
    help="Seats of a table; from three on, one bot replaces another in the same seat, board and company.",
)
@click.option(
    "--company",
    metavar="BOT",
    help="The bot that fills tables of three and more (default: copies of the replaced bot).",
)
@click.option("--all-pairs", is_flag=True, help="Compare all pairs, and not only each bot with the first.")
@click.option(
    "--best",
    is_flag=True,
    help="Find out which bot is the best: those that are shown to be beaten play no more.",
)
@click.option(
    "--cap",
    type=click.IntRange(1, MAX_CAP),
    help=f"The most boards of each game (default: {DEFAULT_CAP:,}).",
)
@click.option(
    "--boards",
    type=click.IntRange(1, MAX_CAP),
    help="Play exactly this many boards of each game.",
)
@click.option(
    "--plan",
    "only_plan",
    is_flag=True,
    help=f"Say how many boards this will take, from those in the league, or from {PLANNED} played now.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0.1, 25),
    metavar="PERCENT",
    help="The smallest difference from 50 % that matters, in percentage points (default: 5).",
)
@click.option(
    "--error",
    type=click.FloatRange(0.0001, 25),
    metavar="PERCENT",
    help="How often the finding over all games may be wrong (default: 5).",
)
@click.option(
    "--game-error",
    type=click.FloatRange(0.0001, 25),
    metavar="PERCENT",
    help="How often the finding about a game may be wrong (default: 1; with --boards 5).",
)
@clock_options
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="GAME.NAME=VALUE",
    help="An option of a game, such as nyuri.contest=open (arena games lists them).",
)
@click.option(
    "--league",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=league_path,
    help="The league file that keeps the games (default: A-against-B.league in this folder).",
)
@click.option(
    "--seed", help="Any text; makes the boards reproducible, and with deterministic bots everything."
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 10_000),
    default=DEFAULT_CONCURRENCY,
    show_default=True,
    help="How many tables are played at once; the findings do not depend on it.",
)
@workers_option
@cluster_option
@sandbox_option("How bots that the arena starts are contained (default: basic).")
@less_luck_option
@plot_option
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON, and nothing else.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the findings as CSV, one row a question.")
def compare(
    all_pairs: bool,
    best: bool,
    only_plan: bool,
    cap: int | None,
    boards: int | None,
    options: tuple[str, ...],
    league: Path | None,
    seed: str | None,
    concurrency: int,
    workers: int | None,
    cluster: str | None,
    sandbox: str | None,
    less_luck: bool,
    plot: Path | None,
    as_json: bool,
    as_csv: bool,
    clock: dict[str, str],
    **given: Any,  # the other options, as fields of `ComparisonRequest`
) -> None:
    """Says which bot is better, and how sure that is.

    A, B and C are folders with a bot.toml, or addresses. Every board is played from all seats, with the
    same cards. The comparison stops as soon as it is sure which bot is better, or that no difference is
    large enough to matter. You may watch it all the time: that does not weaken the result. With
    --boards it plays a fixed number of boards. With --best it looks for the best of many bots.

    All games are stored in a league, which arena standings, verify, replay and export read. As long as
    a question is open, the same command, also with more boards, continues where it stopped; so does
    arena resume. After that it begins another comparison in the league. docs/comparing.md explains
    each word of the findings.

    Exit code 0: played; 1: played, but a bot never came; 2: it cannot start; 130: stopped by
    Ctrl-C, SIGTERM or SIGHUP.
    """
    if cap is not None and boards is not None:
        raise click.UsageError("give either --cap or --boards")
    if as_json and as_csv:
        raise click.UsageError("choose one of --json and --csv")
    if best and (all_pairs or boards is not None or less_luck):
        raise click.UsageError(
            "--best decides itself what is played: leave --all-pairs, --boards and --less-luck out"
        )
    if only_plan and (
        best or less_luck or boards is not None or cap is not None or as_csv or plot is not None
    ):
        raise click.UsageError(
            "--plan does not go with --best, --less-luck, --boards, --cap, --csv and --plot"
        )
    if only_plan:
        cap = PLANNED
    wanted = ComparisonRequest(
        pairs="best" if best else "all" if all_pairs else "first",
        boards=boards or cap or DEFAULT_CAP,
        stops=boards is None,
        less_luck=less_luck and boards is None,
        options=options_of(options),
        clock=clock_of(clock),
        trust=trust_at(sandbox),
        **given,
    )
    if len(wanted.bots) < 2:
        raise click.UsageError("give two bots or more; one bot against itself is given twice")
    if wanted.company is not None and wanted.seats == 2:
        raise click.UsageError("--company is for tables of three and more: add --seats")
    file = comparison_file(wanted)
    require_sandboxes(file)
    path = league or Path(f"{_UNSAFE.sub('-', file.plan.name).lstrip('.-') or 'comparison'}.league")
    require_plotting(plot)

    def show_plan(summary: ComparisonSummary) -> None:
        from arena.report.plan_text import plan_json, plan_rows, plan_text  # NumPy takes long to load

        echo("simulating comparisons ...", err=True)
        rows = plan_rows(summary)
        if as_json:
            echo_json({**plan_json(summary, rows), "interrupted": False})
        else:
            echo(plan_text(summary, rows, screen_width()))
        then = (
            f"They answer all questions: arena standings {shell_word(path)}"
            if summary.settled
            else "The same command without --plan goes on with them."
        )
        echo(f"\nThe boards are in {path}. {then}", err=True)

    def show(comparison: int, interrupted: bool) -> None:
        if only_plan and not interrupted:
            show_plan(summarize_comparison(store, comparison))
            return
        takes_luck = less_luck and boards is not None and not interrupted
        if takes_luck:
            echo("taking luck away ...", err=True)
        summary = summarize_comparison(store, comparison, less_luck=takes_luck)
        if as_json:
            echo_json({**comparison_json(summary), "interrupted": interrupted})
        elif as_csv:
            csv.writer(sys.stdout, lineterminator="\n").writerows(comparison_rows(summary))
        else:
            echo(comparison_text(summary, screen_width()))
        if plot is not None and not interrupted:
            write_plot(summary, plot)
            echo(f"\nthe plot is in {plot}", err=True)
        if not interrupted:
            word = shell_word(path)
            echo(f"\nThe games are in {path}: arena standings {word}, arena replay {word}", err=True)
            if losses := worst_losses(store, comparison, 0):
                first = one_line(summary.tournament.entrants[0].name)
                echo(f"\nWhere {first} lost most, and what each decision cost:", err=True)
                for loss in losses:
                    echo(f"  {loss.points} to {loss.most}: arena analyse {word} {loss.key}", err=True)

    with League.create_or_open(path) as store:
        unfinished = next((each for each in store.tournaments() if each.finished is None), None)
        if only_plan and (known := _known(store, file)) is not None:
            show_plan(known)
            return
        if unfinished is not None:
            file = _go_on(store, unfinished, file, wanted.boards, asked_of(sandbox))
            require_sandboxes(file)
            key = store.tournament_key(unfinished.id)
            if seed is not None and key != deal_key(seed):
                raise CannotRun(f"{path} was begun with another --seed, or without: leave it out to go on")
        else:
            key = deal_key(seed)
        how = Playing(concurrency=concurrency, workers=workers, cluster=cluster, as_json=as_json)
        play(
            file,
            store,
            key,
            how,
            contributions=seed is None,
            resumed=unfinished.id if unfinished else None,
            show=show,
        )


def _known(store: League, file: TournamentFile) -> ComparisonSummary | None:
    """The last comparison of these bots in a league; None if it has no board of some game."""
    for stored in reversed(store.tournaments()):
        if _is_comparison(stored) and _difference(stored, file) is None:
            summary = summarize_comparison(store, stored.id)
            if all(answer.scores for pair in summary.pairs for answer in pair.games):
                return summary
    return None


def _go_on(
    store: League, stored: StoredTournament, file: TournamentFile, boards: int, asked: Asked | None
) -> TournamentFile:
    """The unfinished comparison of a league, with the number of boards and the sandbox that are wanted now.

    Raises CannotRun if it is another comparison than the wanted one, and NeedsEngine.
    """
    echo(f"checking the league {store.path} ...", err=True)
    require_whole(store)
    if not _is_comparison(stored):
        raise CannotRun(
            f"{store.path} holds the unfinished tournament {stored.name!r}: go on with it by arena resume "
            f"{store.path}, or keep the comparison in another file with --league"
        )
    if (difference := _difference(stored, file)) is not None:
        word = shell_word(store.path)
        raise CannotRun(
            f"{store.path} holds an unfinished comparison with other {difference}: go on with it by arena "
            f"resume {word}, end it by arena host end {word}, or keep this one in another file with --league"
        )
    course = course_of(store, stored.id)
    require_luck(course)
    more = boards - course.stages[0].round_count
    if more > 0 and not course.settled:
        ruling = ruling_for(Extend.kind, str(more), course, [bot.name for bot in stored.entrants])
        store.record_ruling(stored.id, ruling.to_json(), "")
        echo(f"{counted(more, 'more board')} of each game", err=True)
    return stored_tournament(store, stored, asked)


def _is_comparison(stored: StoredTournament) -> bool:
    return isinstance(plan_of(stored).first, ComparisonFormat)


def _difference(begun: StoredTournament, asked: TournamentFile) -> str | None:
    """The first difference of two comparisons, apart from the number of boards; None if there is none."""
    plan = plan_of(begun)
    one, other = _format(plan), _format(asked.plan)
    pairs: dict[str, tuple[Any, Any]] = {
        "seats": (one.seats, other.seats),
        "bots": (places_of(begun.file_text, begun.file_path), places_of(asked.text, asked.path)),
        "games": (plan.games, asked.plan.games),
        "options": (plan.options, asked.plan.options),
        "clocks": (plan.clock, asked.plan.clock),
        "ways to end (--boards or not)": (one.stops, other.stops),
        "bets (--less-luck or not)": (one.less_luck, other.less_luck),
        "margins, errors or pairs": (
            dataclasses.replace(one, cap=1),
            dataclasses.replace(other, cap=1, betting=one.betting, baselines=one.baselines),
        ),
    }
    return next((what for what, (then, now) in pairs.items() if then != now), None)


def _format(plan: Plan) -> ComparisonFormat:
    (format_,) = plan.stages
    assert isinstance(format_, ComparisonFormat)
    return format_
