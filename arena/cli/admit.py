"""`arena admit`: a bot that comes late."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
import trio

from arena.cli.common import first_error, league_argument
from arena.cli.host import reason_option
from arena.cli.output import echo
from arena.cli.tls import shown_by, shown_options
from arena.cli.token import give_token
from arena.games import does_not_play
from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.local.sandbox import Sandbox, Trust
from arena.link.streams.dial import BotFault, BotInfo
from arena.link.tls.trust import OwnCertificate
from arena.names import name_problem
from arena.runner.checkup.bot import introduced
from arena.runner.entrants import Entrant, is_address
from arena.runner.leagues.stored import plan_of, trust_of
from arena.runner.night.host_requests import Refused, ask, unfinished
from arena.store import League, StoredTournament
from arena.tournament.rulings import Newcomer


@click.command()
@league_argument
@click.argument("bot", required=False, type=click.Path(path_type=Path))
@click.option("--join", metavar="NAME", help="Instead of BOT: a bot that dials in, under this name.")
@click.option("--address", metavar="HOST:PORT", help="Instead of BOT: the address of a running bot.")
@click.option("--name", help="The entrant's name (default: the bot's own name, or its address).")
@click.option("--one-time", is_flag=True, help="With --join: the token opens its seat once.")
@shown_options
@reason_option
def admit(
    league: Path,
    bot: Path | None,
    join: str | None,
    address: str | None,
    name: str | None,
    one_time: bool,
    reason: str,
    shown: OwnCertificate | None,
) -> None:
    """Admits a late bot to a tournament, while it is played or between two runs.

    BOT is a folder with a bot.toml. The arena builds and starts it, and asks it what it is before
    it is admitted; it asks a bot at an --address too. What the bot plays of the first stage depends
    on the format (docs/formats.md). It reaches later stages by its ranking. If its pairings are
    already drawn, it is refused.
    """
    if sum(each is not None for each in (bot, join, address)) != 1:
        raise click.UsageError("give one of BOT, --join NAME and --address HOST:PORT")
    if join is not None and name is not None:
        raise click.UsageError("--join gives the name already: leave --name out")
    newcomer, tournament = bring(league, Source(bot, join, address), name, reason, shown)
    done = f"{newcomer.name} is admitted to {tournament.name}"
    if newcomer.how == "join":
        give_token(league, newcomer.name, one_time, done)
    else:
        echo(done)


class Source(NamedTuple):
    """Where a bot comes from: exactly one of them is given, as `arena admit` takes them."""

    bot: Path | None = None
    join: str | None = None
    address: str | None = None


def bring(
    league: Path, source: Source, name: str | None, reason: str, shown: OwnCertificate | None
) -> tuple[Newcomer, StoredTournament]:
    """Has a late bot admitted, which is asked what it is before where that can be.

    Args:
        league: the league file.
        source: where it comes from.
        name: what it is called; None for its own name, or its address.
        reason: why, for people; may be empty.
        shown: the certificate that a bot at an address is shown; None for the league's own.

    Raises Refused, BadParameter, BotManifestError, BuildError, StoreError.
    """
    tournament = unfinished(league)
    with League.read(league) as store:
        trust = trust_of(store, tournament)
    newcomer = _newcomer(tournament, trust, source, name, shown_by(league, shown))
    if problem := name_problem(newcomer.name):
        raise Refused(f"{newcomer.name!r} cannot be its name: a name {problem}")
    ask(league, "admit", json.dumps(newcomer._asdict()), reason)
    return newcomer, tournament


def _newcomer(
    tournament: StoredTournament,
    trust: Trust,
    source: Source,
    name: str | None,
    shown: OwnCertificate | None,
) -> Newcomer:
    """What is known of the bot, asked where it can be. Raises Refused, BotManifestError, BuildError."""
    bot, join, address = source
    if join is not None:
        return Newcomer(join, "join")
    if bot is not None:
        manifest = read_bot_manifest(bot)
        if problem := trust.refusal(manifest.needs):
            raise Refused(f"{manifest.name} {problem}")
        sandbox = Sandbox(trust.level, manifest.needs)
        entrant = Entrant(name or manifest.name, bot=manifest, sandbox=sandbox)
        how, where = "bot", str(manifest.folder)
    else:
        assert address is not None
        if not is_address(address):
            raise click.BadParameter(f'{address!r} is no "host:port" or "unix:/path"', param_hint="--address")
        entrant = Entrant(name or address, address=address, shown=shown)
        how, where = "address", address
    info = _asked(entrant)
    if problem := does_not_play(plan_of(tournament).games, info.games):
        raise Refused(f"{entrant.name} {problem}, which {tournament.name} has")
    return Newcomer(entrant.name, how, where, info.version, info.author)


def _asked(entrant: Entrant) -> BotInfo:
    """What the bot says it is. Raises Refused, BuildError."""
    try:
        return trio.run(introduced, entrant, partial(echo, err=True))
    except BotFault as fault:
        what = entrant.address or (entrant.bot and os.path.relpath(entrant.bot.folder))
        raise Refused(
            f"{entrant.name} {fault.message}, so it is not admitted: see arena check-bot {what}"
        ) from None
    except BaseExceptionGroup as group:
        raise first_error(group) from None
