"""`arena report`: a tournament as one file to send round."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.choice import OneOf
from arena.cli.common import choose_tournament, league_argument, tournament_option
from arena.cli.output import echo
from arena.cli.replay import parse_key
from arena.page.report_file import all_games, last_games, report_html
from arena.report.layout import counted
from arena.store import League

_LARGE = 5_000_000  # bytes


@click.command()
@league_argument
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--replays",
    type=OneOf(["last", "all", "none"]),
    default="last",
    show_default=True,
    help="Which games can be watched in it: those of the last round, all, or none.",
)
@click.option(
    "--replay", "games", multiple=True, metavar="GAME", help="This game instead; as often as wished."
)
@click.option("--large", is_flag=True, help="Write it also where it is larger than 5 MB.")
@tournament_option
def report(
    league: Path, out: Path, replays: str, games: tuple[str, ...], large: bool, tournament: int | None
) -> None:
    """Writes a tournament as one HTML file: standings, bracket, ratings, and games to watch.

    The file needs no server and no network: it can be sent to everybody and
    printed. GAME is written as arena replay lists it, such as 1.3.2/nyuri/1.2.
    """
    with League.read(league) as store:
        chosen = choose_tournament(store, tournament)
        if games:
            keys = [store.game(store.game_number(chosen.id, parse_key(game))).result.key for game in games]
        else:
            keys = {"last": last_games, "all": all_games, "none": lambda *_: []}[replays](store, chosen.id)
    text = report_html(league, chosen.id, keys)
    size = len(text.encode("utf-8", "replace"))
    if size > _LARGE and not large:
        raise click.UsageError(
            f"the file would have {size / 1e6:.0f} MB: choose its games by --replay GAME, "
            "or take it as it is with --large"
        )
    try:
        out.write_text(text, "utf-8", "replace")
    except OSError as error:
        raise click.BadParameter(f"{out} cannot be written: {error.strerror}", param_hint="OUT") from None
    games_in_it = counted(len(keys), "game") if keys else "no games"
    echo(f"{out}: {chosen.name}, {games_in_it} to watch, {size / 1000:.0f} kB")
