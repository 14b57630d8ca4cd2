"""`arena token`: another token for a bot that dials in."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena.cli.addresses import own_host
from arena.cli.common import league_argument
from arena.cli.output import echo
from arena.link.lobby.tickets import new_token, token_digest
from arena.link.local.process import TOKEN
from arena.link.tls.address import Address
from arena.names import same_name
from arena.runner.night.host_requests import TOKEN as TOKEN_REQUEST
from arena.runner.night.host_requests import ask, unfinished


@click.command("token")
@league_argument
@click.argument("bot")
@click.option("--one-time", is_flag=True, help="The token opens the bot's seat once.")
def another_token(league: Path, bot: str, one_time: bool) -> None:
    """Gives BOT, an entrant that dials in, another token, while games are played or between two runs.

    The old token stops working at once, and a bot that plays with it is turned out. BOT's games
    wait, by its clock, for a bot with the new token. Nobody can show a token again: only its digest
    is kept.
    """
    names = [entrant.name for entrant in unfinished(league).entrants]
    name = next((name for name in names if same_name(name) == same_name(bot)), bot)
    give_token(league, name, one_time, f"{name} has another token")


def give_token(league: Path, name: str, one_time: bool, done: str) -> None:
    """Has the referee, or the league where none runs, take another token for a guest, and prints it.

    Args:
        league: the league file.
        name: the guest's.
        one_time: whether it opens the guest's seat once.
        done: what is printed before it.
    """
    token = new_token()
    lobby = ask(league, TOKEN_REQUEST, json.dumps([name, [token_digest(token), one_time]])).lobby
    echo(done)
    if lobby:
        plain, _, trust = lobby.partition("/")
        echo("it joins, from its own folder, with (or a person sits down at /seat, with the token)")
        echo(f"  {TOKEN}={token} arena join {Address(plain, trust).at(own_host(plain))}")
    else:
        echo(f"its token is {token}; arena resume {league} opens the lobby and says how it joins")
