"""What several subcommands share."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from arena.cli.exit_codes import FAILED as FAILED
from arena.cli.exit_codes import INTERRUPTED as INTERRUPTED
from arena.cli.exit_codes import WRONG_USE as WRONG_USE
from arena.kits import KitError
from arena.link.local.bot_manifest import BotManifest
from arena.link.local.build import BuildError
from arena.link.local.sandbox import Level, Sandbox, SandboxMissing, require, usual
from arena.link.tls.identity import WrongIdentity
from arena.runner.leagues.interchange import WrongExport
from arena.runner.night.host_requests import Refused
from arena.runner.night.settings import CannotRun
from arena.store import League, StoredTournament, StoreError, UnknownTournament
from arena.strict_toml import WrongFile
from arena.table.record import BrokenRecord

MENDABLE = (
    WrongFile,
    StoreError,
    CannotRun,
    SandboxMissing,
    BrokenRecord,
    BuildError,
    KitError,
    WrongExport,
    Refused,
    WrongIdentity,
)
"""The errors that people can mend; the text of each is one sentence."""


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


def require_port(address: str, option: str) -> None:
    """Raises BadParameter where an address at which to listen does not say at which port, 0 for any."""
    port = address.rpartition(":")[2] if ":" in address else ""
    if not (port.isascii() and port.isdecimal() and int(port) <= 65535):
        raise click.BadParameter(
            f"{address!r} is no HOST:PORT, such as 0.0.0.0:50050 (0 for any port)", param_hint=option
        )


def own_host(listen: str) -> str:
    """The address under which others reach what listens here on `listen` (`host:port`)."""
    host = listen.rpartition(":")[0]
    if host not in ("", "0.0.0.0", "[::]"):
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("203.0.113.1", 9))  # sends nothing: only asks which way packets would leave
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def sandbox_option(text: str) -> Callable[[Any], Any]:
    """The option that says how bots are contained; `text` is its help."""
    return click.option("--sandbox", type=click.Choice([level.value for level in Level]), help=text)


def sandbox_of(level: str | None, bot: BotManifest) -> Sandbox:
    """How a bot is contained by itself: at a level, or at the usual one. Raises SandboxMissing."""
    if level is None:
        return Sandbox(usual(), bot.needs)
    require(Level(level))
    return Sandbox(Level(level), bot.needs)
