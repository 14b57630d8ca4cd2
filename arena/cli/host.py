"""What the host decides during the night: `arena withdraw`, `annul`, `extend`, `pause`, `go` and `end`."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import league_argument
from arena.cli.output import echo
from arena.names import same_name
from arena.runner.night.host_requests import ask

_reason = click.option("--reason", default="", metavar="TEXT", help="Why; it is kept with the decision.")


@click.command()
@league_argument
@click.argument("bot")
@_reason
def withdraw(league: Path, bot: str, reason: str) -> None:
    """Takes BOT, an entrant's name, out of a tournament, while it is played or between two runs.

    Its finished matches count. At tables of two what is left of the stage that
    is being played are walkovers; at larger tables the default action is played
    for it. In a round robin of which it has played less than half, all of that
    stage is scored as if it had never entered.
    """
    tournament = ask(league, "withdraw", bot, reason)
    name = next(each.name for each in tournament.entrants if same_name(each.name) == same_name(bot))
    echo(f"{name} is withdrawn from {tournament.name}")


@click.command()
@league_argument
@click.argument("what", metavar="GAME|MATCH")
@_reason
def annul(league: Path, what: str, reason: str) -> None:
    """Makes games void; they are played again on fresh boards.

    GAME is written as arena replay lists it, such as 1.3.2/nyuri/1.2; its board
    is void from all seats. MATCH, such as 1.3.2, is all that was played of it.
    Where others were paired by how it came out, what they played is void too.
    """
    tournament = ask(league, "annul", what, reason)
    echo(f"{what} of {tournament.name} is void and played again on fresh boards")


@click.command()
@league_argument
@click.option("--cycles", type=click.IntRange(1, 1000), required=True, help="How many more.")
@_reason
def extend(league: Path, cycles: int, reason: str) -> None:
    """Adds cycles to the stage that is being played: everybody meets everybody so many times more."""
    tournament = ask(league, "extend", str(cycles), reason)
    echo(f"{tournament.name} has {cycles} more {'cycle' if cycles == 1 else 'cycles'}")


@click.command()
@league_argument
@_reason
def pause(league: Path, reason: str) -> None:
    """Lets no further games of a tournament begin; those that run are played to their end.

    It goes on with arena go, also in another run (arena resume).
    """
    tournament = ask(league, "pause", reason=reason)
    echo(f"{tournament.name} is paused; it goes on with: arena go {league}")


@click.command()
@league_argument
@_reason
def go(league: Path, reason: str) -> None:
    """Lets a paused tournament go on."""
    echo(f"{ask(league, 'go', reason=reason).name} goes on")


@click.command()
@league_argument
@_reason
def end(league: Path, reason: str) -> None:
    """Ends a tournament before it is over: what is left is not played, and the standings say so.

    The league is free for the next tournament then. This cannot be undone.
    """
    echo(f"{ask(league, 'end', reason=reason).name} is ended; its standings: arena standings {league}")
