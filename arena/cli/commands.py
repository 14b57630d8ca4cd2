"""All subcommands together, and their errors as one sentence."""

from __future__ import annotations

import sys
from typing import Any

import click

from arena.cli.backup import backup
from arena.cli.bench import bench
from arena.cli.check_bot import checkup
from arena.cli.common import MENDABLE, WRONG_USE
from arena.cli.games import games
from arena.cli.init_bot import init_bot
from arena.cli.join import join
from arena.cli.rehearse import rehearsal
from arena.cli.replay import replay
from arena.cli.resume import resume
from arena.cli.run import run
from arena.cli.season import season
from arena.cli.standings import standings
from arena.cli.transfer import export_league, import_league
from arena.cli.verify import verify


class _Arena(click.Group):
    """The command group; turns the errors that people can mend into one sentence and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except MENDABLE as error:
            click.echo(f"arena: {error}", err=True)
            sys.exit(WRONG_USE)


@click.group(cls=_Arena, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bot-arena", prog_name="arena")
def arena() -> None:
    """Lets bots play card games against each other: tournaments, standings, replays."""


for command in (
    run, resume, standings, season, verify, replay, rehearsal, backup, export_league, import_league,
    games, init_bot, checkup, join, bench,
):  # fmt: skip
    arena.add_command(command)
