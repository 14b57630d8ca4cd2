"""`arena join`: a bot in whatever language dials in at a tournament's lobby."""

from __future__ import annotations

import os
from pathlib import Path

import click
import trio

from arena.cli.output import echo
from arena.link.bot_manifest import BotManifestError, read_bot_manifest
from arena.link.build import build
from arena.link.process import joining
from arena.runner.tournament_file import is_address


@click.command("join")
@click.argument("address", metavar="HOST:PORT")
@click.argument("bot", default=".", type=click.Path(path_type=Path))
@click.option("--token", required=True, help="The entrant's token, which the tournament's host has.")
def join(address: str, bot: Path, token: str) -> None:
    """Lets BOT, a folder with a bot.toml (default: this folder), play at the lobby on HOST:PORT.

    It is built where that is needed and started with its `[run]` command, told
    by ARENA_JOIN and ARENA_TOKEN where to dial in; from then on this process is
    the bot, and what it prints and exits with are its own.
    """
    if not is_address(address) or address.startswith("unix:"):
        raise click.UsageError(f"{address} is no HOST:PORT, such as 192.168.1.17:50050")
    manifest = read_bot_manifest(bot)
    trio.run(build, manifest, lambda line: echo(line, err=True))
    os.chdir(manifest.folder)
    try:
        os.execvpe(manifest.command[0], manifest.command, joining(address, token))
    except OSError as error:
        raise BotManifestError(
            f"{manifest.name} cannot be started, for its run command {manifest.command[0]} "
            f"in {manifest.folder}: {error.strerror}"
        ) from None
