"""Commands that show how a tournament stands: `arena standings`, `season`, `watch` and `report`."""

from __future__ import annotations

import contextlib
import csv
import re
import sys
import time
from datetime import datetime
from pathlib import Path

import click

from arena.cli.options import (
    ONLY_SETTLED,
    choose_tournament,
    league_argument,
    less_luck_option,
    plot_option,
    require_plotting,
    tournament_option,
    write_plot,
)
from arena.cli.output import echo, echo_json, screen_size, screen_width, share_line
from arena.cli.parameters import OneOf
from arena.formats.comparison import ComparisonFormat
from arena.league.compared import ComparisonSummary
from arena.league.store import League
from arena.league.store.reading import Wanted
from arena.league.stored import plan_of, season_of
from arena.league.summary import Summary, company_of, night_of
from arena.report.company_text import company_json, company_rows, company_text
from arena.report.live_text import cluster_line, now_lines, watch_text
from arena.report.outcome import outcome_json, outcome_of, outcome_rows, outcome_text
from arena.report.standings_data import summary_markdown
from arena.report.tournaments import season_json, season_text
from arena.standings.season import season_table
from arena.text import counted, printable, size_text


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
    """Prints the standings of a tournament, with all details.

    They are: overall, per game, crosstable, bracket, faults, times. They are computed from the
    stored games each time, also while the tournament is running.
    """
    if as_json + as_csv + as_markdown > 1:
        raise click.UsageError("choose one of --json, --csv and --markdown")
    if pairs and as_markdown:
        raise click.UsageError("give either --pairs or --markdown")
    if pairs and no_intervals:
        raise click.UsageError("--pairs needs the intervals: leave out --no-intervals")
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
        format_ = plan_of(chosen).first
        comparison = format_ if isinstance(format_, ComparisonFormat) else None
        if pairs:
            if comparison is not None:
                raise click.UsageError(
                    f"tournament {chosen.id} is a comparison, which sets the company: leave out --pairs"
                )
            company = company_of(store, chosen.id, moment)
        elif plot is not None and comparison is None:
            raise click.UsageError("--plot draws only comparisons, as arena compare plays them: leave it out")
        else:
            if less_luck and (comparison is None or comparison.stops):
                raise click.UsageError(ONLY_SETTLED)
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


@click.command()
@league_argument
@click.option("--json", "as_json", is_flag=True, help="Print the standings as JSON, with exact scores.")
def season(league: Path, as_json: bool) -> None:
    """Prints the standings of a season, over its tournaments.

    The score of a bot in a tournament is the share of the other entrants that it finished ahead of, with
    ties counting half: 1 for the winner, 0 for the last. The season adds the scores up. Equal totals are
    ranked by tournaments won, then by the best single one. The season knows a bot by its entrant's name,
    whatever its version. Comparisons and ladders do not count.

    The ratings are one fit of all games of these tournaments. Each version of a bot has a rating of its
    own: the standings have that of the version that played last, and --json has all.
    """
    from arena.standings.season_ratings import season_ratings  # only here: NumPy takes long to load

    with League.read(league) as store:
        store.require_sound()
        for stored in store.tournaments():
            if stored.finished is not None:
                store.require_sound(tournament=stored.id)
        finished = season_of(store)
        nights = [night_of(store, stored) for stored in finished]
    rows, rated = season_table(nights), season_ratings(nights)
    titles = [f"{stored.name} ({stored.started:%Y-%m-%d})" for stored in finished]
    if as_json:
        echo_json(season_json(rows, rated, titles))
    else:
        echo(season_text(rows, rated, titles, screen_width()))


@click.command()
@league_argument
@tournament_option
@click.option(
    "--every",
    type=click.FloatRange(min=0.2),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="How often to look at the league.",
)
@click.option("--once", is_flag=True, help="Look once, and end.")
def watch(league: Path, tournament: int | None, every: float, once: bool) -> None:
    """Shows the standings live while a tournament is played.

    It also shows what is left to play, the faults, and while a run plays, who is away and at which tables it
    plays. What the host has not shown yet (reveal = "host") is not among it. Any number of these commands may
    run, and they do not disturb the games. It ends with the tournament, or at Ctrl-C.
    """
    from rich.console import Console  # only here, because these load much
    from rich.live import Live
    from rich.text import Text

    in_lines = once or not sys.stdout.isatty()
    live = Live(console=Console(highlight=False), auto_refresh=False, vertical_overflow="ellipsis")
    with contextlib.suppress(KeyboardInterrupt), contextlib.nullcontext() if in_lines else live:
        shown = ""
        while True:
            text, over = _look(league, tournament)
            if not in_lines:
                live.update(Text(printable(text), no_wrap=True, overflow="ellipsis"), refresh=True)
            elif text != shown:
                echo(text)
            if once or over:
                return
            shown = text
            time.sleep(every)


def _look(league: Path, tournament: int | None) -> tuple[str, bool]:
    """The standings and what is played now as text, and whether the tournament is over."""
    # Only here, because it loads much.
    from arena.referee.night.control import night_of as now_of
    from arena.referee.night.control import state_of

    with League.read(league, only_shown=True) as store:
        chosen, newest = choose_tournament(store, tournament), store.tournaments()[-1]
        outcome = outcome_of(store, chosen.id, intervals=False)
    width, height = screen_size()
    if isinstance(outcome, Summary):
        text, over = watch_text(outcome, width), outcome.tournament.finished is not None
    else:
        text, over = outcome_text(outcome, width), outcome.over
    lines: list[str] = []
    if chosen.id == newest.id and not over:  # else a run plays the next one
        if (statistics := state_of(league).cluster_statistics) is not None:
            lines.append(f"cluster: {cluster_line(statistics)}")
        room = height - len(text.splitlines()) - len(lines) - 2
        now = now_lines(now_of(league), room, width)
        lines += ["", *now] if now else []
    return "\n".join([text, *lines]), over


_LARGE = 5 << 20  # bytes
_LAST = 4_000_000  # bytes that the games of the last round may take
_LEAST = 2_000  # bytes that every game takes at least


@click.command()
@league_argument
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--replays",
    type=OneOf(["last", "all", "none"]),
    default="last",
    show_default=True,
    help="Which games people can watch in it: those of the last round, all, or none.",
)
@click.option(
    "--replay", "games", multiple=True, metavar="GAME", help="Only this game; may be given several times."
)
@click.option("--large", is_flag=True, help="Write the file even if it is larger than 5 MiB.")
@click.option(
    "--recap",
    is_flag=True,
    help="Write one page instead: the podium, the curve of the night, three games worth seeing.",
)
@click.option(
    "--address",
    metavar="URL",
    default="",
    help="With --recap: where you will put the file. Links to it then show a picture, a PNG beside it.",
)
@tournament_option
def report(
    league: Path,
    out: Path,
    replays: str,
    games: tuple[str, ...],
    large: bool,
    recap: bool,
    address: str,
    tournament: int | None,
) -> None:
    """Writes a tournament as one HTML file.

    The file holds standings, bracket, ratings, and games to watch. It needs no server and no network:
    you can send it to people and print it. Write GAME as arena replay lists it, such as
    1.3.2/nyuri/1.2.

    --recap writes a night on one page instead, for people who were not there. It has pictures of three
    games, each at its last lead change. On paper it takes one sheet.
    """
    if recap:
        if games or large or replays != "last":
            raise click.UsageError("a recap has no games to watch: leave out --replays, --replay and --large")
        _write_recap(league, out, address, tournament)
        return
    if address:
        raise click.UsageError("--address goes with --recap")
    from arena.cli.replay import parse_key  # only here, because these load much
    from arena.view.report_file import all_games, last_games, report_of

    with League.read(league, only_shown=True) as store:
        chosen = choose_tournament(store, tournament)
        if games:
            keys = [store.game(store.game_number(chosen.id, parse_key(game))).result.key for game in games]
        else:
            keys = {"last": last_games, "all": all_games, "none": lambda *_: []}[replays](store, chosen.id)
    is_default = replays == "last" and not games
    if not is_default:
        _require_small(len(keys) * _LEAST, large)  # before what takes long
    text, count = report_of(league, chosen.id, keys, _LAST if is_default and not large else None)
    size = len(text.encode("utf-8", "replace"))
    _require_small(size, large)
    _write_file(out, text.encode("utf-8", "replace"))
    games_in_it = counted(count, "game") if count else "no games"
    of_all = f" of the last round's {len(keys)}" if count < len(set(keys)) else ""
    echo(f"{out}: {chosen.name}, {games_in_it}{of_all} to watch, {size_text(size)}")


def _write_recap(league: Path, out: Path, address: str, tournament: int | None) -> None:
    """Writes a night on one page, and beside it its picture for link previews if it has an address."""
    from arena.view.report_file import picture_address, recap_of  # only here, because these load much

    if address and not re.fullmatch(r"https?://[^/?#\s]+/[^?#\s]*[^/?#\s]", address):
        raise click.BadParameter("write it as https://example.org/night.html", param_hint="--address")
    with League.read(league, only_shown=True) as store:
        chosen = choose_tournament(store, tournament)
        if isinstance(plan_of(chosen).stages[0], ComparisonFormat):
            raise click.UsageError(f"{chosen.name} is a comparison, which has no recap: leave out --recap")
        if not store.count_games(chosen.id, Wanted()):
            raise click.UsageError(
                f"{chosen.name} has no games, and a recap shows some: leave out --recap, or play first"
            )
    with share_line("looking for games worth seeing ...") as tell:
        recap = recap_of(league, chosen.id, address, tell)
    text = recap.html.encode("utf-8", "replace")
    _write_file(out, text)
    echo(f"{out}: {chosen.name} on one page, {size_text(len(text))}")
    if address:
        picture = out.with_name(picture_address(address).rpartition("/")[2])
        _write_file(picture, recap.picture)
        echo(f"{picture}: its picture for links to {address}; put both files there")


def _write_file(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise click.BadParameter(f"{path} cannot be written: {error.strerror}", param_hint="OUT") from None


def _require_small(size: int, large: bool) -> None:
    if size > _LARGE and not large:
        raise click.UsageError(
            f"the file would have at least {size_text(size)}: choose its games by --replay GAME, "
            "or take it as it is with --large"
        )
