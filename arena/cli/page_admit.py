"""Admits a bot at an address for the page, in a process of its own, as `arena host admit` does.

The page writes the name, the address and the reason to the standard input, as JSON. The process writes the
tournament, or the reason of a refusal, to its standard output.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from arena.cli.errors import USER_ERRORS
from arena.cli.host import Source, bring
from arena.link.tls.trust import OwnCertificate
from arena.text import one_line


def main(league: str, *shown: str) -> None:
    """Admits a bot to the tournament of a league.

    Args:
        league: the league file.
        shown: the files of the certificate and the key that the arena shows; none for the league's own.
    """
    wanted = json.load(sys.stdin)
    own = OwnCertificate(*map(Path, shown)) if shown else None
    try:
        source = Source(address=wanted["address"])
        _, tournament = bring(Path(league), source, wanted["name"], wanted["reason"], own)
    except click.ClickException as problem:
        told = {"refused": problem.message}
    except USER_ERRORS as problem:
        told = {"refused": one_line(str(problem))}
    else:
        told = {"tournament": tournament.name}
    json.dump(told, sys.stdout)
