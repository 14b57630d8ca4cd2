"""`arena verify`: whether a league's deals, games, results and schedule are what they claim to be."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

from arena.cli.common import FAILED, league_argument
from arena.cli.output import echo, echo_json
from arena.runner.leagues.verification import Problem, Verification, Verified
from arena.store import DamagedLeague, League
from arena.store.chain import FIRST
from arena.text import counted, one_line

_MOST = 100
"""How many problems are printed."""


@click.command()
@league_argument
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def verify(league: Path, as_json: bool) -> None:
    """Checks a league from its own contents and says exactly what is wrong and where.

    Recomputes the commitment to the deals, derives every board, plays every record again by the
    rules, recomputes every result and the schedule, and checks the hash chain over everything
    stored. It prints the chain's last link: write it down, and nobody can change what came before
    without being found out. Exit code 1: something is wrong.
    """
    problems: list[Problem] = []
    done = Verified(0, 0, FIRST)
    try:
        with League.read(league) as store, Console(stderr=True).status("verifying ...") as status:
            verification = Verification(store)
            for item in verification.problems():
                done = verification.verified
                if item is not None:
                    problems.append(item)
                elif done.games % 200 == 0:
                    status.update(f"verifying ... {done.games} games")
    except DamagedLeague as damage:
        problems.append(Problem("file", str(damage)))
    if as_json:
        echo_json(
            {
                "tournaments": done.tournaments,
                "games": done.games,
                "head": done.head.hex(),
                "problems": [problem._asdict() for problem in problems],
            }
        )
    else:
        for problem in problems[:_MOST]:
            echo(one_line(f"{problem.where}: {problem.what}"))
        if len(problems) > _MOST:
            echo(f"... and {len(problems) - _MOST} more")
        state = counted(len(problems), "problem") if problems else "all is well"
        echo(f"{counted(done.tournaments, 'tournament')}, {counted(done.games, 'game')}: {state}")
        echo(f"last link of the chain: {done.head.hex()}")
    if problems:
        sys.exit(FAILED)
