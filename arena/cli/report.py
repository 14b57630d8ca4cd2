"""`arena report`: a tournament as one file to send round."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.choice import OneOf
from arena.cli.common import choose_tournament, league_argument, tournament_option
from arena.cli.output import echo
from arena.cli.replay import parse_key
from arena.page.report_file import all_games, last_games, report_of
from arena.store import League
from arena.text import counted

_LARGE = 5_000_000  # bytes
_LAST = 4_000_000  # bytes, which the games of the last round may take
_LEAST = 2_000  # bytes that any game takes


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
@click.option("--large", is_flag=True, help="Write the file even if it is larger than 5 MB.")
@tournament_option
def report(
    league: Path, out: Path, replays: str, games: tuple[str, ...], large: bool, tournament: int | None
) -> None:
    """Writes a tournament as one HTML file: standings, bracket, ratings, and games to watch.

    The file needs no server and no network: you can send it to people and print it. Write GAME as
    arena replay lists it, such as 1.3.2/nyuri/1.2.
    """
    with League.read(league) as store:
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
    try:
        out.write_text(text, "utf-8", "replace")
    except OSError as error:
        raise click.BadParameter(f"{out} cannot be written: {error.strerror}", param_hint="OUT") from None
    games_in_it = counted(count, "game") if count else "no games"
    of_all = f" of the last round's {len(keys)}" if count < len(set(keys)) else ""
    echo(f"{out}: {chosen.name}, {games_in_it}{of_all} to watch, {size / 1000:.0f} kB")


def _require_small(size: int, large: bool) -> None:
    if size > _LARGE and not large:
        raise click.UsageError(
            f"the file would have at least {size / 1e6:.0f} MB: choose its games by --replay GAME, "
            "or take it as it is with --large"
        )
