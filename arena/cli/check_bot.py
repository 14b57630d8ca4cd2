"""`arena check-bot`: what has to be right with a bot before league night."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial

import click
import trio

from arena.cli.choice import OneOf
from arena.cli.common import FAILED, INTERRUPTED, entrant_of, first_error, sandbox_option
from arena.cli.durations import duration_of
from arena.cli.output import echo, echo_json
from arena.cli.tls import shown_options
from arena.games import GAMES, does_not_play
from arena.link.tls.trust import OwnCertificate
from arena.report.checkup_text import check_text, checkup_json, checkup_text
from arena.runner.checkup.checklist import check_bot
from arena.runner.checkup.values import Check, Conditions

_FEW = 8
"""How many tables a quick check plays at once."""


@click.command("check-bot")
@click.argument("bot")
@click.option("--game", "games", multiple=True, type=OneOf(list(GAMES)), help="Check only this game.")
@click.option(
    "--quick", is_flag=True, help="Play fewer games: only the usual options, and fewer tables at once."
)
@click.option("--bank", metavar="TIME", help="The clock's bank for a game and seat (default: 60s).")
@click.option("--increment", metavar="TIME", help="What each decision adds to the bank (default: 100ms).")
@click.option("--move", metavar="TIME", help="The limit of one decision (default: 5s).")
@sandbox_option("How the bot is contained, if it is a folder (default: basic).")
@shown_options
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON, and nothing else.")
def checkup(
    bot: str,
    games: tuple[str, ...],
    quick: bool,
    bank: str | None,
    increment: str | None,
    move: str | None,
    sandbox: str | None,
    as_json: bool,
    shown: OwnCertificate | None,
) -> None:
    """Checks BOT, a folder with a bot.toml or an address, point by point.

    The bot is built and started. It plays every game that it claims, with every number of seats and
    every option, and then many tables at once. It is killed and has to come back. It has to end on
    SIGTERM. It joins a tournament, loses its connection there, has to come back, and has to exit
    when the tournament is over. An address, host:port or unix:/path, is dialled; checks that only
    the bot's host can make are skipped.

    A bot that thinks as long as its clock allows takes hours. With a short clock, such as --bank
    5s, it takes minutes.

    Exit code 0: ready for league night; 1: a check failed; 2: wrong use.
    """
    entrant = entrant_of(bot, sandbox, shown)
    if entrant.bot and (problem := does_not_play(games, entrant.bot.games)):
        plays = ", ".join(entrant.bot.games)
        raise click.UsageError(f"{entrant.name} {problem}; it plays {plays}")
    conditions = Conditions(games=games)
    clock = {"bank": bank, "increment": increment, "move": move}
    given = {
        name: duration_of(text, f"--{name}", at_least=0 if name == "increment" else 1)
        for name, text in clock.items()
        if text is not None
    }
    conditions = replace(conditions, clock=conditions.clock._replace(**given))
    if quick:
        conditions = replace(conditions, thorough=False, tables=_FEW)

    def tell(check: Check) -> None:
        if not as_json:
            echo(check_text(check))

    try:
        checks = trio.run(check_bot, entrant, conditions, tell, partial(echo, err=True))
    except (KeyboardInterrupt, BaseExceptionGroup) as problem:
        error = first_error(problem)
        if isinstance(error, KeyboardInterrupt):
            echo("\narena: ended by Ctrl-C", err=True)
            sys.exit(INTERRUPTED)
        raise error from None
    if as_json:
        echo_json(checkup_json(bot, checks))
    else:
        echo(checkup_text(checks))
    if any(check.status == "failed" for check in checks):
        sys.exit(FAILED)
