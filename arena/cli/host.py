"""What the host decides during the night: `arena withdraw`, `annul`, `extend`, `pause`, `go` and `end`.

`arena admit` is in a module of its own.
"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import league_argument
from arena.cli.output import echo
from arena.names import same_name
from arena.runner.night.host_requests import ask
from arena.text import counted
from arena.tournament.plan import MAX_BOARDS

reason_option = click.option(
    "--reason", default="", metavar="TEXT", help="The reason; it is stored with the decision."
)


@click.command()
@league_argument
@click.argument("bot")
@reason_option
def withdraw(league: Path, bot: str, reason: str) -> None:
    """Withdraws BOT, an entrant's name, from a tournament, while it is played or between two runs.

    Its finished matches count. At tables of two its remaining matches of the current stage are
    walkovers. At larger tables the default action is played for it. If it has played less than half
    of a round robin, that whole stage is scored as if it had never entered.
    """
    tournament = ask(league, "withdraw", bot, reason).tournament
    name = next(each.name for each in tournament.entrants if same_name(each.name) == same_name(bot))
    echo(f"{name} is withdrawn from {tournament.name}")


@click.command()
@league_argument
@click.argument("what", metavar="GAME|MATCH")
@reason_option
def annul(league: Path, what: str, reason: str) -> None:
    """Makes games void; they are played again on fresh boards.

    Write GAME as arena replay lists it, such as 1.3.2/nyuri/1.2; its board is void from all seats.
    MATCH, such as 1.3.2, is all that was played of the match. If others were paired because of its
    result, the games of those pairings are void too.
    """
    tournament = ask(league, "annul", what, reason).tournament
    echo(f"{what} of {tournament.name} is void and played again on fresh boards")


@click.command()
@league_argument
@click.option("--cycles", type=click.IntRange(1, 1000), metavar="N", help="N more cycles.")
@click.option("--boards", type=click.IntRange(1, MAX_BOARDS), metavar="N", help="N more boards a match.")
@reason_option
def extend(league: Path, cycles: int | None, boards: int | None, reason: str) -> None:
    """Adds cycles, or boards a match, to the current stage.

    With --cycles everybody meets everybody N times more, if the format has cycles. With --boards
    every match of the stage is longer, also those that are over; in a Swiss or a knockout, those of
    the current round and of later ones. Later stages stay as planned.
    """
    if (cycles is None) == (boards is None):
        raise click.UsageError("give either --cycles or --boards")
    if boards is not None:
        tournament = ask(league, "extend", f"boards {boards}", reason).tournament
        echo(f"{tournament.name} has {counted(boards, 'more board')} a match")
    else:
        tournament = ask(league, "extend", str(cycles), reason).tournament
        echo(f"{tournament.name} has {counted(cycles or 0, 'more cycle')}")


@click.command()
@league_argument
@reason_option
def pause(league: Path, reason: str) -> None:
    """Pauses a tournament: no more games begin, and running games are played to their end.

    arena go continues it, also in another run (arena resume).
    """
    tournament = ask(league, "pause", reason=reason).tournament
    echo(f"{tournament.name} is paused; it goes on with: arena go {league}")


@click.command()
@league_argument
@reason_option
def go(league: Path, reason: str) -> None:
    """Continues a paused tournament."""
    echo(f"{ask(league, 'go', reason=reason).tournament.name} goes on")


@click.command()
@league_argument
@reason_option
def end(league: Path, reason: str) -> None:
    """Ends a tournament before it is over: the rest is not played, and the standings say so.

    After that the league is free for the next tournament. This cannot be undone.
    """
    tournament = ask(league, "end", reason=reason).tournament
    echo(f"{tournament.name} is ended; its standings: arena standings {league}")
