"""`arena season`: the tournaments of a league counted together."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import league_argument
from arena.cli.output import echo, echo_json, screen_width
from arena.report.tournaments import season_json, season_text
from arena.runner.leagues.stored import season_of
from arena.runner.leagues.summary import final_places
from arena.standings.season import Night, season_table
from arena.store import League


@click.command()
@league_argument
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON, with exact points.")
def season(league: Path, as_json: bool) -> None:
    """Prints the season table over all finished tournaments of a league.

    A tournament gives a bot the share of the other entrants that it finished ahead of, with ties
    counting half: 1 for the winner, 0 for the last. Equal totals are ranked by tournaments won,
    then by the best single one. The season knows a bot by its entrant's name, whatever its version.
    Comparisons do not count.
    """
    with League.read(league) as store:
        store.require_sound()
        for stored in store.tournaments():
            if stored.finished is not None:
                store.require_sound(tournament=stored.id)
        finished, nights = season_of(store), []
        for stored in finished:
            names = [entrant.name for entrant in stored.entrants]
            places = {names[line.entrant]: line.place for line in final_places(store, stored.id)}
            nights.append(Night(places, {entrant.name: entrant.version for entrant in stored.entrants}))
    rows = season_table(nights)
    titles = [f"{stored.name} ({stored.started:%Y-%m-%d})" for stored in finished]
    if as_json:
        echo_json(season_json(rows, titles))
    else:
        echo(season_text(rows, titles, screen_width()))
