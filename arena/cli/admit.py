"""`arena admit`: a bot that comes late."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import click
import trio

from arena.cli.common import first_error, league_argument, own_host
from arena.cli.host import reason_option
from arena.cli.output import echo
from arena.link.lobby.lobby import entrant_token
from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.local.process import TOKEN
from arena.link.local.sandbox import Sandbox, Trust
from arena.link.streams.dial import BotFault, BotInfo
from arena.names import name_problem
from arena.runner.checkup.introduction import introduced
from arena.runner.entrants import Entrant, is_address
from arena.runner.leagues.plans import plan_of, trust_of
from arena.runner.night.host_requests import Refused, ask, unfinished
from arena.store import League, StoredTournament
from arena.tournament.proposals import Newcomer


@click.command()
@league_argument
@click.argument("bot", required=False, type=click.Path(path_type=Path))
@click.option("--join", metavar="NAME", help="Instead of BOT: a bot that dials in, under this name.")
@click.option("--address", metavar="HOST:PORT", help="Instead of BOT: where a bot runs already.")
@click.option("--name", help="What it is called (default: the bot's own name, or its address).")
@reason_option
def admit(
    league: Path, bot: Path | None, join: str | None, address: str | None, name: str | None, reason: str
) -> None:
    """Lets a late bot into a tournament, while it is played or between two runs.

    BOT is a folder with a bot.toml. It is built, started and asked what it is
    first, and so is one with an --address. What it plays depends on the format
    of the first stage (docs/formats.md); into later stages it comes by how it
    comes out. Where its pairings are drawn already, it is refused.
    """
    if sum(each is not None for each in (bot, join, address)) != 1:
        raise click.UsageError("give one of BOT, --join NAME and --address HOST:PORT")
    if join is not None and name is not None:
        raise click.UsageError("--join gives the name already: leave --name out")
    tournament = unfinished(league)
    with League.read(league) as store:
        trust = trust_of(store, tournament)
    newcomer = _newcomer(tournament, trust, bot, join, address, name)
    if problem := name_problem(newcomer.name):
        raise Refused(f"{newcomer.name!r} cannot be its name: a name {problem}")
    done = ask(league, "admit", json.dumps(newcomer._asdict()), reason)
    echo(f"{newcomer.name} is admitted to {tournament.name}")
    if newcomer.how == "join":
        _tell_how_to_join(league, tournament, newcomer.name, done.lobby)


def _newcomer(
    tournament: StoredTournament,
    trust: Trust,
    bot: Path | None,
    join: str | None,
    address: str | None,
    name: str | None,
) -> Newcomer:
    """What is known of the bot, asked where it can be. Raises Refused, BotManifestError, BuildError."""
    if join is not None:
        return Newcomer(join, "join")
    if bot is not None:
        manifest = read_bot_manifest(bot)
        if problem := trust.refusal(manifest.needs):
            raise Refused(f"{manifest.name} {problem}")
        sandbox = Sandbox(trust.level, manifest.needs)
        entrant = Entrant(name or manifest.name, bot=manifest, sandbox=sandbox)
        how, source = "bot", str(manifest.folder)
    else:
        assert address is not None
        if not is_address(address):
            raise click.BadParameter(f'{address!r} is no "host:port" or "unix:/path"', param_hint="--address")
        entrant = Entrant(name or address, address=address)
        how, source = "address", address
    info = _asked(entrant)
    missing = [game for game in plan_of(tournament).games if game not in info.games]
    if missing:
        raise Refused(f"{entrant.name} does not play {', '.join(missing)}, which {tournament.name} has")
    return Newcomer(entrant.name, how, source, info.version, info.author)


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


def _tell_how_to_join(league: Path, tournament: StoredTournament, name: str, lobby: str) -> None:
    with League.read(league) as store:
        token = entrant_token(store.tournament_key(tournament.id), name)
    if lobby:
        echo("it joins, from its own folder, with")
        echo(f"  {TOKEN}={token} arena join {own_host(lobby)}:{lobby.rpartition(':')[2]}")
    else:
        echo(f"its token is {token}; arena resume {league} opens the lobby and says how it joins")
