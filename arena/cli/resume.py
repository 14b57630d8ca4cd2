"""`arena resume`: an unfinished tournament goes on, exactly where it was."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.addresses import require_port
from arena.cli.common import league_argument
from arena.cli.output import echo
from arena.cli.page_beside import delay_option, page_beside, serve_option
from arena.cli.playing import play, playing_options
from arena.cli.tls import Security
from arena.runner.leagues.plans import stored_tournament
from arena.runner.night.settings import CannotRun, Settings
from arena.runner.night.tournament import require_whole
from arena.runner.sitting.sitting import DEFAULT_CONCURRENCY
from arena.store import League, LeagueNotFound


@click.command()
@league_argument
@serve_option
@delay_option
@playing_options
def resume(
    league: Path,
    listen: str | None,
    watch_delay: float,
    concurrency: int | None,
    workers: int | None,
    cluster: str | None,
    lobby: str,
    start_after: float | None,
    as_json: bool,
    sandbox: str | None,
    security: Security,
) -> None:
    """Continues the unfinished tournament of a league with the games that are left.

    The league is checked first: nothing is added to a damaged league.

    The tournament file is the one that the tournament began with, as stored in the league. The bots
    are started from the same folders as then. Exit codes: see arena run.
    """
    require_port(lobby, "--lobby")
    if not league.exists():
        raise LeagueNotFound(f"there is no league file {league}; begin a tournament with arena run FILE")
    with League.create_or_open(league) as store:
        unfinished = [stored for stored in store.tournaments() if stored.finished is None]
        if not unfinished:
            raise CannotRun(f"{league} holds no unfinished tournament; begin one with arena run FILE")
        echo(f"checking the league {league} ...", err=True)
        require_whole(store)
        stored = unfinished[-1]
        tournament = stored_tournament(store, stored)
        settings = Settings(
            key=store.tournament_key(stored.id),
            concurrency=concurrency or tournament.concurrency or DEFAULT_CONCURRENCY,
            logs=league.with_suffix(".logs"),
            lobby=lobby,
            workers=workers,
            tls=security.serving(league, lobby),
            require_tls=security.require_tls,
            one_time=security.one_time,
            watch_delay=watch_delay,
        )
        with page_beside(league, listen, settings.tls) as page:
            play(tournament, store, settings, start_after, as_json, sandbox, stored.id, None, cluster, page)
