"""What several subcommands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from arena.cli.choice import OneOf
from arena.cli.exit_codes import FAILED as FAILED
from arena.cli.exit_codes import INTERRUPTED as INTERRUPTED
from arena.cli.exit_codes import WRONG_USE as WRONG_USE
from arena.link.local.bot_manifest import BotManifest, read_bot_manifest
from arena.link.local.sandbox import Level, Sandbox, require, usual
from arena.link.tls.trust import OwnCertificate
from arena.runner.entrants import Entrant, is_dialled
from arena.store import League, StoredTournament, UnknownTournament


def league_path(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """The path of a league as it was given. Raises BadParameter where it is that of a tournament file."""
    if path is not None and path.suffix == ".toml":
        raise click.BadParameter(
            f"{path} is a tournament file, not a league; give the league that arena run makes of it, "
            f"such as {path.stem}.league"
        )
    return path


league_argument = click.argument(
    "league", type=click.Path(path_type=Path, dir_okay=False), callback=league_path
)
tournament_option = click.option(
    "--tournament", type=click.IntRange(min=1), help="Which tournament of the league (default: the last one)."
)


def choose_tournament(store: League, number: int | None) -> StoredTournament:
    """The tournament with a number, or the last one, which is as it was stored.

    Raises UnknownTournament where there is none; DamagedLeague.
    """
    store.require_sound()
    chosen = last_tournament(store, number)
    store.require_sound(tournament=chosen.id)
    return chosen


def last_tournament(store: League, number: int | None) -> StoredTournament:
    """The same, but its games are not looked at."""
    if number is not None:
        return store.tournament(number)
    tournaments = store.tournaments()
    if not tournaments:
        raise UnknownTournament(f"{store.path} holds no tournament yet; run one with arena run FILE")
    return tournaments[-1]


def first_error(error: BaseException) -> BaseException:
    """What ended the tasks of an exception group: a Ctrl-C if there was one, else the first error in it."""
    if isinstance(error, BaseExceptionGroup):
        error = error.subgroup(KeyboardInterrupt) or error
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def sandbox_option(text: str) -> Callable[[Any], Any]:
    """The option that says how bots are contained; `text` is its help."""
    return click.option("--sandbox", type=OneOf([level.value for level in Level]), help=text)


def sandbox_of(level: str | None, bot: BotManifest) -> Sandbox:
    """How a bot is contained by itself: at a level, or at the usual one. Raises SandboxMissing."""
    if level is None:
        return Sandbox(usual(), bot.needs)
    require(Level(level))
    return Sandbox(Level(level), bot.needs)


def entrant_of(bot: str, level: str | None, shown: OwnCertificate | None = None) -> Entrant:
    """The bot that a command line names: a folder with a bot.toml, or an address.

    Args:
        bot: which one.
        level: how one in a folder is contained; None for the usual.
        shown: the certificate that one at an address is shown.

    Raises BotManifestError, SandboxMissing.
    """
    if is_dialled(bot):
        return Entrant(bot, address=bot, shown=shown)
    manifest = read_bot_manifest(Path(bot))
    return Entrant(manifest.name, bot=manifest, sandbox=sandbox_of(level, manifest))
